// From an agent's write to our timeline: real demo agents through pipe, lines, JSON-RPC,
// translator and timeline, next to the bare cost of reading the same lines; and what a flooding
// agent does to the latency of another. LIMINAL_BUILDER_BIN names the program.

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "process/guarded_process.h"
#include "process/json_rpc_peer.h"
#include "providers/acp/translator.h"
#include "timeline/timeline.h"

namespace {

using namespace lb;
using Clock = std::chrono::steady_clock;

std::string program() {
  const char* path = std::getenv("LIMINAL_BUILDER_BIN");
  return path != nullptr ? path : "build/release/liminal-builder";
}

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

LaunchOptions demo_options() {
  LaunchOptions options;
  options.argv = {program(), "demo-agent", "--pace", "0", "--state-dir", ""};
  options.cwd = "/";
  options.env = child_environment({}, {});
  return options;
}

std::shared_ptr<AgentProcess> launch(asio::io_context& io) {
  GuardedLauncher launcher(io.get_executor(), program());
  auto process = launcher.launch(demo_options());
  if (!process) {
    fmt::print(stderr, "{}\n", process.error().message);
    std::exit(1);
  }
  return *process;
}

json::object prompt(std::string_view session, std::string_view text) {
  return {{"sessionId", session},
          {"prompt", json::array{json::object{{"type", "text"}, {"text", text}}}}};
}

/// One agent with one session, and everything of ours between its pipe and a reader's cursor.
class Path {
 public:
  explicit Path(asio::io_context& io)
      : translator_(SessionId("session"), "demo"), timeline_(SessionId("session"), {}) {
    RpcHandlers handlers;
    handlers.notification = [this](std::string_view, const json::value& params) { take(params); };
    peer_ = std::make_unique<JsonRpcPeer>(io.get_executor(), launch(io), std::move(handlers));
  }

  asio::awaitable<void> open() {
    co_await peer_->call("initialize", json::object{{"protocolVersion", 1}}, std::nullopt);
    const json::object params = {{"cwd", "/"}, {"mcpServers", json::array()}};
    const auto session = co_await peer_->call("session/new", params, std::nullopt);
    session_ = string_at(session->as_object(), "sessionId");
  }

  /// Plays one load; latencies of its chunks are in `latencies` afterwards.
  asio::awaitable<void> play(std::string load) {
    latencies.clear();
    publish(translator_.start_turn(TurnId(fmt::format("turn-{}", ++turns_)), now_));
    const auto reply = co_await peer_->call("session/prompt", prompt(session_, load), std::nullopt);
    if (reply) publish(translator_.end_turn(reply->as_object(), now_));
  }
  void cancel() { (void)peer_->notify("session/cancel", json::object{{"sessionId", session_}}); }

  std::vector<std::int64_t> latencies;  // Nanoseconds from the agent's write to publish.

 private:
  void take(const json::value& params) {
    const json::object* update = object_at(params.as_object(), "update");
    if (update == nullptr) return;
    publish(translator_.update(*update, now_));
    const json::object* content = object_at(*update, "content");
    const std::string_view text = content != nullptr ? string_at(*content, "text") : "";
    if (!text.starts_with('@')) return;
    std::int64_t stamp = 0;
    std::from_chars(text.data() + 1, text.data() + text.size(), stamp);
    latencies.push_back(monotonic_ns() - stamp);
  }
  void publish(acp::Outputs outputs) {
    for (acp::Output& output : outputs) {
      if (auto* upsert = std::get_if<Upsert>(&output)) (void)timeline_.put(std::move(*upsert));
      if (auto* turn = std::get_if<Turn>(&output)) (void)timeline_.put(std::move(*turn));
    }
    timeline_.durable_up_to(timeline_.head());
    cursor_ = timeline_.changes_since(cursor_, ReadForm::Appends).rev;
  }

  acp::Translator translator_;
  Timeline timeline_;
  Revision cursor_ = 0;
  Timestamp now_{1'700'000'000'000};
  std::unique_ptr<JsonRpcPeer> peer_;
  std::string session_;
  std::size_t turns_ = 0;
};

void run(asio::io_context& io, asio::awaitable<void> work) {
  bool done = false;
  asio::co_spawn(io, std::move(work), [&](const std::exception_ptr&) { done = true; });
  while (!done) {
    io.restart();
    io.run_one();
  }
}

/// The same lines, only read.
asio::awaitable<void> read_bare(std::shared_ptr<AgentProcess> process, std::string load,
                                double& seconds) {
  (void)process->write_line(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
  (void)process->write_line(
      R"({"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}})");
  std::string session;
  while (session.empty()) {
    const auto line = co_await process->next_line();
    const auto value = parse_json(line->text);
    if (const auto* result = object_at(value->as_object(), "result")) {
      session = string_at(*result, "sessionId");
    }
  }
  std::string request = R"({"jsonrpc":"2.0","id":3,"method":"session/prompt","params":)";
  append_json(request, prompt(session, load));
  (void)process->write_line(request + "}");
  const auto begin = Clock::now();
  for (;;) {
    const auto line = co_await process->next_line();
    if (!line || line->text.find("\"stopReason\"") != std::string::npos) break;
  }
  seconds = std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t percentile(std::vector<std::int64_t> values, std::size_t percent) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

void bench_throughput() {
  constexpr std::size_t kChunks = 100'000;
  const std::string load = fmt::format("/load chunks={} bytes=40 every_us=0", kChunks);
  double bare = 1e18;
  double whole = 1e18;
  for (int round = 0; round < 5; ++round) {  // Interleaved, so that both see the same machine.
    {
      asio::io_context io;
      double seconds = 0;
      run(io, read_bare(launch(io), load, seconds));
      bare = std::min(bare, seconds);
    }
    asio::io_context io;
    Path path(io);
    run(io, path.open());
    const auto begin = Clock::now();
    run(io, path.play(load));
    whole = std::min(whole, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  fmt::print(
      R"({{"bench":"agent_path","chunks":{},"chunks_per_s":{:.0f},"bare_lines_per_s":{:.0f},"ratio":{:.2f}}})"
      "\n",
      kChunks, kChunks / whole, kChunks / bare, whole / bare);
}

void bench_latency() {
  asio::io_context io;
  Path path(io);
  run(io, path.open());
  run(io, path.play("/load chunks=3000 bytes=40 every_us=1000"));
  fmt::print(R"({{"bench":"agent_latency","every_us":1000,"p50_us":{:.0f},"p99_us":{:.0f}}})"
             "\n",
             static_cast<double>(percentile(path.latencies, 50)) / 1e3,
             static_cast<double>(percentile(path.latencies, 99)) / 1e3);
}

/// p99 of a steady agent, alone and beside one that writes as fast as it can.
void bench_isolation() {
  std::vector<std::int64_t> alone;
  std::vector<std::int64_t> beside;
  for (int round = 0; round < 5; ++round) {
    asio::io_context io;
    Path steady(io);
    run(io, steady.open());
    run(io, steady.play("/load chunks=1500 bytes=40 every_us=1000"));
    alone.push_back(percentile(steady.latencies, 99));
    Path flooding(io);
    run(io, flooding.open());
    bool flooded = false;
    asio::co_spawn(io, flooding.play("/load chunks=100000000 bytes=200 every_us=0"),
                   [&](const std::exception_ptr&) { flooded = true; });
    run(io, steady.play("/load chunks=1500 bytes=40 every_us=1000"));
    beside.push_back(percentile(steady.latencies, 99));
    flooding.cancel();
    while (!flooded) {
      io.restart();
      io.run_one();
    }
  }
  const double without = static_cast<double>(percentile(alone, 50)) / 1e3;
  const double with = static_cast<double>(percentile(beside, 50)) / 1e3;
  fmt::print(
      R"({{"bench":"agent_isolation","p99_alone_us":{:.0f},"p99_beside_flood_us":{:.0f},"ratio":{:.2f},"target":"ratio <= 1.5 or +1000 us"}})"
      "\n",
      without, with, with / without);
}

}  // namespace

int main() {
  bench_throughput();
  bench_latency();
  bench_isolation();
  return 0;
}
