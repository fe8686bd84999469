// Every recorded session of both versions, played into the translator and compared with what was
// reviewed. LIMINAL_UPDATE_GOLDEN=1 records instead.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "tests/support/claude_transcript.h"

using namespace lb;
using namespace lb::test;

namespace {

const fs::path kFolder = fs::path(LB_SOURCE_DIR) / "src/providers/claude/transcripts";

std::string slurp(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

claude::TranslatorOptions options() {
  claude::TranslatorOptions options;
  options.session = SessionId("session");
  return options;
}

/// What must hold of any session, however it went and wherever it was cut.
void check_invariants(const std::vector<claude::Output>& outputs) {
  std::map<std::string, int> turns;  // 1 started, 2 ended
  std::map<std::string, ItemStatus> items;
  for (const claude::Output& output : outputs) {
    if (const auto* turn = std::get_if<Turn>(&output)) {
      int& state = turns[turn->turn_id.str()];
      CHECK_MESSAGE(state != 2, "a turn ended twice");
      if (is_final(*turn)) {
        CHECK_MESSAGE(state == 1, "a turn ended without a start");
        CHECK((turn->type != TurnType::Error || !turn->error_message->empty()));
        state = 2;
      } else {
        state = 1;
      }
    }
    if (const auto* item = std::get_if<Upsert>(&output)) {
      CHECK(is_wire_id(item->item_id.str()));
      CHECK(decode_text<Item>(encode(*item)).has_value());
      const auto known = items.find(item->item_id.str());
      if (known != items.end()) {
        CHECK_MESSAGE(!is_final(known->second), "a final item changed: ", item->item_id.str());
        CHECK(item->status != ItemStatus::Create);
      }
      items[item->item_id.str()] = item->status;
    }
  }
  for (const auto& [id, state] : turns) CHECK_MESSAGE(state == 2, "turn left open: ", id);
  for (const auto& [id, status] : items) CHECK_MESSAGE(is_final(status), "item left open: ", id);
}

}  // namespace

TEST_CASE("each recorded session becomes the reviewed items and turns") {
  const bool update = std::getenv("LIMINAL_UPDATE_GOLDEN") != nullptr;
  const auto all = transcripts(kFolder);
  REQUIRE(all.size() > 150);
  for (const fs::path& path : all) {
    INFO(path.filename().string());
    TranscriptPlayer player(options());
    for (const RecordedLine& line : read_transcript(path)) player.play(line);
    player.end();
    check_invariants(player.outputs());
    const std::string got = OutputPrinter().print(player.outputs());
    const fs::path golden = kFolder / "golden" / (path.stem().string() + ".txt");
    if (update) std::ofstream(golden) << got;
    CHECK(got == slurp(golden));
  }
}

TEST_CASE("a session cut at any line ends every turn and every item") {
  for (const fs::path& path : transcripts(kFolder)) {
    const auto lines = read_transcript(path);
    // Long streams repeat themselves: of those, every seventh cut.
    const std::size_t step = lines.size() > 150 ? 7 : 1;
    for (std::size_t cut = 0; cut <= lines.size(); cut += step) {
      INFO(path.filename().string(), " cut at ", cut);
      TranscriptPlayer player(options());
      for (std::size_t i = 0; i < cut; ++i) {
        if (lines[i].dir != "note") player.play(lines[i]);
      }
      player.end();
      check_invariants(player.outputs());
    }
  }
}
