/// Walls: what a confined agent does not see, and what it can read and not change.
///
/// A list of paths, made once by whoever knows where our own files are; the guardian builds them
/// (confine.h). docs/security.md says what each is for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/agent_process.h"

namespace lb {

struct Wall {
  enum class Kind : char {
    Hidden = 'h',        // Empty for the agent, where it is there.
    HiddenMade = 'H',    // The same; made when it is not there, so that nobody else makes it.
    ReadOnly = 'r',      // Readable, where it is there.
    ReadOnlyMade = 'R',  // The same; a folder that is made when it is not there.
  };
  Kind kind = Kind::Hidden;
  std::string path;  // Absolute.
  friend bool operator==(const Wall&, const Wall&) = default;
};

/// Where things of ours are; empty: there is none.
struct WallPlaces {
  std::string data_dir;
  std::string config_file;
  std::string program;
};

/// All walls, for a user with this environment.
std::vector<Wall> walls_for(const WallPlaces& places, const Environment& environment);

/// As an argument of the guardian, and back.
std::string wall_argument(const Wall& wall);
std::optional<Wall> wall_of(std::string_view argument);

}  // namespace lb
