/// SqliteStore: the embedded store, one file (and its log of growing text) in the data directory.
///
/// WAL with synchronous=FULL: what was reported durable survives a power loss. One thread writes on
/// one connection; reads run on a small pool with connections of their own. See docs/store.md.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "store/store.h"

namespace lb {

struct SqliteOptions {
  std::string directory;  // Locked by a DataDir of the caller.
  std::string vfs;        // For tests that make the disk fail; empty for the real one.
};

/// Completions and state changes arrive on `io`.
Result<std::unique_ptr<Store>> open_sqlite_store(asio::any_io_executor io, SqliteOptions options);

}  // namespace lb
