// Recorded sessions once more, now with the whole provider in the place of the recording client:
// at every step it must write the line that was recorded, up to the numbers of its own requests.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "providers/acp/provider.h"
#include "tests/support/answers.h"
#include "tests/support/manual_timers.h"
#include "tests/support/recording_sink.h"
#include "tests/support/run.h"
#include "tests/support/scripted_process.h"

namespace lb::acp {
namespace {

namespace fs = std::filesystem;

/// Recordings in which the client did what our provider has no reason to do.
bool is_of_another_client(const std::string& name) {
  for (const auto* part : {"06c-",  // answers "cancelled" to a question without cancelling the turn
                           "09c-",  // cancels first and answers the question afterwards
                           "09d-",  // never answers the question
                           "17-",   // methods and values that do not exist
                           "19-",   // content blocks that prompts of ours do not have
                           "20-",   // offers fs and terminals
                           "gemini.load"}) {  // asks for session/list although it is not offered
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

/// Without what is ours to choose: our numbers, our version, our wish for live output.
json::object comparable(json::object message, bool keep_id) {
  if (!keep_id) message.erase("id");
  if (string_at(message, "method") == "initialize") {
    json::object& params = message.at("params").as_object();
    params.at("clientCapabilities").as_object().erase("_meta");
    params.erase("clientInfo");
  }
  return message;
}

class Replay {
 public:
  Replay() {
    launcher_.on_launch([this](std::shared_ptr<test::ScriptedProcess> agent) {
      agent->ignores_eof();
      agent_ = std::move(agent);
    });
    AgentSpec spec;
    spec.cli_type = spec.name = "agent";
    spec.argv = {"agent"};
    spec.env = {{"OPENAI_API_KEY", "k"}, {"CODEX_API_KEY", ""}, {"GEMINI_API_KEY", ""}};
    provider_ = std::make_unique<AcpProvider>(
        spec,
        ProviderDeps{io_.get_executor(), io_.get_executor(), launcher_, timers_.clock(), timers_});
  }
  ~Replay() {
    asio::co_spawn(io_, provider_->shutdown(), asio::detached);
    test::run_ready(io_);
    if (agent_) agent_->exits({.code = 0, .signal = {}});
    test::run_ready(io_);
  }

  void play(const fs::path& path) {
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
      auto value = parse_json(text);
      REQUIRE(value.has_value());
      if (object_at(value->get_object(), "msg") != nullptr) lines_.push_back(value->get_object());
    }
    for (const json::object& line : lines_) {
      const json::object& message = line.at("msg").as_object();
      const std::string_view from = string_at(line, "dir");
      if (from == "in") client_said(message);
      if (from == "out") agent_said(message);
    }
    CHECK(agent_->heard().size() == compared_);  // And nothing else.
  }

 private:
  void client_said(const json::object& message) {
    act(message);
    REQUIRE(test::run_until(io_, [this] { return agent_ && agent_->heard().size() > compared_; }));
    const auto written = parse_json(agent_->heard().at(compared_++));
    REQUIRE(written.has_value());
    const bool is_request = message.contains("method");
    CHECK(comparable(written->as_object(), !is_request) == comparable(message, !is_request));
    if (is_request && message.contains("id")) {
      our_ids_[json::serialize(message.at("id"))] = written->as_object().at("id");
    }
  }

  void agent_said(json::object message) {
    const bool asks = string_at(message, "method") == "session/request_permission";
    const std::string id = message.contains("id") ? json::serialize(message.at("id")) : "";
    if (!message.contains("method") && our_ids_.contains(id)) message["id"] = our_ids_.at(id);
    agent_->says(json::serialize(message));
    REQUIRE(test::run_until(io_, [this] { return agent_->unread() == 0; }));
    test::run_ready(io_);
    if (asks) questions_[id] = last_question_;
  }

  /// What a user does to make our provider write the recorded line; nothing where it follows.
  void act(const json::object& message) {
    const std::string_view method = string_at(message, "method");
    const json::object* params = object_at(message, "params");
    if (method == "session/new" || method == "session/load" || method == "session/resume") {
      if (!opening_) open(method, *params);
    } else if (method == "initialize") {
      open_first();  // The first session starts the agent.
    } else if (method == "session/prompt") {
      const std::string text(string_at(params->at("prompt").at(0).as_object(), "text"));
      Prompt prompt{TurnId(fmt::format("t{}", ++turns_)), text, {}};
      spawn(provider_->send_message(session(*params), prompt));
    } else if (method == "session/cancel") {
      spawn(provider_->cancel_turn(session(*params)));
    } else if (method == "session/set_mode") {
      spawn(provider_->set_mode(session(*params), std::string(string_at(*params, "modeId"))));
    } else if (method.empty()) {
      Answer answer;
      const auto [session, item] = questions_.at(json::serialize(message.at("id")));
      answer.item_id = item;
      answer.option_id =
          std::string(string_at(message.at("result").at("outcome").as_object(), "optionId"));
      spawn(test::give_answer(*provider_, session, answer));
    }
  }

  void open_first() {
    for (const json::object& line : lines_) {
      const json::object& message = line.at("msg").as_object();
      const std::string_view method = string_at(message, "method");
      if (method == "session/new" || method == "session/load" || method == "session/resume") {
        return open(method, message.at("params").as_object());
      }
    }
  }

  void open(std::string_view method, const json::object& params) {
    const SessionId id(fmt::format("s{}", ++sessions_));
    const auto heard = [this, id](const Upsert& item) {
      if (std::holds_alternative<Approval>(item.body)) last_question_ = {id, item.item_id};
    };
    provider_->attach(id, test::sink({.item = heard, .turn = {}, .report = {}}));
    opening_ = true;
    const auto opened = [this](std::exception_ptr, Result<ProviderSession> session) {
      opening_ = false;
      REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().message));
      ids_[session->cli_session_id] = session->session_id;
    };
    if (method == "session/new") {
      CreateSessionOptions options;
      options.session_id = id;
      options.project_dir = std::string(string_at(params, "cwd"));
      asio::co_spawn(io_, provider_->create_session(options), opened);
      return;
    }
    LoadSessionOptions options;
    options.cli_session_id = std::string(string_at(params, "sessionId"));
    options.project_dir = std::string(string_at(params, "cwd"));
    if (method == "session/resume") options.last_known_turn = TurnId("known");
    asio::co_spawn(io_, provider_->load_session(id, options), opened);
  }

  SessionId session(const json::object& params) {
    return ids_.at(std::string(string_at(params, "sessionId")));
  }
  template <class T>
  void spawn(asio::awaitable<T> work) {
    asio::co_spawn(io_, std::move(work), asio::detached);
  }

  asio::io_context io_;
  test::ScriptedLauncher launcher_{io_.get_executor()};
  test::ManualTimers timers_;
  std::unique_ptr<AcpProvider> provider_;
  std::shared_ptr<test::ScriptedProcess> agent_;
  std::vector<json::object> lines_;
  std::size_t compared_ = 0;
  bool opening_ = false;
  int turns_ = 0;
  int sessions_ = 0;
  std::map<std::string, json::value> our_ids_;
  std::map<std::string, SessionId> ids_;
  std::pair<SessionId, ItemId> last_question_;
  std::map<std::string, std::pair<SessionId, ItemId>> questions_;
};

TEST_CASE("acp: what we write equals the recorded client side up to ids") {
  int played = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(LB_SOURCE_DIR) / "src/providers/acp/transcripts")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".jsonl" || is_of_another_client(name)) continue;
    CAPTURE(name);
    Replay().play(entry.path());
    ++played;
  }
  CHECK(played > 50);
}

}  // namespace
}  // namespace lb::acp
