/// SharedList: a list that never changes and is in memory once, however many hold an equal one.
///
/// Every session of an agent is told the same models, modes and commands; a copy of this costs a
/// pointer. Made from a vector, which is compared with the lists that are in use: those are few,
/// one per agent and project. Each thread knows its own; a list may be read on any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace lb {

template <class T>
class SharedList {
 public:
  using value_type = T;

  SharedList() = default;
  SharedList(std::vector<T> list) : list_(shared(std::move(list))) {}  // NOLINT: as good as one.
  SharedList(std::initializer_list<T> list) : SharedList(std::vector<T>(list)) {}

  [[nodiscard]] const std::vector<T>& get() const {
    static const std::vector<T> nothing;
    return list_ ? *list_ : nothing;
  }
  [[nodiscard]] bool empty() const { return list_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return get().size(); }
  [[nodiscard]] const T& at(std::size_t index) const { return get().at(index); }
  [[nodiscard]] auto begin() const { return get().begin(); }
  [[nodiscard]] auto end() const { return get().end(); }
  void clear() { list_.reset(); }

  /// Equal lists of one thread are the same list; others are compared.
  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.list_ == b.list_ || a.get() == b.get();
  }

 private:
  using Ptr = std::shared_ptr<const std::vector<T>>;

  static Ptr shared(std::vector<T> list) {
    if (list.empty()) return nullptr;
    thread_local std::vector<std::weak_ptr<const std::vector<T>>> in_use;
    std::erase_if(in_use, [](const auto& one) { return one.expired(); });
    for (const auto& one : in_use) {
      if (Ptr known = one.lock(); known && *known == list) return known;
    }
    list.shrink_to_fit();
    // Not make_shared: the table must not keep the memory of a list that nobody holds.
    Ptr made(new std::vector<T>(std::move(list)));
    in_use.push_back(made);
    return made;
  }

  Ptr list_;  // Null: empty.
};

}  // namespace lb
