#include "session/dormant_session.h"

#include <doctest/doctest.h>

#include "providers/provider.h"

namespace lb {
namespace {

TEST_CASE("what discovery found names a session made outside, until the user does") {
  SessionRecord record;
  record.external = true;
  record.title = "Old";
  record.last_active_at = {5};
  const DiscoveredSession found{"cli-1", "New", {1}, {9}};
  CHECK(with_discovered(record, found).title == "New");
  CHECK(with_discovered(record, found).last_active_at == Timestamp{9});
  CHECK(with_discovered(record, {"cli-1", "", {1}, {4}}) == record);  // Nothing new.
  record.title_source = TitleSource::User;
  CHECK(with_discovered(record, found).title == "Old");
  record.external = false;
  CHECK(with_discovered(record, found) == record);
}

}  // namespace
}  // namespace lb
