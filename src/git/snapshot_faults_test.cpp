// What can go wrong with a snapshot: it is then not made, says why, and the next one is whole.
#include <grp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

/// Runs it as a user who is not root, to whom the folder belongs, and gives what it says.
std::string as_ordinary_user(const TestFolder& folder, const std::function<std::string()>& what) {
  if (::geteuid() != 0) return what();
  constexpr uid_t kUser = 65534;
  for (auto& entry : std::filesystem::recursive_directory_iterator(folder.temp().path())) {
    REQUIRE(::lchown(entry.path().c_str(), kUser, kUser) == 0);
  }
  REQUIRE(::chown(folder.temp().path().c_str(), kUser, kUser) == 0);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kUser) != 0 || ::setuid(kUser) != 0) ::_exit(1);
    const std::string said = what();
    ::_exit(::write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string said(4096, '\0');
  std::size_t had = 0;
  for (ssize_t got = 0; (got = ::read(ends[0], said.data() + had, said.size() - had)) > 0;) {
    had += static_cast<std::size_t>(got);
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  said.resize(had);
  return said;
}

/// The message, or the tree.
std::string told(const Result<std::string>& result) {
  return result ? *result : result.error().message;
}

TEST_CASE("A file that cannot be read means no snapshot, and it is named") {
  const TestFolder folder;
  folder.write("fine", "1\n");
  folder.write("sub/secret", "1\n");
  folder.write("sub/deeper/x", "1\n");
  std::string way;
  SUBCASE("one that git does not know") {
    ::chmod(folder.file("sub/secret").c_str(), 0);
    way = "sub/secret";
  }
  SUBCASE("a folder that git does not know") {
    ::chmod(folder.file("sub/deeper").c_str(), 0);
    way = "sub/deeper";
  }
  SUBCASE("a folder that was readable before") {
    good(folder.open()->snapshot());
    ::chmod(folder.file("sub/deeper").c_str(), 0);
    way = "sub/deeper";
  }
  SUBCASE("one that was readable before") {
    good(folder.open()->snapshot());
    folder.write("sub/secret", "changed\n");
    ::chmod(folder.file("sub/secret").c_str(), 0);
    way = "sub/secret";
  }
  const std::string said =
      as_ordinary_user(folder, [&] { return told(folder.open()->snapshot()); });
  CHECK(said.contains(way));
  CHECK(said.contains("ermission denied"));
  ::chmod(folder.file("sub/deeper").c_str(), 0755);
  ::chmod(folder.file("sub/secret").c_str(), 0644);
  const std::string now = as_ordinary_user(folder, [&] { return told(folder.open()->snapshot()); });
  CHECK(now.size() == 40);
}

TEST_CASE("A repository that cannot be written to is an error in words") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.commit();
  folder.write("b", "2\n");
  for (auto& entry : std::filesystem::recursive_directory_iterator(folder.file(".git"))) {
    if (entry.is_directory()) ::chmod(entry.path().c_str(), 0555);
  }
  const std::string said =
      as_ordinary_user(folder, [&] { return told(folder.open()->snapshot()); });
  CHECK(said.contains("insufficient permission for adding an object"));
  for (auto& entry : std::filesystem::recursive_directory_iterator(folder.file(".git"))) {
    if (entry.is_directory()) ::chmod(entry.path().c_str(), 0755);
  }
}

/// A disk of its own size below a folder.
class SmallDisk {
 public:
  explicit SmallDisk(std::string place) : place_(std::move(place)) {
    std::filesystem::create_directories(place_);
    there_ = ::mount("tmpfs", place_.c_str(), "tmpfs", 0, "size=1m") == 0;
    if (!there_) MESSAGE("no right to mount: not tried");
  }
  ~SmallDisk() {
    if (there_) ::umount2(place_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool there() const { return there_; }

 private:
  std::string place_;
  bool there_;
};

/// Bytes that do not compress.
std::string noise(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (char& one : text) one = static_cast<char>((state = state * 1664525 + 1013904223) >> 24U);
  return text;
}

TEST_CASE("A full disk of the repository is an error in words, and the next snapshot is whole") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.commit();
  // Objects go to a small disk from now on.
  const SmallDisk disk(folder.file(".git/objects"));
  if (!disk.there()) return;
  std::filesystem::create_directory(folder.file(".git/objects/pack"));
  folder.write("large", noise(3U << 20U));
  auto files = folder.open();
  const auto refused = files->snapshot();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.contains("no space left on the disk"));
  folder.write("large", "small\n");
  CHECK(folder.names(*files, good(files->snapshot())) == Names{"a", "large"});
}

TEST_CASE("A full disk of ours is an error in words, and the next snapshot is whole") {
  const TestFolder folder;
  const SmallDisk disk(folder.keep_dir());
  if (!disk.there()) return;
  folder.write("a", "1\n");
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  std::ofstream(folder.keep_dir() + "/filling") << noise(2U << 20U);
  folder.write("a", "2\n");
  CHECK_FALSE(files->snapshot());
  std::filesystem::remove(folder.keep_dir() + "/filling");
  CHECK(shown(good(files->diff(one, good(files->snapshot())))) == Names{"M a"});
}

TEST_CASE("A disk that fills while files are brought back leaves each as it was or as wanted") {
  const TestFolder folder;
  const SmallDisk disk(folder.root() + "/data");
  if (!disk.there()) return;
  folder.write("data/a", noise(500'000));
  folder.write("data/b", noise(300'000));
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  folder.write("data/a", "small");
  folder.write("data/b", "small");
  const std::string two = good(files->snapshot());
  folder.write("data/filling", noise(600'000));
  const Applied applied = good(files->apply(two, one));
  CHECK(applied.left == Names{"data/a"});
  CHECK(folder.read("data/a") == "small");
  CHECK(folder.read("data/b") == noise(300'000));
  CHECK(folder.files().size() == 3);
}

TEST_CASE("A budget is refused before anything is read") {
  const TestFolder folder;
  for (int i = 0; i < 10; ++i) folder.write("data/" + std::to_string(i), std::string(1000, 'x'));
  const auto objects = [&] { return TestFolder::all_below(folder.root() + "/.git/objects", true); };
  const auto before = objects();
  SUBCASE("of files") {
    const auto refused = folder.open({.files = 9})->snapshot();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::TooLarge);
    CHECK(refused.error().message.contains("10 files"));
  }
  SUBCASE("of bytes") {
    const auto refused = folder.open({.bytes = 9'999})->snapshot();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::TooLarge);
  }
  SUBCASE("of time") {
    const auto refused = folder.open({.time = std::chrono::milliseconds(0)})->snapshot();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::Timeout);
  }
  CHECK(objects() == before);
  CHECK(folder.open({.files = 10, .bytes = 10'000})->snapshot());
  // What is committed is in the store already.
  folder.user({"add", "-A"});
  std::filesystem::remove_all(folder.keep_dir());
  CHECK(folder.open({.files = 0})->snapshot());
}

TEST_CASE("What a killed git leaves is put right") {
  const TestFolder folder;
  for (int i = 0; i < 50; ++i) folder.write("file" + std::to_string(i), std::to_string(i));
  const std::string tree = good(folder.open()->snapshot());
  const std::string index = folder.keep_dir() + "/index";
  const std::string whole = bytes_of(index);
  REQUIRE(whole.size() > 1000);
  SUBCASE("a lock") {
    std::ofstream(index + ".lock") << "half of an index";
    CHECK(good(folder.open()->snapshot()) == tree);
  }
  SUBCASE("a lock of this moment") {
    auto files = folder.open();
    std::ofstream(index + ".lock") << "half of an index";
    CHECK(good(files->snapshot()) == tree);
  }
  SUBCASE("half an index") {
    for (const std::size_t size :
         {0UL, 1UL, 12UL, 40UL, 300UL, whole.size() - 30, whole.size() - 1}) {
      INFO(size);
      std::ofstream(index, std::ios::trunc) << whole.substr(0, size);
      CHECK(good(folder.open()->snapshot()) == tree);
    }
  }
  SUBCASE("one with another byte in it") {
    std::string other = whole;
    other[500] = static_cast<char>(other[500] ^ 1);
    std::ofstream(index, std::ios::trunc) << other;
    CHECK(good(folder.open()->snapshot()) == tree);
  }
  SUBCASE("one that broke while we ran") {
    auto files = folder.open();
    std::ofstream(index, std::ios::trunc) << "nonsense";
    CHECK(good(files->snapshot()) == tree);
  }
}

TEST_CASE("A kill in any moment costs nothing but the snapshot of that moment") {
  const TestFolder folder;
  for (int i = 0; i < 300; ++i) folder.write("d/file" + std::to_string(i), std::to_string(i));
  const std::string fresh_dir = folder.temp().path() + "/fresh";
  for (int round = 0; round < 12; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto files = WorkTree::open(folder.git(), folder.root(), folder.keep_dir());
      for (int i = 0; files; ++i) {
        for (int file = 0; file < 300; file += 7) {
          folder.write("d/file" + std::to_string(file), std::to_string(round * 1000 + i));
        }
        if (!(*files)->snapshot()) ::_exit(1);
      }
      ::_exit(2);
    }
    ::usleep(static_cast<useconds_t>(15'000 + round * 7'300));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    std::filesystem::remove_all(fresh_dir);
    auto fresh = good(WorkTree::open(folder.git(), folder.root(), fresh_dir));
    CHECK(good(folder.open()->snapshot()) == good(fresh->snapshot()));
  }
  CHECK(folder.user({"fsck", "--no-dangling"}).empty());
}

TEST_CASE("The user's git gc leaves every kept snapshot whole") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.commit();
  auto files = folder.open();
  folder.write("a", "never committed\n");
  folder.write("untracked", "never committed either\n");
  const std::string kept = good(files->snapshot());
  good(files->keep({{"cp/s/t/b", kept}}));
  folder.write("a", "later\n");
  const std::string last = good(files->snapshot());
  folder.user({"reflog", "expire", "--expire=now", "--all"});
  folder.user({"gc", "-q", "--prune=now"});
  CHECK(good(files->file(kept, "a")) == "never committed\n");
  CHECK(good(files->file(kept, "untracked")) == "never committed either\n");
  // And what our index knows: the last one was not kept by anybody else.
  CHECK(good(files->snapshot()) == last);
  folder.write("b", "new\n");
  const std::string now = good(files->snapshot());
  CHECK(shown(good(files->diff(last, now))) == Names{"A b"});
  CHECK(folder.user({"fsck", "--no-dangling"}).empty());
}

TEST_CASE("A store of ours is packed, and what is kept stays") {
  const TestFolder folder("sha1", false);
  auto files = folder.open();
  std::string kept;
  for (int i = 0; i < 20; ++i) {
    folder.write("a", std::to_string(i));
    kept = good(files->snapshot());
    good(files->keep({{"cp/" + std::to_string(i), kept}}));
  }
  const auto objects = [&] { return TestFolder::all_below(folder.keep_dir() + "/objects").size(); };
  const std::size_t before = objects();
  good(files->tidy());
  CHECK(objects() < before);
  CHECK(good(files->file(kept, "a")) == "19");
  CHECK(good(files->snapshot()) == kept);
  CHECK(good(files->kept("cp/")).size() == 20);
  CHECK(good(files->kept("cp/1")).size() == 11);
}

TEST_CASE("Nothing of ours stays in a repository that is forgotten") {
  const TestFolder folder;
  folder.write("a", "1\n");
  auto files = folder.open();
  good(files->snapshot());
  CHECK(good(files->kept("")).size() == 1);
  good(files->forget());
  good(files->forget());
  CHECK(good(files->kept("")).empty());
}

TEST_CASE("A store that lost everything is filled again") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.write("sub/b", "2\n");
  auto files = folder.open();
  const std::string tree = good(files->snapshot());
  std::filesystem::remove_all(folder.file(".git"));
  folder.user({"init", "-q"});
  folder.write("a", "3\n");
  const std::string now = good(files->snapshot());
  CHECK(good(files->file(now, "sub/b")) == "2\n");
  CHECK_FALSE(files->diff(tree, now));
}

}  // namespace
}  // namespace lb::git
