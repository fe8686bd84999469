/// Folders of files, gone through by descriptors: a link is never followed, wherever it points, and
/// nothing that another file system is mounted on is entered.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lb::git {

struct Measured {
  std::uint64_t files = 0;  // Links and special files too; not folders.
  std::uint64_t bytes = 0;  // On disk; a file with several names counts once.
  bool whole = true;        // False: there was no time for all of it.
};
/// All files below a folder, or one file. What is not there counts nothing.
Measured measure(const std::vector<std::string>& paths, std::chrono::milliseconds limit);

/// Removes a folder with all that is in it; one that may not be written is made writable. It is no
/// error when it is not there.
Result<void> remove_folder(const std::string& path);

/// Whether the bytes, or the targets of two links, and the x bit are the same.
bool same_file(const std::string& left, const std::string& right);

/// Copies a regular file or a link from below one folder to the same place below another, which it
/// must not be at yet. Folders are made. The blocks are shared where the file system can.
Result<void> copy_below(int from, int to, const std::string& path);

/// Removes a file or a link, and the folders above it that became empty.
void remove_below(int root, const std::string& path);

/// A folder that is opened for those two; -1: it could not be.
int open_folder(const std::string& path);

/// The whole text of a small file of ours or git's; empty: it is not there.
std::string small_file(const std::string& path);
/// Replaces a file in one step.
Result<void> write_file(const std::string& path, const std::string& text);

/// An empty folder below `parent` that nobody else can read.
Result<std::string> make_private_folder(const std::string& parent);

/// Nothing is there, or a folder with nothing in it.
bool is_absent_or_empty(const std::string& path);
/// Something is there, be it a link to nothing.
bool is_there(const std::string& path);

/// "message: path".
Error file_error(const std::string& doing, const std::string& path, int why);

}  // namespace lb::git
