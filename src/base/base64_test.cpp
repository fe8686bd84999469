#include "base/base64.h"

#include <doctest/doctest.h>

namespace lb {

TEST_CASE("base64: the vectors of RFC 4648, and bytes above ASCII") {
  CHECK(to_base64("").empty());
  CHECK(to_base64("f") == "Zg==");
  CHECK(to_base64("fo") == "Zm8=");
  CHECK(to_base64("foo") == "Zm9v");
  CHECK(to_base64("foobar") == "Zm9vYmFy");
  CHECK(to_base64("\x89PNG") == "iVBORw==");
  CHECK(to_base64("\xff\xfe\xfd") == "//79");
}

}  // namespace lb
