// A reader needs nothing but a source: here one that no session of ours is behind.

#include "session/live/timeline_source.h"

#include <doctest/doctest.h>

#include "session/live/reader.h"
#include "tests/support/io_loop.h"

namespace lb {
namespace {

using namespace test;

FramePtr frame(Revision rev) {
  return frame_from_payload(FrameKind::Upsert, "s1", rev, rev,
                            R"({"n":)" + std::to_string(rev) + "}");
}

/// Revisions 1 to `floor` are somewhere else, those above it are here.
class FarSource final : public TimelineSource {
 public:
  explicit FarSource(asio::any_io_executor io) : io_(std::move(io)) {}

  void publish(Revision rev) {
    head = rev;
    if (follower) follower->wake();
  }

  [[nodiscard]] const SessionId& id() const override { return id_; }
  [[nodiscard]] Revision visible() const override { return head; }
  [[nodiscard]] asio::any_io_executor executor() const override { return io_; }
  Answer next(const Ask& ask) override {
    ++asked;
    if (ask.cursor >= head) return {};
    if (ask.cursor < floor) return {Have::Older, {}};
    Answer answer{Have::Changes, {}};
    for (Revision rev = ask.cursor + 1; rev <= head; ++rev) {
      answer.changes.frames.push_back(frame(rev));
    }
    answer.changes.rev = head;
    return answer;
  }
  bool has_news(const Ask& ask) override { return ask.cursor < head; }
  asio::awaitable<Result<Page>> read_older(Revision since) override {
    if (failure) co_return std::unexpected(*failure);
    co_return Page{{frame(since + 1)}, since + 1};
  }
  std::optional<Error> follow(std::shared_ptr<TimelineFollower> who) override {
    follower = std::move(who);
    return ended;
  }
  void leave(const TimelineFollower&) override { follower.reset(); }
  asio::awaitable<Result<History>> window(std::uint64_t, std::uint64_t) override {
    co_return History{};
  }
  asio::awaitable<Result<History>> changes(Revision) override { co_return History{}; }
  asio::awaitable<Result<bool>> remembers(Revision) override { co_return true; }
  asio::awaitable<void> settle() override { co_return; }

  Revision floor = 0;
  Revision head = 0;
  int asked = 0;
  std::optional<Error> failure;
  std::optional<Error> ended;
  std::shared_ptr<TimelineFollower> follower;

 private:
  SessionId id_{"s1"};
  asio::any_io_executor io_;
};

struct Fixture {
  std::vector<Revision> revs(Reader& reader) {
    std::vector<Revision> got;
    for (const FramePtr& one : reader.next(SIZE_MAX)) got.push_back(one->rev);
    return got;
  }
  IoLoop loop;
  std::shared_ptr<FarSource> source = std::make_shared<FarSource>(loop.executor());
  int ready = 0;
};
using Revs = std::vector<Revision>;

TEST_CASE_FIXTURE(Fixture, "a reader gets what its source has, with one question for all of it") {
  Reader reader(source, {});
  reader.on_ready([&] { ++ready; });
  CHECK(revs(reader).empty());
  source->publish(3);
  CHECK(ready == 1);
  source->asked = 0;
  CHECK(revs(reader) == Revs{1, 2, 3});
  CHECK(source->asked == 1);
  CHECK(reader.cursor() == 3);
  source->publish(4);
  CHECK(ready == 2);
  CHECK(revs(reader) == Revs{4});
  CHECK(reader.live());
}

TEST_CASE_FIXTURE(Fixture, "what is older than its source holds is read page by page first") {
  source->floor = 2;
  source->head = 3;
  Reader reader(source, {});
  reader.on_ready([&] { ++ready; });
  CHECK(revs(reader).empty());
  REQUIRE(loop.until([&] { return ready == 1; }));
  CHECK(revs(reader) == Revs{1});
  CHECK(revs(reader).empty());
  REQUIRE(loop.until([&] { return ready == 2; }));
  CHECK(revs(reader) == Revs{2});
  CHECK(revs(reader) == Revs{3});
}

TEST_CASE_FIXTURE(Fixture, "a reader ends with its source, and when its past cannot be read") {
  source->floor = source->head = 2;
  source->failure = Error{ErrorCode::Internal, "The store cannot be read."};
  {
    Reader reader(source, {});
    CHECK(revs(reader).empty());
    REQUIRE(loop.until([&] { return reader.ended().has_value(); }));
    CHECK(reader.ended()->code == ErrorCode::Internal);
  }
  CHECK(source->follower == nullptr);
  source->ended = Error{ErrorCode::SessionNotFound, "It was deleted."};
  Reader late(source, {});
  CHECK(late.ended()->code == ErrorCode::SessionNotFound);
  CHECK(revs(late).empty());
}

}  // namespace
}  // namespace lb
