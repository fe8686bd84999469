#include "store/sqlite/growth_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace lb {
namespace {

// A record: length and checksum of what follows; session, item (each with its length), revision,
// position, text. Numbers in the machine's order: the file never leaves it.
template <class T>
void add_number(std::string& out, T number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

template <class T>
bool take_number(std::string_view& in, T& number) {
  if (in.size() < sizeof number) return false;
  std::memcpy(&number, in.data(), sizeof number);
  in.remove_prefix(sizeof number);
  return true;
}

bool take_text(std::string_view& in, std::string& text) {
  std::uint16_t size = 0;
  if (!take_number(in, size) || in.size() < size) return false;
  text.assign(in.substr(0, size));
  in.remove_prefix(size);
  return true;
}

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

void add_record(std::string& out, std::string_view session, const GrowthPut& put) {
  std::string body;
  body.reserve(64 + session.size() + put.item_id.size() + put.text.size());
  add_number(body, static_cast<std::uint16_t>(session.size()));
  body += session;
  add_number(body, static_cast<std::uint16_t>(put.item_id.size()));
  body += put.item_id;
  add_number(body, std::uint64_t{put.rev});
  add_number(body, std::uint64_t{put.from});
  body += put.text;
  add_number(out, static_cast<std::uint32_t>(body.size()));
  add_number(out, checksum(body));
  out += body;
}

bool take_record(std::string_view& in, GrowthPiece& piece) {
  std::uint32_t size = 0;
  std::uint32_t crc = 0;
  if (!take_number(in, size) || !take_number(in, crc) || in.size() < size) return false;
  std::string_view body = in.substr(0, size);
  if (checksum(body) != crc) return false;
  in.remove_prefix(size);
  std::uint64_t rev = 0;
  std::uint64_t from = 0;
  if (!take_text(body, piece.session) || !take_text(body, piece.put.item_id) ||
      !take_number(body, rev) || !take_number(body, from)) {
    return false;
  }
  piece.put.rev = rev;
  piece.put.from = from;
  piece.put.text.assign(body);
  return true;
}

}  // namespace

Result<GrowthLog> GrowthLog::open(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat info{};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return fail(ErrorCode::StoreFull,
                fmt::format("Cannot open {}: {}", path,
                            std::error_code(errno, std::generic_category()).message()));
  }
  GrowthLog log(std::move(file));
  log.size_ = static_cast<std::uint64_t>(info.st_size);
  return log;
}

/// By windows of the file: a whole log in memory would stay there, as pieces of the allocator.
template <class Take>
void GrowthLog::each_piece(Take take) const {
  constexpr std::size_t kWindow = 256U << 10U;
  std::string window;  // What was read and is not taken yet: less than a record, after each round.
  off_t at = 0;
  for (;;) {
    const std::size_t kept = window.size();
    window.resize(kept + kWindow);
    const ssize_t got = ::pread(file_.get(), window.data() + kept, kWindow, at);
    if (got < 0 && errno == EINTR) {
      window.resize(kept);
      continue;
    }
    if (got <= 0) return;
    at += got;
    window.resize(kept + static_cast<std::size_t>(got));
    std::string_view rest(window);
    std::string_view taken = rest;
    for (GrowthPiece piece; take_record(rest, piece); taken = rest) take(std::move(piece));
    window.erase(0, window.size() - taken.size());
  }
}

std::vector<GrowthPiece> GrowthLog::read_all() {
  std::vector<GrowthPiece> pieces;
  each_piece([&](GrowthPiece piece) {
    live_[{piece.session, piece.put.item_id}] = true;
    pieces.push_back(std::move(piece));
  });
  return pieces;
}

std::vector<GrowthPiece> GrowthLog::read_alive() const {
  std::vector<GrowthPiece> pieces;
  each_piece([&](GrowthPiece piece) {
    if (live_.contains({piece.session, piece.put.item_id})) pieces.push_back(std::move(piece));
  });
  return pieces;
}

int GrowthLog::append(const std::vector<std::pair<std::string_view, const GrowthPut*>>& pieces) {
  std::string bytes;
  for (const auto& [session, put] : pieces) add_record(bytes, session, *put);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t got = ::write(file_.get(), bytes.data() + written, bytes.size() - written);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int why = errno;
      // Half a record would hide everything behind it.
      if (written > 0 && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) return EIO;
      return why;
    }
    written += static_cast<std::size_t>(got);
  }
  size_ += bytes.size();
  unsynced_ = true;
  for (const auto& [session, put] : pieces) live_[{std::string(session), put->item_id}] = true;
  return 0;
}

int GrowthLog::sync() {
  if (!unsynced_) return 0;
  unsynced_ = false;
  return ::fdatasync(file_.get()) == 0 ? 0 : errno;
}

void GrowthLog::void_pieces(const std::string& session, const std::string& item) {
  if (!live_.empty()) live_.erase({session, item});
}

void GrowthLog::void_session(const std::string& session) {
  std::erase_if(live_, [&](const auto& entry) { return entry.first.first == session; });
}

int GrowthLog::tidy() {
  constexpr std::uint64_t kWorthIt = 256U << 10U;  // Truncating each time would cost more.
  return live_.empty() && size_ >= kWorthIt ? clear() : 0;
}

int GrowthLog::clear() {
  if (::ftruncate(file_.get(), 0) != 0) return errno;
  size_ = 0;
  live_.clear();
  return 0;
}

}  // namespace lb
