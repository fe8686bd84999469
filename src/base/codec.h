/// Encoder and Decoder: every wire type is described once, and both follow from that.
///
///     struct Location { static constexpr std::string_view kName = "Location"; … };
///     template <class Fields> void describe(Fields& field, Location& location) {
///       field("path", location.path);                  // required
///       field.optional("line", location.line);         // std::optional or a list
///     }
///
/// A union is a std::variant whose alternatives say `kType`; `field.tagged("type", variant)` puts
/// the tag and the alternative's fields beside the fields around it, as JSON unions are written.
///
/// Decoding is strict about what it reads and ignores the rest; an error names the path and the
/// reason: `payload.itemId: missing`. shape.h derives TypeScript and JSON Schema from the same
/// descriptions.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/json.h"
#include "base/result.h"
#include "base/shared_list.h"
#include "base/text.h"
#include "base/time.h"

namespace lb {

/// Specialise with `static constexpr std::array names = {…}` in the order of the enumerators.
template <class Enum>
struct EnumNames;

template <class Enum>
std::string_view wire_name(Enum value) {
  return EnumNames<Enum>::names.at(static_cast<std::size_t>(value));
}

template <class Enum>
std::optional<Enum> enum_from(std::string_view name) {
  for (std::size_t i = 0; i < EnumNames<Enum>::names.size(); ++i) {
    if (EnumNames<Enum>::names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// A string that must not be empty.
struct NonEmpty {
  std::string text;
  friend bool operator==(const NonEmpty&, const NonEmpty&) = default;
};

namespace codec {

template <class T>
struct IsId : std::false_type {};
template <class Tag>
struct IsId<Id<Tag>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
concept Described = requires { T::kName; };

}  // namespace codec

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  template <class T>
  void operator()(std::string_view name, const T& value) {
    key(name);
    write(value);
  }
  template <class T>
  void optional(std::string_view name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  template <class T>
    requires(codec::IsVector<T>::value || std::is_same_v<T, RawJson>)
  void optional(std::string_view name, const T& value) {
    if (!value.empty()) (*this)(name, value);
  }
  template <class T>
  void optional(std::string_view name, const SharedList<T>& value) {
    optional(name, value.get());
  }
  /// A value for which null means something of its own.
  template <class T>
  void nullable(std::string_view name, const std::optional<T>& value) {
    if (value) return (*this)(name, *value);
    key(name);
    out_ += "null";
  }
  /// A flag that is only mentioned when it is set.
  void flag(std::string_view name, const bool& value) {
    if (value) (*this)(name, value);
  }
  template <class... Alternatives>
  void tagged(std::string_view tag, const std::variant<Alternatives...>& value) {
    std::visit(
        [&]<class T>(const T& alternative) {
          (*this)(tag, std::string_view(T::kType));
          // Describing reads only; one description serves the decoder too, hence not const.
          describe(*this, const_cast<T&>(alternative));
        },
        value);
  }
  /// A key whose value the caller writes itself, into the returned string.
  std::string& raw(std::string_view name) {
    key(name);
    return out_;
  }

  /// From here on this one Text is written as `escaped`, which the caller keeps: text that grows
  /// is escaped once, however often its item is encoded.
  void use_escaped(const Text* text, std::string_view escaped) {
    known_text_ = text;
    known_escaped_ = escaped;
  }

  template <class T>
  void write(const T& value);

 private:
  void key(std::string_view name) {
    if (!std::exchange(first_, false)) out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }

  std::string& out_;
  bool first_ = true;
  const Text* known_text_ = nullptr;
  std::string_view known_escaped_;
};

template <class T>
void Encoder::write(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out_ += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    out_ += std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    append_json(out_, json::value(value));
  } else if constexpr (std::is_enum_v<T>) {
    append_quoted(out_, wire_name(value));
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    append_quoted(out_, value);
  } else if constexpr (std::is_same_v<T, Text>) {
    if (&value == known_text_) {
      out_ += '"';
      out_ += known_escaped_;
      out_ += '"';
    } else {
      append_quoted(out_, value.view());
    }
  } else if constexpr (std::is_same_v<T, NonEmpty>) {
    append_quoted(out_, value.text);
  } else if constexpr (codec::IsId<T>::value) {
    append_quoted(out_, value.str());
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    append_quoted(out_, to_iso(value));
  } else if constexpr (std::is_same_v<T, RawJson> || std::is_same_v<T, RawObject>) {
    out_ += value.empty() && std::is_same_v<T, RawJson> ? "null" : value.str();
  } else if constexpr (codec::IsVector<T>::value) {
    out_ += '[';
    bool first = true;
    for (const auto& element : value) {
      if (!std::exchange(first, false)) out_ += ',';
      write(element);
    }
    out_ += ']';
  } else if constexpr (codec::Described<T>) {
    out_ += '{';
    Encoder fields(out_);
    fields.use_escaped(known_text_, known_escaped_);
    describe(fields, const_cast<T&>(value));
    out_ += '}';
  } else {  // std::map<std::string, V>
    out_ += '{';
    bool first = true;
    for (const auto& [name, member] : value) {
      if (!std::exchange(first, false)) out_ += ',';
      append_quoted(out_, name);
      out_ += ':';
      write(member);
    }
    out_ += '}';
  }
}

template <class T>
std::string encode(const T& value) {
  std::string out;
  Encoder(out).write(value);
  return out;
}

class Decoder {
 public:
  Decoder(const json::object& object, std::string path) : object_(object), path_(std::move(path)) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
    if (error_) return;
    const json::value* found = object_.if_contains(name);
    if (found == nullptr) return fail_at(name, "missing");
    read(*found, value, name);
  }
  template <class T>
  void optional(std::string_view name, std::optional<T>& value) {
    const json::value* found = error_ ? nullptr : object_.if_contains(name);
    value.reset();
    if (found != nullptr && !found->is_null()) read(*found, value.emplace(), name);
  }
  template <class T>
    requires(codec::IsVector<T>::value || std::is_same_v<T, RawJson>)
  void optional(std::string_view name, T& value) {
    const json::value* found = error_ ? nullptr : object_.if_contains(name);
    value = T();
    if (found != nullptr && !found->is_null()) read(*found, value, name);
  }
  template <class T>
  void optional(std::string_view name, SharedList<T>& value) {
    std::vector<T> list;
    optional(name, list);
    value = std::move(list);
  }
  template <class T>
  void nullable(std::string_view name, std::optional<T>& value) {
    optional(name, value);
  }
  [[nodiscard]] bool mentions(std::string_view name) const { return object_.contains(name); }
  void flag(std::string_view name, bool& value) {
    const json::value* found = error_ ? nullptr : object_.if_contains(name);
    value = false;
    if (found != nullptr && !found->is_null()) read(*found, value, name);
  }
  template <class... Alternatives>
  void tagged(std::string_view tag, std::variant<Alternatives...>& value) {
    std::string type;
    (*this)(tag, type);
    if (error_) return;
    const bool known = (try_alternative<Alternatives>(type, value) || ...);
    if (!known) fail_at(tag, "unknown value");
  }
  /// For rules that no type can say: `check(…, "reason")` inside a description.
  void require(bool holds, std::string_view name, std::string_view reason) {
    if (!error_ && !holds) fail_at(name, reason);
  }

  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }

  template <class T>
  void read(const json::value& from, T& value, std::string_view name);

 private:
  void fail_at(std::string_view name, std::string_view reason) {
    error_ = path_ + (path_.empty() || name.starts_with('[') ? "" : ".") + std::string(name) +
             ": " + std::string(reason);
  }
  std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }
  template <class T, class Variant>
  bool try_alternative(std::string_view type, Variant& value) {
    if (type != T::kType) return false;
    describe(*this, value.template emplace<T>());
    return true;
  }
  template <class T>
  void read_string(const json::value& from, T& value, std::string_view name);
  template <class T>
  void read_number(const json::value& from, T& value, std::string_view name);
  template <class T>
  void read_elements(const json::array& from, std::vector<T>& value, std::string_view name);
  void take(Decoder& inner) {
    if (inner.error_) error_ = std::move(inner.error_);
  }

  const json::object& object_;
  std::string path_;
  std::optional<std::string> error_;
};

/// Stands in Encoder and Shaper for Decoder::require, so that a description can state rules.
template <class Fields>
void require(Fields& field, bool holds, std::string_view name, std::string_view reason) {
  if constexpr (std::is_same_v<Fields, Decoder>) field.require(holds, name, reason);
}

/// Whether what is being decoded says anything of `name`, null included.
template <class Fields>
bool mentions(const Fields& field, std::string_view name) {
  if constexpr (std::is_same_v<Fields, Decoder>) {
    return field.mentions(name);
  } else {
    return true;
  }
}

template <class T>
void Decoder::read_string(const json::value& from, T& value, std::string_view name) {
  const json::string* text = from.if_string();
  if (text == nullptr) return fail_at(name, "expected a string");
  const std::string_view view(*text);
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Text>) {
    value = T(std::string(view));
  } else if constexpr (std::is_same_v<T, NonEmpty>) {
    if (view.empty()) return fail_at(name, "must not be empty");
    value.text = std::string(view);
  } else if constexpr (codec::IsId<T>::value) {
    if (!is_wire_id(view)) return fail_at(name, "not a valid id");
    value = T(std::string(view));
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    const auto time = from_iso(view);
    if (!time) return fail_at(name, "expected an ISO 8601 UTC time");
    value = *time;
  } else {
    const auto known = enum_from<T>(view);
    if (!known) return fail_at(name, "unknown value");
    value = *known;
  }
}

template <class T>
void Decoder::read_number(const json::value& from, T& value, std::string_view name) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!from.is_number()) return fail_at(name, "expected a number");
    value = static_cast<T>(read_double(from));
    if (!std::isfinite(value)) fail_at(name, "not a finite number");
  } else {
    // Some writers put whole numbers with a fraction of zero: those are integers too.
    boost::system::error_code why;
    if (from.is_number()) {
      value = from.to_number<T>(why);
      if (!why) return;
    }
    fail_at(name, std::is_signed_v<T> ? "expected an integer" : "expected a non-negative integer");
  }
}

template <class T>
void Decoder::read_elements(const json::array& from, std::vector<T>& value, std::string_view name) {
  value.clear();
  for (std::size_t i = 0; i < from.size() && !error_; ++i) {
    const std::string at = std::string(name) + "[" + std::to_string(i) + "]";
    read(from[i], value.emplace_back(), at);
  }
}

template <class T>
void Decoder::read(const json::value& from, T& value, std::string_view name) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!from.is_bool()) return fail_at(name, "expected true or false");
    value = from.get_bool();
  } else if constexpr (std::is_arithmetic_v<T>) {
    read_number(from, value, name);
  } else if constexpr (std::is_same_v<T, RawJson>) {
    value = RawJson(from);
  } else if constexpr (std::is_same_v<T, RawObject>) {
    if (!from.is_object()) return fail_at(name, "expected an object");
    value = RawObject(from.get_object());
  } else if constexpr (codec::IsVector<T>::value) {
    if (!from.is_array()) return fail_at(name, "expected an array");
    read_elements(from.get_array(), value, name);
  } else if constexpr (codec::Described<T>) {
    if (!from.is_object()) return fail_at(name, "expected an object");
    Decoder inner(from.get_object(), path_of(name));
    describe(inner, value);
    take(inner);
  } else if constexpr (requires { typename T::mapped_type; }) {
    if (!from.is_object()) return fail_at(name, "expected an object");
    value.clear();
    for (const auto& member : from.get_object()) {
      const std::string at = std::string(name) + "." + std::string(member.key());
      read(member.value(), value[std::string(member.key())], at);
    }
  } else {
    read_string(from, value, name);
  }
}

/// Decodes a whole value; the error message is `path: reason`.
template <class T>
Result<T> decode(const json::value& from) {
  if (!from.is_object()) return fail(ErrorCode::InvalidRequest, "expected an object");
  T value;
  Decoder decoder(from.get_object(), "");
  describe(decoder, value);
  if (decoder.error()) return fail(ErrorCode::InvalidRequest, *decoder.error());
  return value;
}

/// The same from text.
template <class T>
Result<T> decode_text(std::string_view text) {
  auto value = parse_json(text);
  if (!value) return std::unexpected(std::move(value.error()));
  return decode<T>(*value);
}

}  // namespace lb
