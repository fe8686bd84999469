/// TerminalReader: one window on a terminal, as docs/wire.md has it.
///
/// Asked for the next frame whenever its socket is free; it keeps none. It is sent at most
/// limits::kTerminalUnackedMax beyond what it has drawn; while it looks the shell waits for it, for
/// limits::kTerminalAckMax. Lives on the io thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/terminals/live_terminal.h"

namespace lb {

/// Text: a message of the server in JSON. Else bytes of the shell, `lead` first.
struct TerminalFrame {
  std::string text;
  std::string lead;
  std::vector<Scrollback::Piece> bytes;
};

class TerminalReader {
 public:
  /// `since`: the offset behind what this window has from an earlier connection.
  TerminalReader(std::shared_ptr<LiveTerminal> terminal, std::optional<std::uint64_t> since);
  TerminalReader(const TerminalReader&) = delete;
  TerminalReader& operator=(const TerminalReader&) = delete;
  ~TerminalReader();

  /// Called when `next` may have something.
  void on_ready(std::function<void()> callback) { ready_ = std::move(callback); }
  /// What is to be sent next; nothing until on_ready.
  std::optional<TerminalFrame> next();
  /// The terminal is closed, and this reader was told.
  [[nodiscard]] bool over() const { return told_end_ && terminal_->closed(); }

  void acked(std::uint64_t offset);
  void look(bool looking);
  Result<void> type(std::string_view bytes) { return terminal_->type(bytes); }
  Result<void> resize(std::uint64_t cols, std::uint64_t rows) {
    return terminal_->resize(cols, rows);
  }

  // For the terminal.
  /// How long the shell waits for this reader; nothing when it need not.
  [[nodiscard]] std::optional<LiveTerminal::Clock::time_point> holds_until() const;
  /// Takes it out of those who look when it has not drawn for too long.
  void look_at_clock();
  void tell();
  void resized();

 private:
  TerminalFrame start();
  [[nodiscard]] std::string size_fields() const;
  [[nodiscard]] std::uint64_t sendable() const;
  [[nodiscard]] bool looks() const { return looking_ && !lagging_; }

  std::shared_ptr<LiveTerminal> terminal_;
  std::function<void()> ready_;
  std::optional<std::uint64_t> since_;
  bool started_ = false;
  std::string modes_;           // Sent before the first bytes.
  std::uint64_t position_ = 0;  // Of the next byte to send.
  std::uint64_t drawn_ = 0;
  LiveTerminal::Clock::time_point drawn_at_;  // Or when there last was nothing to draw.
  bool looking_ = true;
  bool lagging_ = false;
  bool size_changed_ = false;
  bool told_end_ = false;
};

}  // namespace lb
