// SessionService: what changed in the files of a session, and what the user does about it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/beneath.h"
#include "base/run_on.h"
#include "base/utf8.h"
#include "git/commit.h"
#include "git/discard.h"
#include "git/review.h"
#include "session/service/session_service.h"

namespace lb {

/// Where a session works, and what its files can be compared with.
struct ReviewPlace {
  std::string folder;
  std::string base;  // The tree that its workspace began with; empty: HEAD.
  std::string base_name;
  bool confined = false;
  std::vector<std::pair<TurnId, std::string>> turns;  // The files before each, oldest first.
};

namespace {

using FilesPtr = std::shared_ptr<git::WorkTree>;
constexpr std::string_view kTurn = "turn:";

/// Two trees, and what else an answer about them says.
struct Compared {
  FilesPtr files;
  std::string from;
  std::string now;
};

std::vector<std::string> offers_of(const ReviewPlace& place, bool repository) {
  std::vector<std::string> offers;
  if (repository || !place.turns.empty()) offers.emplace_back("base");
  if (repository) offers.insert(offers.end(), {"head", "index"});
  for (const auto& [turn, tree] : place.turns | std::views::reverse) {
    if (offers.size() < limits::kTurnsOffered + 3)
      offers.push_back(std::string(kTurn) + turn.str());
  }
  return offers;
}

/// What `base` is called.
std::string target_of(const ReviewPlace& place, bool repository) {
  if (!place.base.empty()) return place.base_name;
  return repository ? "HEAD" : "before the first turn";
}

Result<std::string> tree_of_base(const git::Git& git, git::WorkTree& files,
                                 const ReviewPlace& place, const std::string& now) {
  if (!place.base.empty()) return place.base;
  if (files.repository()) return tree_to_compare(git, files, git::Committed::Head, now);
  if (!place.turns.empty()) return place.turns.front().second;
  return fail(ErrorCode::NotSupported,
              "There is nothing to compare with yet: the folder has no git, and no turn of this "
              "session has a checkpoint.");
}

Result<std::string> tree_before_turn(const ReviewPlace& place, const std::string& against) {
  if (!against.starts_with(kTurn)) {
    return fail(ErrorCode::InvalidRequest, "against: base, head, index or turn:ID");
  }
  const TurnId turn(against.substr(kTurn.size()));
  for (const auto& [known, tree] : place.turns) {
    if (known == turn) return tree;
  }
  return fail(ErrorCode::NotSupported,
              "The files before this turn are not known: it has no checkpoint.");
}

Result<std::string> tree_of_git(const git::Git& git, git::WorkTree& files,
                                const std::string& against, const std::string& now) {
  if (!files.repository()) {
    return fail(ErrorCode::NotSupported, "There is no git repository here to compare with.");
  }
  return tree_to_compare(git, files,
                         against == "head" ? git::Committed::Head : git::Committed::Index, now);
}

Result<Compared> compare(Folders& folders, const ReviewPlace& place, const std::string& against) {
  auto files = folders.at(place.folder);
  if (!files) return std::unexpected(std::move(files.error()));
  auto now = (*files)->snapshot();
  if (!now) return std::unexpected(std::move(now.error()));
  const git::Git& git = folders.git();
  auto from = against == "base"                         ? tree_of_base(git, **files, place, *now)
              : against == "head" || against == "index" ? tree_of_git(git, **files, against, *now)
                                                        : tree_before_turn(place, against);
  if (!from) return std::unexpected(std::move(from.error()));
  return Compared{std::move(*files), std::move(*from), std::move(*now)};
}

/// The files, where both trees are theirs.
Result<FilesPtr> files_with(Folders& folders, const std::string& folder,
                            const std::vector<std::string>& trees) {
  auto files = folders.at(folder);
  if (!files) return files;
  if (auto good = git::check_trees(folders.git(), **files, trees); !good) {
    return std::unexpected(std::move(good.error()));
  }
  return files;
}

/// A path of the wire, as its bytes are.
Result<std::string> path_asked(const std::string& shown) {
  std::string path = git::path_shown_as(shown);
  if (auto good = git::check_path(path); !good) return std::unexpected(std::move(good.error()));
  return path;
}

/// A file on disk: the top that it is below, and the way from there.
struct FilePlace {
  std::string root;
  std::string path;
};

/// Agents name files by their whole path or from where they work, answers of ours from the top.
Result<FilePlace> place_of_file(Folders& folders, const std::string& folder,
                                const std::string& shown) {
  FilePlace place{folder, git::path_shown_as(shown)};
  std::string prefix;
  if (auto files = folders.at(folder)) {
    place.root = (*files)->root();
    if ((*files)->repository()) prefix = (*files)->repository()->prefix;
  }
  const std::string below = prefix.empty() ? "" : prefix + "/";
  if (place.path.starts_with(place.root + "/")) {
    place.path.erase(0, place.root.size() + 1);
  } else if (place.path.starts_with(folder + "/")) {
    place.path.replace(0, folder.size() + 1, below);
  }
  if (auto good = git::check_path(place.path); !good) {
    return std::unexpected(std::move(good.error()));
  }
  auto found = open_beneath(place.root, place.path);
  if (!found && found.error().code == ErrorCode::NotFound && !below.empty() &&
      open_beneath(place.root, below + place.path)) {
    place.path.insert(0, below);
    return place;
  }
  if (!found) return std::unexpected(std::move(found.error()));
  return place;
}

/// By what is in it, never by its name. A drawing (SVG) can have scripts: it is text here.
std::string mime_of(std::string_view bytes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kImages = {{
      {"\x89PNG\r\n\x1a\n", "image/png"},
      {"\xff\xd8\xff", "image/jpeg"},
      {"GIF87a", "image/gif"},
      {"GIF89a", "image/gif"},
  }};
  for (const auto& [magic, type] : kImages) {
    if (bytes.starts_with(magic)) return std::string(type);
  }
  if (bytes.starts_with("RIFF") && bytes.size() > 12 && bytes.substr(8, 4) == "WEBP") {
    return "image/webp";
  }
  const bool text = is_valid_utf8(bytes) && !bytes.contains('\0');
  return text ? "text/plain; charset=utf-8" : "application/octet-stream";
}

Result<AttachmentData> shown_file(Result<std::string> bytes) {
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  AttachmentData data;
  data.mime_type = mime_of(*bytes);
  data.bytes = std::move(*bytes);
  return data;
}

Result<std::string> file_of_tree(git::WorkTree& files, const std::string& tree,
                                 const std::string& path) {
  auto found = files.file(tree, path, limits::kShownBytesMax);
  if (!found && found.error().code == ErrorCode::TooLarge) {
    return fail(ErrorCode::TooLarge,
                fmt::format("This file has more than {} MiB: too much to show here.",
                            limits::kShownBytesMax >> 20U));
  }
  if (!found) return std::unexpected(std::move(found.error()));
  if (!found->has_value()) return fail(ErrorCode::NotFound, "There is no such file.");
  return std::move(**found);
}

}  // namespace

Result<ReviewPlace> SessionService::review_place(const SessionId& session) {
  const Slot* slot = slot_of(session);
  if (slot == nullptr) return fail(ErrorCode::SessionNotFound, "There is no such session.");
  const SessionRecord& record = slot->kept->record;
  auto work = workplace(record);
  if (!work) return std::unexpected(std::move(work.error()));
  ReviewPlace place;
  place.folder = std::move(work->folder);
  place.base = radar_place(record).base;
  place.confined = record.confined;
  if (const WorkspaceRecord* workspace = workspaces_.find(record.workspace_id)) {
    place.base_name = workspace->base_ref;
    place.confined |= workspace_events().confined(workspace->id);
  }
  return place;
}

asio::awaitable<Result<ReviewPlace>> SessionService::review_place_with_turns(SessionId session) {
  auto place = review_place(session);
  if (!place) co_return place;
  if (!folders_.on()) {
    co_return fail(ErrorCode::NotSupported, "Nothing is known of the files of sessions here.");
  }
  auto rows = co_await deps_.store.read_checkpoints(session);
  if (!rows) co_return std::unexpected(std::move(rows.error()));
  for (CheckpointRow& row : *rows) {
    if (row.before.empty() || row.root != place->folder) continue;
    place->turns.emplace_back(std::move(row.turn), std::move(row.before));
  }
  co_return place;
}

asio::awaitable<Result<ChangesBody>> SessionService::changes(SessionChangesRequest request) {
  auto place = co_await review_place_with_turns(request.session_id);
  if (!place) co_return std::unexpected(std::move(place.error()));
  const std::string folder = place->folder;
  auto body =
      co_await run_on(snapshot_pool_,
                      [this, place = std::move(*place),
                       against = request.against.value_or("base")]() -> Result<ChangesBody> {
                        auto both = compare(folders_, place, against);
                        if (!both) return std::unexpected(std::move(both.error()));
                        auto found = folders_.differences(*both->files, both->from, both->now);
                        if (!found) return std::unexpected(std::move(found.error()));
                        const bool repository = both->files->repository().has_value();
                        ChangesBody body;
                        body.against = against;
                        body.from = std::move(both->from);
                        body.oid = std::move(both->now);
                        body.files = (*found)->files;
                        body.added = (*found)->added;
                        body.deleted = (*found)->deleted;
                        body.count = (*found)->count;
                        body.truncated = body.count > body.files.size();
                        body.target = target_of(place, repository);
                        body.offers = offers_of(place, repository);
                        return body;
                      });
  if (body) co_await look_at_comments(request.session_id, folder, *body);
  co_return body;
}

asio::awaitable<Result<std::string>> SessionService::diff(SessionDiffRequest request) {
  auto path = path_asked(request.path);
  if (!path) co_return path;
  if (request.from.has_value() != request.oid.has_value()) {
    co_return fail(ErrorCode::InvalidRequest, "from and oid: both, or none");
  }
  git::DiffWish wish{.from = {}, .to = {}, .path = std::move(*path)};
  wish.context = request.context.value_or(wish.context);
  if (wish.context > limits::kContextLinesMax) {
    co_return fail(ErrorCode::InvalidRequest,
                   fmt::format("context: {} at most", limits::kContextLinesMax));
  }
  if (request.from) {
    auto place = review_place(request.session_id);
    if (!place) co_return std::unexpected(std::move(place.error()));
    wish.from = std::move(*request.from);
    wish.to = std::move(*request.oid);
    co_return co_await run_on(
        snapshot_pool_,
        [this, folder = std::move(place->folder), wish = std::move(wish)]() -> Result<std::string> {
          auto files = files_with(folders_, folder, {wish.from, wish.to});
          if (!files) return std::unexpected(std::move(files.error()));
          return git::unified_diff(folders_.git(), **files, wish);
        });
  }
  auto place = co_await review_place_with_turns(request.session_id);
  if (!place) co_return std::unexpected(std::move(place.error()));
  co_return co_await run_on(
      snapshot_pool_,
      [this, place = std::move(*place), wish = std::move(wish),
       against = request.against.value_or("base")]() mutable -> Result<std::string> {
        auto both = compare(folders_, place, against);
        if (!both) return std::unexpected(std::move(both.error()));
        wish.from = std::move(both->from);
        wish.to = std::move(both->now);
        return git::unified_diff(folders_.git(), *both->files, wish);
      });
}

asio::awaitable<Result<AttachmentData>> SessionService::file(SessionFileRequest request) {
  auto place = review_place(request.session_id);
  if (!place) co_return std::unexpected(std::move(place.error()));
  co_return co_await run_on(
      blocking_,
      [this, folder = std::move(place->folder), path = std::move(request.path),
       tree = std::move(request.oid)]() -> Result<AttachmentData> {
        if (!tree) {
          auto there = place_of_file(folders_, folder, path);
          if (!there) return std::unexpected(std::move(there.error()));
          return shown_file(read_beneath(there->root, there->path, limits::kShownBytesMax));
        }
        auto asked = path_asked(path);
        if (!asked) return std::unexpected(std::move(asked.error()));
        auto files = files_with(folders_, folder, {*tree});
        if (!files) return std::unexpected(std::move(files.error()));
        return shown_file(file_of_tree(**files, *tree, *asked));
      });
}

asio::awaitable<Result<CommitBody>> SessionService::commit(SessionCommitRequest request) {
  auto place = review_place(request.session_id);
  if (!place) co_return std::unexpected(std::move(place.error()));
  if (request.paths.size() > limits::kChangedFilesMax) {
    co_return fail(ErrorCode::TooLarge,
                   fmt::format("{} files at most in one commit.", limits::kChangedFilesMax));
  }
  git::CommitWish wish{.paths = {}, .message = std::move(request.message)};
  for (const std::string& path : request.paths) wish.paths.push_back(git::path_shown_as(path));
  auto done =
      co_await run_on(git_pool_,
                      [this, folder = std::move(place->folder), wish = std::move(wish),
                       by_hand = workspaces_.by_hand(place->confined)]() -> Result<CommitBody> {
                        auto files = folders_.at(folder);
                        if (!files) return std::unexpected(std::move(files.error()));
                        return git::commit_paths(folders_.git(), **files, wish, by_hand);
                      });
  look_again_soon({request.session_id});
  if (const Slot* slot = slot_of(request.session_id)) {
    workspaces_.touched(slot->kept->record.workspace_id);
  }
  co_return done;
}

asio::awaitable<Result<DiscardBody>> SessionService::discard(SessionDiscardRequest request) {
  auto place = review_place(request.session_id);
  if (!place) co_return std::unexpected(std::move(place.error()));
  auto path = path_asked(request.path);
  if (!path) co_return std::unexpected(std::move(path.error()));
  git::Discarding wish{std::move(*path), std::move(request.from), std::move(request.oid),
                       request.hunk};
  auto plan =
      co_await run_on(git_pool_, [this, folder = place->folder, wish]() -> Result<git::RewindPlan> {
        auto files = files_with(folders_, folder, {wish.from, wish.seen});
        if (!files) return std::unexpected(std::move(files.error()));
        return git::plan_discard(folders_.git(), **files, wish);
      });
  if (!plan) co_return std::unexpected(std::move(plan.error()));
  if (plan->changes.empty()) {
    co_return fail(ErrorCode::InvalidRequest, "This would change nothing. Look at it again.");
  }
  auto done = co_await apply_rewind(request.session_id, place->folder, std::move(*plan), {});
  if (!done) co_return std::unexpected(std::move(done.error()));
  look_again_soon({request.session_id});
  if (done->changes.empty()) {
    co_return fail(ErrorCode::RewindConflict,
                   "The file was changed in this very moment, or cannot be written.");
  }
  co_return DiscardBody{std::move(done->changes), done->undo_id.value_or("")};
}

asio::awaitable<Result<void>> SessionService::open_in_editor(SessionEditorRequest request) {
  auto place = review_place(request.session_id);
  if (!place) co_return std::unexpected(std::move(place.error()));
  if (!deps_.editor) {
    co_return fail(ErrorCode::NotSupported,
                   "No editor is configured. Put a line such as\n"
                   "editor = [\"code\", \"-g\", \"{path}:{line}\"]\n"
                   "into the configuration file, and restart.");
  }
  if (editors_ >= limits::kEditorsMax) {
    co_return fail(ErrorCode::Busy, "Other files are just being opened. Try again in a moment.");
  }
  ++editors_;
  const std::weak_ptr<SessionHost> alive = weak();
  auto opened =
      co_await run_on(blocking_,
                      [this, folder = std::move(place->folder), path = std::move(request.path),
                       line = request.line.value_or(1)]() -> Result<bool> {
                        auto there = place_of_file(folders_, folder, path);
                        if (!there) return std::unexpected(std::move(there.error()));
                        auto done = deps_.editor({there->root + "/" + there->path, folder, line});
                        if (!done) return std::unexpected(std::move(done.error()));
                        return true;
                      });
  if (!alive.expired()) --editors_;
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  co_return Result<void>{};
}

}  // namespace lb
