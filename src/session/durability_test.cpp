// The whole way from an agent to the disk and back, with a server that is killed under load.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/metrics.h"
#include "session/session_test_support.h"
#include "store/sqlite/sqlite_store.h"

namespace lb {
namespace {

using namespace test;

/// A server over a real store.
struct Server {
  explicit Server(const std::string& directory) {
    auto opened = open_sqlite_store(loop.executor(), {directory, ""});
    if (!opened) throw std::runtime_error(opened.error().message);
    store = std::move(*opened);
    auto agent_made = std::make_unique<ScriptedProvider>("claude-code");
    agent = agent_made.get();
    registry.add(std::move(agent_made));
    service =
        std::make_unique<SessionService>(ServiceDeps{loop.executor(), *store, registry, clock});
    if (auto started = loop.run(service->start()); !started) {
      throw std::runtime_error(started.error().message);
    }
  }
  ~Server() {
    service.reset();
    store->close();
  }
  SessionId create(const std::string& directory) {
    SessionCreateRequest request;
    request.cli_type = "claude-code";
    request.project_dir = directory;
    return loop.run(service->create(std::move(request)))->session_id;
  }
  Result<SessionSentMessage> send(const SessionId& session, const std::string& text,
                                  const std::string& key) {
    SessionSendRequest request;
    request.session_id = session;
    request.content = text;
    request.client_message_id = key;
    return loop.run(ask(*service, &Session::send, std::move(request)));
  }

  IoLoop loop;
  SystemClock clock;
  std::unique_ptr<Store> store;
  ProviderRegistry registry;
  ScriptedProvider* agent = nullptr;
  std::unique_ptr<SessionService> service;
};

void say_line(int fd, const std::string& line) {
  const std::string whole = line + "\n";
  if (::write(fd, whole.data(), whole.size()) < 0) ::_exit(3);
}

/// One life of a server: agents answer prompts, a reader reports every final form it was shown, and
/// a client reports each turn id it was given for its key. Ends by being killed.
[[noreturn]] void live(const std::string& directory, const std::string& project, int report,
                       int round) {
  Server server(directory);
  const auto listed = server.service->list(
      {server.loop.run(server.service->add_project(project))->project.project_id, ListScope::All,
       false});
  const SessionId session = listed->empty() ? server.create(project) : listed->front().session_id;
  OpenOptions options;
  options.session_id = session;
  options.appends = round % 2 == 0;
  auto opened = server.loop.run(server.service->open(options));
  if (!opened) ::_exit(4);
  const auto pump = [&] {
    for (const FramePtr& frame : opened->reader->next(1U << 20U)) {
      const std::string payload(frame->payload());
      if (frame->kind == FrameKind::Turn) {
        const auto turn = decode_text<Turn>(payload);
        if (turn && is_final(*turn)) say_line(report, "turn " + payload);
      } else if (frame->kind == FrameKind::Upsert) {
        const auto item = decode_text<Item>(payload);
        if (item && is_final(item->status)) say_line(report, "item " + payload);
      }
    }
  };
  opened->reader->on_ready(pump);
  // What a former life left in the queue is held until somebody resumes it.
  if (!server.loop.run(ask(*server.service, &Session::edit_queue,
                           {session, std::nullopt, std::nullopt, true}))) {
    ::_exit(5);
  }
  for (int n = 0;; ++n) {
    // Each key is tried in this life and again in the next one.
    for (const int key : {round * 1000 + n, (round - 1) * 1000 + n}) {
      const auto sent = server.send(session, "Prompt", "key-" + std::to_string(key));
      if (!sent) continue;
      say_line(report, "key " + std::to_string(key) + " " + sent->turn_id.str());
    }
    // Until nothing runs: what waits in the queue is answered too.
    while (server.service->status(session)->info.activity == Activity::Working) {
      server.loop.until([&] { return !server.agent->sent.empty(); }, std::chrono::milliseconds(20));
      const std::vector<ScriptedProvider::Sent> prompts = std::exchange(server.agent->sent, {});
      for (const auto& [id, prompt] : prompts) {
        say_line(report, "sent " + prompt.turn_id.str());
        Text text;
        for (int i = 0; i < 20; ++i) {
          text.append("word ");
          server.agent->say(session, prompt.turn_id, prompt.turn_id.str() + ":1", text,
                            i == 0 ? ItemStatus::Create : ItemStatus::Update);
          server.loop.settle();
        }
        server.agent->say(session, prompt.turn_id, prompt.turn_id.str() + ":1", text);
        server.agent->tool(session, prompt.turn_id, prompt.turn_id.str() + ":2", "output");
        server.agent->complete(session, prompt.turn_id);
        server.loop.settle();
      }
    }
    pump();
  }
}

TEST_CASE("P1 P10 P11: a server killed under load loses nothing that was shown as complete") {
  const TempDir data;
  const TempDir project;
  std::mt19937 random(3);
  const char* asked = std::getenv("LB_KILLS");
  const int rounds = asked != nullptr ? std::atoi(asked) : 15;
  std::map<std::string, std::string> finals;  // "kind id" → the form that was shown.
  std::map<std::string, std::set<std::string>> turns_of_key;
  std::map<std::string, int> deliveries;
  std::string heard;
  for (int round = 1; round <= rounds; ++round) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      live(data.path(), project.path(), ends[1], round);
    }
    ::close(ends[1]);
    char buffer[65536];
    const ssize_t first = ::read(ends[0], buffer, sizeof buffer);
    REQUIRE(first > 0);
    heard.append(buffer, static_cast<std::size_t>(first));
    // It has begun to work. The clock runs beside the reader: the child must not wait for us.
    std::thread killer([child, wait = random() % 60'000] {
      std::this_thread::sleep_for(std::chrono::microseconds(wait));
      ::kill(child, SIGKILL);
    });
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
      heard.append(buffer, static_cast<std::size_t>(got));
    }
    killer.join();
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));  // It ended because it was killed, not by itself.
    heard.resize(heard.rfind('\n') == std::string::npos ? 0 : heard.rfind('\n') + 1);
  }
  std::istringstream lines(heard);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    const std::string what = line.substr(0, space);
    const std::string rest = line.substr(space + 1);
    if (what == "item") finals["item " + decode_text<Item>(rest)->item_id.str()] = rest;
    if (what == "turn") finals["turn " + decode_text<Turn>(rest)->turn_id.str()] = rest;
    if (what == "sent") ++deliveries[rest];
    if (what == "key") {
      const std::size_t cut = rest.find(' ');
      turns_of_key[rest.substr(0, cut)].insert(rest.substr(cut + 1));
    }
  }

  Server server(data.path());
  const ProjectId id =
      server.loop.run(server.service->add_project(project.path()))->project.project_id;
  const auto listed = server.service->list({id, ListScope::All, false});
  REQUIRE(listed->size() == 1);
  const auto history = server.loop.run(server.service->timeline(listed->at(0).session_id, 0));
  std::map<std::string, std::string> there;
  for (const FramePtr& frame : history->items) {
    const auto item = decode_text<Item>(frame->payload());
    CHECK(is_final(item->status));
    there["item " + item->item_id.str()] = frame->payload();
  }
  std::size_t open_turns = 0;
  for (const FramePtr& frame : history->turns) {
    const auto turn = decode_text<Turn>(frame->payload());
    if (!is_final(*turn) && turn->type != TurnType::Queued) ++open_turns;
    CHECK(there.emplace("turn " + turn->turn_id.str(), frame->payload()).second);
  }
  std::size_t lost = 0;
  for (const auto& [key, form] : finals) lost += there[key] == form ? 0 : 1;
  std::size_t twice = 0;
  for (const auto& [key, turns] : turns_of_key) twice += turns.size() - 1;
  for (const auto& [turn, count] : deliveries) twice += static_cast<std::size_t>(count - 1);
  MESSAGE("kills " << rounds << ", shown as complete " << finals.size() << ", lost " << lost
                   << ", keys " << turns_of_key.size() << ", sent twice " << twice);
  CHECK(lost == 0);
  CHECK(twice == 0);
  CHECK(open_turns == 0);
  CHECK(!finals.empty());
}

std::uint64_t written_so_far() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t value = 0;
  while (io >> name >> value) {
    if (name == "wchar:") return value;
  }
  return 0;
}

TEST_CASE("streaming costs at most five bytes on disk per byte of text") {
  const TempDir data;
  const TempDir project;
  const std::uint64_t before = written_so_far();
  std::size_t text_bytes = 0;
  {
    Server server(data.path());
    const SessionId session = server.create(project.path());
    std::mt19937 random(5);
    std::vector<std::string> vocabulary(2000);  // As many as a long answer really uses.
    for (std::string& word : vocabulary) {
      word.resize(2 + random() % 8);
      for (char& c : word) c = static_cast<char>('a' + random() % 26);
    }
    for (int round = 0; round < 5; ++round) {
      const auto sent = server.send(session, "Go on", "k" + std::to_string(round));
      Text text;
      for (int chunk = 0; chunk < 3000; ++chunk) {
        std::string word = vocabulary[random() % vocabulary.size()];
        for (std::size_t more = random() % 12; more > 0; --more) {
          word += ' ' + vocabulary[random() % vocabulary.size()];
        }
        word += ' ';
        text.append(word);
        server.agent->say(session, sent->turn_id, "i" + std::to_string(round), text,
                          chunk == 0 ? ItemStatus::Create : ItemStatus::Update);
        if (chunk % 10 == 0) server.loop.settle();
      }
      text_bytes += text.size();
      server.agent->say(session, sent->turn_id, "i" + std::to_string(round), text);
      server.agent->complete(session, sent->turn_id);
      REQUIRE(server.loop.until(
          [&] { return server.service->status(session)->info.activity == Activity::Idle; }));
    }
    // Until the search has it all, and then the checkpoint of the end: nothing is left to write.
    REQUIRE(server.loop.until(
        [&] { return server.loop.run(server.service->search({"go", {}, {}, 50}))->size() >= 5; }));
  }
  const std::uint64_t written = written_so_far() - before;
  const double ratio = static_cast<double>(written) / static_cast<double>(text_bytes);
  MESSAGE("text " << text_bytes << " bytes, written " << written << ", ratio " << ratio);
  CHECK(ratio <= 5.0);
}

TEST_CASE("sessions that grow side by side go to the disk together") {
  const TempDir data;
  const TempDir project;
  Server server(data.path());
  struct Talk {
    SessionId session;
    TurnId turn;
    Text text;
  };
  std::vector<Talk> talks;
  for (int i = 0; i < 20; ++i) {
    Talk& talk = talks.emplace_back();
    talk.session = server.create(project.path());
    talk.turn = server.send(talk.session, "Go on", "k" + std::to_string(i))->turn_id;
  }
  const auto say = [&](Talk& talk, ItemStatus status) {
    talk.text.append("word ");
    server.agent->say(talk.session, talk.turn, talk.turn.str() + ":1", talk.text, status);
    server.loop.settle();
  };
  for (Talk& talk : talks) {  // Each begins at its own time.
    say(talk, ItemStatus::Create);
    const MonoMs begun = server.clock.mono();
    REQUIRE(server.loop.until([&] { return server.clock.mono() > begun + 1; }));
  }
  const Counter& commits = counter("lb_store_commits_total", "");
  const Counter& batches = counter("lb_store_batches_total", "");
  const std::uint64_t commits_before = commits.value();
  const std::uint64_t batches_before = batches.value();
  REQUIRE(server.loop.until([&] {
    for (Talk& talk : talks) say(talk, ItemStatus::Update);
    return batches.value() - batches_before >= 6 * talks.size();
  }));
  const std::uint64_t rounds = commits.value() - commits_before;
  MESSAGE("batches " << batches.value() - batches_before << ", commits " << rounds);
  // Each by itself would be one for one. A busy machine parts what a quiet one writes together.
  CHECK(3 * rounds < 2 * (batches.value() - batches_before));
}

}  // namespace
}  // namespace lb
