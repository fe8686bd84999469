#include "git/scratch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "git/folder.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

/// Settings of a repository that are taken over. None of them is, or names, a program.
constexpr auto kTaken = std::to_array<std::string_view>({
    "core.attributesfile",
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.checkroundtripencoding",
    "core.checkstat",
    "core.compression",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.safecrlf",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
    "index.version",
    "lfs.fetchexclude",
    "lfs.fetchinclude",
    "lfs.storage",
    "lfs.url",
});
static_assert(std::ranges::is_sorted(kTaken));

/// Where LFS may get files from: an address, and not `ext::` or a path.
bool is_plain_url(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://") || url.starts_with("ssh://") ||
         url.starts_with("git@");
}

bool is_taken(std::string_view key, std::string_view value) {
  if (std::ranges::binary_search(kTaken, key)) return true;
  return key.starts_with("remote.") && key.ends_with(".url") && is_plain_url(value);
}

/// Whether a setting leaves every file what it is. A later one could take it back: no matter.
bool is_plain(std::string_view key, std::string_view value) {
  if (key == "core.filemode" || key == "core.symlinks") return value == "true";
  if (key == "core.autocrlf" || key == "core.ignorecase" || key == "core.precomposeunicode") {
    return value == "false";
  }
  return true;
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + '"';
}

/// `remote.a.b.url` as lines of a configuration.
std::string setting(const std::string& key, const std::string& value) {
  const std::size_t first = key.find('.');
  const std::size_t last = key.rfind('.');
  std::string section = key.substr(0, first);
  if (last != first) section += " " + in_quotes(key.substr(first + 1, last - first - 1));
  return fmt::format("[{}]\n\t{} = {}\n", section, key.substr(last + 1), in_quotes(value));
}

/// No conversion of any kind, whatever the attributes in the tree say.
constexpr std::string_view kExactAttributes =
    "* -text !eol -crlf -ident !filter !working-tree-encoding\n";

/// What a `kill -9` left: no piece of work takes that long.
void remove_old(const std::string& place) {
  std::error_code why;
  const auto before = fs::file_time_type::clock::now() - 2 * limits::kGitLong;
  for (const auto& entry : fs::directory_iterator(place, why)) {
    std::error_code gone;
    if (entry.last_write_time(gone) < before && !gone) {
      static_cast<void>(remove_folder(entry.path().native()));
    }
  }
}

/// Which filter failed: "fatal: a.bin: smudge filter lfs failed".
std::string failed_filter(const std::string& said) {
  for (const std::string& line : split_lines(said)) {
    for (const std::string_view kind : {"smudge filter ", "clean filter "}) {
      const std::size_t at = line.find(kind);
      if (at == std::string::npos || !line.ends_with(" failed")) continue;
      std::string name = line.substr(at + kind.size());
      name.resize(name.size() - std::string_view(" failed").size());
      std::erase(name, '\'');
      return name;
    }
  }
  return {};
}

}  // namespace

Scratch::Scratch(Scratch&& other) noexcept
    : git_(std::move(other.git_)),
      tree_(std::move(other.tree_)),
      dir_(std::exchange(other.dir_, {})),
      index_(std::move(other.index_)),
      left_out_(std::move(other.left_out_)),
      sparse_(other.sparse_),
      settings_are_plain_(other.settings_are_plain_) {}

Scratch::~Scratch() {
  // What cannot be removed now is old some day.
  if (!dir_.empty()) static_cast<void>(remove_folder(dir_));
}

Result<Scratch> Scratch::over(const Git& git, const Repository& tree, const std::string& place,
                              Bytes bytes) {
  const std::string folders = place + "/scratch";
  remove_old(folders);
  auto dir = make_private_folder(folders);
  if (!dir) return std::unexpected(std::move(dir.error()));
  Scratch scratch(git, tree, std::move(*dir));
  if (auto filled = scratch.fill(bytes); !filled) {
    return std::unexpected(std::move(filled.error()));
  }
  return scratch;
}

Result<void> Scratch::fill(Bytes bytes) {
  auto listed = git_.out({.args = {"--git-dir=" + tree_.git_dir, "config", "--list", "-z",
                                   "--show-scope", "--includes"},
                          .cwd = tree_.git_dir});
  if (!listed) return std::unexpected(std::move(listed.error()));
  std::string config =
      fmt::format("[core]\n\trepositoryformatversion = {}\n\tbare = false\n",
                  tree_.object_format == "sha1" || tree_.object_format.empty() ? 0 : 1);
  if (tree_.object_format == "sha256") config += "[extensions]\n\tobjectformat = sha256\n";
  if (fs::exists(tree_.common_dir + "/lfs"))
    config += setting("lfs.storage", tree_.common_dir + "/lfs");
  const std::vector<std::string> parts = split_nul(*listed);
  for (std::size_t at = 0; at + 1 < parts.size(); at += 2) {
    const std::size_t border = parts[at + 1].find('\n');
    const std::string key = parts[at + 1].substr(0, border);
    const std::string value =
        border == std::string::npos ? "true" : parts[at + 1].substr(border + 1);
    settings_are_plain_ &= is_plain(key, value);
    if (parts[at] != "local" && parts[at] != "worktree") continue;
    if (!is_taken(key, value)) continue;
    config += setting(key, value);
    if (key == "core.sparsecheckout") sparse_ = value != "false" && value != "0" && !value.empty();
  }
  std::error_code why;
  fs::create_directories(dir_ + "/refs", why);
  fs::create_directories(dir_ + "/info", why);
  const std::string head = tree_.head.empty()
                               ? "ref: refs/heads/" + (tree_.branch.empty() ? "none" : tree_.branch)
                               : tree_.head;
  const std::string attributes = bytes == Bytes::Exact
                                     ? std::string(kExactAttributes)
                                     : small_file(tree_.common_dir + "/info/attributes");
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"config", config},
           {"HEAD", head + "\n"},
           {"info/attributes", attributes},
           {"info/exclude", small_file(tree_.common_dir + "/info/exclude")},
           {"shallow", small_file(tree_.common_dir + "/shallow")},
           {"info/sparse-checkout", small_file(tree_.git_dir + "/info/sparse-checkout")}}) {
    if (text.empty()) continue;
    if (auto wrote = write_file(dir_ + "/" + name, text); !wrote) return wrote;
  }
  // Where the index is split, git looks for its other part beside HEAD.
  for (const auto& entry : fs::directory_iterator(tree_.git_dir, why)) {
    const std::string name = entry.path().filename().native();
    if (name.starts_with("sharedindex.")) fs::create_symlink(entry.path(), dir_ + "/" + name, why);
  }
  return {};
}

Result<void> Scratch::with_own_index(bool copied) {
  const std::string from = std::exchange(index_, dir_ + "/index");
  std::error_code why;
  if (copied && fs::exists(from, why)) {
    fs::copy_file(from, index_, fs::copy_options::overwrite_existing, why);
  }
  if (why) return fail(ErrorCode::NotSupported, "cannot read the index: " + why.message());
  return {};
}

Call Scratch::call(std::vector<std::string> args) const {
  std::vector<std::string> all;
  for (const std::string& name : left_out_) {
    for (const char* key : {"clean", "smudge", "process"}) {
      all.insert(all.end(), {"-c", fmt::format("filter.{}.{}=", name, key)});
    }
    all.insert(all.end(), {"-c", fmt::format("filter.{}.required=false", name)});
  }
  all.insert(all.end(), std::make_move_iterator(args.begin()), std::make_move_iterator(args.end()));
  return {.args = std::move(all),
          .cwd = tree_.root,
          .env = {{"GIT_DIR", dir_},
                  {"GIT_WORK_TREE", tree_.root},
                  {"GIT_OBJECT_DIRECTORY", tree_.objects()},
                  {"GIT_INDEX_FILE", index_}}};
}

Result<Said> Scratch::run(Call wanted) {
  constexpr int kFiltersMax = 8;
  auto said = git_.run(wanted);
  for (int tries = 0; tries < kFiltersMax && said && !said->ok(); ++tries) {
    const std::vector<std::string> failed = failed_filters(*said);
    if (failed.empty()) break;
    const std::size_t before = call({}).args.size();
    left_out_.insert(left_out_.end(), failed.begin(), failed.end());
    std::vector<std::string> args = call({}).args;
    args.insert(args.end(), wanted.args.begin() + static_cast<std::ptrdiff_t>(before),
                wanted.args.end());
    wanted.args = std::move(args);
    said = git_.run(wanted);
  }
  return said;
}

std::vector<std::string> Scratch::failed_filters(const Said& said) const {
  std::vector<std::string> names;
  if (std::string name = failed_filter(said.err); !name.empty()) {
    names.push_back(std::move(name));
  } else if (said.err.contains("hung up unexpectedly")) {
    // One that should have stayed and talked, and which git does not name: those that are not
    // there.
    const auto listed =
        git_.out(call({"config", "-z", "--get-regexp", R"(^filter\..*\.process$)"}));
    const Environment env = child_environment({}, {});
    for (const std::string& entry : split_nul(listed.value_or(""))) {
      const std::size_t border = std::min(entry.find('\n'), entry.size() - 1);
      const std::string command = entry.substr(border + 1);
      if (find_program(command.substr(0, command.find(' ')), variable(env, "PATH"))) continue;
      constexpr std::size_t kAround = std::string_view("filter..process").size();
      if (border > kAround) names.push_back(entry.substr(7, border - kAround));
    }
  }
  std::erase_if(names, [this](const std::string& name) {
    return std::ranges::find(left_out_, name) != left_out_.end();
  });
  return names;
}

Result<std::string> Scratch::out(std::vector<std::string> args) {
  auto said = run(std::move(args));
  if (!said) return std::unexpected(std::move(said.error()));
  if (said->ok()) return std::move(said->out);
  return fail(ErrorCode::NotSupported, last_words(*said));
}

Result<std::string> Scratch::line(std::vector<std::string> args) {
  auto text = out(std::move(args));
  if (text) text->resize(std::min(text->find('\n'), text->size()));
  return text;
}

Result<Status> status_of(Scratch& scratch, bool with_ignored) {
  Call call = scratch.call({"status", "--porcelain=v2", "-z", "--no-renames",
                            "--untracked-files=all", "--ignore-submodules=dirty",
                            with_ignored ? "--ignored=matching" : "--ignored=no"});
  call.limit = limits::kGitLong;
  auto said = scratch.run(std::move(call));
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) return fail(ErrorCode::NotSupported, last_words(*said));
  Status status;
  for (const std::string& entry : split_nul(said->out)) {
    if (entry.size() < 3) continue;
    const char kind = entry.front();
    const std::size_t fields = kind == '1' ? 8 : kind == 'u' ? 10 : 1;
    std::size_t at = 0;
    for (std::size_t field = 0; field < fields; ++field) at = entry.find(' ', at) + 1;
    std::string path = entry.substr(at);
    if (kind == '?' && path.ends_with('/')) {
      path.pop_back();
      status.nested.push_back(std::move(path));
    } else if (kind == '?') {
      status.untracked.push_back(std::move(path));
    } else if (kind == '!') {
      status.ignored.push_back(std::move(path));
    } else {
      status.unmerged |= kind == 'u';
      if (kind == '1' && entry[5] == 'S') status.gitlinks.push_back(path);
      status.changed.push_back(std::move(path));
    }
  }
  return status;
}

}  // namespace lb::git
