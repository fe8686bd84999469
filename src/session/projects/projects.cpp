#include "session/projects/projects.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/utf8.h"

namespace lb {
namespace fs = std::filesystem;

std::string with_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): nobody sets it.
  return home == nullptr ? path : home + path.substr(1);
}

Result<std::string> real_directory(const std::string& given) {
  const std::string path = with_home(given);
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) {
    return fail(ErrorCode::ProjectPathInvalid,
                fmt::format("\"{}\" is not an absolute path. Give the whole path, beginning with "
                            "a slash.",
                            path));
  }
  std::error_code why;
  const fs::path real = fs::canonical(path, why);
  if (why == std::errc::no_such_file_or_directory) {
    return fail(ErrorCode::ProjectPathInvalid, fmt::format("There is no directory {}.", path));
  }
  if (why) {
    return fail(ErrorCode::ProjectPathInvalid,
                fmt::format("{} cannot be opened: {}.", path, why.message()));
  }
  if (!fs::is_directory(real, why)) {
    return fail(ErrorCode::ProjectPathInvalid, fmt::format("{} is not a directory.", path));
  }
  if (::access(real.c_str(), R_OK | X_OK) != 0) {
    return fail(ErrorCode::ProjectPathInvalid,
                fmt::format("{} may not be read by this user.", path));
  }
  if (!is_valid_utf8(real.native())) {
    return fail(ErrorCode::ProjectPathInvalid, "The path is not valid UTF-8.");
  }
  return real.native();
}

Project Projects::to_project(const ProjectRecord& record) const {
  Project project{record.id, record.path, record.name, record.added_at, std::nullopt};
  if (missing_.contains(record.id)) project.missing = true;
  return project;
}

bool Projects::mark_missing(const ProjectId& id, bool missing) {
  return missing ? missing_.insert(id).second : missing_.erase(id) > 0;
}

void Projects::load(std::vector<ProjectRecord> records) {
  records_ = std::move(records);
  for (const ProjectRecord& record : records_) {
    next_order_ = std::max(next_order_, record.order + 1);
  }
  std::ranges::sort(records_, {}, &ProjectRecord::order);
}

std::vector<ProjectRecord> Projects::present() const {
  std::vector<ProjectRecord> found;
  std::ranges::copy_if(records_, std::back_inserter(found),
                       [](const ProjectRecord& record) { return !record.removed; });
  return found;
}

std::vector<Project> Projects::list() const {
  std::vector<Project> projects;
  for (const ProjectRecord& record : present()) projects.push_back(to_project(record));
  return projects;
}

Result<ProjectRecord> Projects::find(const ProjectId& id) const {
  const auto found = std::ranges::find(records_, id, &ProjectRecord::id);
  if (found == records_.end() || found->removed) {
    return fail(ErrorCode::ProjectNotFound, "There is no such project.");
  }
  return *found;
}

std::optional<ProjectRecord> Projects::at(const std::string& real_path) const {
  const auto found = std::ranges::find(records_, real_path, &ProjectRecord::path);
  if (found == records_.end() || found->removed) return std::nullopt;
  return *found;
}

std::string Projects::path_of(const ProjectId& id) const {
  const auto found = std::ranges::find(records_, id, &ProjectRecord::id);
  return found == records_.end() ? std::string() : found->path;
}

ProjectRecord Projects::add(const std::string& real_path, Timestamp now) {
  ProjectRecord record;
  const auto known = std::ranges::find(records_, real_path, &ProjectRecord::path);
  if (known != records_.end()) {
    record = *known;
    records_.erase(known);
  } else {
    record.id = ProjectId(make_uuid());
    record.path = real_path;
    const std::string name = fs::path(real_path).filename().native();
    record.name = name.empty() ? real_path : name;
  }
  record.added_at = now;
  record.removed = false;
  record.order = next_order_++;
  records_.push_back(record);
  return record;
}

ProjectRecord Projects::remove(const ProjectId& id) {
  const auto found = std::ranges::find(records_, id, &ProjectRecord::id);
  found->removed = true;
  return *found;
}

}  // namespace lb
