#include "providers/claude/translate/plan_keeper.h"

#include <algorithm>

namespace lb::claude {

bool PlanKeeper::apply(std::string_view tool, std::string_view arguments,
                       const json::value* structured) {
  if (tool != "TodoWrite" && tool != "TaskCreate" && tool != "TaskUpdate") return false;
  const auto parsed = parse_json(arguments);
  if (!parsed || !parsed->is_object()) return false;
  if (tool == "TodoWrite") return write_all(parsed->get_object());
  if (tool == "TaskCreate") return create(parsed->get_object(), structured);
  return update(parsed->get_object());
}

bool PlanKeeper::write_all(const json::object& arguments) {
  const json::array* todos = array_at(arguments, "todos");
  if (todos == nullptr) return false;
  tasks_.clear();
  for (const json::value& value : *todos) {
    const json::object* todo = value.if_object();
    if (todo == nullptr) continue;
    Task task;
    task.id = string_at(*todo, "id");
    task.entry.content = string_at(*todo, "content");
    task.entry.status =
        enum_from<PlanStatus>(string_at(*todo, "status")).value_or(PlanStatus::Pending);
    if (const auto priority = string_at(*todo, "priority"); !priority.empty()) {
      task.entry.priority = std::string(priority);
    }
    tasks_.push_back(std::move(task));
  }
  return true;
}

bool PlanKeeper::create(const json::object& arguments, const json::value* structured) {
  Task task;
  task.entry.content = string_at(arguments, "subject");
  const json::object* answer = structured != nullptr ? structured->if_object() : nullptr;
  const json::object* made = answer != nullptr ? object_at(*answer, "task") : nullptr;
  task.id = made != nullptr ? std::string(string_at(*made, "id"))
                            : std::to_string(tasks_.size() + 1);  // As the CLI counts them.
  if (task.entry.content.empty()) return false;
  tasks_.push_back(std::move(task));
  return true;
}

bool PlanKeeper::update(const json::object& arguments) {
  const std::string_view id = string_at(arguments, "taskId");
  const auto found = std::ranges::find(tasks_, id, &Task::id);
  if (found == tasks_.end()) return false;
  const std::string_view status = string_at(arguments, "status");
  if (status == "deleted") {
    tasks_.erase(found);
    return true;
  }
  if (const auto known = enum_from<PlanStatus>(status)) found->entry.status = *known;
  if (const auto subject = string_at(arguments, "subject"); !subject.empty()) {
    found->entry.content = std::string(subject);
  }
  return true;
}

std::vector<PlanEntry> PlanKeeper::entries() const {
  std::vector<PlanEntry> all;
  all.reserve(tasks_.size());
  for (const Task& task : tasks_) all.push_back(task.entry);
  return all;
}

}  // namespace lb::claude
