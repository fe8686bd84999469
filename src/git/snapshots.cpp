#include "git/snapshots.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <future>
#include <system_error>

namespace lb::git {
namespace {

/// The first snapshot of a large folder goes on where the last try was cut off.
constexpr std::size_t kBatch = 20'000;

std::string joined(auto begin, auto end) {
  std::string text;
  for (; begin != end; ++begin) text.append(*begin).push_back('\0');
  return text;
}

/// 0: `found` is filled.
int look_at(const std::string& root, const std::string& path, struct stat& found) {
  return ::lstat((root + "/" + path).c_str(), &found) == 0 ? 0 : errno;
}

bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR;
}

bool is_file(const struct stat& found) {
  return S_ISREG(found.st_mode) || S_ISLNK(found.st_mode);
}

/// Something of ours is never beyond a link.
bool link_above(const std::string& root, const std::string& path) {
  struct stat found = {};
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    if (look_at(root, path.substr(0, at), found) != 0 || !S_ISDIR(found.st_mode)) return true;
  }
  return false;
}

Error unreadable(const std::string& path, int error) {
  return {ErrorCode::NotSupported,
          fmt::format("{} cannot be read: {}", shown_path(path),
                      std::error_code(error, std::generic_category()).message())};
}

bool says_what_is_ignored(const std::string& path) {
  return path == ".gitignore" || path.ends_with("/.gitignore");
}

}  // namespace

Call Snapshots::timed(Call call, Clock::time_point deadline) const {
  call.limit =
      std::max(std::chrono::milliseconds(1),
               std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()));
  return call;
}

Result<std::string> Snapshots::take() {
  const auto deadline = Clock::now() + budget_.time;
  damaged_ = false;
  auto tree = try_once(deadline);
  if (!tree && damaged_) {
    keep_.drop_index();
    last_.clear();
    tree = try_once(deadline);
  }
  if (tree) return tree;
  last_.clear();
  if (tree.error().code == ErrorCode::Timeout) {
    return fail(
        ErrorCode::Timeout,
        fmt::format("The files of {} could not be kept within {} s.", keep_.root(),
                    std::chrono::duration_cast<std::chrono::seconds>(budget_.time).count()));
  }
  return std::unexpected(std::move(tree.error()).context("The files could not be kept"));
}

Result<std::string> Snapshots::try_once(Clock::time_point deadline) {
  keep_.drop_locks();
  auto ignoring = keep_.take_over_settings(git_);
  if (!ignoring) return std::unexpected(std::move(ignoring.error()));
  const bool fresh = stamp_of(keep_.index()).empty();
  if (fresh && !keep_.trusts_modes()) {
    if (auto begun = begin_with_head(deadline); !begun) {
      return std::unexpected(std::move(begun.error()));
    }
  }
  Work work;
  work.ignoring = *ignoring;
  if (auto looked = look(work, deadline, fresh); !looked) {
    return std::unexpected(std::move(looked.error()));
  }
  if (work.files > budget_.files || work.bytes > budget_.bytes) {
    return fail(ErrorCode::TooLarge,
                fmt::format("{} files with {} MiB are new here, and at most {} files with {} MiB "
                            "are kept. Name what is no work in .gitignore.",
                            work.files, work.bytes >> 20U, budget_.files, budget_.bytes >> 20U));
  }
  // git leaves half an object behind when there is no room for the whole.
  if (struct statvfs disk = {}; ::statvfs(keep_.objects().c_str(), &disk) == 0 &&
                                disk.f_bavail * disk.f_frsize < work.bytes) {
    return fail(
        ErrorCode::StoreFull,
        fmt::format("no space left on the disk of {}: {} MiB are new here, {} MiB are free.",
                    keep_.objects(), work.bytes >> 20U, (disk.f_bavail * disk.f_frsize) >> 20U));
  }
  if (auto wrote = write(work, deadline); !wrote) return std::unexpected(std::move(wrote.error()));
  if (work.ignoring && !fresh) {
    if (auto left = leave_ignored(deadline); !left) return std::unexpected(std::move(left.error()));
  }
  if (!last_.empty() && stamp_of(keep_.index()) == last_stamp_) return last_;
  auto tree = git_.run(timed(keep_.call({"write-tree"}), deadline));
  if (!tree) return std::unexpected(std::move(tree.error()));
  if (!tree->ok()) {
    damaged_ = true;
    return fail(ErrorCode::NotSupported, last_words(*tree));
  }
  std::string id = tree->out.substr(0, tree->out.find('\n'));
  // What our index names must outlive the user's `git gc`, which does not know it.
  if (auto kept = set_refs(git_, keep_.refs(), {{keep_.own_ref(), id}}); !kept) {
    return std::unexpected(std::move(kept.error()));
  }
  last_ = id;
  last_stamp_ = stamp_of(keep_.index());
  return id;
}

Result<void> Snapshots::look(Work& work, Clock::time_point deadline, bool fresh) {
  // Two looks at the same folder by two programs: together they take as long as the longer one.
  auto other = std::async(std::launch::async, [&] {
    return git_.run(
        timed(keep_.call({"ls-files", "-z", "--others", "--exclude-standard"}), deadline));
  });
  Result<Said> differing = Said{};
  if (!fresh || !keep_.trusts_modes()) {
    differing = git_.run(timed(
        keep_.call({"diff-files", "-z", "--raw", "--no-renames", "--no-ext-diff"}), deadline));
  }
  Result<std::set<std::string>> known = std::set<std::string>{};
  if (fresh && repository_) known = real_files({}, deadline);
  auto unknown = other.get();
  for (auto* said : {&differing, &unknown}) {
    if (!*said) return std::unexpected(std::move(said->error()));
    if ((*said)->ok()) continue;
    damaged_ = !fresh;
    return fail(ErrorCode::NotSupported, last_words(**said));
  }
  if (!known) return std::unexpected(std::move(known.error()));
  // git only warns of folders that it cannot look into.
  if (unknown->err.contains("could not open directory")) {
    return fail(ErrorCode::NotSupported, last_words(*unknown));
  }
  if (auto taken = take_differing(work, differing->out, *known); !taken) return taken;
  if (auto taken = take_unknown(work, unknown->out, *known); !taken) return taken;
  return take_exceptions(work, deadline, fresh);
}

Result<void> Snapshots::take_differing(Work& work, const std::string& raw,
                                       const std::set<std::string>& known) {
  const std::vector<std::string> parts = split_nul(raw);
  for (std::size_t at = 0; at + 1 < parts.size(); at += 2) {
    const std::string& path = parts[at + 1];
    struct stat found = {};
    const int error = look_at(keep_.root(), path, found);
    if (error != 0 && !is_absence(error)) return std::unexpected(unreadable(path, error));
    work.ignoring = work.ignoring || says_what_is_ignored(path);
    const bool deleted = parts[at].ends_with('D');
    // No file, or beyond a link now: git would not take it from the index by itself.
    if (error == 0 ? deleted || !is_file(found) : link_above(keep_.root(), path)) {
      work.gone.push_back(path);
    } else {
      work.read.push_back(path);
      if (error == 0 && !known.contains(path)) work.count(found);
    }
    if (deleted && exceptions_.contains(path)) missing_.insert(path);
  }
  return {};
}

Result<void> Snapshots::take_unknown(Work& work, const std::string& names,
                                     const std::set<std::string>& known) {
  for (std::string& path : split_nul(names)) {
    if (path.ends_with('/')) continue;  // Another repository.
    struct stat found = {};
    const int error = look_at(keep_.root(), path, found);
    if (is_absence(error)) continue;
    if (error != 0) return std::unexpected(unreadable(path, error));
    if (!is_file(found)) continue;
    work.ignoring = work.ignoring || says_what_is_ignored(path);
    if (!known.contains(path)) work.count(found);
    work.read.push_back(std::move(path));
  }
  return {};
}

/// Which files run is known from the last commit alone where the disk does not say it.
Result<void> Snapshots::begin_with_head(Clock::time_point deadline) {
  if (!repository_) return {};
  auto head = git_.run(
      timed({.args = {"rev-parse", "--verify", "--quiet", "HEAD^{tree}"}, .cwd = keep_.root()},
            deadline));
  if (!head) return std::unexpected(std::move(head.error()));
  if (!head->ok()) return {};  // No commit yet.
  auto done = git_.out(
      timed(keep_.call({"read-tree", head->out.substr(0, head->out.find('\n'))}), deadline));
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

Result<std::set<std::string>> Snapshots::real_files(std::vector<std::string> flags,
                                                    Clock::time_point deadline) {
  Call call{.args = {"ls-files", "-z", "--cached"}, .cwd = keep_.root()};
  call.args.insert(call.args.end(), flags.begin(), flags.end());
  call.env = {{"GIT_DIR", repository_->git_dir}, {"GIT_WORK_TREE", keep_.root()}};
  auto names = git_.out(timed(std::move(call), deadline));
  if (!names) return std::unexpected(std::move(names.error()));
  auto list = split_nul(*names);
  return std::set<std::string>(std::make_move_iterator(list.begin()),
                               std::make_move_iterator(list.end()));
}

/// What git has though it is ignored: unknown files that are ignored are not listed.
Result<void> Snapshots::take_exceptions(Work& work, Clock::time_point deadline, bool fresh) {
  if (!repository_) return {};
  const std::string stamp = stamp_of(repository_->git_dir + "/index");
  if (stamp != real_stamp_ || work.ignoring || fresh) {
    auto found = real_files({"--ignored", "--exclude-standard"}, deadline);
    if (!found) return std::unexpected(std::move(found.error()));
    exceptions_ = std::move(*found);
    missing_ = exceptions_;
    real_stamp_ = stamp;
    work.ignoring = true;
  }
  std::erase_if(missing_, [&](const std::string& path) {
    struct stat found = {};
    if (look_at(keep_.root(), path, found) != 0 || !is_file(found)) return false;
    if (link_above(keep_.root(), path)) return false;
    work.read.push_back(path);
    return true;
  });
  return {};
}

Result<void> Snapshots::write(const Work& work, Clock::time_point deadline) {
  if (!work.gone.empty()) {
    auto done =
        update_index({"--force-remove"}, joined(work.gone.begin(), work.gone.end()), deadline);
    if (!done) return done;
  }
  for (std::size_t at = 0; at < work.read.size(); at += kBatch) {
    const auto begin = work.read.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kBatch, work.read.size() - at));
    auto done = update_index({"--add", "--remove", "--replace"}, joined(begin, end), deadline);
    if (!done) return done;
  }
  return {};
}

Result<void> Snapshots::update_index(const std::vector<std::string>& flags, std::string names,
                                     Clock::time_point deadline) {
  std::vector<std::string> args = {"update-index", "-z"};
  args.insert(args.end(), flags.begin(), flags.end());
  args.emplace_back("--stdin");
  Call call = timed(keep_.call(std::move(args)), deadline);
  call.input = std::move(names);
  auto done = git_.out(call);
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

/// What is ignored since it was last looked at is not kept any more.
Result<void> Snapshots::leave_ignored(Clock::time_point deadline) {
  auto names = git_.out(timed(
      keep_.call({"ls-files", "-z", "--cached", "--ignored", "--exclude-standard"}), deadline));
  if (!names) return std::unexpected(std::move(names.error()));
  std::vector<std::string> gone = split_nul(*names);
  std::erase_if(gone, [&](const std::string& path) { return exceptions_.contains(path); });
  if (gone.empty()) return {};
  return update_index({"--force-remove"}, joined(gone.begin(), gone.end()), deadline);
}

}  // namespace lb::git
