// Any lines through the Claude translator: never a crash, a final item never changes again, and
// the end of the process ends every turn and every item.
//
// The input is a transcript as in src/providers/claude/transcripts (the seeds): JSON lines with
// `t`, `dir` and `msg`. Lines that are none are skipped.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "tests/support/claude_transcript.h"

namespace {

using namespace lb;

void check(const std::vector<claude::Output>& outputs) {
  std::map<std::string, ItemStatus> items;
  std::map<std::string, bool> turns;
  for (const claude::Output& output : outputs) {
    if (const auto* item = std::get_if<Upsert>(&output)) {
      const auto known = items.find(item->item_id.str());
      if (known != items.end() && is_final(known->second)) std::abort();
      items[item->item_id.str()] = item->status;
    }
    if (const auto* turn = std::get_if<Turn>(&output)) {
      bool& ended = turns[turn->turn_id.str()];
      if (ended) std::abort();
      ended = is_final(*turn);
    }
  }
  for (const auto& [id, status] : items) {
    if (!is_final(status)) std::abort();
  }
  for (const auto& [id, ended] : turns) {
    if (!ended) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  claude::TranslatorOptions options;
  options.session = SessionId("s");
  test::TranscriptPlayer player(options);
  double clock = 0;
  std::size_t prompts = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto value = parse_json(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!value || !value->is_object()) continue;
    test::RecordedLine line;
    line.t = ++clock;
    line.dir = string_at(value->get_object(), "dir");
    if (line.dir == "note") continue;
    if (const json::value* msg = value->get_object().if_contains("msg")) line.msg = *msg;
    // Turn ids are ours: no two prompts share one.
    if (json::object* msg = line.msg.if_object(); msg != nullptr && line.dir == "in") {
      if (msg->contains("uuid")) (*msg)["uuid"] = "p" + std::to_string(++prompts);
    }
    player.play(line);
  }
  player.end();
  check(player.outputs());
  return 0;
}
