#include "session/turns/prompt_queue.h"

#include <doctest/doctest.h>

namespace lb {
namespace {

PromptPtr prompt(const char* turn) {
  UserPrompt made;
  made.turn = TurnId(turn);
  made.content = turn;
  made.key = "key";
  return std::make_shared<const UserPrompt>(std::move(made));
}

TEST_CASE("a queue gives its prompts in order, and none while it is held") {
  PromptQueue queue;
  CHECK(queue.take() == nullptr);
  queue.push(prompt("one"));
  queue.push(prompt("two"));
  CHECK(queue.take()->turn == TurnId("one"));
  CHECK(queue.hold());
  CHECK(!queue.hold());  // It was already.
  CHECK(queue.take() == nullptr);
  queue.push(prompt("three"));
  CHECK(queue.held());
  CHECK(queue.release());
  CHECK(!queue.release());
  CHECK(queue.take()->turn == TurnId("two"));
  CHECK(queue.take()->turn == TurnId("three"));
  CHECK(queue.empty());
}

TEST_CASE("what waits can be put in another order, all of it or nothing") {
  PromptQueue queue;
  for (const char* turn : {"one", "two", "three"}) queue.push(prompt(turn));
  const auto reorder = [&](std::vector<std::string> turns) {
    std::vector<TurnId> ids;
    for (std::string& turn : turns) ids.emplace_back(std::move(turn));
    return queue.reorder(ids);
  };
  CHECK_FALSE(reorder({"three", "one"}));
  CHECK_FALSE(reorder({"three", "three", "one"}));
  CHECK_FALSE(reorder({"three", "two", "one", "four"}));
  CHECK_FALSE(reorder({"three", "two", "four"}));
  CHECK(queue.prompts().front()->turn == TurnId("one"));
  CHECK(reorder({"three", "one", "two"}));
  CHECK(queue.take()->turn == TurnId("three"));
  CHECK(queue.take()->turn == TurnId("one"));
}

TEST_CASE("an empty queue is never held") {
  PromptQueue queue;
  CHECK(!queue.hold());
  CHECK(!queue.held());
  queue.push(prompt("one"));
  CHECK(queue.hold());
  CHECK(queue.remove(TurnId("one"))->content == "one");
  CHECK(!queue.held());
}

TEST_CASE("what waits can be edited and removed; whoever has the old form keeps it") {
  PromptQueue queue;
  queue.push(prompt("one"));
  queue.push(prompt("two"));
  const PromptPtr before = queue.find(TurnId("two"));
  const PromptPtr after = queue.edit(TurnId("two"), "better");
  REQUIRE(after != nullptr);
  CHECK(after->content == "better");
  CHECK(after->key == "key");
  CHECK(before->content == "two");
  CHECK(queue.find(TurnId("two")) == after);
  CHECK(queue.remove(TurnId("one")) != nullptr);
  CHECK(queue.remove(TurnId("one")) == nullptr);
  CHECK(queue.edit(TurnId("one"), "x") == nullptr);
  CHECK(queue.find(TurnId("one")) == nullptr);
  CHECK(queue.size() == 1);
}

}  // namespace
}  // namespace lb
