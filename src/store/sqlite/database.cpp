#include "store/sqlite/database.h"

#include <fmt/format.h>

namespace lb {

Database::Database(const std::string& path, int flags, const char* vfs) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, vfs);
  handle_.reset(handle);
  if (handle != nullptr) sqlite3_extended_result_codes(handle, 1);
  if (code != SQLITE_OK) raise(code);
}

void Database::raise(int code) const {
  const int extended = handle_ ? sqlite3_extended_errcode(handle_.get()) : code;
  const char* text = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  throw SqliteError(extended, fmt::format("{} (SQLite {})", text, extended));
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) raise(code);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

Statement::Statement(Database& database, const char* sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(database.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  check(code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.raise(code);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const int extended = sqlite3_extended_errcode(database_.get());
  const std::string message = sqlite3_errmsg(database_.get());
  sqlite3_reset(statement_.get());
  throw SqliteError(extended, fmt::format("{} (SQLite {})", message, extended));
}

void Statement::reset() {
  sqlite3_reset(statement_.get());  // Repeats the error of the last step, which was raised then.
}

void Statement::bind_integer(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::bind_text(int index, std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), index, value.data() == nullptr ? "" : value.data(),
                            value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::view(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(size)};
}

std::string Statement::text(int column) const {
  return std::string(view(column));
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // A failed commit may have rolled back by itself already.
  if (open_ && sqlite3_get_autocommit(database_.get()) == 0) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace lb
