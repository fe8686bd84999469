#include "session/projects/project_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <ranges>

#include "base/clock.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "session/projects/projects.h"

extern char** environ;

namespace lb {
namespace fs = std::filesystem;
namespace {

/// Everything a short-lived child writes, or nothing when it fails or takes too long.
std::optional<std::string> output_of(std::vector<std::string> args) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const Fd in(ends[0]);
  Fd out(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  out.reset();

  const SystemClock clock;
  const MonoMs deadline = clock.mono() + limits::kGitMs;
  std::string text;
  std::array<char, 65536> buffer;
  bool whole = false;
  for (MonoMs left = limits::kGitMs; left > 0; left = deadline - clock.mono()) {
    pollfd ready{in.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = ::read(in.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    whole = got == 0;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (!whole) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

std::optional<std::vector<std::string>> git_files(const std::string& directory) {
  // A repository may name a program to run as core.fsmonitor: not for us.
  auto text =
      output_of({"git", "-c", "core.fsmonitor=false", "--no-optional-locks", "-C", directory,
                 "ls-files", "-z", "--cached", "--others", "--exclude-standard"});
  if (!text) return std::nullopt;
  std::vector<std::string> files;
  for (std::size_t at = 0; at < text->size() && files.size() < limits::kProjectFilesMax;) {
    const std::size_t end = text->find('\0', at);
    if (end == std::string::npos) break;
    files.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  return files;
}

struct CloseDir {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

/// Opens a folder below an open one by its name alone, never through a link: whoever swaps a folder
/// for a link between the look and the open gets an error, not a way out of the project.
Dir open_below(int parent, const char* name) {
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return nullptr;
  Dir opened(::fdopendir(fd));
  if (!opened) ::close(fd);
  return opened;
}

struct Level {
  Dir directory;
  std::string prefix;  // Of the names in it, relative to the project.
};

std::vector<std::string> walk(const std::string& directory) {
  std::vector<std::string> files;
  std::vector<Level> levels;
  levels.push_back({Dir(::opendir(directory.c_str())), ""});
  if (!levels.back().directory) return files;
  for (std::size_t seen = 0; !levels.empty() && seen < limits::kProjectFilesMax; ++seen) {
    Level& level = levels.back();
    const dirent* entry = ::readdir(level.directory.get());  // NOLINT(concurrency-mt-unsafe)
    if (entry == nullptr) {
      levels.pop_back();
      continue;
    }
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat info{};
    const int here = ::dirfd(level.directory.get());
    if (::fstatat(here, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISLNK(info.st_mode)) {  // Its name lies in the project, wherever it leads.
      if (::fstatat(here, entry->d_name, &info, 0) != 0 || S_ISDIR(info.st_mode)) continue;
    }
    if (S_ISREG(info.st_mode)) files.push_back(level.prefix + name);
    if (!S_ISDIR(info.st_mode) || name.starts_with('.') || name == "node_modules") continue;
    if (levels.size() == limits::kProjectDepthMax) continue;
    if (Dir below = open_below(here, entry->d_name)) {
      levels.push_back({std::move(below), level.prefix + name + "/"});
    }
  }
  return files;
}

// How well a path answers, from the best to the worst. Strewn letters stay below all of these.
constexpr int kNameItself = 1000;   // cart: cart.ts
constexpr int kNameBegins = 900;    // cart: cart_view.ts
constexpr int kWordOfName = 800;    // cart: shopping-cart.ts, ShoppingCart.ts
constexpr int kFolderItself = 700;  // cart: src/cart/index.ts
constexpr int kWordOfFolder = 600;  // cart: src/cart-old/index.ts
constexpr int kWithinName = 500;    // cart: descartes.ts
constexpr int kWithinFolder = 400;  // cart: descartes/index.ts
constexpr int kParts = 300;         // src/cart: src/shop/cart.ts
constexpr int kStrewnMax = 200;     // cart: src/search/index.ts

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
/// A letter or a digit; whatever is not ASCII is taken for a letter.
bool is_wordly(char c) {
  return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool begins_word(std::string_view path, std::size_t at) {
  if (at == 0 || !is_wordly(path[at - 1])) return true;
  return is_lower(path[at - 1]) && is_upper(path[at]);
}

/// As `find`, with small and capital letters alike.
std::size_t find_letters(std::string_view path, std::string_view wanted, std::size_t from) {
  if (from > path.size()) return std::string_view::npos;
  const std::string_view rest = path.substr(from);
  const auto found = std::ranges::search(rest, wanted, {}, lower_letter, lower_letter);
  if (found.empty()) return std::string_view::npos;
  return from + static_cast<std::size_t>(found.begin() - rest.begin());
}

struct Place {
  std::size_t begin;
  std::size_t end;
};

/// The query stands in the path as it is.
int whole_score(std::string_view path, std::size_t name, Place found) {
  const bool ends = found.end == path.size() || path[found.end] == '.';
  if (found.begin == name) return ends ? kNameItself : kNameBegins;
  const bool in_name = found.end > name;
  if (!begins_word(path, found.begin)) return in_name ? kWithinName : kWithinFolder;
  if (in_name) return kWordOfName;
  const bool folder = (found.begin == 0 || path[found.begin - 1] == '/') && path[found.end] == '/';
  return folder ? kFolderItself : kWordOfFolder;
}

/// What stands between the slashes of the query is in the path, in that order.
bool has_parts(std::string_view path, std::string_view query) {
  if (!query.contains('/')) return false;
  std::size_t at = 0;
  for (const auto part : std::views::split(query, '/')) {
    const std::string_view wanted(part.begin(), part.end());
    const std::size_t found = find_letters(path, wanted, at);
    if (found == std::string_view::npos) return false;
    at = found + wanted.size();
  }
  return true;
}

/// Every letter of the query in order, anywhere. Runs, beginnings of words and the file's own name
/// count more.
int strewn_score(std::string_view path, std::size_t name, std::string_view query) {
  constexpr int kRun = 8;
  constexpr int kWordBegin = 6;
  constexpr int kInName = 3;
  constexpr int kMost = 1 + kRun + kWordBegin + kInName;
  int score = 0;
  std::size_t at = 0;
  bool run = false;
  for (const char wanted : query) {
    const std::size_t before = at;
    while (at < path.size() && lower_letter(path[at]) != lower_letter(wanted)) ++at;
    if (at == path.size()) return -1;
    run = run && at == before;
    score += 1 + (run ? kRun : 0) + (begins_word(path, at) ? kWordBegin : 0) +
             (at >= name ? kInName : 0);
    run = true;
    ++at;
  }
  return score * kStrewnMax / (kMost * static_cast<int>(query.size()));
}

}  // namespace

int match_score(std::string_view path, std::string_view query) {
  if (query.empty()) return 0;
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  int best = -1;
  for (std::size_t at = find_letters(path, query, 0); at != std::string_view::npos;
       at = find_letters(path, query, at + 1)) {
    best = std::max(best, whole_score(path, name, {at, at + query.size()}));
  }
  if (best >= 0) return best;
  return has_parts(path, query) ? kParts : strewn_score(path, name, query);
}

std::vector<std::string> complete_directory(const std::string& prefix, std::size_t limit) {
  const std::string path = with_home(prefix == "~" ? "~/" : prefix);
  if (!path.starts_with('/')) return {};
  const std::size_t slash = path.rfind('/');
  const std::string parent = path.substr(0, slash + 1);
  const std::string begin = path.substr(slash + 1);
  std::vector<std::string> found;
  std::error_code why;
  for (fs::directory_iterator at(parent, fs::directory_options::skip_permission_denied, why), end;
       !why && at != end; at.increment(why)) {
    const std::string name = at->path().filename().native();
    const bool hidden = name.starts_with('.') && !begin.starts_with('.');
    std::error_code ignored;
    if (hidden || !name.starts_with(begin) || !is_valid_utf8(name)) continue;
    if (at->is_directory(ignored)) found.push_back(parent + name);
  }
  std::ranges::sort(found);
  if (found.size() > limit) found.resize(limit);
  return found;
}

std::vector<std::string> ProjectFiles::find(const std::string& directory, const std::string& query,
                                            std::size_t limit) {
  const std::scoped_lock lock(mutex_);
  const MonoMs now = SystemClock().mono();
  std::erase_if(listings_,
                [&](const auto& one) { return now - one.second.at > limits::kProjectListingMs; });
  Listing& listing = listings_[directory];
  if (listing.at == 0) {
    auto files = git_files(directory);
    listing.files = files ? std::move(*files) : walk(directory);
    std::erase_if(listing.files, [](const std::string& path) { return !is_valid_utf8(path); });
    listing.at = now;
  }
  std::vector<std::pair<int, const std::string*>> ranked;
  for (const std::string& path : listing.files) {
    const int score = match_score(path, query);
    if (score >= 0) ranked.emplace_back(score, &path);
  }
  const std::size_t count = std::min(limit, ranked.size());
  std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(count),
                            [](const auto& a, const auto& b) {
                              if (a.first != b.first) return a.first > b.first;
                              if (a.second->size() != b.second->size())
                                return a.second->size() < b.second->size();
                              return *a.second < *b.second;
                            });
  std::vector<std::string> best;
  for (std::size_t i = 0; i < count; ++i) best.push_back(*ranked[i].second);
  return best;
}

}  // namespace lb
