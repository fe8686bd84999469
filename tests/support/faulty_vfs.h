/// FaultyVfs: SQLite's file layer with a disk that fails on command.
///
/// Every write and sync passes a counter; the one a test names fails, and so do those after it
/// until the test heals the disk. Everything else is the real file system.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstring>

namespace lb::test {

struct Faults {
  std::atomic<int> writes{0};         // Seen so far.
  std::atomic<int> syncs{0};          //
  std::atomic<int> fail_write_at{0};  // 1 = the next; 0 = none.
  std::atomic<int> fail_sync_at{0};
  std::atomic<int> write_code{SQLITE_FULL};

  void reset() { writes = syncs = fail_write_at = fail_sync_at = 0; }
  void heal() { fail_write_at = fail_sync_at = 0; }
};

inline Faults& faults() {
  static Faults all;
  return all;
}

class FaultyVfs {
 public:
  static constexpr const char* kName = "lb-faulty";

  /// Registers the layer once.
  static const char* use() {
    static const bool registered = [] {
      sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
      vfs_ = *real;
      vfs_.zName = kName;
      vfs_.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
      vfs_.pAppData = real;
      vfs_.xOpen = open;
      return sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK;
    }();
    return registered ? kName : nullptr;
  }

 private:
  struct File {
    sqlite3_file base;
    sqlite3_file* real;
  };
  static sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

  static bool fails(std::atomic<int>& seen, const std::atomic<int>& at) {
    const int now = ++seen;
    const int from = at.load();
    return from > 0 && now >= from;
  }

  static int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags,
                  int* out) {
    auto* base = static_cast<sqlite3_vfs*>(vfs->pAppData);
    auto* mine = reinterpret_cast<File*>(file);
    mine->base.pMethods = nullptr;
    mine->real = reinterpret_cast<sqlite3_file*>(mine + 1);
    const int code = base->xOpen(base, name, mine->real, flags, out);
    if (code == SQLITE_OK) mine->base.pMethods = methods();
    return code;
  }
  static int write(sqlite3_file* f, const void* data, int size, sqlite3_int64 at) {
    if (fails(faults().writes, faults().fail_write_at)) return faults().write_code.load();
    return real(f)->pMethods->xWrite(real(f), data, size, at);
  }
  static int sync(sqlite3_file* f, int flags) {
    if (fails(faults().syncs, faults().fail_sync_at)) return SQLITE_IOERR_FSYNC;
    return real(f)->pMethods->xSync(real(f), flags);
  }

  static const sqlite3_io_methods* methods() {
    using F = sqlite3_file*;
    static sqlite3_io_methods all = [] {
      sqlite3_io_methods m;
      std::memset(&m, 0, sizeof m);
      m.iVersion = 2;
      m.xClose = [](F f) { return real(f)->pMethods->xClose(real(f)); };
      m.xRead = [](F f, void* data, int size, sqlite3_int64 at) {
        return real(f)->pMethods->xRead(real(f), data, size, at);
      };
      m.xWrite = write;
      m.xTruncate = [](F f, sqlite3_int64 size) {
        return real(f)->pMethods->xTruncate(real(f), size);
      };
      m.xSync = sync;
      m.xFileSize = [](F f, sqlite3_int64* size) {
        return real(f)->pMethods->xFileSize(real(f), size);
      };
      m.xLock = [](F f, int level) { return real(f)->pMethods->xLock(real(f), level); };
      m.xUnlock = [](F f, int level) { return real(f)->pMethods->xUnlock(real(f), level); };
      m.xCheckReservedLock = [](F f, int* out) {
        return real(f)->pMethods->xCheckReservedLock(real(f), out);
      };
      m.xFileControl = [](F f, int op, void* arg) {
        return real(f)->pMethods->xFileControl(real(f), op, arg);
      };
      m.xSectorSize = [](F f) { return real(f)->pMethods->xSectorSize(real(f)); };
      m.xDeviceCharacteristics = [](F f) {
        return real(f)->pMethods->xDeviceCharacteristics(real(f));
      };
      m.xShmMap = [](F f, int page, int size, int extend, void volatile** out) {
        return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
      };
      m.xShmLock = [](F f, int offset, int n, int flags) {
        return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
      };
      m.xShmBarrier = [](F f) { real(f)->pMethods->xShmBarrier(real(f)); };
      m.xShmUnmap = [](F f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); };
      return m;
    }();
    return &all;
  }

  inline static sqlite3_vfs vfs_;
};

}  // namespace lb::test
