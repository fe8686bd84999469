#include "git/commit.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/utf8.h"
#include "git/folder.h"
#include "git/review.h"
#include "git/standing.h"

namespace lb::git {
namespace {

class Committer {
 public:
  Committer(const Git& git, Repository repository, const CommitWish& wish, const RunByHand& by_hand)
      : git_(git),
        repository_(std::move(repository)),
        wish_(wish),
        by_hand_(by_hand),
        paths_file_(repository_.git_dir + "/LIMINAL_PATHS") {}
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer() { ::unlink(paths_file_.c_str()); }

  Result<CommitBody> run() {
    if (auto found = find_unknown(); !found) return std::unexpected(std::move(found.error()));
    if (auto known = make_known(); !known) return std::unexpected(std::move(known.error()));
    auto done = commit();
    if (!done) forget_unknown();
    return done;
  }

 private:
  /// Files that are there and git does not know yet.
  Result<void> find_unknown() {
    auto listed = git_.out({.args = {"ls-files", "-z"}, .cwd = repository_.root});
    if (!listed) return std::unexpected(std::move(listed.error()));
    const std::vector<std::string> names = split_nul(*listed);
    const std::set<std::string> known(names.begin(), names.end());
    for (const std::string& path : wish_.paths) {
      if (!known.contains(path) && is_there(repository_.root + "/" + path)) {
        unknown_.push_back(path);
      }
    }
    return {};
  }

  /// By a file: there may be more than fit into a command.
  Result<Said> with_paths(std::vector<std::string> args, const std::vector<std::string>& paths,
                          std::string input) {
    std::string text;
    for (const std::string& path : paths) {
      text += ":(top,literal)" + path;
      text += '\0';
    }
    if (auto wrote = write_file(paths_file_, text); !wrote) {
      return std::unexpected(std::move(wrote.error()));
    }
    args.insert(args.end(), {"--pathspec-from-file=" + paths_file_, "--pathspec-file-nul"});
    return by_hand_({.args = std::move(args),
                     .cwd = repository_.root,
                     .input = std::move(input),
                     .limit = limits::kGitLong,
                     .by_the_user = true});
  }

  Result<void> make_known() {
    if (unknown_.empty()) return {};
    auto said = with_paths({"add", "--intent-to-add"}, unknown_, "");
    if (!said) return std::unexpected(std::move(said.error()));
    if (said->ok()) return {};
    forget_unknown();
    return fail(ErrorCode::ProcessCrash, last_words(*said));
  }

  /// It was not committed: nobody shall find it staged.
  void forget_unknown() {
    if (unknown_.empty()) return;
    std::string names;
    for (const std::string& path : unknown_) {
      names += path;
      names += '\0';
    }
    auto done = git_.out({.args = {"update-index", "--force-remove", "-z", "--stdin"},
                          .cwd = repository_.root,
                          .input = std::move(names)});
    if (!done) log_warn("commit_left_known", {{"why", done.error().message}});
  }

  Result<CommitBody> commit() {
    auto said = with_paths({"commit", "-q", "--only", "-F", "-"}, wish_.paths, wish_.message);
    if (!said) return std::unexpected(std::move(said.error()));
    if (!said->ok()) return fail(ErrorCode::ProcessCrash, last_words(*said));
    auto now = find_repository(git_, repository_.root);
    if (!now) return std::unexpected(std::move(now.error()));
    if (!now->has_value()) return fail(ErrorCode::Internal, "The repository is gone.");
    CommitBody body;
    body.oid = (*now)->head;
    if (!(*now)->branch.empty()) body.branch = (*now)->branch;
    auto names = git_.out({.args = {"diff-tree", "--root", "--no-commit-id", "--name-only", "-r",
                                    "-z", "--no-renames", body.oid},
                           .cwd = repository_.root});
    if (names) body.files = split_nul(*names).size();
    if (std::string text = said_by(*said); !text.empty()) body.said = std::move(text);
    return body;
  }

  const Git& git_;
  Repository repository_;
  const CommitWish& wish_;
  const RunByHand& by_hand_;
  std::string paths_file_;
  std::vector<std::string> unknown_;
};

}  // namespace

std::string said_by(const Said& said) {
  std::string text = said.out + said.err;
  repair_utf8(text);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<CommitBody> commit_paths(const Git& git, WorkTree& files, const CommitWish& wish,
                                const RunByHand& by_hand) {
  if (!files.repository()) {
    return fail(ErrorCode::NotSupported,
                "There is no git repository here, so nothing can be committed.");
  }
  if (wish.paths.empty()) return fail(ErrorCode::InvalidRequest, "Choose what to commit.");
  if (wish.message.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::InvalidRequest, "A commit needs a message.");
  }
  for (const std::string& path : wish.paths) {
    if (auto good = check_path(path); !good) return std::unexpected(std::move(good.error()));
  }
  auto repository = repository_now(git, files);
  if (!repository) return std::unexpected(std::move(repository.error()));
  const RepositoryLock alone(repository->common_dir);
  return Committer(git, std::move(*repository), wish, by_hand).run();
}

}  // namespace lb::git
