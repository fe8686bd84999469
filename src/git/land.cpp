#include "git/land.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/json.h"
#include "git/commit.h"
#include "git/folder.h"
#include "git/land_plan.h"
#include "git/records.h"
#include "git/standing.h"
#include "git/worktrees.h"

namespace lb::git {
namespace {

/// An error with the paths that it is about.
std::unexpected<Error> refuse(ErrorCode code, std::string message,
                              const std::vector<std::string>& paths,
                              const std::string& place = "") {
  Error error{code, std::move(message)};
  if (!place.empty()) {
    error.members = "\"path\":";
    append_quoted(error.members, shown_path(place));
    error.members += ',';
  }
  error.members += "\"paths\":[";
  for (std::size_t at = 0; at < std::min(paths.size(), limits::kPathsMax); ++at) {
    if (at > 0) error.members += ',';
    append_quoted(error.members, shown_path(paths[at]));
  }
  error.members += ']';
  return std::unexpected(std::move(error));
}

/// "a, b and 3 more".
std::string some_of(const std::vector<std::string>& paths) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t at = 0; at < std::min(paths.size(), kMost); ++at) {
    text += (at == 0 ? "" : ", ") + shown_path(paths[at]);
  }
  if (paths.size() > kMost) text += fmt::format(" and {} more", paths.size() - kMost);
  return text;
}

/// Where the base branch is checked out.
struct Target {
  std::string folder;   // Empty: nowhere.
  Repository checkout;  // There.
};

class Lander {
 public:
  Lander(const Git& git, const Repository& main, WorkTree& files, const Landing& landing,
         const RunByHand& by_hand)
      : git_(git), main_(main), files_(files), landing_(landing), by_hand_(by_hand) {}

  Result<LandBody> run();

 private:
  Result<void> look();
  Result<std::string> tip_with_work(Scratch& scratch, const Status& status);
  Result<void> plan(const std::string& tip);
  Result<void> find_target();
  Result<void> check_target();
  Result<void> check_identity() const;
  Result<void> commit_work();
  Result<std::string> make_commits();
  Result<std::string> checked_message(const std::string& hook, std::string message);
  Result<std::string> make_commit(std::vector<std::string> args, const std::string& message,
                                  Environment env) const;
  Result<std::string> copy_commit(const LandPlan::Step& step, const std::string& parent) const;
  Result<void> move_base(const std::string& to);
  Result<void> keep_tip();
  void bring_worktree_to(const std::string& to);
  [[nodiscard]] Result<Said> hand(std::vector<std::string> args, const std::string& folder,
                                  std::string input = {}, bool whole = false) const;
  [[nodiscard]] std::vector<std::string> add_args() const;
  void note(const std::string& text) {
    if (text.empty()) return;
    if (body_.said) *body_.said += '\n';
    body_.said = body_.said.value_or("") + text;
  }
  [[nodiscard]] bool is_project(const std::string& folder) const { return folder == main_.root; }

  const Git& git_;
  const Repository& main_;
  WorkTree& files_;
  const Landing& landing_;
  const RunByHand& by_hand_;
  Repository own_;
  std::string base_;  // Its commit.
  std::vector<std::string> nested_;
  LandPlan plan_;
  std::vector<LandChange> changes_;
  Target target_;
  LandBody body_;
};

Result<Said> Lander::hand(std::vector<std::string> args, const std::string& folder,
                          std::string input, bool whole) const {
  return by_hand_({.args = std::move(args),
                   .cwd = folder,
                   .input = std::move(input),
                   .limit = limits::kGitLong,
                   .by_the_user = true,
                   .outlives_us = whole});
}

std::vector<std::string> Lander::add_args() const {
  std::vector<std::string> args = {"add", "-A", "--", "."};
  // A repository inside of this one is none of its files.
  for (const std::string& folder : nested_) args.push_back(":(exclude,literal)" + folder);
  return args;
}

/// What is to be landed, and whether it can be.
Result<void> Lander::look() {
  auto own = repository_now(git_, files_);
  if (!own) return std::unexpected(std::move(own.error()));
  own_ = std::move(*own);
  body_.into = landing_.base;
  const auto base = commit_of(git_, own_, "refs/heads/" + landing_.base);
  if (landing_.base.empty() || !base) {
    return fail(ErrorCode::NotSupported,
                fmt::format("There is no branch \"{}\" to land in.", landing_.base));
  }
  base_ = *base;
  if (own_.branch.empty() || own_.head.empty()) {
    return fail(ErrorCode::NotSupported,
                fmt::format("The worktree is on no branch. In {}, run: git switch -c NAME",
                            shown_path(own_.root)));
  }
  if (own_.branch == landing_.base) {
    return fail(
        ErrorCode::NotSupported,
        fmt::format("The worktree is on {} itself: there is nothing to land.", own_.branch));
  }
  if (const std::string what = under_way_in(own_.git_dir); !what.empty()) {
    return fail(ErrorCode::NotSupported,
                fmt::format("{} is under way in {}: finish or abort it first.", what,
                            shown_path(own_.root)));
  }
  return {};
}

/// The tip as it would be with the uncommitted work in a commit.
Result<std::string> Lander::tip_with_work(Scratch& scratch, const Status& status) {
  nested_ = status.nested;
  if (status.clean()) return own_.head;
  if (status.unmerged) {
    return fail(ErrorCode::NotSupported, "The worktree has files that are not merged yet.");
  }
  if (auto own = scratch.with_own_index(true); !own) return std::unexpected(std::move(own.error()));
  Call add = scratch.call(add_args());
  add.env.emplace_back("GIT_LITERAL_PATHSPECS", "0");
  add.limit = limits::kGitLong;
  auto added = scratch.run(std::move(add));
  if (!added) return std::unexpected(std::move(added.error()));
  if (!added->ok()) return fail(ErrorCode::NotSupported, last_words(*added));
  auto tree = scratch.line({"write-tree"});
  if (!tree) return std::unexpected(std::move(tree.error()));
  if (scratch.line({"rev-parse", own_.head + "^{tree}"}) == *tree) return own_.head;
  body_.commits_first = true;
  return passing_commit(scratch, *tree, own_.head);
}

Result<void> Lander::plan(const std::string& tip) {
  auto scratch = Scratch::over(git_, own_, files_.keep_dir());
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  auto plan = plan_landing(*scratch, landing_.strategy, {base_, tip});
  if (!plan) return std::unexpected(std::move(plan.error()));
  plan_ = std::move(*plan);
  body_.commits = plan_.commits;
  body_.conflicts.clear();
  for (const std::string& path : plan_.conflicts) body_.conflicts.push_back(shown_path(path));
  if (!plan_.conflicts.empty()) return {};
  auto changes = changes_between(git_, own_, base_ + "^{tree}", plan_.tree);
  if (!changes) return std::unexpected(std::move(changes.error()));
  changes_ = std::move(*changes);
  body_.files = changes_.size();
  return {};
}

Result<void> Lander::find_target() {
  const std::string ref = "refs/heads/" + landing_.base;
  auto listed = list_worktrees(git_, main_);
  if (!listed) return std::unexpected(std::move(listed.error()));
  for (const ListedWorktree& one : *listed) {
    const auto record = one.main ? std::nullopt : record_of(main_.common_dir, one.path);
    const std::string dir = one.main ? main_.common_dir : record ? record->dir : "";
    const bool rebased = small_file(dir + "/rebase-merge/head-name").starts_with(ref + "\n") ||
                         small_file(dir + "/rebase-apply/head-name").starts_with(ref + "\n");
    if (one.branch != landing_.base && !rebased) continue;
    if (const std::string what = under_way_in(dir); !what.empty()) {
      return refuse(ErrorCode::TargetElsewhere,
                    fmt::format("{} is under way in {}, where {} is checked out: finish or abort "
                                "it first.",
                                what, shown_path(one.path), landing_.base),
                    {}, one.path);
    }
    auto found = one.missing ? Result<std::optional<Repository>>(std::nullopt)
                             : find_repository(git_, one.path);
    // A repository without a work tree has its branches to move, and no files.
    if (one.main && (!found || !*found)) continue;
    if (!found || !*found) {
      return refuse(ErrorCode::TargetElsewhere,
                    fmt::format("{} is checked out in {}, which is not there. To forget that "
                                "worktree, run: git worktree prune",
                                landing_.base, shown_path(one.path)),
                    {}, one.path);
    }
    target_ = {one.path, std::move(**found)};
    return {};
  }
  return {};
}

/// Whether the checkout of the base can take the changes without losing anything.
Result<void> Lander::check_target() {
  if (auto found = find_target(); !found || target_.folder.empty()) return found;
  auto scratch = Scratch::over(git_, target_.checkout, files_.keep_dir());
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  auto paths = in_the_way_of(*scratch, target_.checkout.root, changes_);
  if (!paths) return std::unexpected(std::move(paths.error()));
  if (paths->empty()) return {};
  if (is_project(target_.checkout.root)) {
    return refuse(ErrorCode::TargetDirty,
                  fmt::format("Landing would overwrite what is not committed in the project's "
                              "folder: {}. Commit or stash it first.",
                              some_of(*paths)),
                  *paths);
  }
  return refuse(ErrorCode::TargetElsewhere,
                fmt::format("{} is checked out in {}, and landing would overwrite what is not "
                            "committed there: {}.",
                            landing_.base, shown_path(target_.folder), some_of(*paths)),
                *paths, target_.folder);
}

Result<void> Lander::check_identity() const {
  for (const char* who : {"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"}) {
    auto said = git_.run({.args = {"var", who}, .cwd = own_.root});
    if (!said) return std::unexpected(std::move(said.error()));
    if (said->ok()) continue;
    return fail(ErrorCode::NotSupported,
                "git does not know who you are, and a commit needs a name. Run:\n"
                "git config --global user.name \"Your Name\"\n"
                "git config --global user.email you@example.com");
  }
  return {};
}

/// Commits the uncommitted work as the user would. Refused, the index is as it was.
Result<void> Lander::commit_work() {
  const std::string index = own_.git_dir + "/index";
  const std::string before = index + ".liminal-before";
  std::error_code why;
  std::filesystem::copy_file(index, before, std::filesystem::copy_options::overwrite_existing, why);
  if (why) return std::unexpected(file_error("cannot copy", index, why.value()));
  const auto put_back = [&](std::string message) {
    static_cast<void>(std::rename(before.c_str(), index.c_str()));
    return fail(ErrorCode::NotSupported, std::move(message));
  };
  auto added = hand(add_args(), own_.root);
  if (!added) return put_back(added.error().message);
  if (!added->ok()) return put_back("The work cannot be committed: " + last_words(*added));
  const std::string message =
      landing_.message.empty() ? "Work of " + own_.branch : landing_.message;
  auto done = hand({"commit", "-q", "-F", "-"}, own_.root, message);
  if (!done) return put_back(done.error().message);
  if (!done->ok()) return put_back("The commit was refused:\n" + last_words(*done));
  ::unlink(before.c_str());
  note(said_by(*done));
  auto head = commit_of(git_, own_, "HEAD");
  if (!head) return std::unexpected(std::move(head.error()));
  own_.head = std::move(*head);
  return {};
}

/// Runs a hook, and `commit-msg` over the message.
Result<std::string> Lander::checked_message(const std::string& hook, std::string message) {
  const auto refused = [](const std::string& name, const Said& said) {
    return fail(ErrorCode::NotSupported,
                fmt::format("The hook {} refused it:\n{}", name, last_words(said)));
  };
  if (!hook.empty()) {
    auto said = hand({"hook", "run", "--ignore-missing", hook}, own_.root);
    if (!said) return std::unexpected(std::move(said.error()));
    if (!said->ok()) return refused(hook, *said);
    note(said_by(*said));
  }
  const std::string file = own_.git_dir + "/LIMINAL_MSG";
  if (auto wrote = write_file(file, message + "\n"); !wrote) {
    return std::unexpected(std::move(wrote.error()));
  }
  auto said = hand({"hook", "run", "--ignore-missing", "commit-msg", "--", file}, own_.root);
  std::string after = small_file(file);
  ::unlink(file.c_str());
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) return refused("commit-msg", *said);
  note(said_by(*said));
  return after.empty() ? message : after;
}

Result<std::string> Lander::make_commit(std::vector<std::string> args, const std::string& message,
                                        Environment env) const {
  const auto wish =
      git_.line({.args = {"config", "--type=bool", "--get", "commit.gpgSign"}, .cwd = own_.root});
  const bool signs = wish && *wish == "true";
  args.insert(args.begin(), "commit-tree");
  if (signs) args.emplace_back("-S");
  args.insert(args.end(), {"-F", "-"});
  Call call{.args = std::move(args),
            .cwd = own_.root,
            .env = std::move(env),
            .input = message,
            .by_the_user = signs};
  auto said = signs ? by_hand_(call) : git_.run(call);
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) return fail(ErrorCode::NotSupported, last_words(*said));
  return split_lines(said->out).at(0);
}

/// The same commit on another parent: its author and its words.
Result<std::string> Lander::copy_commit(const LandPlan::Step& step,
                                        const std::string& parent) const {
  auto told =
      git_.out({.args = {"-c", "i18n.logOutputEncoding=UTF-8", "show", "-s", "--no-show-signature",
                         "--date=raw", "--format=%an%x00%ae%x00%ad%x00%B", step.commit},
                .cwd = own_.root});
  if (!told) return std::unexpected(std::move(told.error()));
  std::vector<std::string> parts = split_nul(*told);
  parts.resize(4);
  if (parts[3].ends_with("\n\n")) parts[3].pop_back();  // One is of `show` itself.
  return make_commit({step.tree, "-p", parent}, parts[3],
                     {{"GIT_AUTHOR_NAME", parts[0]},
                      {"GIT_AUTHOR_EMAIL", parts[1]},
                      {"GIT_AUTHOR_DATE", "@" + parts[2]}});
}

/// The commit that the base shall be at.
Result<std::string> Lander::make_commits() {
  if (plan_.forward) return own_.head;
  if (landing_.strategy == LandStrategy::Rebase) {
    std::string at = base_;
    for (const LandPlan::Step& step : plan_.steps) {
      auto copied = copy_commit(step, at);
      if (!copied) return copied;
      at = std::move(*copied);
    }
    return at;
  }
  if (landing_.strategy == LandStrategy::Squash) {
    auto message =
        checked_message("", landing_.message.empty() ? "Work of " + own_.branch : landing_.message);
    if (!message) return message;
    return make_commit({plan_.tree, "-p", base_}, *message, {});
  }
  auto message = checked_message("pre-merge-commit", fmt::format("Merge branch '{}'", own_.branch));
  if (!message) return message;
  return make_commit({plan_.tree, "-p", base_, "-p", own_.head}, *message, {});
}

/// The former tip stays reachable, whatever becomes of the branch.
Result<void> Lander::keep_tip() {
  const std::string prefix = fmt::format("landed/{}/", landing_.id);
  auto kept = refs_below(git_, main_.common_dir, prefix);
  if (!kept) return std::unexpected(std::move(kept.error()));
  std::uint64_t next = 1;
  for (const OwnRef& ref : *kept) {
    if (ref.oid == own_.head) return {};
    std::uint64_t number = 0;
    const std::string_view name = std::string_view(ref.name).substr(prefix.size());
    std::from_chars(name.data(), name.data() + name.size(), number);
    next = std::max(next, number + 1);
  }
  return set_refs(git_, main_.common_dir, {{prefix + std::to_string(next), own_.head}});
}

/// The one step in which the base goes forward.
Result<void> Lander::move_base(const std::string& to) {
  const std::string ref = "refs/heads/" + landing_.base;
  if (target_.folder.empty()) {
    auto moved = git_.out({.args = {"update-ref", "-m", "land: " + own_.branch, ref, to, base_},
                           .cwd = main_.common_dir,
                           .outlives_us = true});
    if (moved) return {};
    return fail(ErrorCode::NotSupported,
                fmt::format("{} was moved by somebody else meanwhile: land again. ({})",
                            landing_.base, moved.error().message));
  }
  auto said = hand({"merge", "--ff-only", "--no-autostash", "--no-overwrite-ignore", "--quiet", to},
                   target_.checkout.root, {}, true);
  if (!said) return std::unexpected(std::move(said.error()));
  if (said->ok() && commit_of(git_, own_, ref) == to) {
    note(said_by(*said));
    return {};
  }
  std::vector<std::string> paths;
  for (const std::string& line : split_lines(said->err)) {
    if (line.starts_with('\t')) paths.push_back(line.substr(1));
  }
  const bool dirty = is_project(target_.checkout.root) && !paths.empty();
  return refuse(dirty ? ErrorCode::TargetDirty : ErrorCode::TargetElsewhere,
                fmt::format("git did not bring {} forward in {}:\n{}", landing_.base,
                            shown_path(target_.folder), last_words(*said)),
                paths, dirty ? "" : target_.folder);
}

/// Where the base stands now; left where it is, with a note, when files would be lost.
void Lander::bring_worktree_to(const std::string& to) {
  if (own_.head == to) return;
  const auto left = [&](const std::string& why) {
    note(fmt::format("The worktree stays at its own commit: {}", why));
  };
  auto changes = changes_between(git_, own_, own_.head, to);
  auto scratch = Scratch::over(git_, own_, files_.keep_dir());
  if (!changes || !scratch) return left((!changes ? changes.error() : scratch.error()).message);
  auto paths = in_the_way_of(*scratch, own_.root, *changes);
  if (!paths) return left(paths.error().message);
  if (!paths->empty()) return left("these files are in the way: " + some_of(*paths));
  auto said = hand({"reset", "--keep", "--quiet", to}, own_.root, {}, true);
  if (!said) return left(said.error().message);
  if (!said->ok()) return left(last_words(*said));
}

Result<LandBody> Lander::run() {
  const RepositoryLock lock(main_.common_dir);
  if (auto looked = look(); !looked) return std::unexpected(std::move(looked.error()));
  auto tip = [&]() -> Result<std::string> {
    auto scratch = Scratch::over(git_, own_, files_.keep_dir());
    if (!scratch) return std::unexpected(std::move(scratch.error()));
    auto status = status_of(*scratch, false);
    if (!status) return std::unexpected(std::move(status.error()));
    return tip_with_work(*scratch, *status);
  }();
  if (!tip) return std::unexpected(std::move(tip.error()));
  const auto conflict = [&] {
    return refuse(ErrorCode::LandConflict,
                  fmt::format("{} and {} changed the same places: {}. Bring {} into the worktree "
                              "first, and solve it there.",
                              own_.branch, landing_.base, some_of(plan_.conflicts), landing_.base),
                  plan_.conflicts);
  };
  if (auto planned = plan(*tip); !planned) return std::unexpected(std::move(planned.error()));
  if (!plan_.conflicts.empty()) {
    if (landing_.dry_run) return body_;
    return conflict();
  }
  if (auto fits = check_target(); !fits) return std::unexpected(std::move(fits.error()));
  if (landing_.dry_run) return body_;
  if (body_.commits_first || (!plan_.forward && !plan_.nothing)) {
    if (auto known = check_identity(); !known) return std::unexpected(std::move(known.error()));
  }
  if (body_.commits_first) {
    if (auto done = commit_work(); !done) return std::unexpected(std::move(done.error()));
    // The user's own filters and hooks may have made something else of it.
    if (auto planned = plan(own_.head); !planned)
      return std::unexpected(std::move(planned.error()));
    if (!plan_.conflicts.empty()) return conflict();
    if (auto fits = check_target(); !fits) return std::unexpected(std::move(fits.error()));
  }
  auto made = plan_.nothing ? Result<std::string>(base_) : make_commits();
  if (!made) return std::unexpected(std::move(made.error()));
  if (auto kept = keep_tip(); !kept) return std::unexpected(std::move(kept.error()));
  if (*made != base_) {
    if (auto moved = move_base(*made); !moved) return std::unexpected(std::move(moved.error()));
    body_.oid = *made;
  }
  bring_worktree_to(*made);
  return body_;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): what lands, where, and who runs the hooks.
Result<LandBody> land(const Git& git, const Repository& main, WorkTree& files,
                      const Landing& landing, const RunByHand& by_hand) {
  return Lander(git, main, files, landing, by_hand).run();
}

}  // namespace lb::git
