#include "session/service/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/utf8.h"

namespace lb {
namespace {

/// A fence longer than any run of backticks inside.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

void add_block(std::string& out, std::string_view text) {
  const std::string fence = fence_for(text);
  out += fmt::format("{}\n{}{}{}\n\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string lowered(std::string_view text) {
  std::string out;
  for (const char c : text) out += lower_letter(c);
  return out;
}

std::string_view decision(OptionKind kind) {
  switch (kind) {
    case OptionKind::AllowOnce:
      return "Allowed";
    case OptionKind::AllowAlways:
      return "Allowed from now on";
    case OptionKind::RejectOnce:
      return "Denied";
    case OptionKind::RejectAlways:
      return "Denied from now on";
  }
  return "";
}

/// "Allowed by you: only this once."
std::string outcome(const Approval& approval) {
  if (approval.state == ApprovalState::Pending) return "Waiting for an answer.";
  if (approval.state == ApprovalState::Expired) {
    return approval.answer ? "Ended while an answer was on its way: the agent may have had it."
                           : "Not answered: denied.";
  }
  std::string out = "Answered";
  std::string said;
  if (approval.answer) {
    const auto chosen = std::ranges::find_if(approval.options, [&](const ApprovalOption& option) {
      return option.option_id == approval.answer->option_id;
    });
    if (chosen != approval.options.end()) out = decision(chosen->kind);
    if (approval.answer->answers) {
      for (const auto& [question, label] : *approval.answer->answers) {
        said += fmt::format("\n- {}: {}", question, label);
      }
    }
    const std::string message = approval.answer->message.value_or("");
    if (!message.empty()) said = fmt::format(" {}{}", message, said);
  }
  const std::string by = approval.answered_by.value_or("");
  if (!by.empty()) out += fmt::format(" by {}", by == "browser" ? "you" : by);
  return out + (said.empty() ? "." : ":" + said);
}

/// What is to be said of a turn's end; nothing when it was as it should be.
std::string end_note(const Turn& turn) {
  std::string note;
  if (turn.type == TurnType::Error) {
    note = fmt::format("**This turn failed** ({})", turn.error_code.value_or(""));
    if (turn.error_message) note += ": " + *turn.error_message;
  } else if (turn.type == TurnType::Complete && turn.status == TurnStatus::Cancelled) {
    const bool unanswered = turn.finish_reason == "unanswered";
    note = unanswered ? "**This turn has no answer.**" : "**This turn was cancelled.**";
  }
  if (note.empty()) return note;
  std::string quoted = "> ";
  for (const char c : note) quoted += c == '\n' ? std::string("\n> ") : std::string(1, c);
  return quoted + "\n\n";
}

class Writer {
 public:
  explicit Writer(const Conversation& conversation) : conversation_(conversation) {
    for (std::size_t i = 0; i < conversation.turns.size(); ++i) {
      order_.emplace(conversation.turns[i].turn_id, i);
    }
    for (const Item& item : conversation.items) said_.insert(item.turn_id);
    out_ = fmt::format("# {}\n\n", conversation.title);
  }

  std::string write() {
    for (const Item& item : conversation_.items) {
      // A turn is over when a later one begins: background agents may still have said something.
      if (const auto turn = order_.find(item.turn_id); turn != order_.end()) {
        end_turns(turn->second);
      }
      std::visit([&](const auto& body) { add(body); }, item.body);
    }
    end_turns(conversation_.turns.size());
    return std::move(out_);
  }

 private:
  enum class Speaker { Nobody, User, Agent };

  void end_turns(std::size_t before) {
    for (; ended_ < before; ++ended_) {
      const Turn& turn = conversation_.turns[ended_];
      // A queued message that was taken back leaves nothing.
      if (said_.contains(turn.turn_id) || turn.type == TurnType::Error) out_ += end_note(turn);
    }
  }

  void speaks(Speaker speaker) {
    if (std::exchange(speaker_, speaker) == speaker) return;
    out_ += fmt::format("## {}\n\n", speaker == Speaker::User ? "You" : conversation_.agent);
  }

  void add(const Message& message) {
    if (message.content.empty() && message.attachments.empty()) return;
    if (message.origin == Origin::System) {
      out_ += "*System:* ";
    } else {
      // Each prompt of the user has its heading, also where nobody answered the one before.
      if (message.origin == Origin::User) speaker_ = Speaker::Nobody;
      speaks(message.origin == Origin::User ? Speaker::User : Speaker::Agent);
    }
    if (!message.content.empty()) out_ += message.content.str() + "\n\n";
    for (const Attachment& attachment : message.attachments) {
      out_ += fmt::format("*Attached: {}*\n\n", attachment.name.value_or(attachment.mime_type));
      const auto text = conversation_.texts.find(attachment.attachment_id);
      if (text != conversation_.texts.end()) add_block(out_, text->second);
    }
  }
  void add(const Thinking& thinking) {
    speaks(Speaker::Agent);
    out_ +=
        "<details><summary>Thinking</summary>\n\n" + thinking.content.str() + "\n\n</details>\n\n";
  }
  void add(const ToolCall& tool) {
    speaks(Speaker::Agent);
    // A title may be a path only: what was done with it is in the name.
    const std::string title = tool.title.value_or("");
    const bool says_all = title.empty() || lowered(title).contains(lowered(tool.tool_name));
    out_ += says_all ? fmt::format("**{}**\n\n", title.empty() ? tool.tool_name : title)
                     : fmt::format("**{}** {}\n\n", tool.tool_name, title);
    if (!tool.tool_arguments.empty()) add_block(out_, tool.tool_arguments.str());
    if (tool.tool_output) add_block(out_, tool.tool_output->view());
  }
  void add(const Approval& approval) {
    speaks(Speaker::Agent);
    out_ += fmt::format("**{}** {}\n\n", approval.title, outcome(approval));
  }
  void add(const Plan& plan) {
    speaks(Speaker::Agent);
    for (const PlanEntry& entry : plan.entries) {
      out_ += fmt::format("- [{}] {}\n", entry.status == PlanStatus::Completed ? "x" : " ",
                          entry.content);
    }
    out_ += "\n";
  }

  const Conversation& conversation_;
  std::unordered_map<TurnId, std::size_t> order_;
  std::unordered_set<TurnId> said_;  // In which there is anything.
  std::size_t ended_ = 0;
  Speaker speaker_ = Speaker::Nobody;
  std::string out_;
};

}  // namespace

std::string to_markdown(const Conversation& conversation) {
  std::string out = Writer(conversation).write();
  if (conversation.comments.empty()) return out;
  out += "## Comments\n\n";
  for (const Comment& comment : conversation.comments) {
    const std::string line = comment.line > 0 ? fmt::format(":{}", comment.line) : "";
    out += fmt::format("**{}{}** ({})\n\n", comment.path.value_or("Plan"), line,
                       wire_name(comment.state));
    if (!comment.quote.empty()) add_block(out, comment.quote);
    out += comment.body + "\n\n";
  }
  return out;
}

}  // namespace lb
