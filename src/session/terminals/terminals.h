/// Terminals: the shells of all sessions, in memory only.
///
/// Owned by the SessionService; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "session/terminals/live_terminal.h"
#include "session/terminals/terminal_reader.h"

namespace lb {

class Terminals {
 public:
  struct Deps {
    asio::any_io_executor io;
    const Clock& clock;
    Launcher* launcher = nullptr;  // Null: there are no terminals.
    bool allowed = true;           // `terminal` of the configuration.
  };
  /// What everyone is told; called on the io thread.
  struct Events {
    std::function<void(const Terminal&)> changed;
    std::function<void(const TerminalRemovedMessage&)> removed;
  };
  Terminals(Deps deps, Events events);
  ~Terminals();

  /// Why there are none; nothing when there are.
  [[nodiscard]] std::optional<std::string> problem() const;
  /// Oldest first.
  [[nodiscard]] std::vector<Terminal> list(const std::optional<SessionId>& session) const;

  /// Where a shell is started.
  struct Place {
    SessionId session;
    std::string folder;
    Environment env = {};  // Put over ours.
    bool confined = false;
  };
  Result<Terminal> create(const Place& place, const TerminalCreateRequest& request);
  Result<Terminal> rename(const TerminalRenameRequest& request);
  /// Ends the shell and waits for that.
  asio::awaitable<Result<Terminal>> close(TerminalId terminal);
  asio::awaitable<std::vector<Terminal>> close_all_of(SessionId session);
  /// A window on one.
  Result<std::unique_ptr<TerminalReader>> open(const TerminalSocketRequest& request);
  /// The server stops: ends all shells and waits for that. Nobody is told.
  asio::awaitable<void> stop();

 private:
  using Ptr = std::shared_ptr<LiveTerminal>;
  [[nodiscard]] Result<Ptr> find(const TerminalId& terminal) const;
  Result<void> room_for(const SessionId& session) const;
  [[nodiscard]] std::string free_name(const SessionId& session) const;
  void changed(const Terminal& terminal);
  void forget_oldest_ended();
  std::vector<Ptr> abandon_all();
  void count() const;

  Deps deps_;
  Events events_;
  std::vector<Ptr> all_;  // Oldest first.
};

/// The user's own: $SHELL, else the one of the system's list of users, else /bin/sh.
std::string shell_of_the_user();

}  // namespace lb
