/// Ids as types of their own, so that a turn is never passed for a session.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lb {

/// An opaque id. `Tag` makes the types different; the text is all there is.
template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  friend auto operator<=>(const Id&, const Id&) = default;

 private:
  std::string text_;
};

using SessionId = Id<struct SessionTag>;
using TurnId = Id<struct TurnTag>;
using ItemId = Id<struct ItemTag>;
using ProjectId = Id<struct ProjectTag>;
using WorkspaceId = Id<struct WorkspaceTag>;
using CommentId = Id<struct CommentTag>;
using TerminalId = Id<struct TerminalTag>;

/// The grammar of every id in a path or body: `^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`.
bool is_wire_id(std::string_view text);

/// A random (version 4) UUID from the kernel's generator.
std::string make_uuid();

/// A UUID that is always the same for the same text: discovered sessions get one id for ever.
std::string uuid_from(std::string_view text);

}  // namespace lb

template <class Tag>
struct std::hash<lb::Id<Tag>> {
  std::size_t operator()(const lb::Id<Tag>& id) const { return std::hash<std::string>{}(id.str()); }
};
