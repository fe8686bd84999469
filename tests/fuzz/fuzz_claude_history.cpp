// Any file through the Claude history reader: never a crash, every turn that begins ends, and
// reading in small pieces tells the same as reading at once.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "providers/claude/history/history_reader.h"

namespace {

using namespace lb;
namespace fs = std::filesystem;

std::size_t read(const fs::path& file, std::size_t piece) {
  claude::HistoryOptions options;
  options.session = SessionId("s");
  claude::HistoryReader reader(file, options);
  if (!reader.open()) std::abort();
  std::vector<claude::Output> outputs;
  while (reader.next(piece, outputs)) {
  }
  std::map<std::string, bool> turns;
  for (const claude::Output& output : outputs) {
    const auto* turn = std::get_if<Turn>(&output);
    if (turn != nullptr) turns[turn->turn_id.str()] = is_final(*turn);
  }
  for (const auto& [id, ended] : turns) {
    if (!ended) std::abort();
  }
  return outputs.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fs::path file =
      fs::temp_directory_path() / ("lb-fuzz-history-" + std::to_string(::getpid()) + ".jsonl");
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const std::size_t whole = read(file, SIZE_MAX);
  if (read(file, 1) != whole) std::abort();
  return 0;
}
