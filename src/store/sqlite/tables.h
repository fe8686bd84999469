/// Tables: the statements that write batches, on the one connection that writes.
#pragma once

#include <string>
#include <unordered_map>

#include "store/records.h"
#include "store/sqlite/database.h"

namespace lb {

/// Lives on the writer thread; every function runs inside a transaction of its caller.
class Tables {
 public:
  explicit Tables(Database& database);

  void put_settings(const std::string& settings);
  void put(const ProjectRecord& project);
  void put(const SessionWrite& write);
  void put(const AttachmentRecord& attachment);
  void put(const AuditRow& row);
  void put(const LoginRow& login);
  void end_login(const std::string& hash);
  void logins_known();
  void put(const WorkspaceRow& workspace);
  void put(const SetupRow& setup);
  void put(const CheckpointRow& checkpoint);
  void drop(const CheckpointRow& checkpoint);
  void put(const CommentRow& comment);
  void put(const SeenRow& seen);
  void put(const RewindRow& rewind);

  /// Replaces the form of an open item (growth that was folded).
  void fold(const std::string& session, const std::string& item,
            const std::vector<GrowthPut>& pieces);

  /// Indexes final items that are not in the full-text index yet; how many. Stops after about
  /// `bytes_max` of text.
  std::size_t index_some(std::size_t bytes_max);

  /// After a rollback: numbers given to sessions in the transaction are void.
  void forget_keys() { keys_.clear(); }

 private:
  std::int64_t key_of(const SessionId& session);
  void put(const SessionRecord& record);
  void put(std::int64_t session, const EntryPut& entry);
  void erase(std::int64_t session);

  Database& database_;
  Statement put_project_;
  Statement put_session_;
  Statement find_session_;
  Statement put_facts_;
  Statement put_entry_;
  Statement put_output_;
  Statement put_prompt_;
  Statement put_pending_;
  Statement put_attachment_;
  Statement find_open_;
  Statement update_payload_;
  Statement drop_pending_;
  Statement put_search_;
  Statement put_checkpoint_;
  Statement put_audit_;
  Statement trim_audit_;
  std::unordered_map<std::string, std::int64_t> keys_;
};

}  // namespace lb
