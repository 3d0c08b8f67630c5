// bind(...): extents by axis.
#include "dyadic/axes/bind.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct other : axis<> {};
constexpr auto b = bind(batch{8}, seq{256});
static_assert(b.size == 2 && b.get<seq>() == 256 && b.get<batch>() == 8 && b.get<other>() == -1);
static_assert(b.key(0) == axis_key<batch> && b.extent(1) == 256);
static_assert(join(b, bind(other{0})).get<other>() == 0);
static_assert(bind().size == 0);
}  // namespace

TEST_CASE("a negative extent is an error at run time too") {
  std::int64_t n = -1;
  CHECK_THROWS_AS(bind(batch{n}), error);
  try { bind(seq{n}); } catch (error const& e) {
    CHECK(e.kind() == error_kind::binding);
    CHECK(std::string(e.what()).find("seq") != std::string::npos);
  }
  n = 0;
  CHECK(bind(batch{n}).get<batch>() == 0);
}
