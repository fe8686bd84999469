#include "store/growth.h"

#include "base/utf8.h"
#include "model/item.h"

namespace lb {
namespace {

/// The text that grows, to be changed.
Text* growing(Item& item) {
  if (auto* message = std::get_if<Message>(&item.body)) return &message->content;
  if (auto* thinking = std::get_if<Thinking>(&item.body)) return &thinking->content;
  if (auto* tool = std::get_if<ToolCall>(&item.body)) {
    if (!tool->tool_output) tool->tool_output.emplace();
    return &*tool->tool_output;
  }
  return nullptr;
}

}  // namespace

std::string fold_growth(const std::string& payload, const std::vector<GrowthPut>& pieces) {
  if (pieces.empty()) return payload;
  auto item = decode_text<Item>(payload);
  if (!item) return payload;
  Text* text = growing(*item);
  if (text == nullptr) return payload;
  bool grew = false;
  for (const GrowthPut& piece : pieces) {
    if (piece.rev <= item->rev || piece.from != text->size()) continue;
    text->append(piece.text);
    item->rev = piece.rev;
    item->status = ItemStatus::Update;
    grew = true;
  }
  return grew ? encode(*item) : payload;
}

std::string searchable_text(std::string_view payload) {
  const auto item = decode_text<Item>(payload);
  if (!item) return {};
  if (const auto* message = std::get_if<Message>(&item->body)) return message->content.str();
  if (const auto* tool = std::get_if<ToolCall>(&item->body)) {
    std::string text = tool->tool_name;
    if (tool->title) text += "\n" + *tool->title;
    if (!tool->tool_arguments.empty()) text += "\n" + tool->tool_arguments.str();
    if (tool->tool_output) text += "\n" + tool->tool_output->str();
    return text;
  }
  return {};
}

std::vector<std::string> search_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const bool ascii = point.valid && point.value < 0x80;
    const char c = text[at];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (point.valid && !ascii) {
      word.append(text, at, point.bytes);
    } else if (letter) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else {
      end_word();
    }
    at += point.bytes;
  }
  end_word();
  return words;
}

}  // namespace lb
