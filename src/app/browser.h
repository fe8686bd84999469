/// Opening the user's browser: with a file that only the user can read, never with the address.
///
/// The arguments of a program can be read by everybody on the machine, and the address has a code
/// in it that logs in. The browser is told a file that leads there.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace lb {

/// True where `xdg-open` can be run and has a screen.
bool has_browser();

/// Opens a file in the browser; never fails, never waits. For a program that ends right after.
void open_in_browser(const std::string& file);

/// The same for the server, which ends every process below it that it does not know. So the browser
/// is started by a process that is not below it: made before the server takes in orphans, and given
/// away to the first process of the machine (or of the login).
class BrowserHelper {
 public:
  /// Call it before there is a second thread. Does nothing where there is no browser.
  static BrowserHelper start();

  [[nodiscard]] bool ready() const { return orders_.valid(); }
  /// Once; the helper is gone then.
  void open(const std::string& file);

 private:
  Fd orders_;
};

/// The files that lead a browser to a launch address, in the data directory: each goes when its
/// code is used, when the code is too old, and with us. Lives on the io thread.
class LaunchFiles {
 public:
  LaunchFiles(boost::asio::any_io_executor io, std::string directory);
  ~LaunchFiles();
  LaunchFiles(const LaunchFiles&) = delete;
  LaunchFiles& operator=(const LaunchFiles&) = delete;

  /// The path of a file for this code; empty when it cannot be written.
  std::string make(const std::string& url, std::string_view code);
  void remove(std::string_view code);

 private:
  struct File {
    std::string path;
    std::unique_ptr<boost::asio::steady_timer> end;
  };
  void forget(const std::string& key);

  boost::asio::any_io_executor io_;
  std::string directory_;
  std::map<std::string, File> files_;  // By the hash of the code.
};

}  // namespace lb
