/// AnswerText: how the value of a handler is written, and what it looks like from outside.
#pragma once

#include <string>
#include <vector>

#include "model/answers.h"
#include "model/server_message.h"
#include "session/live/history.h"

namespace lb {

template <class T>
struct AnswerText {
  using Shape = T;
  static std::string text(const T& value) { return encode(value); }
};

/// Accepted; there is nothing else to say.
template <>
struct AnswerText<void> {
  using Shape = OkMessage;
};

/// A list in an object: there is room for more beside it.
template <class Object, class T>
struct ListAnswer {
  using Shape = Object;
  static std::string text(std::vector<T> list) { return encode(Object{std::move(list)}); }
};
template <>
struct AnswerText<std::vector<Project>> : ListAnswer<ProjectListMessage, Project> {};
template <>
struct AnswerText<std::vector<AgentInfo>> : ListAnswer<AgentsBody, AgentInfo> {};
template <>
struct AnswerText<std::vector<SearchResult>> : ListAnswer<SearchBody, SearchResult> {};
template <>
struct AnswerText<std::vector<InboxItem>> : ListAnswer<InboxBody, InboxItem> {};

/// Put together from entries that are encoded already.
template <>
struct AnswerText<Window> {
  using Shape = TimelineBody;
  static std::string text(const Window& window);
};

}  // namespace lb
