/// Shape: what a described type looks like from outside, for TypeScript, JSON Schema and OpenAPI.
///
/// The same `describe` functions that drive the codecs are walked once here, so the types of the
/// UI and the published schema cannot drift from what the server reads and writes.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/codec.h"

namespace lb {

struct Shape {
  enum class Kind { String, Id, Time, Number, Integer, Bool, Any, Object, Enum, Array, Map, Named };
  Kind kind = Kind::String;
  std::vector<std::string> values;  // Enum
  std::vector<Shape> of;            // Array and Map: one element
  std::string name;                 // Named: in the catalogue
  bool nullable = false;
};

struct ShapeField {
  std::string name;
  Shape shape;
  bool optional = false;
};

/// A described struct: fields, and where it is a union, the alternatives behind `tag`.
struct ShapeType {
  std::string name;
  std::vector<ShapeField> fields;
  std::string tag;
  std::vector<std::pair<std::string, std::string>> alternatives;  // tag value, type name
};

/// All types that were met, each once, in the order of first need (what a type uses comes first).
class ShapeCatalogue {
 public:
  template <class T>
  void add() {
    (void)shape_of<T>();
  }
  /// A type that no struct describes.
  void add(ShapeType type) { types_.push_back(std::move(type)); }
  [[nodiscard]] const std::deque<ShapeType>& types() const { return types_; }

  template <class T>
  Shape shape_of();

 private:
  template <class T>
  void describe_type();

  std::map<std::string, bool, std::less<>> known_;
  std::deque<ShapeType> types_;
};

/// Plays the part of Encoder and Decoder in `describe`.
class Shaper {
 public:
  Shaper(ShapeCatalogue& catalogue, ShapeType& type) : catalogue_(catalogue), type_(type) {}

  template <class T>
  void operator()(std::string_view name, T&) {
    type_.fields.push_back({std::string(name), catalogue_.shape_of<T>(), false});
  }
  template <class T>
  void optional(std::string_view name, std::optional<T>&) {
    type_.fields.push_back({std::string(name), catalogue_.shape_of<T>(), true});
  }
  template <class T>
    requires(codec::IsVector<T>::value || std::is_same_v<T, RawJson>)
  void optional(std::string_view name, T&) {
    type_.fields.push_back({std::string(name), catalogue_.shape_of<T>(), true});
  }
  template <class T>
  void optional(std::string_view name, SharedList<T>&) {
    type_.fields.push_back({std::string(name), catalogue_.shape_of<std::vector<T>>(), true});
  }
  template <class T>
  void nullable(std::string_view name, std::optional<T>& value) {
    optional(name, value);
    type_.fields.back().shape.nullable = true;
  }
  void flag(std::string_view name, bool&) {
    type_.fields.push_back({std::string(name), {.kind = Shape::Kind::Bool}, true});
  }
  template <class... Alternatives>
  void tagged(std::string_view tag, std::variant<Alternatives...>&) {
    type_.tag = std::string(tag);
    (type_.alternatives.emplace_back(Alternatives::kType, catalogue_.shape_of<Alternatives>().name),
     ...);
  }

 private:
  ShapeCatalogue& catalogue_;
  ShapeType& type_;
};

template <class T>
void ShapeCatalogue::describe_type() {
  if (known_.contains(T::kName)) return;
  known_.emplace(T::kName, true);
  ShapeType type;
  type.name = std::string(T::kName);
  T value{};
  Shaper shaper(*this, type);
  describe(shaper, value);
  types_.push_back(std::move(type));
}

template <class T>
Shape ShapeCatalogue::shape_of() {
  using Kind = Shape::Kind;
  if constexpr (std::is_same_v<T, bool>) {
    return {.kind = Kind::Bool};
  } else if constexpr (std::is_integral_v<T>) {
    return {.kind = Kind::Integer};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {.kind = Kind::Number};
  } else if constexpr (std::is_enum_v<T>) {
    Shape shape{.kind = Kind::Enum};
    for (const auto name : EnumNames<T>::names) shape.values.emplace_back(name);
    return shape;
  } else if constexpr (codec::IsId<T>::value) {
    return {.kind = Kind::Id};
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    return {.kind = Kind::Time};
  } else if constexpr (std::is_same_v<T, RawJson>) {
    return {.kind = Kind::Any};
  } else if constexpr (std::is_same_v<T, RawObject>) {
    return {.kind = Kind::Object};
  } else if constexpr (codec::IsVector<T>::value) {
    return {.kind = Kind::Array, .of = {shape_of<typename T::value_type>()}};
  } else if constexpr (codec::Described<T>) {
    describe_type<T>();
    return {.kind = Kind::Named, .name = std::string(T::kName)};
  } else if constexpr (requires { typename T::mapped_type; }) {
    return {.kind = Kind::Map, .of = {shape_of<typename T::mapped_type>()}};
  } else {
    return {.kind = Kind::String};
  }
}

/// `export interface …` and `export type …` for every type of the catalogue.
std::string to_typescript(const ShapeCatalogue& catalogue);

/// The JSON Schema (2020-12) of every type, by name; references go to `prefix` + name.
json::object to_json_schema(const ShapeCatalogue& catalogue, std::string_view prefix);

}  // namespace lb
