/// Approval: a decision that only the user can take, as an item of the conversation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"

namespace lb {

enum class ApprovalKind { Tool, Question, Plan };
template <>
struct EnumNames<ApprovalKind> {
  static constexpr std::array<std::string_view, 3> names = {"tool", "question", "plan"};
};

enum class OptionKind { AllowOnce, AllowAlways, RejectOnce, RejectAlways };
template <>
struct EnumNames<OptionKind> {
  static constexpr std::array<std::string_view, 4> names = {"allow_once", "allow_always",
                                                            "reject_once", "reject_always"};
};

/// pending = item status create; answered = complete; expired or withdrawn = cancelled.
enum class ApprovalState { Pending, Answered, Expired };
template <>
struct EnumNames<ApprovalState> {
  static constexpr std::array<std::string_view, 3> names = {"pending", "answered", "expired"};
};

struct ApprovalOption {
  static constexpr std::string_view kName = "ApprovalOption";
  std::string option_id;
  std::string name;
  OptionKind kind = OptionKind::AllowOnce;
  friend bool operator==(const ApprovalOption&, const ApprovalOption&) = default;
};
template <class Fields>
void describe(Fields& field, ApprovalOption& option) {
  field("optionId", option.option_id);
  field("name", option.name);
  field("kind", option.kind);
}

struct QuestionOption {
  static constexpr std::string_view kName = "QuestionOption";
  std::string label;
  std::optional<std::string> description;
  friend bool operator==(const QuestionOption&, const QuestionOption&) = default;
};
template <class Fields>
void describe(Fields& field, QuestionOption& option) {
  field("label", option.label);
  field.optional("description", option.description);
}

struct Question {
  static constexpr std::string_view kName = "Question";
  std::string question;
  std::optional<std::string> header;
  bool multi_select = false;
  std::vector<QuestionOption> options;
  friend bool operator==(const Question&, const Question&) = default;
};
template <class Fields>
void describe(Fields& field, Question& question) {
  field("question", question.question);
  field.optional("header", question.header);
  field("multiSelect", question.multi_select);
  field("options", question.options);
}

/// What the user decided, as recorded on the approval.
struct ApprovalAnswer {
  static constexpr std::string_view kName = "ApprovalAnswer";
  std::optional<std::string> option_id;
  std::optional<std::string> message;
  std::optional<std::map<std::string, std::string>> answers;  // question → label
  friend bool operator==(const ApprovalAnswer&, const ApprovalAnswer&) = default;
};
template <class Fields>
void describe(Fields& field, ApprovalAnswer& answer) {
  field.optional("optionId", answer.option_id);
  field.optional("message", answer.message);
  field.optional("answers", answer.answers);
}

struct Approval {
  static constexpr std::string_view kName = "Approval";
  static constexpr std::string_view kType = "approval";
  std::string title;
  ApprovalKind kind = ApprovalKind::Tool;
  std::optional<std::string> call_id;
  std::optional<std::string> tool_name;
  std::optional<RawObject> tool_arguments;
  std::optional<std::string> detail;  // Exactly what will run.
  std::vector<ApprovalOption> options;
  std::vector<Question> questions;
  ApprovalState state = ApprovalState::Pending;
  std::optional<ApprovalAnswer> answer;
  std::optional<Timestamp> answered_at;
  std::optional<std::string> answered_by;
  friend bool operator==(const Approval&, const Approval&) = default;
};
template <class Fields>
void describe(Fields& field, Approval& approval) {
  field("title", approval.title);
  field("kind", approval.kind);
  field.optional("callId", approval.call_id);
  field.optional("toolName", approval.tool_name);
  field.optional("toolArguments", approval.tool_arguments);
  field.optional("detail", approval.detail);
  field("options", approval.options);
  field.optional("questions", approval.questions);
  field("state", approval.state);
  field.optional("answer", approval.answer);
  field.optional("answeredAt", approval.answered_at);
  field.optional("answeredBy", approval.answered_by);
}

}  // namespace lb
