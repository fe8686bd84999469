#include "base/metrics.h"

#include <map>
#include <memory>
#include <mutex>
#include <variant>

namespace lb {
namespace {

using Metric =
    std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>>;

struct Family {
  std::string help;
  std::map<std::string, Metric> by_labels;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Family> families;  // By name, so that the text has a stable order.
};

Registry& registry() {
  // Never destroyed: threads may count while the program ends.
  static auto* const instance = new Registry;
  return *instance;
}

template <class T>
T& metric(std::string_view name, std::string_view help, std::string_view labels) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  Family& family = all.families[std::string(name)];
  if (family.help.empty()) family.help = help;
  const auto [at, added] = family.by_labels.try_emplace(std::string(labels));
  if (added) at->second = std::make_unique<T>();
  return *std::get<std::unique_ptr<T>>(at->second);
}

void append_sample(std::string& out, std::string_view name, std::string_view labels,
                   const std::string& value) {
  out += name;
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(value).append("\n");
}

std::string in_seconds(std::uint64_t us) {
  std::string fraction = std::to_string(us % 1'000'000);
  return std::to_string(us / 1'000'000) + "." + std::string(6 - fraction.size(), '0') + fraction;
}

void append_histogram(std::string& out, std::string_view name, const Histogram& histogram) {
  const std::string bucket_name = std::string(name) + "_bucket";
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    total += histogram.count(i);
    append_sample(out, bucket_name, "le=\"" + in_seconds(Histogram::kFirstUs << i) + "\"",
                  std::to_string(total));
  }
  total += histogram.count(Histogram::kBuckets);
  append_sample(out, bucket_name, "le=\"+Inf\"", std::to_string(total));
  append_sample(out, std::string(name) + "_sum", "", in_seconds(histogram.sum_us()));
  append_sample(out, std::string(name) + "_count", "", std::to_string(total));
}

constexpr std::string_view kKinds[] = {"counter", "gauge", "histogram"};

}  // namespace

Counter& counter(std::string_view name, std::string_view help, std::string_view labels) {
  return metric<Counter>(name, help, labels);
}

Gauge& gauge(std::string_view name, std::string_view help, std::string_view labels) {
  return metric<Gauge>(name, help, labels);
}

Histogram& histogram(std::string_view name, std::string_view help) {
  return metric<Histogram>(name, help, "");
}

std::string metrics_text() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::string out;
  for (const auto& [name, family] : all.families) {
    out.append("# HELP ").append(name).append(" ").append(family.help).append("\n# TYPE ");
    out.append(name).append(" ");
    out.append(kKinds[family.by_labels.begin()->second.index()]).append("\n");
    for (const auto& [labels, entry] : family.by_labels) {
      if (const auto* count = std::get_if<std::unique_ptr<Counter>>(&entry)) {
        append_sample(out, name, labels, std::to_string((*count)->value()));
      } else if (const auto* level = std::get_if<std::unique_ptr<Gauge>>(&entry)) {
        append_sample(out, name, labels, std::to_string((*level)->value()));
      } else {
        append_histogram(out, name, *std::get<std::unique_ptr<Histogram>>(entry));
      }
    }
  }
  return out;
}

}  // namespace lb
