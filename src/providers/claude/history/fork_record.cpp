#include "providers/claude/history/fork_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/fd.h"
#include "providers/claude/history/history_index.h"
#include "providers/claude/protocol.h"

namespace lb::claude {

namespace fs = std::filesystem;

namespace {

using Lines = std::vector<IndexedLine>;

std::optional<json::object> object_of(const std::string& text) {
  auto value = parse_json(text);
  if (!value || !value->is_object()) return std::nullopt;
  return std::move(value->get_object());
}

Lines lines_of(std::ifstream& file) {
  HistoryIndex index;
  std::string text;
  std::uint64_t offset = 0;
  while (std::getline(file, text)) {
    if (const auto record = object_of(text)) index.add(*record, offset, text.size());
    offset += text.size() + 1;
  }
  file.clear();
  return std::move(index).included();
}

/// Where a turn begins.
Result<std::size_t> begin_of(const Lines& lines, const ForkPoint& before) {
  const auto found = std::ranges::find(lines, before.turn, turn_of);
  if (!before.last_kept) return 0;
  const std::size_t begin = found != lines.end()
                                ? static_cast<std::size_t>(found - lines.begin())
                                : first_after(lines, *before.last_kept, before.last_kept_at);
  const auto known = [&](const TurnId& turn) {
    return std::ranges::find(lines, turn, turn_of) != lines.end();
  };
  if (found == lines.end() && !before.last_kept_at && !known(*before.last_kept)) {
    return fail(ErrorCode::NotSupported, "Claude Code's record does not have this turn.");
  }
  // A record that begins with this turn has what was before elsewhere, unless a prompt is the first
  // thing that the model heard.
  const bool prompt = found != lines.end() && found->kind == LineKind::Prompt;
  const auto earlier = lines.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto begins = [](const IndexedLine& line) { return begins_turn(line.kind); };
  if (!prompt && std::none_of(lines.begin(), earlier, begins)) {
    return fail(ErrorCode::NotSupported,
                "Claude Code's record of this conversation begins after this turn (/clear began a "
                "new one): it cannot go back there.");
  }
  return begin;
}

/// What was written ahead of a turn's first line and belongs to it: notes for the model that a
/// command follows, and the compaction itself before /compact.
std::size_t with_preface(const Lines& lines, std::size_t begin) {
  const auto other = [&](std::size_t at) { return lines[at].kind == LineKind::Other; };
  std::size_t at = begin;
  while (at > 0 && other(at - 1)) --at;
  const bool command = begin < lines.size() && lines[begin].kind == LineKind::Command;
  if (command && at > 0 && lines[at - 1].kind == LineKind::Boundary) return at - 1;
  at = begin;
  while (at > 0 && other(at - 1) && !lines[at - 1].attachment) --at;
  return at;
}

bool says_something(LineKind kind) {
  return kind == LineKind::Prompt || kind == LineKind::Assistant || kind == LineKind::Boundary ||
         kind == LineKind::TaskNote;
}

/// The lines as they are in the file, in the name of the copy.
Result<std::string> renamed(std::ifstream& file, const Lines& lines, const RecordCopy& copy) {
  std::string all;
  std::string text;
  for (const IndexedLine& line : lines) {
    text.resize(line.length);
    file.seekg(static_cast<std::streamoff>(line.offset));
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    auto record = file ? object_of(text) : std::nullopt;
    if (!record)
      return fail(ErrorCode::Internal, "Claude Code's record changed while it was read.");
    (*record)["sessionId"] = copy.session;
    if (record->contains("cwd")) (*record)["cwd"] = copy.directory;
    all += json::serialize(*record);
    all += '\n';
  }
  return all;
}

Result<void> write_new(const fs::path& path, std::string_view text) {
  std::error_code ignored;  // Opening tells.
  fs::create_directories(path.parent_path(), ignored);
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  while (file.valid() && !text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file.valid() && text.empty()) return {};
  const int why = errno;
  if (file.valid()) fs::remove(path, ignored);
  return fail(ErrorCode::SessionCreateFailed,
              fmt::format("{} could not be written: {}.", path.string(),
                          std::generic_category().message(why)));
}

}  // namespace

Result<bool> copy_record(const RecordCopy& copy) {
  std::ifstream file(copy.from, std::ios::binary);
  if (!file) return fail(ErrorCode::SessionNotFound, "Claude Code has no record of this session.");
  Lines lines = lines_of(file);
  if (copy.before) {
    const auto begin = begin_of(lines, *copy.before);
    if (!begin) return std::unexpected(begin.error());
    lines.resize(with_preface(lines, *begin));
  }
  if (!std::ranges::any_of(lines, says_something, &IndexedLine::kind)) return false;
  auto text = renamed(file, lines, copy);
  if (!text) return std::unexpected(std::move(text.error()));
  if (auto written = write_new(copy.to, *text); !written) {
    return std::unexpected(std::move(written.error()));
  }
  return true;
}

}  // namespace lb::claude
