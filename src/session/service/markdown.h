/// A conversation as Markdown, for people: who said what, tools with their outputs, who allowed
/// what, the comments on changes, and how turns ended that did not end well. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/item.h"
#include "model/review.h"
#include "model/turn.h"

namespace lb {

struct Conversation {
  std::string title;
  std::string agent;        // Its name for people.
  std::vector<Item> items;  // In order.
  std::vector<Turn> turns;  // In order.
  /// The texts that came with messages, by their attachments' ids.
  std::map<std::string, std::string> texts = {};
  std::vector<Comment> comments = {};  // On files and plans.
};

std::string to_markdown(const Conversation& conversation);

}  // namespace lb
