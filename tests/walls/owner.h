/// The owner of agents, as an ordinary user with a home that has everything worth stealing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lb::test {

/// Whether this system can confine at all, in words; empty: it can.
std::string why_not_confined();

/// Lets an attacker loose in a fresh home, as a user who is not root, and returns what it said.
std::vector<std::string> attack(bool confined);

/// The owner's part: `HOME confined|free`.
int run_owner(const std::vector<std::string>& arguments);

/// Kills the owner of a confined agent, who is not root, and its guardian at the same moment.
/// Milliseconds until nothing of it is left; -1: something survived.
std::int64_t confined_kill_round();
/// The part of that owner: `MARK`.
int run_kill_owner(const std::string& mark);

}  // namespace lb::test
