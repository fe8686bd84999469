#include "session/turns/decisions.h"

#include <doctest/doctest.h>

namespace lb {
namespace {

Approval answered_with(std::string option) {
  Approval approval;
  approval.call_id = "call";
  approval.options = {{"yes", "Allow", OptionKind::AllowOnce},
                      {"no", "No", OptionKind::RejectOnce}};
  approval.answer = ApprovalAnswer{std::move(option), std::nullopt, std::nullopt};
  return approval;
}

Item call(ItemStatus status) {
  Item item;
  item.status = status;
  item.started_at = {1'000};
  if (is_final(status)) item.ended_at = Timestamp{61'000};
  ToolCall tool;
  tool.call_id = "call";
  tool.tool_output_is_error = status == ItemStatus::Error;
  item.body = tool;
  return item;
}

TEST_CASE("a call runs from when it was allowed, not from when it was asked for") {
  Decisions decisions;
  decisions.decide(answered_with("yes"), {60'000});
  Item done = call(ItemStatus::Complete);
  decisions.apply(done);
  CHECK(done.started_at.ms == 60'000);
  CHECK(done.ended_at->ms == 61'000);
  CHECK(done.status == ItemStatus::Complete);
  Item other = call(ItemStatus::Complete);
  std::get<ToolCall>(other.body).call_id = "another";
  decisions.apply(other);
  CHECK(other.started_at.ms == 1'000);
}

TEST_CASE("a call that the user refused did not fail, and one that fails when allowed did") {
  Decisions decisions;
  decisions.decide(answered_with("no"), {60'000});
  Item refused = call(ItemStatus::Error);
  decisions.apply(refused);
  CHECK(refused.status == ItemStatus::Cancelled);
  CHECK(refused.error_code == "REJECTED");
  CHECK(!std::get<ToolCall>(refused.body).tool_output_is_error.has_value());

  decisions.decide(answered_with("yes"), {60'000});
  Item failed = call(ItemStatus::Error);
  decisions.apply(failed);
  CHECK(failed.status == ItemStatus::Error);

  decisions.decide(answered_with("no"), {60'000});
  decisions.take_back(answered_with("no"));
  Item open = call(ItemStatus::Error);
  decisions.apply(open);
  CHECK(open.status == ItemStatus::Error);
}

TEST_CASE("what was waited for the user adds up, each time once") {
  Decisions decisions;
  CHECK(!decisions.waited_ms({500}).has_value());
  decisions.waits(true, {1'000});
  decisions.waits(true, {2'000});  // A second question beside the first.
  CHECK(decisions.waited_ms({3'000}) == 2'000);
  decisions.waits(false, {4'000});
  decisions.waits(false, {5'000});
  decisions.waits(true, {6'000});
  decisions.waits(false, {6'500});
  CHECK(decisions.waited_ms({9'000}) == 3'500);
  decisions.clear();
  CHECK(!decisions.waited_ms({9'000}).has_value());
}

}  // namespace
}  // namespace lb
