#include "app/app.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/serve.h"
#include "demo/demo_agent.h"
#include "process/guardian.h"

namespace lb {
namespace {

/// A service manager's PATH knows nothing of where version managers put the agents.
void prepend_path(const std::vector<std::string>& folders) {
  if (folders.empty()) return;
  std::string path;
  for (const std::string& folder : folders) path += folder + ":";
  const char* old = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): before any thread.
  path += old == nullptr ? "/usr/local/bin:/usr/bin:/bin" : old;
  ::setenv("PATH", path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
}

int run_command(int argc, char** argv) {
  const Parsed parsed = parse_options(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  prepend_path(parsed.options.path);
  switch (parsed.options.action) {
    case Action::Serve:
      return serve(parsed.options);
    case Action::Open:
      return open_command(parsed.options);
    case Action::Doctor:
      return doctor_command(parsed.options);
    case Action::Export:
      return export_command(parsed.options);
    case Action::Licenses:
      return licenses_command();
  }
  return 2;
}

}  // namespace

int run_program(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == kGuardianCommand) return run_guardian(argc, argv);
  if (command == "demo-agent") return run_demo_agent(argc, argv);
  try {
    return run_command(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "liminal-builder: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace lb
