/// GrowthLog: pieces of growing text, appended to one file beside the database.
///
/// A piece costs its own bytes here instead of whole database pages, which keeps streaming linear
/// on the disk. When an item gets a whole form again its pieces are void; when no live piece is
/// left the file is emptied. After a crash the pieces are read back and folded into the last forms.
///
/// Each record carries its length and a checksum; reading stops at the first that does not hold.
/// Lives on the writer thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "store/growth.h"

namespace lb {

class GrowthLog {
 public:
  static Result<GrowthLog> open(const std::string& path);

  /// Every readable piece, in the order written. They count as alive from here on.
  [[nodiscard]] std::vector<GrowthPiece> read_all();
  /// Those that are not void. Most of a log is: what is returned is as large as what still grows.
  [[nodiscard]] std::vector<GrowthPiece> read_alive() const;

  /// An errno when the disk refused; nothing of this call is in the file then.
  [[nodiscard]] int append(
      const std::vector<std::pair<std::string_view, const GrowthPut*>>& pieces);
  /// An errno.
  [[nodiscard]] int sync();
  /// The item has a whole form in the database: its pieces are void.
  void void_pieces(const std::string& session, const std::string& item);
  void void_session(const std::string& session);
  /// Empties the file when it holds nothing alive. An errno.
  [[nodiscard]] int tidy();
  /// Empties the file: everything was folded or closed. An errno.
  [[nodiscard]] int clear();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool unsynced() const { return unsynced_; }

 private:
  explicit GrowthLog(Fd file) : file_(std::move(file)) {}
  template <class Take>
  void each_piece(Take take) const;
  Fd file_;
  std::uint64_t size_ = 0;
  bool unsynced_ = false;
  std::map<std::pair<std::string, std::string>, bool> live_;
};

}  // namespace lb
