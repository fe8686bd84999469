/// What can be told of an agent's program without starting it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lb {

namespace asio = boost::asio;

struct ProgramInfo {
  std::optional<std::string> path;     // Where it is; nothing when it is not installed.
  std::optional<std::string> version;  // From the npm package it belongs to, if it does.
};

/// Looks `program` up in the PATH of `environment`. The file work runs on `blocking`.
asio::awaitable<ProgramInfo> inspect_program(
    std::string program, std::vector<std::pair<std::string, std::string>> environment,
    asio::any_io_executor blocking);

/// The same, blocking.
ProgramInfo look_at_program(const std::string& program,
                            const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace lb
