/// Blobs: the bytes of many files of trees, one after the other, from one running git.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "git/keep_dir.h"

namespace lb::git {

class Blobs {
 public:
  Blobs(const Git& git, const KeepDir& keep) : git_(git), keep_(keep) {}

  /// Hands the bytes over in pieces. What `take` does not want any more is read to its end.
  Result<void> read(const std::string& id, const std::function<void(std::string_view)>& take);
  /// A small one, such as where a link leads.
  Result<std::string> text(const std::string& id);

 private:
  Result<void> start();
  Result<void> say(std::string_view line);
  /// More of what it says, in `had_`.
  Result<void> hear();

  const Git& git_;
  const KeepDir& keep_;
  std::optional<Talking> talking_;
  std::string had_;
};

}  // namespace lb::git
