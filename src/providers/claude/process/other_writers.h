/// OtherWriters: does someone else write to this session's file?
///
/// Two programs that append to one session destroy it, so before a session is resumed the file is
/// looked at. A change in the last minute that we did not make is someone else's (a terminal): the
/// user is told once, and doing it again takes the session over, unless the file moved meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace lb::claude {

/// A file at one moment; a file that is not there has size 0.
struct FileMark {
  std::filesystem::path path;
  std::uint64_t size = 0;
  Timestamp modified;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};
FileMark mark_of(const std::filesystem::path& path);

/// `<config>/projects/*/<session>.jsonl`, or an empty path.
std::filesystem::path find_session_file(const std::filesystem::path& config_dir,
                                        std::string_view cli_session_id);

/// True when a process of this user that we did not start runs `program` in `directory`.
bool runs_elsewhere(std::string_view program, const std::filesystem::path& directory);

class OtherWriters {
 public:
  /// This is how we left or read the file.
  void seen(FileMark mark) { known_ = std::move(mark); }
  /// May the session be resumed now? `Busy` says who has it and what to do.
  Result<void> may_resume(const FileMark& now, Timestamp wall, bool elsewhere);

 private:
  std::optional<FileMark> known_;
  std::optional<FileMark> warned_;
};

}  // namespace lb::claude
