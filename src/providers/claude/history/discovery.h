/// Sessions of a directory that Claude Code has on record, also those made in a terminal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "providers/provider.h"

namespace lb::claude {

/// Newest first. Looks at the beginning and the end of each file only; reads the disk, so for a
/// worker thread.
std::vector<DiscoveredSession> discover_sessions(const std::filesystem::path& config,
                                                 const std::string& directory);

}  // namespace lb::claude
