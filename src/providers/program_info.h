/// What can be told of an agent's program without starting it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "providers/agent_spec.h"

namespace lb {

namespace asio = boost::asio;

struct ProgramInfo {
  std::optional<std::string> path;     // Where it is; nothing when it is not installed.
  std::optional<std::string> version;  // From the npm package it belongs to, if it does.
};

/// Looks `program` up in the PATH of `environment`. Reads the disk: for a worker.
ProgramInfo look_at_program(const std::string& program, const Environment& environment);

/// What there is to say of an agent that is known by its program only. The file work runs on
/// `blocking`.
asio::awaitable<AgentInfo> inspect_agent(AgentSpec spec, asio::any_io_executor blocking);

/// Why an agent's process could not be started, for people. `remedy` is a whole sentence on how to
/// get the program; it is said only when that is what is missing.
Error not_started(std::string_view name, std::string_view remedy, const Error& why);

}  // namespace lb
