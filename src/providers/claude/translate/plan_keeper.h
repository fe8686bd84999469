/// PlanKeeper: the agent's to-do list, from whichever tool keeps it.
///
/// Older versions write the whole list (TodoWrite); newer ones create and update single tasks
/// (TaskCreate, TaskUpdate). A change counts when its call succeeded. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/item.h"

namespace lb::claude {

class PlanKeeper {
 public:
  /// True when this successful call changed the list.
  bool apply(std::string_view tool, std::string_view arguments, const json::value* structured);
  [[nodiscard]] std::vector<PlanEntry> entries() const;

 private:
  struct Task {
    std::string id;
    PlanEntry entry;
  };
  bool write_all(const json::object& arguments);
  bool create(const json::object& arguments, const json::value* structured);
  bool update(const json::object& arguments);

  std::vector<Task> tasks_;
};

}  // namespace lb::claude
