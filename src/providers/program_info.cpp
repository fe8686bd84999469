#include "providers/program_info.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json.h"
#include "base/limits.h"
#include "base/run_on.h"
#include "base/version.h"
#include "process/agent_process.h"

namespace lb {
namespace {

namespace fs = std::filesystem;

/// bin/x.js, dist/bin/x.js: the package is at most this far above its program.
constexpr int kFoldersUp = 4;

std::optional<std::string> package_version(const std::string& program) {
  std::error_code why;
  fs::path folder = fs::canonical(program, why).parent_path();
  for (int up = 0; !why && up < kFoldersUp && folder.has_relative_path(); ++up) {
    std::ifstream file(folder / "package.json", std::ios::binary);
    std::string text;
    if (file) {
      text.resize(limits::kPackageFileBytesMax);
      file.read(text.data(), static_cast<std::streamsize>(text.size()));
      text.resize(static_cast<std::size_t>(file.gcount()));
      const auto value = parse_json(text);
      if (value && value->is_object() && !string_at(value->get_object(), "version").empty()) {
        return std::string(string_at(value->get_object(), "version"));
      }
    }
    folder = folder.parent_path();
  }
  return std::nullopt;
}

}  // namespace

ProgramInfo look_at_program(const std::string& program, const Environment& environment) {
  ProgramInfo info;
  info.path = find_program(program, variable(environment, "PATH"));
  if (program == "/proc/self/exe") {
    info.version = std::string(kVersion);
  } else if (info.path) {
    info.version = package_version(*info.path);
  }
  return info;
}

Error not_started(std::string_view name, std::string_view remedy, const Error& why) {
  if (why.code == ErrorCode::Busy) {
    return {ErrorCode::Busy,
            fmt::format("Could not start {}: this computer has no room for another process now "
                        "({}). Stop sessions that you do not need, then try again.",
                        name, why.message)};
  }
  if (why.code != ErrorCode::AgentUnavailable) return why;
  return {ErrorCode::AgentUnavailable,
          fmt::format("Could not start {}. Check that it's installed. {}", name,
                      remedy.empty() ? std::string_view(why.message) : remedy)};
}

asio::awaitable<AgentInfo> inspect_agent(AgentSpec spec, asio::any_io_executor blocking) {
  const ProgramInfo program = co_await run_on(
      blocking, [&spec] { return look_at_program(spec.command(), spec.environment()); });
  AgentInfo info;
  info.cli_type = spec.cli_type;
  info.name = spec.name;
  info.protocol = spec.protocol;
  info.installed = program.path.has_value();
  info.version = program.version;
  if (!info.installed) {
    info.problem = fmt::format("{} was not found.", spec.command());
    info.remedy = spec.install_hint;
  }
  co_return info;
}

}  // namespace lb
