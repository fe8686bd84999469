/// The tables, their version and how an older file becomes a newer one.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/sqlite/database.h"

namespace lb {

inline constexpr int kSchemaVersion = 6;
/// A commit writes every page it touches, and ours touch many and change little: small pages cost a
/// third of the bytes of SQLite's usual ones. A long text is a chain of them, written once.
inline constexpr int kPageBytes = 1024;
inline constexpr int kApplicationId = 0x4c424c44;  // "LBLD"

/// The files of a store in its data directory.
struct StoreFiles {
  explicit StoreFiles(const std::string& directory)
      : database(directory + "/store.db"), growing(directory + "/growing.log") {}
  std::string database;
  std::string growing;
};

/// Opens (or makes) the store file for writing and brings it to this version; an older one is
/// copied beside itself first (file_copy.h). A file of a newer version, of another program or that
/// is damaged is refused and left as it is.
Result<std::unique_ptr<Database>> open_for_writing(const StoreFiles& files, const char* vfs);

/// A connection that only reads and never checkpoints.
std::unique_ptr<Database> open_for_reading(const std::string& path, const char* vfs);

}  // namespace lb
