// The pure heart: envelope lines through decoder → processor → timeline → encoder with one reader
// with appends, next to the bare cost of parsing the same lines. One core, no I/O.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/codec.h"
#include "model/stream_event.h"
#include "stream/envelope_processor.h"
#include "timeline/timeline.h"

namespace {

using namespace lb;
using Clock = std::chrono::steady_clock;

std::string line(std::string_view type, std::string_view payload) {
  return fmt::format(
      R"({{"eventId":"00000000-0000-4000-8000-000000000000","timestamp":"2026-02-18T10:00:00.000Z",)"
      R"("turnId":"turn-1","sessionId":"session-1","type":"{}","payload":{{"type":"{}",{}}}}})",
      type, type, payload);
}

/// An answer of `bytes` bytes as a model streams it: a word of five letters and a space per event.
std::vector<std::string> answer(std::size_t bytes) {
  std::vector<std::string> lines;
  lines.push_back(line("response_start", R"("modelId":"m","providerId":"p")"));
  lines.push_back(line("item_start", R"("itemId":"i","itemType":"message")"));
  std::string text;
  while (text.size() < bytes) {
    const std::string_view word = text.size() % 90 == 84 ? "word.\\n" : "words ";
    lines.push_back(line("item_delta", fmt::format(R"("itemId":"i","deltaContent":"{}")", word)));
    text += "words ";
  }
  lines.push_back(line("response_done", R"("status":"completed")"));
  return lines;
}

struct Outcome {
  std::size_t frames = 0;
  std::size_t bytes = 0;
};

/// The whole path. `every` true emits on every delta, as agents that speak ACP do.
Outcome run(const std::vector<std::string>& lines, bool every) {
  JsonReader reader;
  BatcherOptions options;
  if (every) options.gradient = {0};
  EnvelopeProcessor processor(options);
  Timeline timeline(SessionId("session-1"), {});
  Outcome outcome;
  Revision cursor = 0;
  MonoMs now = 0;
  for (const std::string& text : lines) {
    now += 5;  // 200 words a second.
    const auto value = reader.parse(text);
    const auto event = decode<StreamEvent>(**value);
    for (auto& output : processor.tick({{now}, now})) {
      if (auto* upsert = std::get_if<Upsert>(&output)) (void)timeline.put(std::move(*upsert));
    }
    for (auto& output : processor.process(*event, {{now}, now})) {
      std::visit([&](auto& entry) { (void)timeline.put(std::move(entry)); }, output);
    }
    timeline.durable_up_to(timeline.head());
    const auto changes = timeline.changes_since(cursor, ReadForm::Appends);
    for (const auto& frame : changes.frames) outcome.bytes += frame->json.size();
    outcome.frames += changes.frames.size();
    cursor = changes.rev;
  }
  return outcome;
}

std::size_t parse_only(const std::vector<std::string>& lines) {
  JsonReader reader;
  std::size_t members = 0;
  for (const std::string& text : lines) members += (*reader.parse(text))->as_object().size();
  return members;
}

template <class Work>
double seconds(Work work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Nanoseconds per event, the best of several rounds: other work on the machine only adds.
template <class Work>
double ns_per_event(std::size_t events, Work work) {
  double best = 1e18;
  const std::size_t repeats = std::max<std::size_t>(1, 40'000 / events);
  for (int round = 0; round < 7; ++round) {
    const double spent = seconds([&] {
      for (std::size_t i = 0; i < repeats; ++i) work();
    });
    best = std::min(best, spent * 1e9 / static_cast<double>(repeats * events));
  }
  return best;
}

}  // namespace

int main() {
  volatile std::size_t sink = 0;
  for (const std::size_t kb : {1UZ, 10UZ, 100UZ}) {
    const auto lines = answer(kb * 1000);
    const double parse = ns_per_event(lines.size(), [&] { sink = sink + parse_only(lines); });
    const double batched =
        ns_per_event(lines.size(), [&] { sink = sink + run(lines, false).bytes; });
    const double every = ns_per_event(lines.size(), [&] { sink = sink + run(lines, true).bytes; });
    const Outcome outcome = run(lines, true);
    fmt::print(
        R"({{"bench":"core","answer_kb":{},"events":{},"events_per_s_batched":{:.0f},"events_per_s_every":{:.0f},)"
        R"("parse_only_per_s":{:.0f},"ratio_batched":{:.2f},"ratio_every":{:.2f},"bytes_per_text_byte":{:.2f}}})"
        "\n",
        kb, lines.size(), 1e9 / batched, 1e9 / every, 1e9 / parse, batched / parse, every / parse,
        static_cast<double>(outcome.bytes) / static_cast<double>(kb * 1000));
  }
  // Total cost, not cost per event: twice the answer may cost at most 2.2 times as much.
  for (const std::size_t kb : {50UZ, 100UZ, 200UZ, 400UZ}) {
    const auto one = answer(kb * 1000);
    const auto two = answer(kb * 2000);
    double cost_one = 1e18;
    double cost_two = 1e18;
    for (int round = 0; round < 9; ++round) {  // Interleaved, so that both see the same machine.
      cost_one = std::min(cost_one, seconds([&] { sink = sink + run(one, true).bytes; }));
      cost_two = std::min(cost_two, seconds([&] { sink = sink + run(two, true).bytes; }));
    }
    fmt::print(
        R"({{"bench":"core_doubling","from_kb":{},"to_kb":{},"cost_ratio":{:.2f},"target_max":2.2}})"
        "\n",
        kb, kb * 2, cost_two / cost_one);
  }
  return 0;
}
