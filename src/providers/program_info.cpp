#include "providers/program_info.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json.h"
#include "base/version.h"
#include "process/agent_process.h"

namespace lb {
namespace {

namespace fs = std::filesystem;
using Environment = std::vector<std::pair<std::string, std::string>>;

/// A package.json is a few kilobytes; anything much larger is none.
constexpr std::size_t kPackageBytesMax = 256U << 10U;
/// bin/x.js, dist/bin/x.js: the package is at most this far above its program.
constexpr int kFoldersUp = 4;

std::optional<std::string> package_version(const std::string& program) {
  std::error_code why;
  fs::path folder = fs::canonical(program, why).parent_path();
  for (int up = 0; !why && up < kFoldersUp && folder.has_relative_path(); ++up) {
    std::ifstream file(folder / "package.json", std::ios::binary);
    std::string text;
    if (file) {
      text.resize(kPackageBytesMax);
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

asio::awaitable<ProgramInfo> look(std::string program, Environment environment) {
  co_return look_at_program(program, environment);
}

}  // namespace

ProgramInfo look_at_program(const std::string& program, const Environment& environment) {
  ProgramInfo info;
  std::string_view path;
  for (const auto& [name, value] : environment) {
    if (name == "PATH") path = value;
  }
  info.path = find_program(program, path);
  if (program == "/proc/self/exe") {
    info.version = std::string(kVersion);
  } else if (info.path) {
    info.version = package_version(*info.path);
  }
  return info;
}

asio::awaitable<ProgramInfo> inspect_program(std::string program, Environment environment,
                                             asio::any_io_executor blocking) {
  co_return co_await asio::co_spawn(blocking, look(std::move(program), std::move(environment)),
                                    asio::use_awaitable);
}

}  // namespace lb
