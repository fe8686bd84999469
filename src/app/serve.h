/// The commands of the program; each returns its exit code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "process/walls.h"

namespace lb {

/// Runs until SIGTERM or SIGINT; a second one ends it at once.
int serve(const Options& options);

/// Prints (and opens) a fresh launch URL of the running server.
int open_command(const Options& options);
int export_command(const Options& options);
int doctor_command(const Options& options);
int licenses_command();

/// The licences of everything inside: packaging/copyright and the texts it refers to.
std::string_view license_text();

/// Says why on stderr; the exit code of a command that could not do it.
int failed(const std::string& why);

/// What a confined agent is kept from.
std::vector<Wall> walls_of(const Options& options);

/// Why this address may not be listened on; nothing when it may.
std::optional<std::string> bind_problem(const Options& options);

}  // namespace lb
