/// copy_beside: files kept as they are before their format changes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lb {

/// Copies every file that exists to NAME.SUFFIX in its own directory: 0600, on the disk when this
/// returns, all with the same suffix. Never overwrites: where one of the names is taken, all get
/// NAME.SUFFIX.2 and so on. The copies' paths. When there is no room, or anything else fails, what
/// was begun is removed again.
Result<std::vector<std::string>> copy_beside(const std::vector<std::string>& files,
                                             const std::string& suffix);

}  // namespace lb
