#include "store/sqlite/session_row.h"

#include <string_view>
#include <type_traits>

namespace lb {
namespace {

/// Calls `visit(name, field)` for every column. The names are those of schema.cpp.
template <class Record, class Visit>
void each_column(Record& record, Visit visit) {
  visit("session_id", record.id);
  visit("project_id", record.project_id);
  visit("cli_type", record.cli_type);
  visit("cli_session_id", record.cli_session_id);
  visit("title", record.title);
  visit("title_source", record.title_source);
  visit("created_at", record.created_at);
  visit("last_active_at", record.last_active_at);
  visit("archived", record.archived);
  visit("external", record.external);
  visit("imported", record.imported);
  visit("deleted", record.deleted);
  visit("unread", record.unread);
  visit("failed", record.failed);
  visit("last_turn", record.last_turn);
  visit("model", record.model);
  visit("mode", record.mode);
  visit("reserved", record.reserved);
  visit("next_pos", record.next_pos);
  visit("owner", record.owner);
  visit("confined", record.confined);
  visit("workspace_id", record.workspace_id);
}

/// What the column of a field holds: a number or a text.
template <class T>
const auto& column_value(const T& field) {
  if constexpr (std::is_same_v<T, Timestamp>) {
    return field.ms;
  } else if constexpr (requires { field.str(); }) {
    return field.str();
  } else {
    return field;
  }
}

/// What `of` makes of every column and its number, from 1 on, with commas between.
template <class Of>
std::string joined(Of of) {
  std::string out;
  int number = 0;
  const SessionRecord any;
  each_column(any, [&](std::string_view name, const auto&) {
    if (number > 0) out += ", ";
    out += of(name, ++number);
  });
  return out;
}

}  // namespace

std::string session_columns() {
  return joined([](std::string_view name, int) { return std::string(name); });
}

int session_column_count() {
  int count = 0;
  const SessionRecord any;
  each_column(any, [&](std::string_view, const auto&) { ++count; });
  return count;
}

std::string put_session_sql() {
  const std::string values =
      joined([](std::string_view, int number) { return "?" + std::to_string(number); });
  const std::string sets = joined([](std::string_view name, int number) {
    return std::string(name) + "=?" + std::to_string(number);
  });
  return "INSERT INTO sessions(" + session_columns() + ") VALUES(" + values +
         ") ON CONFLICT(session_id) DO UPDATE SET " + sets;
}

void bind_session(Statement& statement, const SessionRecord& record) {
  statement.reset();
  int number = 0;
  each_column(record, [&](std::string_view, const auto& field) {
    statement.bind_one(++number, column_value(field));
  });
}

SessionRecord read_session(const Statement& row) {
  SessionRecord record;
  int column = 0;
  each_column(record, [&]<class Field>(std::string_view, Field& field) {
    if constexpr (std::is_same_v<Field, Timestamp>) {
      field.ms = row.integer(column);
    } else if constexpr (std::is_same_v<Field, bool>) {
      field = row.integer(column) != 0;
    } else if constexpr (std::is_integral_v<Field> || std::is_enum_v<Field>) {
      field = static_cast<Field>(row.integer(column));
    } else {
      field = Field(row.text(column));
    }
    ++column;
  });
  return record;
}

}  // namespace lb
