/// What the user is asked, in words: the command that runs, and what the agent says about it.
#pragma once

#include <string>

#include "base/json.h"

namespace lb::acp {

/// The command line in a tool's raw input: what really runs, without the shell around it. Words
/// that a shell would take apart are quoted.
std::string command_of(const json::object& raw_input);

/// The text of a question without what the question says already. Codex names in it the answers
/// that it offers and the rule that one of them adds; the options say both, and as a person reads
/// them.
std::string without_choices(std::string text, const json::object& raw_input);

}  // namespace lb::acp
