// open, export and doctor: what the command line can ask without a browser.
#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdlib>
#include <iostream>

#include "app/browser.h"
#include "app/control.h"
#include "app/serve.h"
#include "base/version.h"
#include "git/git.h"
#include "process/guarded_process.h"
#include "providers/timers.h"
#include "session/service/session_service.h"
#include "store/data_dir.h"
#include "store/sqlite/sqlite_store.h"

namespace lb {
namespace {

/// The message of an answer that is an error, or nothing.
std::optional<std::string> error_in(const std::string& answer) {
  if (!answer.starts_with(R"({"code":")")) return std::nullopt;
  const auto parsed = parse_json(answer);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const std::string_view message = string_at(parsed->get_object(), "message");
  return message.empty() ? std::nullopt : std::optional(std::string(message));
}

/// Runs one coroutine to its end on a loop of its own.
template <class T>
T run_to_end(asio::io_context& io, asio::awaitable<T> work) {
  auto result = asio::co_spawn(io, std::move(work), asio::use_future);
  while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io.run_one();
  return result.get();
}

asio::awaitable<Result<std::string>> export_from(SessionService& service, SessionId session,
                                                 ExportFormat format) {
  if (auto started = co_await service.start(); !started) {
    co_return std::unexpected(started.error());
  }
  auto text = co_await service.export_session(session, format);
  co_await service.stop();
  co_return text;
}

/// The flags with which another command of ours means the same server; mostly none.
std::string whose(const Options& options) {
  std::string flags;
  if (options.data_dir != default_data_dir()) flags += " --data-dir " + options.data_dir.string();
  return flags;
}

/// No server runs: the store is opened here, under the same lock.
Result<std::string> export_offline(const Options& options) {
  std::error_code why;
  if (!std::filesystem::exists(options.data_dir, why)) {
    return fail(ErrorCode::SessionNotFound,
                fmt::format("Nothing is kept in {}: there is no such folder. Give --data-dir or "
                            "--config as the server has them.",
                            options.data_dir.string()));
  }
  auto directory = DataDir::open(options.data_dir.string());
  if (!directory) return std::unexpected(directory.error());
  asio::io_context io(1);
  auto store = open_sqlite_store(io.get_executor(), {directory->path(), {}});
  if (!store) return std::unexpected(store.error());
  const SystemClock clock;
  ProviderRegistry nobody;
  add_all_names(nobody, options.agents);
  SessionService service({io.get_executor(), **store, nobody, clock});
  const auto format = options.export_format == "json" ? ExportFormat::Json : ExportFormat::Markdown;
  auto text = run_to_end(io, export_from(service, SessionId(options.export_session), format));
  (*store)->close();
  return text;
}

void line(std::string_view mark, std::string_view what, const std::string& text) {
  std::cout << "  " << mark << "  " << what
            << std::string(what.size() < 14 ? 14 - what.size() : 1, ' ') << text << "\n";
}

asio::awaitable<std::vector<AgentInfo>> inspect_all(ProviderRegistry& registry) {
  std::vector<AgentInfo> out;
  for (const auto& provider : registry.all()) out.push_back(co_await provider->inspect());
  co_return out;
}

void print_agent(const AgentInfo& agent) {
  const std::string version = agent.version.value_or("");
  if (!agent.problem) return line("ok", agent.cli_type, agent.name + " " + version);
  line(agent.installed ? "!!" : "--", agent.cli_type, *agent.problem);
  if (agent.remedy) line("  ", "", *agent.remedy);
}

void print_agents(const Options& options) {
  std::cout << "Agents\n";
  asio::io_context io(1);
  asio::thread_pool pool(2);
  GuardedLauncher launcher(io.get_executor());
  SystemTimers timers(io.get_executor());
  const SystemClock clock;
  ProviderRegistry registry;
  const ProviderDeps deps{io.get_executor(), pool.get_executor(), launcher, clock, timers};
  if (auto added = add_all_providers(registry, options.agents, deps); !added) {
    return line("!!", "configuration", added.error().message);
  }
  for (const AgentInfo& agent : run_to_end(io, inspect_all(registry))) print_agent(agent);
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  line("  ", "looked in", path == nullptr ? "" : path);
}

/// Why the server could not listen where it is told to; nothing when it could, or is to pick one.
std::optional<std::string> port_problem(const Options& options) {
  asio::io_context io(1);
  asio::ip::tcp::acceptor acceptor(io);
  boost::system::error_code error;
  const auto host =
      asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
  const asio::ip::tcp::endpoint endpoint(host, options.port);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(1, error);
  if (!error) return {};
  const std::string where = options.host + " port " + std::to_string(options.port);
  if (error != asio::error::address_in_use) return where + ": " + error.message();
  return where +
         " is taken by another program; `port` in the configuration, or --port, names another";
}

void print_server(const Options& options) {
  std::cout << "Server\n";
  const std::string address = DataDir::address_of(options.data_dir.string());
  if (address.empty()) {
    line("--", "running", "no; start it with: liminal-builder");
  } else {
    line("ok", "running",
         "at " + address + "; a fresh address: liminal-builder open" + whose(options));
  }
  auto problem = bind_problem(options);
  if (!problem && address.empty()) problem = port_problem(options);
  const std::string told = options.host + " port " + std::to_string(options.port);
  // A server that runs may have been told otherwise: --port, or the configuration changed since.
  const bool elsewhere = !address.empty() && !options.external_origin && options.port != 0 &&
                         !address.ends_with(":" + std::to_string(options.port));
  line(problem ? "!!" : "ok", elsewhere ? "next start" : "bind", problem ? *problem : told);
  line("ok", "credential",
       options.token ? "launch codes and LIMINAL_BUILDER_TOKEN" : "launch codes");
  line("ok", "configuration",
       options.config.empty() ? "none (" + default_config_file().string() + ")"
                              : options.config.string());
  if (::geteuid() == 0) line("!!", "user", "runs as root; a user of its own is safer");
}

void print_confinement(const Options& options) {
  asio::io_context io(1);
  GuardedLauncher launcher(io.get_executor());
  launcher.build_walls([&options] { return walls_of(options); });
  const auto allowed = run_to_end(io, check_confinement(launcher));
  line(allowed ? "ok" : "!!", "confined",
       allowed ? "sessions can be confined: namespaces of their own, our files out of sight"
               : "sessions cannot be confined here: " + allowed.error().message);
}

/// What workspaces and rewinding need.
void print_git(const Options& options) {
  const git::Git git = git::Git::of_the_user();
  const auto version = git.line({.args = {"--version"}, .cwd = "/"});
  line(version ? "ok" : "--", "git",
       version ? *version : "not installed: no worktrees, no checkpoints");
  if (!version) return;
  const auto usage = git.run({.args = {"merge-tree", "-h"}, .cwd = "/"});
  const bool trees = usage && (usage->out + usage->err).contains("--write-tree");
  if (!trees) line("!!", "", "older than 2.38: turns cannot be rewound, nothing can land");
  std::error_code why;
  std::filesystem::path place = options.worktrees;
  while (!std::filesystem::exists(place, why) && place.has_relative_path()) {
    place = place.parent_path();
  }
  const bool writable = ::access(place.c_str(), W_OK | X_OK) == 0;
  line(writable ? "ok" : "!!", "worktrees",
       options.worktrees.string() + (writable ? "" : ": " + place.string() + " cannot be written"));
  line("ok", "checkpoints", options.checkpoints ? "before and after every turn" : "switched off");
}

/// What opens files for the user.
void print_editor(const Options& options) {
  if (options.editor.empty()) return line("--", "editor", "none; `editor` of the configuration");
  const std::string& program = options.editor.front();
  const Environment env = child_environment({}, options.path);
  const bool there = find_program(program, variable(env, "PATH")).has_value();
  line(there ? "ok" : "!!", "editor", program + (there ? "" : ": not found"));
}

void print_terminals(const Options& options) {
  const std::string shell = shell_of_the_user();
  const std::string_view whose = !options.token           ? ""
                                 : options.terminal_token ? ", also for LIMINAL_BUILDER_TOKEN"
                                                          : ", not for LIMINAL_BUILDER_TOKEN";
  line("ok", "terminals",
       options.terminal ? fmt::format("{} in the browser{}", shell, whose)
                        : "switched off: terminal = false");
}

void print_store(const Options& options) {
  std::cout << "Store\n";
  line("ok", "data", options.data_dir.string());
  line("ok", "durability",
       "SQLite, WAL, synchronous=FULL: what is shown as complete is on the disk");
  line("ok", "confinement", "each agent below a guardian; nothing it starts outlives its session");
  print_confinement(options);
  print_git(options);
  print_editor(options);
  print_terminals(options);
}

}  // namespace

int open_command(const Options& options) {
  if (std::getenv("LIMINAL_BUILDER_TERMINAL") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    return failed(
        "this is a terminal of the page: an agent could run here what you run. Ask for an "
        "address in a terminal of your own");
  }
  const bool browser = options.open_browser && has_browser();
  auto answer = ask_server(options.data_dir.string(), {{"command", "open"}, {"withFile", browser}});
  if (!answer) return failed(answer.error().message + "; start it with: liminal-builder");
  if (const auto error = error_in(*answer)) return failed(*error);
  const std::size_t end = std::min(answer->find('\n'), answer->size());
  std::cout << answer->substr(0, end) << std::endl;
  if (browser && end + 1 < answer->size()) open_in_browser(answer->substr(end + 1));
  return 0;
}

int export_command(const Options& options) {
  if (!is_wire_id(options.export_session)) return failed("not a valid session id");
  auto text = ask_server(options.data_dir.string(), {{"command", "export"},
                                                     {"sessionId", options.export_session},
                                                     {"format", options.export_format}});
  if (!text && text.error().code == ErrorCode::AgentUnavailable) text = export_offline(options);
  if (!text) return failed(text.error().message);
  if (const auto error = error_in(*text)) return failed(*error);
  std::cout << *text;
  std::cout.flush();
  return 0;
}

int doctor_command(const Options& options) {
  std::cout << "Liminal Builder " << kVersion << "\n\n";
  print_server(options);
  print_store(options);
  print_agents(options);
  return 0;
}

}  // namespace lb
