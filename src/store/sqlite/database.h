/// Database and Statement: SQLite's C API with owners.
///
/// Inside this folder a failed call is a SqliteError; the edges of the folder turn it into a Result
/// or into the state of the store.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace lb {

class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }  // Extended.

 private:
  int code_;
};

/// One connection. Used by one thread at a time.
class Database {
 public:
  /// `flags` as for sqlite3_open_v2; `vfs` null for the default.
  Database(const std::string& path, int flags, const char* vfs);
  [[nodiscard]] sqlite3* get() const { return handle_.get(); }
  void run(const char* sql);
  [[nodiscard]] std::int64_t number(const char* sql);  // The first column of the first row.
  [[noreturn]] void raise(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement that is used again and again.
class Statement {
 public:
  Statement(Database& database, const char* sql);

  /// Binds from the first parameter on. Text is not copied: it stays alive until `reset`.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  /// Binds one parameter, counted from 1; for a statement that was reset.
  template <class T>
  void bind_one(int index, const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      bind_integer(index, static_cast<std::int64_t>(value));
    } else {
      bind_text(index, std::string_view(value));
    }
  }
  /// True while there is a row.
  bool step();
  void reset();
  /// Binds, runs to the end and resets.
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    run_bound();
  }
  /// The same with what is bound already.
  void run_bound() {
    while (step()) {
    }
    reset();
  }

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }
  [[nodiscard]] std::string text(int column) const;
  /// Until the next step or reset.
  [[nodiscard]] std::string_view view(int column) const;

 private:
  void bind_integer(int index, std::int64_t value);
  void bind_text(int index, std::string_view value);
  void check(int code) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// BEGIN IMMEDIATE … COMMIT; rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace lb
