#include "session/turns/prompt_queue.h"

#include <algorithm>
#include <utility>

namespace lb {
namespace {

auto has(const TurnId& turn) {
  return [&turn](const PromptPtr& prompt) { return prompt->turn == turn; };
}

}  // namespace

PromptPtr PromptQueue::find(const TurnId& turn) const {
  const auto found = std::ranges::find_if(prompts_, has(turn));
  return found == prompts_.end() ? nullptr : *found;
}

void PromptQueue::push(PromptPtr prompt) {
  prompts_.push_back(std::move(prompt));
}

PromptPtr PromptQueue::take() {
  if (held() || prompts_.empty()) return nullptr;
  PromptPtr first = std::move(prompts_.front());
  prompts_.pop_front();
  return first;
}

PromptPtr PromptQueue::edit(const TurnId& turn, std::string content) {
  const auto found = std::ranges::find_if(prompts_, has(turn));
  if (found == prompts_.end()) return nullptr;
  UserPrompt edited = **found;
  edited.content = std::move(content);
  *found = std::make_shared<const UserPrompt>(std::move(edited));
  return *found;
}

PromptPtr PromptQueue::remove(const TurnId& turn) {
  const auto found = std::ranges::find_if(prompts_, has(turn));
  if (found == prompts_.end()) return nullptr;
  PromptPtr removed = std::move(*found);
  prompts_.erase(found);
  if (prompts_.empty()) flow_ = Flow::Flowing;
  return removed;
}

bool PromptQueue::reorder(const std::vector<TurnId>& turns) {
  std::deque<PromptPtr> ordered;
  for (const TurnId& turn : turns) {
    if (std::ranges::any_of(ordered, has(turn))) return false;
    ordered.push_back(find(turn));
    if (!ordered.back()) return false;
  }
  if (ordered.size() != prompts_.size()) return false;
  prompts_ = std::move(ordered);
  return true;
}

bool PromptQueue::hold() {
  return !prompts_.empty() && std::exchange(flow_, Flow::Held) == Flow::Flowing;
}

bool PromptQueue::release() {
  return std::exchange(flow_, Flow::Flowing) == Flow::Held;
}

}  // namespace lb
