#include "git/keep_dir.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/uuid/detail/sha1.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/secret.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

/// Bytes are bytes, no program has a say, and nobody can say that a text is none (`-diff`): it
/// would be changed unseen. A `!` where git takes a plain "unset" for a name.
constexpr std::string_view kAttributes =
    "* -text !eol -crlf -ident !filter !working-tree-encoding !merge !diff\n";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// In one step, and only when it is not so already.
Result<void> put_file(const std::string& path, std::string_view text) {
  if (read_file(path) == text && fs::exists(path)) return {};
  const std::string fresh = path + ".new";
  {
    std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
    file << text;
    file.flush();
    if (!file) return fail(ErrorCode::StoreFull, "could not write " + path);
  }
  std::error_code why;
  fs::rename(fresh, path, why);
  if (why) return fail(ErrorCode::StoreFull, path + ": " + why.message());
  return {};
}

std::string config_for(const std::string& object_format, bool trusts_modes) {
  std::string text = fmt::format(
      "[core]\n"
      "\trepositoryformatversion = {}\n"
      "\tbare = false\n"
      "\tfileMode = {}\n"
      "\tsymlinks = true\n"
      "\tautocrlf = false\n"
      "\tprotectHFS = false\n"
      "\tprotectNTFS = false\n"
      "\tquotePath = false\n"
      "\tattributesFile = /dev/null\n"
      "\tlogAllRefUpdates = false\n"
      "[index]\n\tversion = 4\n"
      "[diff]\n\trenames = false\n"
      "[merge]\n\tdirectoryRenames = false\n"
      "[gc]\n\tauto = 0\n",
      object_format == "sha256" ? 1 : 0, trusts_modes);
  if (object_format == "sha256") text += "[extensions]\n\tobjectFormat = sha256\n";
  return text;
}

/// Whether the checksum at the end of an index is that of what is before it: git itself does not
/// look, and a half-written one after a power cut would say anything of the files.
bool is_whole(const std::string& index, bool sha256_repository) {
  const std::string bytes = read_file(index);
  const auto ends_with = [&](std::string_view sum) {
    return bytes.size() > sum.size() && std::string_view(bytes).ends_with(sum);
  };
  if (bytes.size() <= 32) return false;
  if (sha256_repository) {
    const Digest sum = sha256(std::string_view(bytes).substr(0, bytes.size() - 32));
    return ends_with({reinterpret_cast<const char*>(sum.data()), sum.size()});
  }
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(bytes.data(), bytes.size() - 20);
  unsigned words[5];
  hash.get_digest(words);
  std::string sum;
  for (const unsigned word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) sum += static_cast<char>(word >> shift);
  }
  return ends_with(sum);
}

bool is_beneath(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

}  // namespace

std::string stamp_of(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return "";
  return fmt::format("{}:{}:{}.{}.{}", found.st_dev, found.st_ino, found.st_size,
                     found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

Result<void> check_folder(const std::string& folder) {
  std::error_code why;
  const std::string real = fs::canonical(folder, why).native();
  if (why) return fail(ErrorCode::ProjectPathInvalid, folder + ": " + why.message());
  const std::string home(variable(child_environment({}, {}), "HOME"));
  const std::string real_home = home.empty() ? "" : fs::canonical(home, why).native();
  if (real != "/" && (real_home.empty() || why || !is_beneath(real_home, real))) return {};
  return fail(ErrorCode::NotSupported,
              fmt::format("{} is too much to take back: the files of a whole home folder are not "
                          "one project.",
                          real));
}

Result<KeepDir> KeepDir::open(const Git& git, std::string root, std::string dir,
                              const std::optional<Repository>& repository) {
  KeepDir keep;
  std::error_code why;
  for (const char* part : {"", "/refs", "/objects", "/info"}) {
    fs::create_directories(dir + part, why);
    if (why) return fail(ErrorCode::StoreFull, dir + part + ": " + why.message());
  }
  keep.dir_ = fs::canonical(dir, why).native();
  if (why || ::chmod(keep.dir_.c_str(), 0700) != 0) {
    return fail(ErrorCode::StoreFull, dir + " is not ours");
  }
  if (is_beneath(keep.dir_, root)) {
    return fail(ErrorCode::NotSupported,
                fmt::format("What is kept of {} cannot lie inside of it ({}).", root, dir));
  }
  keep.root_ = std::move(root);
  keep.repository_ = repository;
  keep.refs_ = repository ? repository->common_dir : keep.dir_;
  keep.objects_ = repository ? repository->objects() : keep.dir_ + "/objects";
  keep.name_ = sha256_hex(keep.dir_ + '\n' + keep.root_).substr(0, 16);
  if (auto put = put_file(keep.dir_ + "/HEAD", "ref: refs/heads/none\n"); !put) {
    return std::unexpected(std::move(put.error()));
  }
  if (auto put = put_file(keep.dir_ + "/info/attributes", kAttributes); !put) {
    return std::unexpected(std::move(put.error()));
  }
  // What the index says is true of one folder and one store.
  const std::string belongs = keep.root_ + '\n' + keep.objects_ + '\n' +
                              (repository ? repository->object_format : "") + '\n';
  keep.drop_locks();
  if (read_file(keep.dir_ + "/belongs") != belongs ||
      !is_whole(keep.index(), repository && repository->object_format == "sha256"))
    keep.drop_index();
  if (auto put = put_file(keep.dir_ + "/belongs", belongs); !put) {
    return std::unexpected(std::move(put.error()));
  }
  if (repository) {
    const std::string exclude = keep.dir_ + "/info/exclude";
    const std::string real = repository->common_dir + "/info/exclude";
    if (fs::read_symlink(exclude, why).native() != real) {
      fs::remove(exclude, why);
      fs::create_symlink(real, exclude, why);
      if (why) return fail(ErrorCode::StoreFull, exclude + ": " + why.message());
    }
  }
  if (auto taken = keep.take_over_settings(git); !taken) {
    return std::unexpected(std::move(taken.error()));
  }
  if (auto moved = keep.move_to_repository(git); !moved) {
    return std::unexpected(std::move(moved.error()));
  }
  return keep;
}

/// What was kept before the folder became a repository.
Result<void> KeepDir::move_to_repository(const Git& git) const {
  if (!repository_ || repository_->object_format != "sha1") return {};
  auto refs = refs_below(git, dir_, "");
  if (!refs || refs->empty()) return {};
  std::error_code why;
  const std::string from = dir_ + "/objects";
  for (auto at = fs::recursive_directory_iterator(from, why); at != fs::end(at); ++at) {
    if (!at->is_regular_file()) continue;
    const std::string to = objects_ + at->path().native().substr(from.size());
    if (fs::exists(to)) continue;
    const std::string fresh = to + ".liminal";
    fs::create_directories(fs::path(to).parent_path(), why);
    fs::copy_file(at->path(), fresh, fs::copy_options::overwrite_existing, why);
    if (!why) fs::rename(fresh, to, why);
    if (why) return fail(ErrorCode::StoreFull, to + ": " + why.message());
  }
  if (auto kept = set_refs(git, refs_, *refs); !kept) return kept;
  for (OwnRef& ref : *refs) ref.oid.clear();
  return set_refs(git, dir_, *refs);
}

Call KeepDir::call(std::vector<std::string> args) const {
  Call call{.args = std::move(args), .cwd = root_};
  call.env = {{"GIT_DIR", dir_},
              {"GIT_WORK_TREE", root_},
              {"GIT_OBJECT_DIRECTORY", objects_},
              {"GIT_CONFIG_GLOBAL", "/dev/null"},
              {"GIT_CONFIG_NOSYSTEM", "1"},
              {"GIT_ATTR_NOSYSTEM", "1"},
              {"GIT_NO_REPLACE_OBJECTS", "1"}};
  if (!excludes_.empty()) {
    call.env.emplace_back("GIT_CONFIG_COUNT", "1");
    call.env.emplace_back("GIT_CONFIG_KEY_0", "core.excludesFile");
    call.env.emplace_back("GIT_CONFIG_VALUE_0", excludes_);
  }
  return call;
}

Result<bool> KeepDir::take_over_settings(const Git& git) {
  const Environment env = child_environment({}, {});
  const std::string home(variable(env, "HOME"));
  std::string xdg(variable(env, "XDG_CONFIG_HOME"));
  if (xdg.empty()) xdg = home + "/.config";
  std::string stamp = stamp_of("/etc/gitconfig") + '|' + stamp_of(home + "/.gitconfig") + '|' +
                      stamp_of(xdg + "/git/config") + '|' +
                      stamp_of(std::string(variable(env, "GIT_CONFIG_GLOBAL")));
  if (repository_) {
    stamp += '|' + stamp_of(repository_->common_dir + "/config") + '|' +
             stamp_of(repository_->git_dir + "/config.worktree");
  }
  if (stamp != settings_stamp_) {
    // The user's words in the place where the user works.
    auto said = git.run({.args = {"config", "-z", "--type=path", "--get-regexp",
                                  "^core\\.(excludesfile|filemode)$"},
                         .cwd = root_});
    if (!said) return std::unexpected(std::move(said.error()));
    excludes_.clear();
    trusts_modes_ = true;
    for (const std::string& entry : split_nul(said->out)) {
      const std::size_t border = std::min(entry.find('\n'), entry.size());
      const std::string name = entry.substr(0, border);
      const std::string value = entry.substr(std::min(border + 1, entry.size()));
      if (name == "core.excludesfile") excludes_ = value;
      if (name == "core.filemode") {
        trusts_modes_ = value != "false" && value != "no" && value != "off" && value != "0";
      }
    }
    const std::string format = repository_ ? repository_->object_format : "sha1";
    if (auto put = put_file(dir_ + "/config", config_for(format, trusts_modes_)); !put) {
      return std::unexpected(std::move(put.error()));
    }
    settings_stamp_ = stamp;
  }
  const std::string ignore =
      stamp_of(dir_ + "/info/exclude") + '|' + excludes_ + '|' +
      stamp_of(excludes_.empty() ? xdg + "/git/ignore" : (fs::path(root_) / excludes_).native());
  const bool other = ignore != ignore_stamp_;
  ignore_stamp_ = ignore;
  return other;
}

void KeepDir::drop_index() const {
  std::error_code ignored;
  fs::remove(index(), ignored);
}

void KeepDir::drop_locks() const {
  std::error_code ignored;
  for (const char* name : {"/index.lock", "/HEAD.lock", "/config.lock"}) {
    fs::remove(dir_ + name, ignored);
  }
}

}  // namespace lb::git
