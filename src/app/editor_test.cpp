// Starting an editor: what it is told, that it lives on, and what is said when it does not start.

#include "app/editor.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using Words = std::vector<std::string>;

/// The text of a file, once it is there and whole.
std::string text_of(const std::string& path) {
  for (int tries = 0; tries < 6000; ++tries) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (text.str().ends_with("\n")) return std::move(text).str();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return "";
}

std::string script(const test::TempDir& place, const std::string& text) {
  const std::string path = place.file("edit");
  std::ofstream(path) << "#!/bin/sh\n" << text;
  ::chmod(path.c_str(), 0755);
  return path;
}

TEST_CASE("editor: a command is filled in word by word, its program never") {
  const EditorWish wish{"/a b/{line}.txt", "/a b", 7};
  CHECK(editor_command({"{path}", "-g", "{path}:{line}", "--in={folder}", "{other}{"}, wish) ==
        Words{"{path}", "-g", "/a b/{line}.txt:7", "--in=/a b", "{other}{"});
}

TEST_CASE("editor: it is told the file as one argument, in the folder, and is not below us") {
  const test::TempDir place;
  const std::string said = place.file("said");
  const std::string program =
      script(place, "{ pwd; printf '%s\\n' \"$@\"; echo $LIMINAL_BUILDER_TOKEN; echo $$; } > " +
                        said + ".new\nmv " + said + ".new " + said + "\nexec sleep 60\n");
  ::setenv("LIMINAL_BUILDER_TOKEN", "secret", 1);
  EditorHelper helper({program, "{path}:{line}"}, {});
  ::unsetenv("LIMINAL_BUILDER_TOKEN");
  REQUIRE(helper.ready());
  const auto opened = helper.open({"/x; rm -rf /\n$(y)", place.path(), 3});
  REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().message));
  std::istringstream text(text_of(said));
  std::string folder, first, second, token, pid;
  std::getline(text, folder);
  std::getline(text, first);
  std::getline(text, second);
  std::getline(text, token);
  std::getline(text, pid);
  CHECK(folder == place.path());
  CHECK(first == "/x; rm -rf /");
  CHECK(second == "$(y):3");
  CHECK(token == "");
  const pid_t editor = static_cast<pid_t>(std::stol(pid));
  CHECK(::getsid(editor) == editor);  // Of its own: nothing that ends us ends it.
  ::kill(editor, SIGKILL);
}

TEST_CASE("editor: a program that is not there, or fails at once, is named") {
  const test::TempDir place;
  const auto problem = [&](const std::string& program) {
    EditorHelper helper({program, "{path}"}, {});
    const auto opened = helper.open({"/x", place.path(), 1});
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == ErrorCode::ProcessCrash);
    return opened.error().message;
  };
  CHECK(problem("no-such-editor").contains("no-such-editor cannot be run: No such file"));
  CHECK(problem(script(place, "exit 3\n")).contains("ended with code 3"));
  CHECK(problem(script(place, "kill -9 $$\n")).contains("ended by signal 9"));
  const std::string good = script(place, "exit 0\n");
  EditorHelper helper({good, "{path}"}, {});
  CHECK(helper.open({"/x", place.path(), 1}).has_value());
  CHECK(helper.open({"/x", place.path(), 1}).has_value());
  CHECK_FALSE(helper.open({"/x", place.file("nowhere"), 1}).has_value());
  CHECK(helper.open({std::string(100'000, 'x'), "/", 1}).error().code == ErrorCode::TooLarge);
}

TEST_CASE("editor: nothing is there without a configuration") {
  CHECK_FALSE(EditorHelper({}, {}).ready());
}

}  // namespace
}  // namespace lb
