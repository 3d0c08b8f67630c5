// cp.async: bytes arrive at the wait; forgotten waits, groups, zero fill, reuse of the destination.
#include "scripted.hpp"

using namespace scripted;

namespace {

enum class wait { all, group, none };

launch_request stage(buffer<int> const& in, wait how, bool barrier) {
  return request(1, 32, 128, [&in, how, barrier](lane& l) {
    unsigned const t = index(l);
    l.copy_async(shared_at(4 * t), in.at(4 * t), 16, 16, HERE);
    l.commit_group();
    if (how == wait::all) l.wait_all(HERE);
    if (how == wait::group) l.wait_group(0, HERE);
    if (barrier) l.barrier(0, 0, HERE);
    for (unsigned i = 0; i < 4; ++i) {
      int const seen = load<int>(l, space::shared, shared_at(127 - (4 * t + i)), HERE);
      if (barrier && how != wait::none) CHECK(seen == int(127 - (4 * t + i)));
    }
  });
}

}  // namespace

TEST_CASE("copies, their wait and the barrier after it") {
  buffer<int> in(128, "in");
  for (int i = 0; i < 128; ++i) in.set(std::size_t(i), i);
  expect_clean(stage(in, wait::all, true));
  expect_clean(stage(in, wait::group, true));
  std::string const message = expect_only(violation_kind::pending_copy, stage(in, wait::none, true));
  CHECK_MESSAGE(message.find("has not been waited for") != std::string::npos, message);
  on_schedules(stage(in, wait::all, false), [](report_data const& r) { CHECK(!r.ok()); });
}

TEST_CASE("two groups in flight, the older one waited for") {
  buffer<int> in(64, "in");
  for (int i = 0; i < 64; ++i) in.set(std::size_t(i), i);
  auto pipeline = [&](unsigned pending) {
    return request(1, 16, 32, [&in, pending](lane& l) {
      unsigned const t = index(l);
      for (unsigned stage = 0; stage < 2; ++stage) {
        l.copy_async(shared_at(16 * stage + t), in.at(16 * stage + t), 4, 4, HERE);
        l.commit_group();
      }
      l.wait_group(pending, HERE);
      CHECK((load<int>(l, space::shared, shared_at(t), HERE) == int(t)) == (pending < 2));
      l.wait_group(0, HERE);
      CHECK(load<int>(l, space::shared, shared_at(16 + t), HERE) == int(16 + t));
    });
  };
  expect_clean(pipeline(1));
  expect_clean(pipeline(0));
  expect_only(violation_kind::pending_copy, pipeline(2));
}

TEST_CASE("what the source does not give is zero") {
  buffer<int> in(3, "in", 5);
  expect_clean(request(1, 1, 4, [&](lane& l) {
    l.copy_async(shared_at(0), in.at(0), 16, 12, HERE);
    l.wait_all(HERE);
    for (unsigned i = 0; i < 4; ++i) CHECK(load<int>(l, space::shared, shared_at(i), HERE) == (i < 3 ? 5 : 0));
    l.copy_async(shared_at(0), in.at(0) + (1 << 20), 16, 0, HERE);   // reads nothing: the address may be any
    l.wait_all(HERE);
    CHECK(load<int>(l, space::shared, shared_at(2), HERE) == 0);
  }));
  expect_only(violation_kind::out_of_bounds, request(1, 1, 4, [&](lane& l) { l.copy_async(shared_at(0), in.at(0), 16, 16, HERE); }));
}

TEST_CASE("a copy into bytes that others still read") {
  buffer<int> in(64, "in", 1);
  auto reuse = [&](bool barrier) {
    return request(1, 64, 64, [&in, barrier](lane& l) {
      unsigned const t = index(l);
      store(l, space::shared, shared_at(t), 0, HERE);
      l.barrier(0, 0, HERE);
      load<int>(l, space::shared, shared_at(63 - t), HERE);
      if (barrier) l.barrier(0, 0, HERE);
      l.copy_async(shared_at(t), in.at(t), 4, 4, HERE);
      l.wait_all(HERE);
    });
  };
  expect_clean(reuse(true));
  on_schedules(reuse(false), [](report_data const& r) { CHECK(!r.ok()); });
}

TEST_CASE("a source that is overwritten before the wait") {
  buffer<int> in(32, "in", 1);
  expect_only(violation_kind::race, request(1, 32, 32, [&](lane& l) {
    unsigned const t = index(l);
    l.copy_async(shared_at(t), in.at(t), 4, 4, HERE);
    l.barrier(0, 0, HERE);
    store(l, space::global, in.at(31 - t), 2, HERE);
    l.wait_all(HERE);
  }));
}
