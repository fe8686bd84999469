/// Rows of the table (table.cpp) about what stands beside a conversation.
#pragma once

#include <vector>

#include "commands/command.h"

namespace lb {

std::vector<ClientCommand> looking_at_changes();
std::vector<ClientCommand> commenting();
std::vector<ClientCommand> terminals_and_ports();

}  // namespace lb
