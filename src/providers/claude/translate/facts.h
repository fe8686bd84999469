/// FactKeeper: what the CLI told of a session beside its conversation.
///
/// Cost and model usage accumulate: over one process in older versions, over the whole session,
/// resumed or not, in newer ones. Newer ones say beside it what the turn used; of older ones it is
/// the difference to what was known before the turn. Pure; owned by its Translator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "model/session.h"

namespace lb::claude {

class FactKeeper {
 public:
  explicit FactKeeper(bool bypass_allowed);

  void initialized(const json::object& response);
  void init(const json::object& record);
  void set_mode(std::string_view mode);
  void set_model(std::string_view model);
  void set_thinking(std::string_view level) { facts_.thinking = std::string(level); }
  /// The tokens of the newest answer: what the context holds now.
  void answer_usage(const json::object& usage);
  /// How much of the account's windows is used (`rate_limit_event`).
  void limits(const json::object& record);
  /// What an earlier FactKeeper of the session had counted.
  void spent(const SessionFacts& before);
  /// Cost of the turn that this result ends; adds it to the session.
  std::optional<double> result(const json::object& record, const std::optional<Usage>& usage);
  /// A new process counts from zero.
  void process_started() { process_cost_ = 0; }

  [[nodiscard]] const SessionFacts& facts() const { return facts_; }
  [[nodiscard]] bool offers_mode(std::string_view mode) const;
  [[nodiscard]] bool offers_thinking(std::string_view level) const;

 private:
  void offer_thinking();
  void note_context_size(const json::object& record);
  [[nodiscard]] std::string choice_for(std::string_view model) const;

  SessionFacts facts_;
  std::vector<std::pair<std::string, std::string>> resolved_;  // Model choice → real name.
  std::vector<std::pair<std::string, std::vector<std::string>>> efforts_;  // Model choice → its.
  std::string model_name_;  // As `init` said it: the key of what models used.
  bool commands_known_ = false;
  double process_cost_ = 0;
};

/// The usage of an Anthropic message or result; nothing when it is absent.
std::optional<Usage> usage_of(const json::object* usage);

}  // namespace lb::claude
