// Every recorded session through the translator, compared with its reviewed *.golden file.
//
// LIMINAL_UPDATE_GOLDEN=1 records instead; read the diff before committing it. A line of a golden
// file is one output; text that only grew is written as "+ item text".
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "providers/acp/translator.h"
#include "tests/support/answers.h"

namespace lb::acp {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> transcripts() {
  std::vector<fs::path> found;
  for (const auto& entry :
       fs::directory_iterator(fs::path(LB_SOURCE_DIR) / "src/providers/acp/transcripts")) {
    if (entry.path().extension() == ".jsonl") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

/// One session of a transcript: its translator, and the promises that hold for every output.
class Reader {
 public:
  Reader(const std::string& name, std::string& got)
      : translator_(SessionId(name), "agent"), name_(name), got_(got) {}

  Translator& translator() { return translator_; }

  void take(const Outputs& outputs) {
    for (const Output& output : outputs) std::visit([&](const auto& one) { take(one); }, output);
  }

 private:
  void take(const Upsert& item) {
    CHECK(is_wire_id(item.item_id.str()));
    CHECK(open_turn_ == item.turn_id.str());
    const auto back = decode_text<Item>(encode(item));
    REQUIRE(back.has_value());
    CHECK(*back == item);
    const auto known = items_.find(item.item_id);
    const bool first = known == items_.end();
    CHECK((item.status == ItemStatus::Create) == (first && !is_final(item.status)));
    if (!first) CHECK_FALSE(is_final(known->second.status));
    if (!first && only_grew(known->second, item)) {
      const Text& text = *growing_text(item).text;
      line("+ " + item.item_id.str(),
           encode(std::string(text.since(*growing_text(known->second).text))));
    } else {
      line("upsert", encode(item));
    }
    items_[item.item_id] = item;
  }
  void take(const Turn& turn) {
    if (turn.type == TurnType::Started) {
      CHECK(open_turn_.empty());
      open_turn_ = turn.turn_id.str();
    } else {
      CHECK(open_turn_ == turn.turn_id.str());
      open_turn_.clear();
      for (const auto& [id, item] : items_) CHECK(is_final(item.status));
      if (turn.type == TurnType::Error) CHECK_FALSE(turn.error_message.value_or("").empty());
    }
    line("turn", encode(turn));
  }
  void take(const SessionFacts& facts) {
    // Names and descriptions are long and always the same; what was chosen is what matters.
    SessionFacts brief = facts;
    std::string known;
    for (const Choice& mode : facts.modes) known += " " + mode.id;
    known += " |";
    for (const Choice& model : facts.models) known += " " + model.id;
    known += " |";
    for (const Choice& level : facts.thinking_levels) known += " " + level.id;
    known += " |";
    for (const Command& command : facts.commands) known += " /" + command.name;
    brief.modes.clear();
    brief.models.clear();
    brief.thinking_levels.clear();
    brief.commands.clear();
    line("facts", encode(brief));
    if (known == known_) return;
    known_ = known;
    line("choices", encode(known));
  }
  void take(const SessionTitle& title) { line("title", encode(title.title)); }

  void line(std::string_view what, std::string text) {
    if (auto value = parse_json(text); value && value->is_object()) {
      for (const char* noise :
           {"sessionId", "pos", "rev", "sourceTimestamp", "emittedAt", "startedAt", "endedAt"}) {
        value->get_object().stable_erase(noise);
      }
      text.clear();
      append_json(text, *value);
    }
    got_ += fmt::format("{}{} {}\n", name_.empty() ? "" : name_ + " ", what, text);
  }

  Translator translator_;
  std::string name_;
  std::string& got_;
  std::string open_turn_;
  std::string known_;
  std::map<ItemId, Item> items_;
};

/// Plays a transcript as the provider would see it.
class Player {
 public:
  std::string play(const fs::path& path) {
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
      const auto value = parse_json(text);
      REQUIRE(value.has_value());
      const json::object& entry = value->get_object();
      now_ = {static_cast<std::int64_t>(number_at(entry, "t"))};
      const json::object* message = object_at(entry, "msg");
      if (message == nullptr) continue;
      const std::string_view from = string_at(entry, "dir");
      if (from == "note" && (message->contains("exit") || message->contains("note"))) ended();
      if (from == "in") client_says(*message);
      if (from == "out") agent_says(*message);
    }
    ended();
    return got_;
  }

 private:
  Reader& reader(std::string_view session) {
    auto found = readers_.find(session);
    if (found == readers_.end()) {
      const std::string name = fmt::format("s{}", readers_.size() + 1);
      found = readers_.try_emplace(std::string(session), name, got_).first;
    }
    return found->second;
  }
  static std::string id_of(const json::object& message) {
    return json::serialize(message.at("id"));
  }

  void client_says(const json::object& message) {
    const std::string_view method = string_at(message, "method");
    if (method.empty()) return answer(message);
    const json::object& params = message.at("params").as_object();
    const std::string session(string_at(params, "sessionId"));
    if (message.contains("id")) asked_[id_of(message)] = {std::string(method), session};
    if (method == "session/prompt") {
      Reader& in = reader(session);
      in.take(in.translator().start_turn(TurnId(fmt::format("turn-{}", ++turns_)), now_));
    } else if (method == "session/cancel") {
      reader(session).translator().cancel_requested();
    } else if (method == "session/load") {
      reader(session).translator().begin_replay("a-session");
    }
  }

  void answer(const json::object& message) {
    const auto asked = approvals_.find(id_of(message));
    if (asked == approvals_.end()) return;
    auto& [session, item] = asked->second;
    const json::object& outcome = message.at("result").as_object().at("outcome").as_object();
    Reader& in = reader(session);
    if (string_at(outcome, "outcome") == "selected") {
      Answer answer;
      answer.item_id = item;
      answer.option_id = std::string(string_at(outcome, "optionId"));
      answer.answered_by = "test";
      if (const auto approval = in.translator().take_approval(item)) {
        in.take(Outputs{test::as_answered(*approval, answer, now_)});  // As the session layer does.
      }
    } else {
      in.take(in.translator().withdrawn(item, now_));
    }
  }

  void agent_says(const json::object& message) {
    const std::string_view method = string_at(message, "method");
    if (method == "session/update" || method == "session/request_permission") {
      const json::object& params = message.at("params").as_object();
      const std::string session(string_at(params, "sessionId"));
      Reader& in = reader(session);
      if (method == "session/update") {
        return in.take(in.translator().update(params.at("update").as_object(), now_));
      }
      Translator::Asked asked = in.translator().permission(params, now_);
      in.take(asked.outputs);
      approvals_[id_of(message)] = {session, asked.item_id};
    } else if (method.empty() && message.contains("id")) {
      response(message);
    }
  }

  void response(const json::object& message) {
    const auto call = asked_.find(id_of(message));
    if (call == asked_.end()) return;
    const auto [method, known_session] = call->second;
    const json::object* result = object_at(message, "result");
    std::string session = known_session;
    if (method == "session/new" && result != nullptr) session = string_at(*result, "sessionId");
    if (session.empty()) return;
    Reader& in = reader(session);
    if (method == "session/prompt" && result != nullptr) {
      in.take(in.translator().end_turn(*result, now_));
    } else if (method == "session/prompt") {
      const json::object& error = message.at("error").as_object();
      RpcError why;
      why.code = static_cast<std::int64_t>(number_at(error, "code"));
      why.message = string_at(error, "message");
      if (const json::value* data = error.if_contains("data")) why.data = *data;
      in.take(in.translator().end_turn_with_error(why, now_));
    } else if (result != nullptr) {
      if (method == "session/load") in.take(in.translator().end_replay(now_));
      in.take(in.translator().session_result(*result));
    }
  }

  void ended() {
    for (auto& [session, in] : readers_) {
      in.take(in.translator().fail_turn({ErrorCode::ProcessCrash, "The agent ended."}, now_));
    }
  }

  struct Call {
    std::string method;
    std::string session;
  };
  std::string got_;
  Timestamp now_;
  int turns_ = 0;
  std::map<std::string, Reader, std::less<>> readers_;
  std::map<std::string, Call> asked_;
  std::map<std::string, std::pair<std::string, ItemId>> approvals_;
};

TEST_CASE("acp: every recorded session becomes the reviewed upserts and turns") {
  const auto files = transcripts();
  CHECK(files.size() > 50);
  for (const fs::path& path : files) {
    CAPTURE(path.filename().string());
    const std::string got = Player().play(path);
    const fs::path golden = fs::path(path).replace_extension(".golden");
    if (std::getenv("LIMINAL_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(golden, std::ios::binary) << got;
    }
    CHECK(got == slurp(golden));
  }
}

}  // namespace
}  // namespace lb::acp
