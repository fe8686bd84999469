#include "providers/claude/process/login.h"

#include "base/json.h"
#include "base/limits.h"
#include "providers/claude/history/records.h"

namespace lb::claude {
namespace {

asio::awaitable<std::string> output_of(LaunchOptions launch, ProviderDeps deps) {
  auto process = deps.launcher.launch(std::move(launch));
  if (!process) co_return "";
  const auto limit =
      deps.timers.after(limits::kClaudeAuthStatusMax, [running = *process] { running->kill(); });
  (*process)->close_stdin();
  std::string said;
  while (const auto line = co_await (*process)->next_line()) said += line->text + "\n";
  co_await (*process)->exited();
  co_return said;
}

}  // namespace

std::vector<FileMark> login_marks(const std::filesystem::path& config) {
  return {mark_of(config / ".credentials.json"), mark_of(config / "settings.json")};
}

asio::awaitable<std::optional<LoginState>> LoginCheck::ask(std::string program,
                                                           Environment environment,
                                                           ProviderDeps deps) {
  const std::vector<FileMark> marks = login_marks(config_dir(environment));
  const MonoMs now = deps.clock.mono();
  const bool same = known_ && known_->program == program && known_->marks == marks;
  const bool fresh = same && (known_->said == LoginState::Ok ||
                              now - known_->asked_at < limits::kClaudeAuthStatusEveryMs);
  if (fresh) co_return known_->said;
  const std::string said = co_await output_of(
      {.argv = {program, "auth", "status"}, .cwd = "/", .env = std::move(environment)}, deps);
  Known known{std::move(program), marks, now, std::nullopt};
  const auto parsed = parse_json(said);
  const json::value* in =
      parsed && parsed->is_object() ? parsed->get_object().if_contains("loggedIn") : nullptr;
  if (in != nullptr && in->is_bool()) {
    known.said = in->get_bool() ? LoginState::Ok : LoginState::Needed;
  }
  known_ = std::move(known);
  co_return known_->said;
}

}  // namespace lb::claude
