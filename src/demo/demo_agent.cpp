#include "demo/demo_agent.h"

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>

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

void add_options(CLI::App& app, demo::Options& options) {
  app.add_option("--pace", options.pace, "Multiply every pause; 0 plays without any")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--state-dir", options.state_dir, "Where conversations are kept; '' for nowhere");
  app.add_option("--fail", options.fail, "Answer these methods with an error")->group("Faults");
  app.add_option("--hang", options.hang, "Never answer these methods")->group("Faults");
  app.add_option("--crash", options.crash, "Die on these methods")->group("Faults");
  app.add_flag("--need-auth", options.need_auth, "Demand a login first")->group("Faults");
  app.add_flag("--no-load", options.no_load, "Offer neither load nor resume")->group("Faults");
  app.add_flag("--banner", options.banner, "Write noise before the protocol")->group("Faults");
  app.add_flag("--ignore-eof", options.ignore_eof, "Stay when the input ends")->group("Faults");
  app.add_flag("--ignore-term", options.ignore_term, "Ignore SIGTERM")->group("Faults");
}

}  // namespace

int run_demo_agent(int argc, char** argv) {
  demo::Options options;
  options.state_dir = default_state_dir();
  CLI::App app("An agent that needs no account: speaks ACP on stdin and stdout",
               "liminal-builder demo-agent");
  add_options(app, options);
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
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
