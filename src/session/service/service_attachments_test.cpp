// Images and texts that go with a prompt: kept, shown, given to the agent, exported.
#include <doctest/doctest.h>

#include "base/limits.h"
#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

Result<std::string> attach(World& world, const SessionId& session, AttachmentData data) {
  return world.loop.run(world.service->add_attachment(session, std::move(data)));
}

SessionSendRequest with(const SessionId& session, std::string content, const std::string& id,
                        std::string name) {
  SessionSendRequest request;
  request.session_id = session;
  request.content = std::move(content);
  request.attachments = {{id, std::move(name)}};
  return request;
}

Result<SessionSentMessage> say(World& world, SessionSendRequest request) {
  return world.loop.run(ask(*world.service, &Session::send, std::move(request)));
}

TEST_CASE("attachments are images of a session, given to the agent with the prompt") {
  World world;
  const SessionId session = world.create();
  const auto id = world.loop.run(world.service->add_attachment(session, {"image/png", "PNG…"}));
  REQUIRE(id.has_value());
  CHECK(world.loop.run(world.service->attachment(session, *id))->bytes == "PNG…");
  CHECK(world.loop.run(world.service->add_attachment(session, {"text/html", "x"})).error().code ==
        ErrorCode::UnsupportedMediaType);
  SessionSendRequest request;
  request.session_id = session;
  request.content = "What is this?";
  request.attachments = {{*id, "shot.png"}};
  REQUIRE(world.loop.run(ask(*world.service, &Session::send, request)).has_value());
  REQUIRE(world.claude->sent.at(0).prompt.images.size() == 1);
  CHECK(world.claude->sent[0].prompt.images[0].data == "PNG…");
  const Item user = world.items(session).at(0);
  CHECK(std::get<Message>(user.body).attachments.at(0).mime_type == "image/png");
  SUBCASE("an image may say it all") {
    world.claude->complete(session, user.turn_id);
    world.loop.settle();
    request.content = " \n";
    REQUIRE(world.loop.run(ask(*world.service, &Session::send, request)).has_value());
    REQUIRE(world.claude->sent.size() == 2);
    CHECK(world.claude->sent[1].prompt.content.empty());
    CHECK(world.claude->sent[1].prompt.images.size() == 1);
    CHECK(world.info(session).title == "What is this?");
    request.attachments.clear();
    CHECK(world.loop.run(ask(*world.service, &Session::send, request)).error().code ==
          ErrorCode::InvalidRequest);
  }
  SUBCASE("a queued one may lose its words, and not what says it all") {
    const auto queued = world.loop.run(ask(*world.service, &Session::send, request));
    REQUIRE((queued && queued->queued));
    const auto waits = world.turn(session, queued->turn_id);
    REQUIRE(waits->attachments.size() == 1);
    CHECK(waits->attachments[0] ==
          Attachment{.attachment_id = *id, .name = "shot.png", .mime_type = "image/png"});
    CHECK(world.loop
              .run(ask(*world.service, &Session::edit_queue,
                       {session, queued->turn_id, std::string(" "), false}))
              .has_value());
    const auto words = world.send(session, "Only words");
    CHECK_FALSE(world.loop
                    .run(ask(*world.service, &Session::edit_queue,
                             {session, words->turn_id, std::string(" "), false}))
                    .has_value());
    // It is named while it waits; then the message has it.
    CHECK(world.turn(session, queued->turn_id)->attachments.size() == 1);
    world.claude->complete(session, user.turn_id);
    REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 2; }));
    world.loop.settle();
    CHECK(world.turn(session, queued->turn_id)->attachments.empty());
  }
  request.attachments = {{"nonesuch", {}}};
  CHECK(world.loop.run(ask(*world.service, &Session::send, request)).error().code ==
        ErrorCode::InvalidRequest);
}

TEST_CASE("an attached text is kept, shown with its size, and given to the agent") {
  World world;
  const SessionId session = world.create();
  const std::string text = "one\ntwo \xC3\xA4\nthree";
  const auto id = attach(world, session, {"text/plain", text});
  REQUIRE(id.has_value());
  CHECK(world.loop.run(world.service->attachment(session, *id))->bytes == text);
  REQUIRE(say(world, with(session, "Look", *id, "log.txt")).has_value());
  const Prompt& prompt = world.claude->sent.at(0).prompt;
  CHECK(prompt.images.empty());
  REQUIRE(prompt.texts.size() == 1);
  CHECK(prompt.texts[0].name == "log.txt");
  CHECK(prompt.texts[0].text == text);
  const Item user = world.items(session).at(0);
  const Attachment& shown = std::get<Message>(user.body).attachments.at(0);
  CHECK(shown.mime_type == "text/plain");
  CHECK(shown.bytes == text.size());
  CHECK(shown.lines == 3);
}

TEST_CASE("an attachment needs no words: it gives the session its title") {
  World world;
  const SessionId session = world.create();
  const auto id = attach(world, session, {"text/plain", "all of it\n"});
  REQUIRE(say(world, with(session, "", *id, "build.log")).has_value());
  CHECK(world.claude->sent.at(0).prompt.content.empty());
  CHECK(world.service->status(session)->info.title == "build.log");
  CHECK(world.send(session, "").error().code == ErrorCode::InvalidRequest);
}

TEST_CASE("an attached text is UTF-8 and has 5 MiB at most") {
  World world;
  const SessionId session = world.create();
  CHECK(attach(world, session, {"text/plain", std::string(limits::kTextBytesMax, 'x')}));
  const auto code = [&](std::string bytes) {
    return attach(world, session, {"text/plain", std::move(bytes)}).error().code;
  };
  CHECK(code(std::string(limits::kTextBytesMax + 1, 'x')) == ErrorCode::TooLarge);
  CHECK(code("caf\xE9") == ErrorCode::UnsupportedMediaType);
  CHECK(code("") == ErrorCode::InvalidRequest);
}

TEST_CASE("an agent that takes no texts never gets the prompt, and the refusal names the limit") {
  World world;
  const SessionId session = world.create();
  const auto id = attach(world, session, {"text/plain", "words"});
  world.claude->texts = false;
  auto request = with(session, "Look", *id, "log.txt");
  request.client_message_id = "mine";
  const auto refused = say(world, request);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::NotSupported);
  CHECK(refused.error().message.contains("1 MiB"));
  CHECK(world.claude->sent.empty());
  CHECK(world.items(session).empty());
  CHECK(world.loop.run(world.service->agents()).at(0).takes_text == false);
  // Nothing is left of it: the same message goes through when it may.
  world.claude->texts = std::nullopt;
  CHECK(say(world, request).has_value());
  CHECK(world.claude->sent.at(0).prompt.texts.at(0).text == "words");
}

TEST_CASE("exports have the attached texts") {
  World world;
  const SessionId session = world.create();
  const auto id = attach(world, session, {"text/plain", "a ``` fence\nand \"quotes\"\n"});
  REQUIRE(say(world, with(session, "Look", *id, "log.txt")).has_value());
  world.claude->complete(session, world.claude->sent.at(0).prompt.turn_id);
  world.loop.settle();
  const auto markdown =
      world.loop.run(world.service->export_session(session, ExportFormat::Markdown));
  CHECK(markdown->contains(
      "Look\n\n*Attached: log.txt*\n\n````\na ``` fence\nand \"quotes\"\n````\n"));
  const auto json = world.loop.run(world.service->export_session(session, ExportFormat::Json));
  const auto parsed = parse_json(*json);
  REQUIRE(parsed.has_value());
  CHECK(parsed->at("texts").at(*id) == "a ``` fence\nand \"quotes\"\n");
  const json::value& shown = parsed->at("entries").at(0).at("attachments").at(0);
  CHECK(shown.at("attachmentId").as_string() == std::string_view(*id));
  CHECK(shown.at("lines") == 2);
}

}  // namespace
}  // namespace lb
