/// World: a service with scripted agents over a store in memory, for the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/service/session_service.h"
#include "store/memory_store.h"
#include "tests/support/io_loop.h"
#include "tests/support/scripted_provider.h"
#include "tests/support/temp_dir.h"

namespace lb::test {

/// What the service told everyone.
struct Heard final : ServiceEvents {
  void project_added(const Project& project) override { added.push_back(project); }
  void project_removed(const ProjectId& project) override { removed.push_back(project); }
  void session_created(const SessionCreatedMessage& message) override {
    created.push_back(message);
  }
  void session_info(const SessionInfo& info) override { activity.push_back(info); }
  void session_facts(const SessionId&, const SessionFacts& told) override { facts.push_back(told); }
  void session_inbox(const SessionId& session, const std::string& title,
                     const std::vector<Item>& items) override {
    inboxes.push_back({session, title, items});
  }
  void agent_status(const AgentStatusMessage& message) override { statuses.push_back(message); }
  void settings_changed(const SettingsMessage& message) override { settings.push_back(message); }
  void workspace(const Workspace& workspace) override { workspaces.push_back(workspace); }
  void store_state(const StoreState& state) override { states.push_back(state); }
  std::vector<Project> added;
  std::vector<ProjectId> removed;
  std::vector<SessionCreatedMessage> created;
  std::vector<SessionInfo> activity;
  std::vector<SessionFacts> facts;
  struct Inbox {
    SessionId session;
    std::string title;
    std::vector<Item> items;
  };
  std::vector<Inbox> inboxes;
  std::vector<AgentStatusMessage> statuses;
  std::vector<SettingsMessage> settings;
  std::vector<Workspace> workspaces;
  std::vector<StoreState> states;
};

/// What a session does itself, asked as the table of commands does: the session is found, awake.
template <class Request, class Answer>
asio::awaitable<Result<Answer>> ask(SessionService& service,
                                    asio::awaitable<Result<Answer>> (Session::*method)(Request),
                                    std::type_identity_t<Request> request) {
  const auto session = service.find(request.session_id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await ((**session).*method)(std::move(request));
}
inline asio::awaitable<Result<void>> ask(
    SessionService& service,
    asio::awaitable<Result<void>> (Session::*method)(SessionAnswerRequest, Caller),
    SessionAnswerRequest request, std::string via) {
  const auto session = service.find(request.session_id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await ((**session).*method)(std::move(request), Caller{std::move(via)});
}
inline asio::awaitable<Result<void>> ask(SessionService& service,
                                         asio::awaitable<Result<void>> (Session::*method)(),
                                         SessionId id) {
  const auto session = service.find(id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await ((**session).*method)();
}

struct World {
  World() { restart(); }

  /// A new server over the same store, with agents that remember nothing.
  void restart() {
    service.reset();
    registry = std::make_unique<ProviderRegistry>();
    auto first = std::make_unique<ScriptedProvider>("claude-code");
    auto second = std::make_unique<ScriptedProvider>("codex");
    first->outside = outside;
    if (prepare) prepare(*first, *second);
    claude = first.get();
    codex = second.get();
    registry->add(std::move(first));
    registry->add(std::move(second));
    ServiceDeps deps{loop.executor(), store, *registry, clock};
    deps.suspend_every = suspend_every;
    deps.outside_every = outside_every;
    if (with_git) {
      deps.keep_dir = dir.file("keep");
      deps.worktrees = dir.file("worktrees");
      deps.checkpoint_wait = checkpoint_wait;
    }
    deps.editor = editor;
    service.emplace(deps);
    service->set_events(&heard);
    REQUIRE(loop.run(service->start()).has_value());
  }

  Project project(const std::string& name = "web") {
    std::filesystem::create_directories(dir.file(name));
    return loop.run(service->add_project(dir.file(name)))->project;
  }
  SessionId create(const std::string& cli_type = "claude-code") {
    SessionCreateRequest request;
    request.cli_type = cli_type;
    request.project_id = project().project_id;
    const auto made = loop.run(service->create(std::move(request)));
    REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
    return made->session_id;
  }
  Result<SessionSentMessage> send(const SessionId& session, const std::string& text,
                                  std::optional<std::string> key = std::nullopt) {
    SessionSendRequest request;
    request.session_id = session;
    request.content = text;
    request.client_message_id = std::move(key);
    return loop.run(ask(*service, &Session::send, std::move(request)));
  }
  TurnId begin(const SessionId& session, const std::string& text = "Do it") {
    const auto sent = send(session, text);
    REQUIRE_MESSAGE(sent.has_value(), (sent ? "" : sent.error().message));
    CHECK(!sent->queued);
    return sent->turn_id;
  }
  std::vector<Item> items(const SessionId& session) {
    std::vector<Item> all;
    const auto history = loop.run(service->timeline(session, 0));
    REQUIRE(history.has_value());
    for (const FramePtr& frame : history->items) {
      all.push_back(*decode_text<Item>(frame->payload()));
    }
    return all;
  }
  std::vector<Turn> turns(const SessionId& session) {
    std::vector<Turn> all;
    const auto history = loop.run(service->timeline(session, 0));
    REQUIRE(history.has_value());
    for (const FramePtr& frame : history->turns) {
      all.push_back(*decode_text<Turn>(frame->payload()));
    }
    return all;
  }
  std::optional<Turn> turn(const SessionId& session, const TurnId& id) {
    for (const Turn& one : turns(session)) {
      if (one.turn_id == id) return one;
    }
    return std::nullopt;
  }
  std::string text(const Item& item) { return growing_text(item).text->str(); }
  SessionInfo info(const SessionId& session) { return service->status(session)->info; }

  TempDir dir;
  OpenInEditor editor;    // From the next restart on.
  bool with_git = false;  // Checkpoints and worktrees, from the next restart on.
  std::chrono::milliseconds checkpoint_wait = limits::kCheckpointMax;  // However slow the machine.
  IoLoop loop;
  SystemClock clock;
  std::chrono::milliseconds suspend_every = limits::kSuspendEvery;
  std::chrono::milliseconds outside_every = limits::kOutsideEvery;
  std::vector<DiscoveredSession> outside;  // What the first agent knows at the next restart.
  /// What else both need before a restart: the service looks for sessions as it starts.
  std::function<void(ScriptedProvider&, ScriptedProvider&)> prepare;
  MemoryStore store{loop.executor()};
  Heard heard;
  std::unique_ptr<ProviderRegistry> registry;
  ScriptedProvider* claude = nullptr;
  ScriptedProvider* codex = nullptr;
  std::optional<SessionService> service;
};

}  // namespace lb::test
