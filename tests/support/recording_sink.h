/// RecordingSink: a SessionSink that calls what the test gives it.
///
///     provider.attach(session, test::sink({.item = [&](const Upsert& item) { … }}));
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "providers/session_sink.h"

namespace lb::test {

struct Heeds {
  std::function<void(const Upsert&)> item;
  std::function<void(const Turn&)> turn;
  std::function<void(const SessionReport&)> report;
};

class RecordingSink final : public SessionSink {
 public:
  explicit RecordingSink(Heeds heeds) : heeds_(std::move(heeds)) {}
  void item(Upsert item) override {
    if (heeds_.item) heeds_.item(item);
  }
  void turn(Turn turn) override {
    if (heeds_.turn) heeds_.turn(turn);
  }
  void report(SessionReport report) override {
    if (heeds_.report) heeds_.report(report);
  }

 private:
  Heeds heeds_;
};

inline std::shared_ptr<SessionSink> sink(Heeds heeds) {
  return std::make_shared<RecordingSink>(std::move(heeds));
}

}  // namespace lb::test
