#include "demo/demo_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "demo/agent.h"
#include "demo/stdio.h"

namespace lb {
namespace {

/// Where the XDG rules put what a program keeps between runs; empty without a home.
std::string default_state_dir() {
  // Before any other thread exists, and nobody changes the environment later.
  // NOLINTBEGIN(concurrency-mt-unsafe)
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/liminal-builder/demo";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + "/.local/state/liminal-builder/demo";
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return {};
}

/// One option of the command line; `value` says what its value is, empty for a switch.
struct Flag {
  std::string_view name;
  std::string_view value;
  std::string_view help;
  std::function<bool(const std::string&)> take;  // False: not such a value.
};

std::vector<Flag> flags_of(demo::Options& options) {
  const auto text = [](std::string& target) {
    return [&target](const std::string& value) { return target = value, true; };
  };
  const auto methods = [](std::set<std::string>& target) {
    return [&target](const std::string& value) { return target.insert(value), true; };
  };
  const auto on = [](bool& target) {
    return [&target](const std::string&) { return target = true; };
  };
  const auto pace = [&options](const std::string& value) {
    char* end = nullptr;
    options.pace = std::strtod(value.c_str(), &end);
    return !value.empty() && *end == '\0' && options.pace >= 0;
  };
  return {
      {"--pace", "FACTOR", "Multiply every pause; 0 plays without any", pace},
      {"--state-dir", "DIR", "Where conversations are kept; '' for nowhere",
       text(options.state_dir)},
      {"--fail", "METHOD", "Answer this method with an error", methods(options.fail)},
      {"--hang", "METHOD", "Never answer this method", methods(options.hang)},
      {"--crash", "METHOD", "Die on this method", methods(options.crash)},
      {"--need-auth", "", "Demand a login first", on(options.need_auth)},
      {"--no-load", "", "Offer neither load nor resume", on(options.no_load)},
      {"--banner", "", "Write noise before the protocol", on(options.banner)},
      {"--ignore-eof", "", "Stay when the input ends", on(options.ignore_eof)},
      {"--ignore-term", "", "Ignore SIGTERM", on(options.ignore_term)},
  };
}

int help(const std::vector<Flag>& flags) {
  std::cout << "An agent that needs no account: speaks ACP on stdin and stdout\n"
               "Usage: liminal-builder demo-agent [OPTIONS]\n\nOptions:\n";
  for (const Flag& flag : flags) {
    std::cout << fmt::format("  {:<24} {}\n", fmt::format("{} {}", flag.name, flag.value),
                             flag.help);
  }
  return 0;
}

/// Empty when all is well, else the status to exit with. Not with the library that reads the
/// program's own options: compiling it a second time took longer than the rest of this agent.
std::optional<int> parse(std::vector<std::string> words, demo::Options& options) {
  const std::vector<Flag> flags = flags_of(options);
  const auto wrong = [](const std::string& why) {
    std::cerr << "liminal-builder demo-agent: " << why << "; --help lists the options\n";
    return 2;
  };
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::string name = words[at];
    std::optional<std::string> value;
    if (const auto equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (name == "--help" || name == "-h") return help(flags);
    const auto flag = std::ranges::find(flags, name, &Flag::name);
    if (flag == flags.end()) return wrong("unknown option " + words[at]);
    if (flag->value.empty() == value.has_value()) {
      if (value) return wrong(name + " takes no value");
      if (++at == words.size()) return wrong(name + " needs a value");
      value = words[at];
    }
    if (!flag->take(value.value_or(""))) return wrong(name + ": not a valid value");
  }
  return std::nullopt;
}

}  // namespace

int run_demo_agent(int argc, char** argv) {
  demo::Options options;
  options.state_dir = default_state_dir();
  if (const auto status = parse({argv + 2, argv + argc}, options)) return *status;
  ::signal(SIGPIPE, SIG_IGN);
  if (options.ignore_term) ::signal(SIGTERM, SIG_IGN);
  if (options.banner) std::cout << "Demo agent starting…\nupdate available: 9.9.9\n" << std::flush;

  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  const auto client = std::make_shared<demo::Stdio>(io.get_executor());
  const auto agent = std::make_shared<demo::Agent>(io.get_executor(), options);
  const bool stays = options.ignore_eof;
  agent->serve(client, [&io, stays] {
    if (!stays) io.stop();
  });
  client->start();
  io.run();
  return 0;
}

}  // namespace lb
