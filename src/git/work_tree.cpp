#include "git/work_tree.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "base/id.h"
#include "git/blobs.h"
#include "git/keep_dir.h"
#include "git/snapshots.h"
#include "git/tree_entry.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

/// One file that differs between two trees.
struct Differing {
  TreeChange change;
  TreeFile from;
  TreeFile to;
};

Differing differing_of(RawEntry raw) {
  Differing entry{.change = {}, .from = std::move(raw.from), .to = std::move(raw.to)};
  entry.change.path = std::move(raw.path);
  entry.change.kind = !entry.from.there() ? ChangeKind::Added
                      : !entry.to.there() ? ChangeKind::Deleted
                                          : ChangeKind::Modified;
  return entry;
}

/// `1\t2\tpath`, and `-` for a file that has no lines.
void add_counts(std::string_view text, std::map<std::string, Differing>& entries) {
  const std::size_t first = text.find('\t');
  const std::size_t second = first == std::string_view::npos ? first : text.find('\t', first + 1);
  if (second == std::string_view::npos) return;
  const auto entry = entries.find(std::string(text.substr(second + 1)));
  if (entry == entries.end()) return;
  std::uint64_t added = 0;
  std::uint64_t deleted = 0;
  std::from_chars(text.data(), text.data() + first, added);
  std::from_chars(text.data() + first + 1, text.data() + second, deleted);
  entry->second.change.added += added;
  entry->second.change.deleted += deleted;
}

/// Whether it is a folder in which nothing is but these files.
bool holds_only(const std::string& folder, const std::string& path,
                const std::set<std::string>& files) {
  std::error_code why;
  if (!fs::is_directory(fs::symlink_status(folder, why))) return false;
  bool any = false;
  for (const auto& entry : fs::directory_iterator(folder, why)) {
    any = true;
    const std::string name = path + "/" + entry.path().filename().native();
    if (!files.contains(name) && !holds_only(entry.path().native(), name, files)) return false;
  }
  return any && !why;
}

/// What goes makes room: a file for a folder, a folder for a file.
void put_deletions_first(std::vector<Differing>& entries) {
  std::ranges::sort(entries, {}, [](const Differing& entry) {
    return std::pair(entry.to.there(), std::string_view(entry.change.path));
  });
}

}  // namespace

struct WorkTree::Inside {
  Inside(Git git_program, KeepDir keep_dir, std::optional<Repository> found,
         const SnapshotBudget& budget)
      : git(std::move(git_program)),
        keep(std::move(keep_dir)),
        repository(std::move(found)),
        snapshots(git, keep, repository, budget) {}

  Result<std::vector<Differing>> differing(const std::string& from, const std::string& to) {
    if (auto good = check_ids({from, to}); !good) return std::unexpected(std::move(good.error()));
    auto text = git.out(keep.call({"diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff",
                                   "--raw", "--numstat", from, to}));
    if (!text) return std::unexpected(std::move(text.error()));
    std::map<std::string, Differing> entries;
    const std::vector<std::string> parts = split_nul(*text);
    for (std::size_t at = 0; at < parts.size();) {
      if (auto raw = read_raw(parts, at)) {
        Differing entry = differing_of(std::move(*raw));
        entries.emplace(entry.change.path, std::move(entry));
      } else {
        add_counts(parts[at++], entries);
      }
    }
    std::vector<Differing> list;
    for (auto& [path, entry] : entries) {
      // Another repository is none of our files.
      const bool before = entry.from.there() && !entry.from.is_repository();
      const bool after = entry.to.there() && !entry.to.is_repository();
      if (before || after) list.push_back(std::move(entry));
    }
    return list;
  }

  /// What shall be written must be there, and not too much.
  Result<void> check_size(const std::vector<Differing>& entries) {
    std::string ids;
    for (const Differing& entry : entries) {
      if (entry.to.there() && !entry.to.is_repository()) ids += entry.to.id + '\n';
    }
    if (ids.empty()) return {};
    Call call = keep.call({"cat-file", "--batch-check=%(objecttype) %(objectsize)"});
    call.input = std::move(ids);
    auto text = git.out(call);
    if (!text) return std::unexpected(std::move(text.error()));
    std::uint64_t bytes = 0;
    for (const std::string& line : split_lines(*text)) {
      if (!line.starts_with("blob ")) {
        return fail(ErrorCode::NotFound, "Some of the kept files are not there any more: " + line);
      }
      std::uint64_t size = 0;
      std::from_chars(line.data() + 5, line.data() + line.size(), size);
      bytes += size;
    }
    if (bytes <= limits::kApplyBytesMax) return {};
    return fail(ErrorCode::TooLarge,
                fmt::format("{} MiB would have to be written; {} MiB is the most.", bytes >> 20U,
                            limits::kApplyBytesMax >> 20U));
  }

  /// `tree` with these lines of `update-index --index-info` put into it.
  Result<std::string> with_entries(const std::string& tree, std::string entries) {
    const std::string index = keep.dir() + "/index-" + make_uuid();
    const auto with_index = [&](std::vector<std::string> args) {
      Call call = keep.call(std::move(args));
      call.env.emplace_back("GIT_INDEX_FILE", index);
      return call;
    };
    auto done = git.out(with_index({"read-tree", tree}));
    if (done) {
      Call call = with_index({"update-index", "-z", "--add", "--index-info"});
      call.input = std::move(entries);
      done = git.out(call);
    }
    if (done) done = git.line(with_index({"write-tree"}));
    std::error_code ignored;
    fs::remove(index, ignored);
    fs::remove(index + ".lock", ignored);
    return done;
  }

  /// A commit that lives for one merge, and says nothing of the user.
  Result<std::string> commit(const std::string& tree, const std::string& parent) {
    std::vector<std::string> args = {"commit-tree", tree, "-m", "liminal"};
    if (!parent.empty()) args.insert(args.end(), {"-p", parent});
    Call call = keep.call(std::move(args));
    for (const char* who : {"AUTHOR", "COMMITTER"}) {
      call.env.emplace_back(fmt::format("GIT_{}_NAME", who), "Liminal Builder");
      call.env.emplace_back(fmt::format("GIT_{}_EMAIL", who), "none@localhost");
      call.env.emplace_back(fmt::format("GIT_{}_DATE", who), "@0 +0000");
    }
    return git.line(call);
  }

  Git git;
  KeepDir keep;
  std::optional<Repository> repository;
  Snapshots snapshots;
};

WorkTree::WorkTree(std::unique_ptr<Inside> inside) : in_(std::move(inside)) {}
WorkTree::~WorkTree() = default;

Result<std::shared_ptr<WorkTree>> WorkTree::open(const Git& git, const std::string& folder,
                                                 const std::string& keep_dir,
                                                 const SnapshotBudget& budget) {
  auto repository = find_repository(git, folder);
  if (!repository) return std::unexpected(std::move(repository.error()));
  std::error_code why;
  const std::string root = fs::canonical(*repository ? (*repository)->root : folder, why).native();
  if (why) return fail(ErrorCode::ProjectPathInvalid, folder + ": " + why.message());
  if (auto good = check_folder(root); !good) return std::unexpected(std::move(good.error()));
  auto keep = KeepDir::open(git, root, keep_dir, *repository);
  if (!keep) return std::unexpected(std::move(keep.error()));
  auto inside = std::make_unique<Inside>(git, std::move(*keep), std::move(*repository), budget);
  return std::shared_ptr<WorkTree>(new WorkTree(std::move(inside)));
}

const std::string& WorkTree::root() const {
  return in_->keep.root();
}

const std::string& WorkTree::keep_dir() const {
  return in_->keep.dir();
}

const std::optional<Repository>& WorkTree::repository() const {
  return in_->repository;
}

Call WorkTree::call(std::vector<std::string> args) {
  const std::scoped_lock lock(mutex_);
  return in_->keep.call(std::move(args));
}

Result<std::string> WorkTree::snapshot() {
  const std::scoped_lock lock(mutex_);
  return in_->snapshots.take();
}

Result<void> WorkTree::keep(const std::vector<OwnRef>& refs) {
  const std::scoped_lock lock(mutex_);
  return set_refs(in_->git, in_->keep.refs(), refs);
}

Result<std::vector<OwnRef>> WorkTree::kept(const std::string& prefix) {
  const std::scoped_lock lock(mutex_);
  return refs_below(in_->git, in_->keep.refs(), prefix);
}

Result<void> WorkTree::forget() {
  const std::scoped_lock lock(mutex_);
  return set_refs(in_->git, in_->keep.refs(), {{in_->keep.own_ref(), ""}});
}

Result<void> WorkTree::tidy() {
  const std::scoped_lock lock(mutex_);
  if (in_->repository) return {};
  Call call = in_->keep.call({"gc", "--quiet", "--prune=1.day.ago"});
  call.limit = limits::kGitLong;
  auto done = in_->git.out(call);
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

Result<std::vector<TreeChange>> WorkTree::diff(const std::string& from, const std::string& to) {
  const std::scoped_lock lock(mutex_);
  auto entries = in_->differing(from, to);
  if (!entries) return std::unexpected(std::move(entries.error()));
  std::vector<TreeChange> changes;
  for (Differing& entry : *entries) changes.push_back(std::move(entry.change));
  return changes;
}

Result<std::vector<std::pair<std::string, std::string>>> WorkTree::moved(const std::string& from,
                                                                         const std::string& to) {
  const std::scoped_lock lock(mutex_);
  if (auto good = check_ids({from, to}); !good) return std::unexpected(std::move(good.error()));
  auto text = in_->git.out(in_->keep.call(
      {"diff-tree", "-r", "-z", "-M20%", "-l5000", "--diff-filter=R", "--name-status", from, to}));
  if (!text) return std::unexpected(std::move(text.error()));
  std::vector<std::pair<std::string, std::string>> pairs;
  std::vector<std::string> parts = split_nul(*text);
  for (std::size_t at = 0; at + 2 < parts.size(); at += 3) {
    pairs.emplace_back(std::move(parts[at + 1]), std::move(parts[at + 2]));
  }
  return pairs;
}

Result<std::string> WorkTree::tree_of(const std::string& commit) {
  const std::scoped_lock lock(mutex_);
  if (!in_->repository) {
    return fail(ErrorCode::NotSupported, root() + " is no git repository: it has no commits.");
  }
  return in_->git.line(
      {.args = {"rev-parse", "--verify", "--quiet", "--end-of-options", commit + "^{tree}"},
       .cwd = root()});
}

Result<Merged> WorkTree::merge(const std::string& base, const std::string& ours,
                               const std::string& theirs) {
  const std::scoped_lock lock(mutex_);
  if (auto good = check_ids({base, ours, theirs}); !good) {
    return std::unexpected(std::move(good.error()));
  }
  if (base == theirs || ours == theirs) return Merged{ours, {}};
  if (base == ours) return Merged{theirs, {}};
  auto root_commit = in_->commit(base, "");
  if (!root_commit) return std::unexpected(std::move(root_commit.error()));
  auto our_commit = in_->commit(ours, *root_commit);
  if (!our_commit) return std::unexpected(std::move(our_commit.error()));
  auto their_commit = in_->commit(theirs, *root_commit);
  if (!their_commit) return std::unexpected(std::move(their_commit.error()));
  auto said = in_->git.run(in_->keep.call({"merge-tree", "--write-tree", "-z", "--name-only",
                                           "--no-messages", *our_commit, *their_commit}));
  if (!said) return std::unexpected(std::move(said.error()));
  if (said->code == 129) return fail(ErrorCode::NotSupported, "This needs git 2.38 or newer.");
  std::vector<std::string> parts = split_nul(said->out);
  if (said->code > 1 || parts.empty()) return fail(ErrorCode::NotSupported, last_words(*said));
  Merged merged{.tree = parts.front(), .conflicts = {}};
  if (said->code == 0) return merged;
  std::set<std::string> paths;
  for (std::string& path : std::span(parts).subspan(1)) {
    // A file that stands against a folder gets the name of its side.
    for (const std::string* side : {&*our_commit, &*their_commit}) {
      if (const std::size_t at = path.rfind("~" + *side); at != std::string::npos) path.resize(at);
    }
    paths.insert(std::move(path));
  }
  merged.conflicts.assign(paths.begin(), paths.end());
  return merged;
}

Result<std::string> WorkTree::with_paths(const std::string& tree, const std::string& other,
                                         const std::vector<std::string>& paths) {
  const std::scoped_lock lock(mutex_);
  auto entries = in_->differing(tree, other);
  if (!entries) return std::unexpected(std::move(entries.error()));
  const std::set<std::string> wanted(paths.begin(), paths.end());
  std::erase_if(*entries,
                [&](const Differing& entry) { return !wanted.contains(entry.change.path); });
  if (entries->empty()) return tree;
  put_deletions_first(*entries);
  std::string input;
  for (const Differing& entry : *entries) {
    input += fmt::format("{:06o} {}\t{}", entry.to.mode, entry.to.id, entry.change.path);
    input += '\0';
  }
  auto done = in_->with_entries(tree, std::move(input));
  if (!done) return done;
  // git puts a file in the place of a whole folder without a word.
  auto changed = in_->differing(tree, *done);
  if (!changed) return std::unexpected(std::move(changed.error()));
  for (const Differing& entry : *changed) {
    if (wanted.contains(entry.change.path)) continue;
    return fail(ErrorCode::InvalidRequest,
                shown_path(entry.change.path) + " stands where another file would have to be.");
  }
  return done;
}

Result<std::string> WorkTree::with_bytes(const std::string& tree, const std::string& path,
                                         std::uint32_t mode, std::string bytes) {
  const std::scoped_lock lock(mutex_);
  if (auto good = check_ids({tree}); !good) return std::unexpected(std::move(good.error()));
  Call call = in_->keep.call({"hash-object", "-w", "--no-filters", "--stdin"});
  call.input = std::move(bytes);
  auto id = in_->git.line(call);
  if (!id) return id;
  std::string entry = fmt::format("{:06o} {}\t{}", mode, *id, path);
  entry += '\0';
  return in_->with_entries(tree, std::move(entry));
}

Result<Applied> WorkTree::apply(const std::string& from, const std::string& to) {
  const std::scoped_lock lock(mutex_);
  auto entries = in_->differing(from, to);
  if (!entries) return std::unexpected(std::move(entries.error()));
  if (auto good = in_->check_size(*entries); !good) return std::unexpected(std::move(good.error()));
  put_deletions_first(*entries);
  Blobs blobs(in_->git, in_->keep);
  Files files(root(), blobs, in_->keep.trusts_modes());
  Applied applied;
  for (Differing& entry : *entries) {
    Result<bool> done = false;
    if (!entry.from.is_repository() && !entry.to.is_repository()) {
      done = files.change(entry.change.path, entry.from, entry.to);
    }
    if (done && *done) {
      applied.done.push_back(std::move(entry.change));
    } else {
      applied.left.push_back(std::move(entry.change.path));
    }
  }
  std::ranges::sort(applied.done, {}, &TreeChange::path);
  std::ranges::sort(applied.left);
  return applied;
}

Result<std::vector<std::string>> WorkTree::in_the_way(const std::string& from,
                                                      const std::string& to) {
  const std::scoped_lock lock(mutex_);
  auto entries = in_->differing(from, to);
  if (!entries) return std::unexpected(std::move(entries.error()));
  Blobs blobs(in_->git, in_->keep);
  Files files(root(), blobs, in_->keep.trusts_modes());
  std::set<std::string> going;
  for (const Differing& entry : *entries) {
    if (!entry.to.there()) going.insert(entry.change.path);
  }
  std::vector<std::string> paths;
  for (const Differing& entry : *entries) {
    const std::string& path = entry.change.path;
    auto good = files.is(path, entry.from);
    if (good && !*good) good = files.is(path, entry.to);
    if (!good) return std::unexpected(std::move(good.error()));
    // A folder makes room when all that is in it goes.
    if (!*good && !entry.from.there()) *good = holds_only(root() + "/" + path, path, going);
    if (!*good) paths.push_back(entry.change.path);
  }
  return paths;
}

Result<std::optional<std::string>> WorkTree::file(const std::string& tree, const std::string& path,
                                                  std::size_t most) {
  const std::scoped_lock lock(mutex_);
  if (auto good = check_ids({tree}); !good) return std::unexpected(std::move(good.error()));
  auto found = in_->git.out(in_->keep.call({"ls-tree", "-z", "--full-tree", tree, "--", path}));
  if (!found) return std::unexpected(std::move(found.error()));
  for (const std::string& line : split_nul(*found)) {
    const ListedFile listed = read_listed(line);
    if (listed.path != path) continue;
    constexpr std::uint32_t kSubtree = 0040000;
    if (listed.file.mode == kSubtree || listed.file.is_repository()) return std::nullopt;
    Call call = in_->keep.call({"cat-file", "blob", listed.file.id});
    call.output_max = most;
    auto bytes = in_->git.out(call);
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    return std::optional(std::move(*bytes));
  }
  return std::nullopt;
}

}  // namespace lb::git
