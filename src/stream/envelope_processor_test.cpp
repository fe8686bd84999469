#include "stream/envelope_processor.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

using namespace lb;

namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word ";
  return text;
}

int count_words(const Text& text) {
  WordCounter counter;
  counter.add(text.view());
  return static_cast<int>(counter.words());
}

/// Feeds a processor event by event, as an agent would, and keeps all that came out.
class Feed {
 public:
  explicit Feed(BatcherOptions options = {.age_ms = 0}) : processor_(std::move(options)) {}

  template <class Payload>
  void operator()(Payload payload) {
    StreamEvent event;
    event.event_id.text = "e";
    event.timestamp = {kStart + mono_};
    event.turn_id.text = "turn-1";
    event.session_id.text = "session-1";
    event.payload.body = std::move(payload);
    event.type = static_cast<StreamEventType>(event.payload.body.index());
    add(processor_.process(event, now()));
  }
  void start() { (*this)(ResponseStart{"model-x", "provider-x"}); }
  void text(const std::string& id, StreamItemType type = StreamItemType::Message,
            const std::string& initial = "") {
    (*this)(ItemStart{{id}, type, initial, {}, {}});
    texts_[id] = {type, initial};
  }
  void delta(const std::string& id, const std::string& text) {
    texts_[id].second += text;
    (*this)(ItemDelta{{id}, text});
  }
  void done(const std::string& id) {
    FinalizedItem item{FinalMessage{texts_[id].second, Origin::Agent}};
    if (texts_[id].first == StreamItemType::Reasoning) {
      item.body = FinalReasoning{texts_[id].second, "provider-x"};
    }
    (*this)(ItemDone{{id}, item});
  }
  void call(const std::string& id, const std::string& call) {
    (*this)(ItemStart{{id}, StreamItemType::FunctionCall, {}, "Bash", call});
  }
  void result(const std::string& call, const std::string& output, bool is_error = false) {
    (*this)(ItemDone{{"out-" + call}, {FinalOutput{call, output, is_error}}});
  }
  void end(ResponseStatus status, std::optional<StreamError> error = {}) {
    (*this)(ResponseDone{status, "stop", std::move(error), Usage{10, 20, {}, {}}});
  }
  void wait(MonoMs ms) {
    mono_ += ms;
    add(processor_.tick(now()));
  }
  void destroy(const StreamError& why) { add(processor_.destroy(why, now())); }
  [[nodiscard]] std::optional<MonoMs> deadline() const { return processor_.deadline(); }

  [[nodiscard]] const std::vector<StreamOutput>& out() const { return out_; }
  [[nodiscard]] std::vector<Upsert> upserts() const {
    std::vector<Upsert> found;
    for (const auto& output : out_) {
      if (const auto* upsert = std::get_if<Upsert>(&output)) found.push_back(*upsert);
    }
    return found;
  }
  [[nodiscard]] std::vector<Turn> turns() const {
    std::vector<Turn> found;
    for (const auto& output : out_) {
      if (const auto* turn = std::get_if<Turn>(&output)) found.push_back(*turn);
    }
    return found;
  }

 private:
  [[nodiscard]] Now now() const { return {{kStart + mono_}, mono_}; }
  void add(std::vector<StreamOutput> outputs) {
    for (auto& output : outputs) out_.push_back(std::move(output));
  }

  EnvelopeProcessor processor_;
  MonoMs mono_ = 0;
  std::map<std::string, std::pair<StreamItemType, std::string>> texts_;
  std::vector<StreamOutput> out_;
};

std::string content(const Upsert& upsert) {
  if (const auto* message = std::get_if<Message>(&upsert.body)) return message->content.str();
  return std::get<Thinking>(upsert.body).content.str();
}

/// One output as the scenario file writes it.
std::string say(const StreamOutput& output) {
  if (const auto* turn = std::get_if<Turn>(&output)) {
    std::string text(wire_name(turn->type));
    if (turn->status) text += fmt::format(" {}", wire_name(*turn->status));
    if (turn->error_code) text += " " + *turn->error_code;
    return text;
  }
  const auto& upsert = std::get<Upsert>(output);
  const std::string_view status = wire_name(upsert.status);
  if (std::holds_alternative<ToolCall>(upsert.body)) {
    return fmt::format("tool_call {} {}", status, upsert.item_id.str());
  }
  const bool thinking = std::holds_alternative<Thinking>(upsert.body);
  return fmt::format("{} {} {}", thinking ? "thinking" : "message", status,
                     count_words(Text(content(upsert))));
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, '|');) {
    const auto begin = part.find_first_not_of(' ');
    parts.push_back(part.substr(begin, part.find_last_not_of(' ') - begin + 1));
  }
  return parts;
}

void play(Feed& feed, const std::string& command) {
  std::stringstream in(command);
  std::string verb, id, extra, more;
  in >> verb >> id >> extra >> more;
  if (verb == "start") feed.start();
  if (verb == "item") {
    const int initial = more.empty() ? 0 : std::stoi(more);
    feed.text(id, *enum_from<StreamItemType>(extra), words(initial));
  }
  if (verb == "user") feed(ItemDone{{id}, {FinalMessage{words(std::stoi(extra)), Origin::User}}});
  if (verb == "delta") feed.delta(id, words(std::stoi(extra)));
  if (verb == "wait") feed.wait(std::stoi(id));
  if (verb == "done") feed.done(id);
  if (verb == "call") feed.call(id, extra);
  if (verb == "called") feed(ItemDone{{id}, {FinalCall{more, extra, RawObject()}}});
  if (verb == "result") feed.result(id, extra);
  if (verb == "error") feed(ItemError{{id}, {extra, "it broke"}});
  if (verb == "cancel") feed(ItemCancelled{{id}, CancelReason::UserCancel});
  if (verb == "end") {
    std::optional<StreamError> error;
    if (!extra.empty()) error = StreamError{extra, "it broke"};
    feed.end(*enum_from<ResponseStatus>(id), error);
  }
  if (verb == "fail") feed(ResponseError{{id, "it broke"}});
  if (verb == "destroy") feed.destroy({id, "it broke"});
}

}  // namespace

TEST_CASE("the twenty scenarios of the prior art, by our rules") {
  std::ifstream file(std::string(LB_SOURCE_DIR) + "/src/stream/scenarios.txt");
  REQUIRE(file.good());
  std::string name;
  std::optional<Feed> feed;
  int played = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) {
      name = line;
    } else if (line.starts_with("expect ")) {
      CAPTURE(name);
      std::vector<std::string> got;
      for (const auto& output : feed->out()) got.push_back(say(output));
      CHECK(got == split(line.substr(7)));
      ++played;
    } else if (!line.empty() && line[0] != '#') {
      BatcherOptions options{.age_ms = 0};
      std::vector<std::string> commands = split(line);
      for (const auto& command : commands) {
        std::stringstream in(command.substr(command.find(' ') + 1));
        if (command.starts_with("gradient")) {
          options.gradient.clear();
          for (int step = 0; in >> step;) options.gradient.push_back(step);
        }
        if (command.starts_with("timeout")) in >> options.idle_ms;
      }
      feed.emplace(options);
      for (const auto& command : commands) play(*feed, command);
    }
  }
  CHECK(played == 20);
}

TEST_CASE("TC-5.1a: a simple message is created, then completed, with its whole text") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.delta("m1", "Hello ");
  feed.delta("m1", "world");
  feed.done("m1");
  feed.end(ResponseStatus::Completed);
  const auto upserts = feed.upserts();
  REQUIRE(upserts.size() == 2);
  CHECK(upserts[0].status == ItemStatus::Create);
  CHECK(content(upserts[0]) == "Hello world");
  CHECK(upserts[1].status == ItemStatus::Complete);
  CHECK(content(upserts[1]) == "Hello world");
  CHECK(feed.turns().back().usage == Usage{10, 20, {}, {}});
}

TEST_CASE("TC-5.1b: each emission carries the full content, not deltas") {
  Feed feed({.gradient = {29, 1000}, .age_ms = 0});
  feed.start();
  feed.text("m1");
  for (int i = 0; i < 100; ++i) feed.delta("m1", "word ");
  feed.done("m1");
  const auto upserts = feed.upserts();
  CHECK(content(upserts[0]) == words(30));
  CHECK(content(upserts.back()) == words(100));
}

TEST_CASE("TC-5.1c: a tool call is emitted at its invocation and at its completion only") {
  Feed feed;
  feed.start();
  feed.call("t1", "call-1");
  feed(ItemDelta{{"t1"}, R"({"command":)"});
  feed(ItemDelta{{"t1"}, R"("ls"})"});
  feed(ItemDone{{"t1"}, {FinalCall{"Bash", "call-1", RawObject({{"command", "ls"}})}}});
  feed.result("call-1", "a.txt");
  const auto upserts = feed.upserts();
  REQUIRE(upserts.size() == 2);
  CHECK(upserts[0].status == ItemStatus::Create);
  CHECK(upserts[1].status == ItemStatus::Complete);
  CHECK(upserts[1].item_id == upserts[0].item_id);
  const auto& tool = std::get<ToolCall>(upserts[1].body);
  CHECK(tool.tool_arguments.str() == R"({"command":"ls"})");
  CHECK(tool.tool_output == Text("a.txt"));
  CHECK(tool.tool_output_is_error == false);
}

TEST_CASE("TC-5.1d: reasoning becomes thinking with its text") {
  Feed feed;
  feed.start();
  feed.text("r1", StreamItemType::Reasoning);
  feed.delta("r1", "Let me think");
  feed.done("r1");
  const auto upserts = feed.upserts();
  REQUIRE(upserts.size() == 2);
  CHECK(std::get<Thinking>(upserts[1].body).content == Text("Let me think"));
  CHECK(std::get<Thinking>(upserts[0].body).provider_id == "provider-x");
}

TEST_CASE("TC-5.3a: a result is matched to its invocation by callId and keeps the item id") {
  Feed feed;
  feed.start();
  feed.call("item-7", "call-7");
  feed.result("call-7", "output");
  CHECK(feed.upserts().back().item_id == ItemId("item-7"));
  feed.result("call-unknown", "nobody asked");
  CHECK(feed.upserts().size() == 2);
}

TEST_CASE("TC-5.3b: concurrent tool calls are tracked independently") {
  Feed feed;
  feed.start();
  feed.call("t1", "c1");
  feed.call("t2", "c2");
  feed.result("c2", "second");
  feed.result("c1", "first", true);
  const auto upserts = feed.upserts();
  REQUIRE(upserts.size() == 4);
  CHECK(upserts[2].item_id == ItemId("t2"));
  CHECK(std::get<ToolCall>(upserts[2].body).tool_output == Text("second"));
  CHECK(upserts[3].item_id == ItemId("t1"));
  CHECK(std::get<ToolCall>(upserts[3].body).tool_output_is_error == true);
}

TEST_CASE("TC-5.4a: destroying in mid-stream emits what is buffered, as an error") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.delta("m1", "half an ans");
  feed.call("t1", "c1");
  feed.destroy({"PROCESS_CRASH", "the agent exited with code 1"});
  const auto upserts = feed.upserts();
  REQUIRE(upserts.size() == 3);
  CHECK(upserts[1].status == ItemStatus::Error);
  CHECK(content(upserts[1]) == "half an ans");
  CHECK(upserts[1].error_code == "PROCESS_CRASH");
  CHECK(upserts[2].status == ItemStatus::Error);
  CHECK(feed.turns().back().type == TurnType::Error);
  feed.delta("m1", words(50));
  CHECK(feed.upserts().size() == 3);
}

TEST_CASE("TC-5.4b: the batch timeout emits what is buffered") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.delta("m1", "a few words");
  CHECK(feed.deadline() == 1000);
  feed.wait(999);
  CHECK(feed.upserts().empty());
  feed.wait(1);
  REQUIRE(feed.upserts().size() == 1);
  CHECK(feed.upserts()[0].status == ItemStatus::Create);
  CHECK_FALSE(feed.deadline().has_value());
}

TEST_CASE("TC-5.4c: an empty item is one emission, complete and empty") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.done("m1");
  REQUIRE(feed.upserts().size() == 1);
  CHECK(feed.upserts()[0].status == ItemStatus::Complete);
  CHECK(content(feed.upserts()[0]).empty());
}

TEST_CASE("TC-5.4d: a cancelled item that nobody saw is discarded in silence") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.delta("m1", "unseen");
  feed(ItemCancelled{{"m1"}, CancelReason::UserCancel});
  feed.delta("m1", words(40));
  feed.done("m1");
  CHECK(feed.upserts().empty());
  CHECK_FALSE(feed.deadline().has_value());
}

TEST_CASE("an item that was seen and is cancelled ends as cancelled, with what was seen") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.delta("m1", words(11));
  feed.delta("m1", "unseen");
  feed(ItemCancelled{{"m1"}, {}});
  REQUIRE(feed.upserts().size() == 2);
  CHECK(feed.upserts()[1].status == ItemStatus::Cancelled);
  CHECK(content(feed.upserts()[1]) == words(11));
}

TEST_CASE("TC-5.4e: a cancelled turn says so, and no item of it is complete or an error") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.delta("m1", words(15));
  feed.call("t1", "c1");
  feed.text("m2");
  feed.delta("m2", "short");
  feed(ItemCancelled{{"m1"}, CancelReason::UserCancel});
  feed.end(ResponseStatus::Cancelled);
  for (const auto& upsert : feed.upserts()) {
    CHECK(upsert.status != ItemStatus::Complete);
    CHECK(upsert.status != ItemStatus::Error);
  }
  CHECK(feed.turns().back().type == TurnType::Complete);
  CHECK(feed.turns().back().status == TurnStatus::Cancelled);
}

TEST_CASE("TC-5.4f: a failed turn is a turn_error with code and message, and nothing else") {
  Feed feed;
  feed.start();
  feed(ResponseError{{"RATE_LIMIT", "Slow down."}});
  feed.end(ResponseStatus::Error, StreamError{"OTHER", "later"});
  const auto turns = feed.turns();
  REQUIRE(turns.size() == 2);
  CHECK(turns[1].type == TurnType::Error);
  CHECK(turns[1].error_code == "RATE_LIMIT");
  CHECK(turns[1].error_message == "Slow down.");
  CHECK_FALSE(turns[1].status.has_value());

  Feed fallback;
  fallback.start();
  fallback.end(ResponseStatus::Error);
  CHECK(fallback.turns().back().error_code == "stop");  // From the finish reason.
}

TEST_CASE("what is left open is closed with a completed turn: texts complete, tools cancelled") {
  Feed feed;
  feed.start();
  feed.text("m1");
  feed.delta("m1", "no item_done for me");
  feed.call("t1", "c1");
  feed.end(ResponseStatus::Completed);
  const auto upserts = feed.upserts();
  REQUIRE(upserts.size() == 4);
  CHECK(upserts[2].status == ItemStatus::Complete);
  CHECK(upserts[3].status == ItemStatus::Cancelled);
}

TEST_CASE("another response_start ends a turn that never ended") {
  Feed feed;
  feed.start();
  feed.text("m1");
  StreamEvent event;
  event.turn_id.text = "turn-2";
  event.session_id.text = "session-1";
  event.payload.body = ResponseStart{"m", "p"};
  EnvelopeProcessor processor;
  (void)processor.process(event, {});
  event.turn_id.text = "turn-3";
  const auto outputs = processor.process(event, {});
  REQUIRE(outputs.size() == 2);
  CHECK(std::get<Turn>(outputs[0]).type == TurnType::Error);
  CHECK(std::get<Turn>(outputs[1]).turn_id == TurnId("turn-3"));
}
