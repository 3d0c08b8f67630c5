// Lanes that meet: masks, partners, alignment, lanes that have returned.
#include "scripted.hpp"

using namespace scripted;

namespace {

void sum_lanes(void** of_lanes, std::uint32_t) {
  unsigned sum = 0;
  for (int i = 0; i < 32; ++i)
    if (of_lanes[i]) sum += *static_cast<unsigned*>(of_lanes[i]);
  for (int i = 0; i < 32; ++i)
    if (of_lanes[i]) *static_cast<unsigned*>(of_lanes[i]) = sum;
}
void nothing(void**, std::uint32_t) {}

unsigned warp_sum(lane& l, std::uint32_t mask, unsigned value, site at, bool aligned = false) {
  l.collective(mask, &value, sum_lanes, {.orders_memory = false, .aligned = aligned}, at);
  return value;
}

}  // namespace

TEST_CASE("lanes exchange values, whole warps and parts of them") {
  expect_clean(request(1, 70, 0, [](lane& l) {
    unsigned const lanes = l.warp_index() < 2 ? 32 : 6;   // the last warp has 6
    CHECK(warp_sum(l, 0xffffffff, l.lane_index(), HERE) == lanes * (lanes - 1) / 2);
    if (l.warp_index() < 2 && l.lane_index() < 4) CHECK(warp_sum(l, 0b1111, 1, HERE) == 4);
    else if (l.warp_index() < 2) CHECK(warp_sum(l, 0xfffffff0, 1, HERE) == 28);
  }));
}

TEST_CASE("lanes that have returned are not waited for") {
  expect_clean(request(1, 32, 0, [](lane& l) {
    if (l.lane_index() >= 10) return;
    CHECK(warp_sum(l, 0xffffffff, 1, HERE) == 10);
  }));
}

TEST_CASE("a lane outside the mask") {
  std::string const message = expect_only(violation_kind::outside_mask,
      request(1, 32, 0, [](lane& l) { warp_sum(l, 0x7fffffff, 1, HERE); }));
  CHECK_MESSAGE(message.find("lane 31 is not in the mask 0x7fffffff") != std::string::npos, message);
}

TEST_CASE("lanes at different operations") {
  expect_only(violation_kind::divergent_collective, request(1, 32, 0, [](lane& l) {
    if (l.lane_index() < 16) warp_sum(l, 0xffffffff, 1, HERE);
    else l.collective(0xffffffff, nullptr, nothing, {}, HERE);
  }));
  expect_only(violation_kind::divergent_collective, request(1, 32, 0, [](lane& l) {
    warp_sum(l, l.lane_index() < 16 ? 0xffffffff : 0xffff8000, 1, HERE);
  }));
  // One kind at two places: right for .sync, wrong for .aligned.
  auto two_places = [](bool aligned) {
    return request(1, 32, 0, [=](lane& l) {
      if (l.lane_index() < 16) CHECK(warp_sum(l, 0xffffffff, 1, HERE, aligned) == 32);
      else {
        CHECK(warp_sum(l, 0xffffffff, 1, HERE, aligned) == 32);
      }
    });
  };
  expect_clean(two_places(false));
  expect_only(violation_kind::divergent_collective, two_places(true));
}

TEST_CASE("a lane that never comes") {
  on_schedules(request(1, 32, 0, [](lane& l) {
    if (l.lane_index() == 7) l.barrier(0, 0, HERE);
    else warp_sum(l, 0xffffffff, 1, HERE);
  }), [](report_data const& r) {
    REQUIRE(r.find(violation_kind::deadlock));
    CHECK(r.find(violation_kind::deadlock)->message.find("31 threads wait for lanes of their warp") != std::string::npos);
  });
}

TEST_CASE("active_mask names this lane and promises no other") {
  expect_clean(request(1, 40, 0, [](lane& l) { CHECK(l.active_mask() == 1u << l.lane_index()); }));
}

TEST_CASE("a trap ends the launch") {
  std::string const message = expect_only(violation_kind::trap, request(1, 64, 0, [](lane& l) {
    if (index(l) == 5) l.trap("assertion 'x > 0' failed", HERE);
    l.barrier(0, 0, HERE);
  }));
  CHECK(message.find("'x > 0'") != std::string::npos);
}
