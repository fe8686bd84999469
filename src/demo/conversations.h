/// The conversations of the demo agent, chosen by the words of the prompt.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "demo/narrator.h"

namespace lb::demo {

/// What a conversation is played with.
struct Scene {
  std::shared_ptr<Narrator> narrator;
  std::string prompt;       // The user's text.
  std::string attachments;  // What came with it, in words; empty when nothing did.
  std::string scratch;      // The folder where edits are real.
};

/// A slash command that people may use; faults.h has the others.
struct Command {
  std::string_view name;
  std::string_view description;
  std::string_view hint;  // Empty: takes no input.
};
std::span<const Command> commands();

/// Plays the conversation that fits the prompt, to its end.
asio::awaitable<void> play(Scene scene);

/// The name of the conversation that `play` would choose: tour, edit, run, plan, markdown, think,
/// hello, help or chat.
std::string_view choose(std::string_view prompt, bool first_turn);

}  // namespace lb::demo
