/// What the tests of the stores share: entries made of a few words.
#pragma once

#include <string>

#include "model/item.h"
#include "store/records.h"

namespace lb::test {

inline SessionRecord record(const std::string& id) {
  SessionRecord record;
  record.id = SessionId(id);
  record.project_id = ProjectId("p1");
  record.cli_type = "scripted";
  record.title = "Title of " + id;
  record.created_at = {1000};
  record.last_active_at = {2000};
  return record;
}

inline EntryPut message(const std::string& session, const std::string& id, Revision rev,
                        const std::string& text, ItemStatus status = ItemStatus::Complete) {
  Item item;
  item.session_id = SessionId(session);
  item.turn_id = TurnId("t1");
  item.item_id = ItemId(id);
  item.rev = rev;
  item.pos = std::hash<std::string>{}(session + id) % 1'000'000'007;  // The same for every form.
  item.status = status;
  Message body;
  body.content = Text(text);
  item.body = std::move(body);
  EntryPut put;
  put.id = id;
  put.form = frame_from_payload(FrameKind::Upsert, session, rev, item.pos, encode(item));
  put.open = !is_final(status);
  return put;
}

inline SessionWrite write_of(const std::string& session) {
  SessionWrite write;
  write.session = SessionId(session);
  return write;
}

inline WriteBatch batch_of(SessionWrite write) {
  WriteBatch batch;
  batch.sessions.push_back(std::move(write));
  return batch;
}

/// A batch with the record of a new session.
inline WriteBatch new_session(const std::string& id) {
  SessionWrite write = write_of(id);
  write.record = record(id);
  return batch_of(std::move(write));
}

inline std::string text_of(const std::string& payload) {
  const auto item = decode_text<Item>(payload);
  return item ? growing_text(*item).text->str() : "undecodable: " + payload;
}

}  // namespace lb::test
