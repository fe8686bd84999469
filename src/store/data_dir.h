/// DataDir: the directory that holds everything, for this user only, and for one server at a time.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace lb {

/// Owning one is holding its kernel lock, which dies with the process: there is no stale lock. The
/// lock file also says where the server of this directory answers.
class DataDir {
 public:
  /// Makes the directory (0700) where it is missing. `InvalidRequest` when others could read it or
  /// it is not ours; `Busy` when another server has it, with that server's address as the message's
  /// last word.
  static Result<DataDir> open(const std::string& path);

  /// Where we answer: what a second start prints.
  Result<void> set_address(const std::string& address);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// The address of the server that holds `path`; empty when none does.
  static std::string address_of(const std::string& path);

 private:
  DataDir(std::string path, Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  Fd lock_;
};

}  // namespace lb
