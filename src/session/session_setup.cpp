// The setup commands of a workspace, in the conversation of its session: a turn of their own with
// one tool call, so that whatever the user sends meanwhile waits for its end.

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "session/session.h"

namespace lb {
namespace {

constexpr std::string_view kTool = "Setup";

Turn setup_turn(const SessionId& session, const TurnId& turn, Timestamp now) {
  Turn started;
  started.type = TurnType::Started;
  started.turn_id = turn;
  started.session_id = session;
  started.origin = TurnOrigin::Agent;
  started.started_at = now;
  return started;
}

Item setup_item(const Turn& turn, const std::string& script, Timestamp now) {
  Item item;
  item.turn_id = turn.turn_id;
  item.session_id = turn.session_id;
  item.item_id = ItemId(turn.turn_id.str() + ":setup");
  item.source_timestamp = item.emitted_at = item.started_at = now;
  ToolCall call;
  call.tool_name = kTool;
  json::object arguments;
  arguments["command"] = script;
  call.tool_arguments = RawObject(arguments);
  call.call_id = item.item_id.str();
  call.title = "Set up the workspace";
  call.kind = ToolKind::Execute;
  call.tool_output = Text();
  item.body = std::move(call);
  return item;
}

}  // namespace

/// What the setup says about itself is no turn of the agent's: it must not be looked for there.
void Session::put_setup(Turn turn) {
  const TurnId last = record_->last_turn;
  on_turn(std::move(turn));
  record_->last_turn = last;
  changed();
}

asio::awaitable<bool> Session::run_setup(SetupRun run) {
  const auto self = shared_from_this();
  if (auto active = co_await ready(); !active) co_return false;
  Turn turn = setup_turn(id(), TurnId(make_uuid()), now());
  Item item = setup_item(turn, run.script, now());
  put_setup(turn);
  on_upsert(item);
  item.status = ItemStatus::Update;
  auto& call = std::get<ToolCall>(item.body);

  ExitStatus status;
  std::string problem;
  if (auto process = run.launcher.launch(std::move(run.options))) {
    setup_ = *process;
    setup_->close_stdin();
    asio::steady_timer limit(host_.deps().io, limits::kSetupMax);
    limit.async_wait([&problem, process = *process](boost::system::error_code why) {
      if (why) return;
      problem = "The setup commands took too long and were ended.";
      process->kill();
    });
    while (auto line = co_await setup_->next_line()) {
      append_within_limit(*call.tool_output, line->text + "\n");
      item.emitted_at = now();
      on_upsert(item);
    }
    status = co_await setup_->exited();
    limit.cancel();
    setup_.reset();
  } else {
    problem = process.error().message;
  }
  const bool well = problem.empty() && status.code == 0;
  if (!well && problem.empty()) {
    problem = fmt::format("The setup commands failed: sh {}.", status.text());
  }
  call.exit_code = status.code;
  item.status = well ? ItemStatus::Complete : ItemStatus::Error;
  item.ended_at = item.emitted_at = now();
  if (!well) {
    call.tool_output_is_error = true;
    item.error_code = name_of(ErrorCode::ProcessCrash);
    item.error_message = problem;
  }
  on_upsert(item);
  turn.ended_at = now();
  turn.type = well ? TurnType::Complete : TurnType::Error;
  if (well) {
    turn.status = TurnStatus::Completed;
  } else {
    turn.error_code = name_of(ErrorCode::ProcessCrash);
    turn.error_message = problem;
  }
  put_setup(std::move(turn));
  co_return well;
}

}  // namespace lb
