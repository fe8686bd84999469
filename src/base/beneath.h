/// Files below a folder, opened so that no link and no race leads out of it.
#pragma once

#include <cstddef>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace lb {

/// A regular file; links are followed while they stay below `root`. NotFound: there is none, or it
/// is somewhere else, or it is git's own (`.git`). A fifo or a device is never opened.
Result<Fd> open_beneath(const std::string& root, const std::string& path);

/// Its bytes. TooLarge: there are more than `most`.
Result<std::string> read_beneath(const std::string& root, const std::string& path,
                                 std::size_t most);

}  // namespace lb
