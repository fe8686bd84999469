/// Metrics: counters, gauges and histograms, shown by GET /metrics as Prometheus text.
///
///     Counter& refused = counter("lb_http_refused_total", "Requests refused before routing.");
///     refused.add();
///
/// A metric is made on first use and lives as long as the program; keep the reference. Everything
/// that is dropped, truncated, coalesced or refused anywhere has a counter here. Safe from any
/// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lb {

class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

class Gauge {
 public:
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_ = 0;
};

/// Durations, in buckets that double from 16 µs to about 17 s.
class Histogram {
 public:
  static constexpr std::size_t kBuckets = 21;
  static constexpr std::uint64_t kFirstUs = 16;
  void observe_us(std::uint64_t us) {
    std::size_t bucket = 0;
    while (bucket < kBuckets && us > (kFirstUs << bucket)) ++bucket;
    buckets_.at(bucket).fetch_add(1, std::memory_order_relaxed);
    sum_us_.fetch_add(us, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t count(std::size_t bucket) const {
    return buckets_.at(bucket).load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum_us() const { return sum_us_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets + 1> buckets_{};
  std::atomic<std::uint64_t> sum_us_ = 0;
};

/// `labels` as Prometheus writes them, without braces: `reason="host"`. The same name and labels
/// give the same metric. Labels come from us, never from a request.
Counter& counter(std::string_view name, std::string_view help, std::string_view labels = "");
Gauge& gauge(std::string_view name, std::string_view help, std::string_view labels = "");
Histogram& histogram(std::string_view name, std::string_view help);

/// Everything, as Prometheus text.
std::string metrics_text();

}  // namespace lb
