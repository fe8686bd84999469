#include "demo/demo_session.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/id.h"

namespace lb::demo {
namespace {

namespace fs = std::filesystem;

/// Enough for any conversation with a demo; the load generator's output is not worth keeping.
constexpr std::size_t kHistoryBytesMax = std::size_t{4} << 20U;
constexpr std::size_t kFilesMax = 200;

json::object head_of(const Session& session) {
  return {
      {"sessionId", session.id},         {"cwd", session.cwd},     {"title", session.title},
      {"updatedAt", session.updated_at}, {"mode", session.mode},   {"model", session.model},
      {"always", session.always_allow},  {"turns", session.turns}, {"tokens", session.tokens_used}};
}

std::vector<fs::path> session_files(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  return files;
}

std::size_t size_of(const json::object& update) {
  std::string text;
  append_json(text, update);
  return text.size();
}

/// True when `update` continued the text of `last`.
bool grow(json::object& last, const json::object& update) {
  if (string_at(last, "sessionUpdate") != string_at(update, "sessionUpdate")) return false;
  const std::string_view message = string_at(update, "messageId");
  if (message.empty() || string_at(last, "messageId") != message) return false;
  const json::object* more = object_at(update, "content");
  json::value* content = last.if_contains("content");
  if (more == nullptr || content == nullptr || !content->is_object()) return false;
  content->as_object()["text"] =
      std::string(string_at(content->as_object(), "text")) + std::string(string_at(*more, "text"));
  return true;
}

}  // namespace

Sessions::Sessions(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) folder_.clear();  // Nothing to keep them in: then not.
}

Sessions::~Sessions() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::string Sessions::file_of(std::string_view id) const {
  return folder_ + "/" + std::string(id) + ".jsonl";
}

std::shared_ptr<Session> Sessions::create(std::string cwd) {
  auto session = std::make_shared<Session>();
  session->id = make_uuid();
  session->cwd = std::move(cwd);
  open_.emplace(session->id, session);
  prune();
  return session;
}

std::shared_ptr<Session> Sessions::find(const std::string& id) {
  if (const auto known = open_.find(id); known != open_.end()) return known->second;
  if (folder_.empty() || !is_wire_id(id)) return nullptr;
  std::ifstream file(file_of(id));
  std::string line;
  if (!std::getline(file, line)) return nullptr;
  const auto head = parse_json(line);
  if (!head || !head->is_object()) return nullptr;
  const json::object& facts = head->get_object();
  auto session = std::make_shared<Session>();
  session->id = id;
  session->cwd = string_at(facts, "cwd");
  session->title = string_at(facts, "title");
  session->updated_at = string_at(facts, "updatedAt");
  session->mode = string_at(facts, "mode");
  session->model = string_at(facts, "model");
  session->always_allow = bool_at(facts, "always");
  session->turns = static_cast<std::size_t>(number_at(facts, "turns"));
  session->tokens_used = static_cast<std::size_t>(number_at(facts, "tokens"));
  while (std::getline(file, line)) {
    auto update = parse_json(line);
    if (update && update->is_object()) record(*session, update->get_object());
  }
  open_.emplace(id, session);
  return session;
}

void Sessions::record(Session& session, const json::object& update) {
  const std::size_t bytes = size_of(update);
  if (session.history_bytes + bytes > kHistoryBytesMax) return;
  session.history_bytes += bytes;
  if (!session.history.empty() && grow(session.history.back(), update)) return;
  session.history.push_back(update);
}

void Sessions::save(const Session& session) const {
  if (folder_.empty()) return;
  const std::string file = file_of(session.id);
  std::string text;
  append_json(text, head_of(session));
  text += '\n';
  for (const json::object& update : session.history) {
    append_json(text, update);
    text += '\n';
  }
  // A demo that cannot keep its conversation still has it in memory: no reason to fail.
  std::error_code ignored;
  if (std::ofstream(file + ".new", std::ios::trunc) << text)
    fs::rename(file + ".new", file, ignored);
}

json::array Sessions::list(std::string_view cwd) const {
  std::vector<json::object> found;
  for (const fs::path& path : folder_.empty() ? std::vector<fs::path>() : session_files(folder_)) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) continue;
    const auto head = parse_json(line);
    if (!head || !head->is_object()) continue;
    const json::object& facts = head->get_object();
    if (!cwd.empty() && string_at(facts, "cwd") != cwd) continue;
    found.push_back({{"sessionId", string_at(facts, "sessionId")},
                     {"cwd", string_at(facts, "cwd")},
                     {"title", string_at(facts, "title")},
                     {"updatedAt", string_at(facts, "updatedAt")}});
  }
  std::ranges::sort(found, std::ranges::greater{}, [](const json::object& session) {
    return std::string(string_at(session, "updatedAt"));
  });
  json::array sessions;
  for (json::object& session : found) sessions.emplace_back(std::move(session));
  return sessions;
}

std::string Sessions::scratch(const Session& session) {
  std::string root = folder_;
  if (root.empty()) {
    if (temporary_.empty()) {
      std::string name = (fs::temp_directory_path() / "liminal-builder-demo-XXXXXX").string();
      if (::mkdtemp(name.data()) != nullptr) temporary_ = name;
    }
    root = temporary_;
  }
  const std::string folder = root + "/scratch/" + session.id;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return folder;
}

/// Old demo conversations go, with what they edited.
void Sessions::prune() const {
  if (folder_.empty()) return;
  auto files = session_files(folder_);
  if (files.size() <= kFilesMax) return;
  std::error_code ignored;
  std::ranges::sort(files, {},
                    [&](const fs::path& path) { return fs::last_write_time(path, ignored); });
  for (std::size_t i = 0; i + kFilesMax < files.size(); ++i) {
    fs::remove_all(folder_ + "/scratch/" + files[i].stem().string(), ignored);
    fs::remove(files[i], ignored);
  }
}

}  // namespace lb::demo
