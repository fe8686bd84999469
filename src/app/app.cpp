#include "app/app.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <string_view>

#include "base/version.h"
#include "demo/demo_agent.h"
#include "process/guardian.h"

namespace lb {

int run_program(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == kGuardianCommand) return run_guardian(argc, argv);
  if (command == "demo-agent") return run_demo_agent(argc, argv);

  CLI::App app("Liminal Builder: all your coding agents in one browser window", "liminal-builder");
  app.set_version_flag("--version", std::string("liminal-builder ") + std::string(kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::cout << app.help();
  return 0;
}

}  // namespace lb
