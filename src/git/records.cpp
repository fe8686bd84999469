#include "git/records.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/id.h"
#include "git/folder.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReason = "Liminal Builder is making it";
/// Below the repository's git directory: records on their way out.
constexpr std::string_view kGoing = "/liminal-removing";

std::string beside(const std::string& path, std::string_view what) {
  const fs::path place(path);
  return fmt::format("{}/.{}-{}", place.parent_path().native(), what, uuid_from(path).substr(0, 8));
}
std::string name_in(const std::string& path) {
  return fs::path(path).filename().native();
}
std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

}  // namespace

std::string real_place(const std::string& path) {
  fs::path place = fs::path(path).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  std::error_code why;
  const fs::path parent = fs::weakly_canonical(place.parent_path(), why);
  return why ? place.native() : (parent / place.filename()).native();
}

std::vector<Record> records_of(const std::string& common_dir) {
  std::vector<Record> records;
  std::error_code why;
  for (const auto& entry : fs::directory_iterator(common_dir + "/worktrees", why)) {
    Record record;
    record.dir = entry.path().native();
    record.folder = first_line(small_file(record.dir + "/gitdir"));
    if (record.folder.ends_with("/.git")) record.folder.resize(record.folder.size() - 5);
    record.locked = fs::exists(record.dir + "/locked", why);
    record.ours = record.locked && small_file(record.dir + "/locked").starts_with(kReason);
    records.push_back(std::move(record));
  }
  return records;
}

std::optional<Record> record_of(const std::string& common_dir, const std::string& folder) {
  for (Record& record : records_of(common_dir)) {
    if (!record.folder.empty() && record.folder == folder) return std::move(record);
  }
  return std::nullopt;
}

Result<void> remove_record(const std::string& common_dir, const Record& record) {
  // Out of git's sight in one step: half a record is one that nobody could find again.
  const std::string place = common_dir + std::string(kGoing);
  std::error_code why;
  fs::create_directory(place, why);
  if (why) return std::unexpected(file_error("cannot make the folder", place, why.value()));
  const std::string gone = fmt::format("{}/{}", place, make_uuid());
  if (std::rename(record.dir.c_str(), gone.c_str()) != 0 && errno != ENOENT) {
    return std::unexpected(file_error("cannot remove", record.dir, errno));
  }
  return sweep_records(common_dir);
}

Result<void> sweep_records(const std::string& common_dir) {
  ::rmdir((common_dir + "/worktrees").c_str());  // Stays while there are others.
  return remove_folder(common_dir + std::string(kGoing));
}

Result<void> Building::clear(const Repository& main, const std::string& path) {
  const std::string place = beside(path, "making");
  const std::string folder = place + "/" + name_in(path);
  for (const Record& record : records_of(main.common_dir)) {
    const bool never_there = record.ours && record.folder == path && !is_there(path + "/.git");
    // Git was ended in the middle of making it: no word yet of where it is.
    const bool half = record.folder.empty() && name_in(record.dir).starts_with(name_in(path)) &&
                      kReason.starts_with(first_line(small_file(record.dir + "/locked")));
    if (record.folder != folder && !never_there && !half) continue;
    if (auto gone = remove_record(main.common_dir, record); !gone) return gone;
  }
  if (auto swept = sweep_records(main.common_dir); !swept) return swept;
  return remove_folder(place);
}

Result<Building> Building::begin(const Git& git, const Repository& main, const std::string& path,
                                 const NewHead& head) {
  std::error_code why;
  fs::create_directories(fs::path(path).parent_path(), why);
  if (why) {
    return std::unexpected(
        file_error("cannot make the folder", fs::path(path).parent_path().native(), why.value()));
  }
  Building building;
  building.path_ = real_place(path);
  if (auto cleared = clear(main, building.path_); !cleared) {
    return std::unexpected(std::move(cleared.error()));
  }
  const std::string place = beside(building.path_, "making");
  fs::create_directory(place, why);
  if (why) return std::unexpected(file_error("cannot make the folder", place, why.value()));
  const std::string folder = place + "/" + name_in(building.path_);
  std::vector<std::string> args = {"worktree", "add",      "--no-checkout",     "--quiet",
                                   "--lock",   "--reason", std::string(kReason)};
  if (head.branch.empty()) args.emplace_back("--detach");
  args.insert(args.end(), {"--", folder, head.branch.empty() ? head.commit : head.branch});
  auto made = git.out({.args = std::move(args), .cwd = main.root});
  const auto record = made ? record_of(main.common_dir, folder) : std::nullopt;
  if (!record) {
    if (auto cleared = clear(main, building.path_); !cleared && made) {
      return std::unexpected(std::move(cleared.error()));
    }
    if (!made) return std::unexpected(std::move(made.error()));
    return fail(ErrorCode::Internal, "git made a worktree and no record of it");
  }
  building.tree_ = {.root = folder,
                    .git_dir = record->dir,
                    .common_dir = main.common_dir,
                    .object_format = main.object_format,
                    .branch = head.branch,
                    .head = head.commit};
  return building;
}

Result<void> Building::finish() {
  if (auto wrote = write_file(tree_.git_dir + "/gitdir", path_ + "/.git\n"); !wrote) return wrote;
  if (std::rename(tree_.root.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    static_cast<void>(write_file(tree_.git_dir + "/gitdir", tree_.root + "/.git\n"));
    return std::unexpected(file_error("cannot make the folder", path_, reason));
  }
  ::unlink((tree_.git_dir + "/locked").c_str());
  ::rmdir(beside(path_, "making").c_str());
  tree_.root = path_;
  return {};
}

Result<void> take_away(const std::string& path) {
  const std::string place = beside(path, "removing");
  if (auto gone = finish_taking_away(path); !gone) return gone;
  std::error_code why;
  fs::create_directory(place, why);
  if (why) return std::unexpected(file_error("cannot make the folder", place, why.value()));
  if (std::rename(path.c_str(), (place + "/" + name_in(path)).c_str()) != 0 && errno != ENOENT) {
    const int reason = errno;
    ::rmdir(place.c_str());
    return std::unexpected(file_error("cannot remove", path, reason));
  }
  return {};
}

Result<void> finish_taking_away(const std::string& path) {
  return remove_folder(beside(path, "removing"));
}

}  // namespace lb::git
