/// A copy of a session's record under another id, whole or up to a turn.
///
/// The CLI can copy a session by itself (`--fork-session`), also up to a message
/// (`--resume-session-at`). But it cannot go back behind a compaction, older ones do not find a
/// session from another folder, and its copy is on disk only after the next prompt: a fork that
/// waited over a restart would have no memory. So the lines that count are copied here, as they are
/// but for the session and the folder that they name; the original is only read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "providers/provider.h"

namespace lb::claude {

struct RecordCopy {
  std::filesystem::path from;  // The original.
  std::filesystem::path to;    // May not be there yet.
  std::string session;         // The copy's id.
  std::string directory;       // Where the copy works.
  std::optional<ForkPoint> before;
};

/// Whether there was anything to copy: the agent has no memory before its first turn.
/// `NotSupported` when the record begins after that turn. Blocking.
Result<bool> copy_record(const RecordCopy& copy);

}  // namespace lb::claude
