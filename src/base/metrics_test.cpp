#include "base/metrics.h"

#include <doctest/doctest.h>

using namespace lb;

TEST_CASE("metrics are shown as Prometheus text, labels apart, histograms cumulative") {
  counter("lb_test_total", "Things.", "kind=\"a\"").add(2);
  counter("lb_test_total", "Things.", "kind=\"b\"").add();
  counter("lb_test_total", "Things.", "kind=\"a\"").add();
  gauge("lb_test_level", "Level.").set(-3);
  Histogram& durations = histogram("lb_test_seconds", "Durations.");
  durations.observe_us(10);
  durations.observe_us(20);
  durations.observe_us(60'000'000);

  const std::string text = metrics_text();
  CHECK(text.find("# HELP lb_test_total Things.\n# TYPE lb_test_total counter\n"
                  "lb_test_total{kind=\"a\"} 3\nlb_test_total{kind=\"b\"} 1\n") !=
        std::string::npos);
  CHECK(text.find("# TYPE lb_test_level gauge\nlb_test_level -3\n") != std::string::npos);
  CHECK(text.find("lb_test_seconds_bucket{le=\"0.000016\"} 1\n") != std::string::npos);
  CHECK(text.find("lb_test_seconds_bucket{le=\"0.000032\"} 2\n") != std::string::npos);
  CHECK(text.find("lb_test_seconds_bucket{le=\"+Inf\"} 3\n") != std::string::npos);
  CHECK(text.find("lb_test_seconds_sum 60.000030\nlb_test_seconds_count 3\n") != std::string::npos);
}
