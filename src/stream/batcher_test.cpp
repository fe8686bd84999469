#include "stream/batcher.h"

#include <doctest/doctest.h>

#include <random>

using namespace lb;

namespace {

BatcherOptions only_gradient(std::vector<std::int64_t> gradient) {
  return {.gradient = std::move(gradient), .idle_ms = 1000, .age_ms = 0};
}

/// Feeds one word per delta and returns after which words it emitted.
std::vector<int> emissions(const BatcherOptions& options, int words) {
  Batcher batcher(options);
  std::vector<int> at;
  for (int word = 1; word <= words; ++word) {
    if (batcher.add("word ", 0)) at.push_back(word);
  }
  return at;
}

std::int64_t count(std::initializer_list<std::string_view> pieces) {
  WordCounter counter;
  for (const auto piece : pieces) counter.add(piece);
  return counter.words();
}

}  // namespace

TEST_CASE("words are runs of what a browser calls \\S, however they are split") {
  CHECK(count({"one two  three"}) == 3);
  CHECK(count({"on", "e", " t", "wo"}) == 2);
  CHECK(count({"", " ", "\t\n"}) == 0);
  CHECK(count({"a\u00A0b\u2003c\u3000d\uFEFFe\u2028f"}) == 6);
  CHECK(count({"a\u200Bb"}) == 1);  // A zero-width space is no white space to a browser.
  CHECK(count({"中文没有空格"}) == 1);
}

TEST_CASE("counting in pieces equals counting at once") {
  std::mt19937 random(7);
  const std::string alphabet[] = {"a", " ", "\n", "é", "\u2003", "😀", "zz"};
  for (int round = 0; round < 500; ++round) {
    WordCounter pieces;
    std::string whole;
    for (int i = 0; i < 20; ++i) {
      std::string piece;
      for (unsigned n = random() % 4; n > 0; --n) piece += alphabet[random() % 7];
      pieces.add(piece);
      whole += piece;
    }
    CHECK(pieces.words() == count({whole}));
  }
}

TEST_CASE("TC-5.2a: early emissions are frequent: the first after strictly more than 10 words") {
  CHECK(emissions(only_gradient({10, 20, 40, 80, 120}), 12) == std::vector<int>{11});
}

TEST_CASE("TC-5.2b: later emissions are rarer, as the gradient says") {
  CHECK(emissions(only_gradient({10, 20, 40, 80, 120}), 300) ==
        std::vector<int>{11, 32, 73, 154, 275});
  CHECK(emissions(only_gradient({1, 2}), 9) == std::vector<int>{2, 5, 8});
}

TEST_CASE("TC-5.2c: a threshold must be exceeded, not equalled") {
  CHECK(emissions(only_gradient({3}), 3).empty());
  CHECK(emissions(only_gradient({3}), 4) == std::vector<int>{4});
}

TEST_CASE("TC-5.2d: a delta that crosses several thresholds emits once and moves on by as many") {
  Batcher batcher(only_gradient({2, 4, 8}));
  CHECK(batcher.add("1 2 3 4 5 6 7 8 9 10 ", 0));
  CHECK_FALSE(batcher.add("1 2 3 4 5 6 7 8 ", 0));  // The third threshold is next.
  CHECK(batcher.add("9 ", 0));

  Batcher fresh(only_gradient({10, 20, 40, 80, 120}));
  const auto words = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "w ";
    return text;
  };
  CHECK(fresh.add(words(31), 0));
  CHECK_FALSE(fresh.add(words(40), 0));
  CHECK(fresh.add(words(1), 0));
}

TEST_CASE("TC-5.2e: the last threshold repeats for ever") {
  CHECK(emissions(only_gradient({1, 3}), 20) == std::vector<int>{2, 6, 10, 14, 18});
}

TEST_CASE("TC-5.2f: the default gradient is 10, 20, 40, 80, 120") {
  CHECK(BatcherOptions{}.gradient == std::vector<std::int64_t>{10, 20, 40, 80, 120});
  CHECK(emissions(only_gradient({}), 300) == emissions(only_gradient({10, 20, 40, 80, 120}), 300));
}

TEST_CASE("a threshold of zero emits on every word and does not loop for ever") {
  CHECK(emissions(only_gradient({0}), 3) == std::vector<int>{1, 2, 3});
}

TEST_CASE("text that nobody has seen is emitted at the latest after the age limit") {
  Batcher batcher({.gradient = {10}, .idle_ms = 1000, .age_ms = 50});
  CHECK_FALSE(batcher.add("Hel", 100));
  CHECK(batcher.deadline() == 150);
  CHECK_FALSE(batcher.add("lo", 140));
  CHECK(batcher.deadline() == 150);  // The age is that of the oldest unseen character.
  CHECK_FALSE(batcher.tick(149));
  CHECK(batcher.tick(150));
  CHECK_FALSE(batcher.deadline().has_value());
  CHECK_FALSE(batcher.add(" ", 200));
  CHECK(batcher.deadline() == 250);  // Characters count, not words.
}

TEST_CASE("without the age limit a quiet stream is emitted after the idle time") {
  Batcher batcher(only_gradient({10}));
  CHECK_FALSE(batcher.add("some words", 0));
  CHECK_FALSE(batcher.add(" more", 900));
  CHECK(batcher.deadline() == 1900);  // Every delta restarts it.
  CHECK(batcher.tick(1900));
  CHECK_FALSE(batcher.tick(5000));
}

TEST_CASE("the cost of batching is linear: text is never copied or recounted") {
  Batcher batcher;
  const Text before = batcher.text();
  for (int i = 0; i < 200'000; ++i) (void)batcher.add("word ", i);
  CHECK(batcher.text().size() == 1'000'000);
  CHECK(batcher.text().grew_from(before));
}
