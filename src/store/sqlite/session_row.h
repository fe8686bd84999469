/// A row of `sessions`: which column holds which field of a SessionRecord, said once for what
/// writes rows and for what reads them.
#pragma once

#include <string>

#include "store/records.h"
#include "store/sqlite/database.h"

namespace lb {

/// Adds a row or replaces it; `bind_session` gives it its values.
std::string put_session_sql();
void bind_session(Statement& statement, const SessionRecord& record);

/// The columns of a SELECT, in the order that `read_session` takes them in, from the first on.
std::string session_columns();
/// The record without its facts, which are in a table of their own.
SessionRecord read_session(const Statement& row);
/// The column behind those: where a SELECT may go on.
int session_column_count();

}  // namespace lb
