/// How the demo agent is told to behave, from its command line.
#pragma once

#include <set>
#include <string>

namespace lb::demo {

struct Options {
  double pace = 1;        // Multiplies every pause; 0 plays without any.
  std::string state_dir;  // Where sessions are kept; empty: in memory only.

  // Faults of the handshake and of the process, for tests.
  std::set<std::string> fail;   // Methods answered with an error.
  std::set<std::string> hang;   // Methods never answered.
  std::set<std::string> crash;  // Methods that kill the agent.
  bool need_auth = false;       // session/new fails until `authenticate` was called.
  bool no_load = false;         // Offers neither session/load nor session/resume.
  bool banner = false;          // Chatter on stdout before the protocol begins.
  bool ignore_eof = false;
  bool ignore_term = false;
};

}  // namespace lb::demo
