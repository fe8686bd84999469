#include "server/notice_board.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lb;

TEST_CASE("the board tells each reader only the newest of what it has not seen") {
  NoticeBoard board;
  int a = 0;
  int b = 0;
  NoticeBoard::Number seen_a = board.head();
  NoticeBoard::Number seen_b = board.head();
  board.post("x", "x1");
  board.post("y", "y1");
  CHECK(board.take(seen_a, &a, 1000).size() == 2);
  board.post("x", "x2");
  board.skip("x2", &a);
  CHECK(board.take(seen_a, &a, 1000).empty());
  const auto late = board.take(seen_b, &b, 1000);
  REQUIRE(late.size() == 2);
  CHECK(*late[0] == "y1");
  CHECK(*late[1] == "x2");
  CHECK(board.take(seen_b, &b, 1000).empty());

  board.forget_up_to(std::min(seen_a, seen_b));
  CHECK(board.size() == 0);
  board.post("x", "x3");
  board.post("z", "z1");
  CHECK(board.take(seen_b, &b, 1).size() == 1);
  CHECK(board.take(seen_b, &b, 1).size() == 1);
}
