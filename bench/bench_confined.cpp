// What confinement costs: the start of an agent until its first line, and how fast its lines are
// read, confined and not by turns in one run.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <vector>

#include "process/guarded_process.h"
#include "process/guardian.h"
#include "tests/support/temp_dir.h"

namespace lb {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kStarts = 60;
constexpr int kFloods = 5;
constexpr int kLines = 300'000;
constexpr double kAddedMsMax = 15;
constexpr double kRateMin = 0.85;

struct Bench {
  asio::io_context io;
  GuardedLauncher launcher{io.get_executor()};
  test::TempDir home;

  Bench() {
    // As many walls as a desktop has.
    for (const char* folder :
         {".local/share/liminal-builder", ".mozilla/firefox", ".config/google-chrome",
          ".config/chromium", ".config/BraveSoftware", ".config/liminal-builder", ".docker/run",
          "run/systemd", "run/podman", "run/dbus-1", "run/at-spi"}) {
      fs::create_directories(home.file(folder));
    }
    launcher.build_walls([this] {
      return walls_for(
          {.data_dir = home.file(".local/share/liminal-builder"), .config_file = {}, .program = {}},
          environment());
    });
  }
  [[nodiscard]] Environment environment() const {
    return child_environment({{"HOME", home.path()}, {"XDG_RUNTIME_DIR", home.file("run")}}, {});
  }

  /// Milliseconds until the first line, and until the last.
  std::pair<double, double> run(std::vector<std::string> argv, bool confined) {
    const auto begun = Clock::now();
    const auto ms = [&] {
      return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
    };
    auto agent = launcher.launch(
        {.argv = std::move(argv), .cwd = home.path(), .env = environment(), .confined = confined});
    if (!agent) {
      std::cerr << agent.error().message << '\n';
      std::exit(1);
    }
    double first = 0;
    double last = 0;
    const auto read = [&](std::shared_ptr<AgentProcess> process) -> asio::awaitable<void> {
      while (co_await process->next_line()) {
        if (first == 0) first = ms();
      }
      last = ms();
      const ExitStatus status = co_await process->exited();
      if (status.code == 0) co_return;
      std::cerr << status.text() << ": " << process->stderr_tail() << '\n';
      std::exit(1);
    };
    asio::co_spawn(io, read(*agent), asio::detached);
    io.restart();
    io.run();
    return {first, last};
  }
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

bool starts(Bench& bench) {
  std::vector<double> free;
  std::vector<double> confined;
  for (int i = 0; i < kStarts; ++i) {
    free.push_back(bench.run({"echo", "ready"}, false).first);
    confined.push_back(bench.run({"echo", "ready"}, true).first);
  }
  const double added = median(confined) - median(free);
  fmt::print(R"({{"bench":"confined_start","rounds":{},"free_ms_p50":{:.2f},)"
             R"("confined_ms_p50":{:.2f},"added_ms_p50":{:.2f},"target_max":{}}})"
             "\n",
             kStarts, median(free), median(confined), added, kAddedMsMax);
  return added <= kAddedMsMax;
}

bool floods(Bench& bench) {
  const std::vector<std::string> argv = {"seq", "1", std::to_string(kLines)};
  const auto rate = [&](bool confined) {
    const auto [first, last] = bench.run(argv, confined);
    return kLines / (last - first) * 1000;
  };
  std::vector<double> free;
  std::vector<double> confined;
  for (int i = 0; i < kFloods; ++i) {
    free.push_back(rate(false));
    confined.push_back(rate(true));
  }
  const double ratio = median(confined) / median(free);
  fmt::print(R"({{"bench":"confined_lines","lines":{},"free_per_s_p50":{:.0f},)"
             R"("confined_per_s_p50":{:.0f},"ratio":{:.3f},"target_min":{}}})"
             "\n",
             kLines, median(free), median(confined), ratio, kRateMin);
  return ratio >= kRateMin;
}

}  // namespace
}  // namespace lb

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == lb::kGuardianCommand) return lb::run_guardian(argc, argv);
  lb::Bench bench;
  const bool quick = lb::starts(bench);
  const bool fast = lb::floods(bench);
  return quick && fast ? 0 : 1;
}
