/// Radar: what every session has changed, and which of them change the same files.
///
/// Compares sessions of one repository, in whatever folder each works. It looks when a turn ends
/// and now and then while one runs, at most a twentieth of the time. A session in a workspace has
/// changed what differs from the base of that; one in the project's own folder what its turns
/// touched and nobody has committed. Owned by the SessionService; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/id.h"
#include "model/workspace.h"
#include "session/workspaces/folders.h"

namespace lb {

namespace asio = boost::asio;

class Radar {
 public:
  Radar(asio::any_io_executor io, Folders& folders, asio::thread_pool& pool)
      : io_(std::move(io)), folders_(folders), pool_(pool) {}

  /// Called whenever what is known of a session is another.
  void on_change(
      std::function<void(const SessionId&, std::optional<ChangeCount>, std::vector<SessionId>)>
          told) {
    told_ = std::move(told);
  }

  /// Where a session works.
  struct Place {
    std::string folder;
    std::string base;  // A tree; empty: the project's folder, compared with its HEAD.
  };
  /// A turn went from one tree to the other.
  asio::awaitable<void> turn_ended(SessionId session, Place place, std::string before,
                                   std::string after);
  /// Looks at the files of a session as they are now.
  asio::awaitable<void> look(SessionId session, Place place);
  void forget(const SessionId& session);

  [[nodiscard]] std::vector<Overlap> overlaps(const SessionId& session) const;

 private:
  struct Seen {
    std::string repository;  // Equal: the same one.
    std::string folder;
    bool own = false;  // Whatever changes there is theirs: a worktree.
    std::string base;
    std::string now;
    std::set<std::string> paths;
    ChangeCount count;
    std::map<SessionId, Overlap> overlaps;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  asio::awaitable<void> take(SessionId session, Place place, std::string now);
  asio::awaitable<void> compare(SessionId session);
  asio::awaitable<bool> merges(SessionId a, SessionId b);
  void tell(const SessionId& session);

  asio::any_io_executor io_;
  Folders& folders_;
  asio::thread_pool& pool_;
  std::function<void(const SessionId&, std::optional<ChangeCount>, std::vector<SessionId>)> told_;
  std::map<SessionId, Seen> seen_;
  std::map<SessionId, std::set<std::string>> touched_;  // By turns in a folder that is shared.
  std::shared_ptr<bool> living_ = std::make_shared<bool>(true);
};

}  // namespace lb
