#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "git/land.h"
#include "git/scratch.h"
#include "git/standing.h"

namespace lb::git {
namespace {

std::string setting_of(const Git& git, const Repository& repository, const std::string& key) {
  return git.line({.args = {"config", "--get", key}, .cwd = repository.root}).value_or("");
}

/// The branch's own remote, else origin, else the only one.
Result<std::string> remote_for(const Git& git, const Repository& repository) {
  auto listed = git.out({.args = {"remote"}, .cwd = repository.root});
  if (!listed) return std::unexpected(std::move(listed.error()));
  const std::vector<std::string> remotes = split_lines(*listed);
  const auto known = [&](const std::string& name) {
    return std::ranges::find(remotes, name) != remotes.end();
  };
  const std::string branch = "branch." + repository.branch;
  for (const std::string& key :
       {branch + ".pushRemote", std::string("remote.pushDefault"), branch + ".remote"}) {
    if (std::string name = setting_of(git, repository, key); known(name)) return name;
  }
  if (known("origin")) return "origin";
  if (remotes.size() == 1) return remotes.front();
  if (remotes.empty()) {
    return fail(ErrorCode::NotSupported,
                "The repository has no remote to push to. Run: git remote add origin ADDRESS");
  }
  return fail(ErrorCode::NotSupported,
              fmt::format("There are several remotes and none is called origin. Run: git config "
                          "branch.{}.pushRemote NAME",
                          repository.branch));
}

Error push_refusal(const std::string& remote, const Said& said) {
  const std::string words = last_words(said);
  const auto has = [&](std::string_view text) { return said.err.contains(text); };
  if (has("non-fast-forward") || has("fetch first")) {
    return {ErrorCode::NotSupported,
            fmt::format("{} has commits on this branch that the worktree lacks. Bring them in "
                        "(git pull) and push again: nothing is overwritten.\n{}",
                        remote, words)};
  }
  if (has("could not read Username") || has("could not read Password") ||
      has("Permission denied") || has("Authentication failed") ||
      has("terminal prompts disabled")) {
    return {ErrorCode::NotSupported,
            fmt::format("git is not logged in at {}. Run git push once in a terminal, or set up a "
                        "credential helper or an ssh key.\n{}",
                        remote, words)};
  }
  return {ErrorCode::NotSupported, "git push was refused:\n" + words};
}

Error gh_refusal(const Said& said) {
  const std::string words = last_words(said);
  if (said.code == 4 || words.contains("gh auth login")) {
    return {ErrorCode::NotSupported,
            "The branch was pushed. gh is not logged in, so there is no pull request: run gh auth "
            "login."};
  }
  return {ErrorCode::NotSupported, "The branch was pushed, and gh made no pull request:\n" + words};
}

/// The last address in what gh said.
std::optional<std::string> address_in(const std::string& text) {
  std::optional<std::string> found;
  for (const std::string& line : split_lines(text)) {
    const std::size_t at = line.find("https://");
    if (at == std::string::npos) continue;
    found = line.substr(at, line.find_first_of(" \t\r", at) - at);
  }
  return found;
}

Result<std::string> open_request(const Repository& repository, const Pushing& pushing,
                                 const RunByHand& by_hand, const std::string& gh) {
  auto said = by_hand({.args = {"pr", "create", "--base", pushing.base, "--head", repository.branch,
                                "--title", pushing.title, "--body", pushing.body},
                       .cwd = repository.root,
                       .env = {{"GH_PROMPT_DISABLED", "1"}, {"NO_COLOR", "1"}},
                       .limit = limits::kGitLong,
                       .by_the_user = true,
                       .program = gh});
  if (!said) return std::unexpected(std::move(said.error()));
  const auto url = address_in(said->ok() ? said->out : said->err);
  // There is one already: the push has renewed it.
  if (url && (said->ok() || said->err.contains("already exists"))) return *url;
  if (said->ok()) return fail(ErrorCode::NotSupported, "gh named no pull request");
  return std::unexpected(gh_refusal(*said));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): what is pushed, and who runs the hooks.
Result<PushBody> push(const Git& git, WorkTree& files, const Pushing& pushing,
                      const RunByHand& by_hand, const std::string& gh_program) {
  auto repository = repository_now(git, files);
  if (!repository) return std::unexpected(std::move(repository.error()));
  if (repository->branch.empty()) {
    return fail(ErrorCode::NotSupported,
                fmt::format("The worktree is on no branch. In {}, run: git switch -c NAME",
                            shown_path(repository->root)));
  }
  auto remote = remote_for(git, *repository);
  if (!remote) return std::unexpected(std::move(remote.error()));
  if (pushing.pull_request && gh_program.empty()) {
    return fail(ErrorCode::NotSupported,
                "A pull request is opened through gh, which is not installed: see "
                "https://cli.github.com. Nothing was pushed.");
  }
  PushBody body{.remote = *remote, .branch = repository->branch};
  const std::string ref = "refs/heads/" + repository->branch;
  auto pushed = by_hand({.args = {"push", "--set-upstream", "--", *remote, ref + ":" + ref},
                         .cwd = repository->root,
                         .limit = limits::kGitLong,
                         .by_the_user = true});
  if (!pushed) return std::unexpected(std::move(pushed.error()));
  if (!pushed->ok()) return std::unexpected(push_refusal(*remote, *pushed));
  std::string said = pushed->err;
  repair_utf8(said);
  auto scratch = Scratch::over(git, *repository, files.keep_dir());
  auto status = scratch ? status_of(*scratch, false) : Result<Status>(Status{});
  if (status && !status->clean()) said += "What is not committed was not pushed.\n";
  while (said.ends_with('\n')) said.pop_back();
  if (!said.empty()) body.said = std::move(said);
  if (pushing.pull_request) {
    auto url = open_request(*repository, pushing, by_hand, gh_program);
    if (!url) return std::unexpected(std::move(url.error()));
    body.url = std::move(*url);
  }
  return body;
}

}  // namespace lb::git
