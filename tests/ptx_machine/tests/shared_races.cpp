// Races in shared memory: found with a missing barrier, silent with the right one.
#include "scripted.hpp"

using namespace scripted;

namespace {

enum class meet { nothing, block, warp, warp_half, shuffle };

/// Every thread writes its word and reads its neighbour's.
launch_request neighbours(unsigned threads, meet how, unsigned distance = 1) {
  return request(2, threads, threads, [=](lane& l) {
    unsigned const t = index(l);
    store(l, space::shared, shared_at(t), t, HERE);
    switch (how) {
      case meet::nothing: break;
      case meet::block: l.barrier(0, 0, HERE); break;
      case meet::warp: sync_warp(l, 0xffffffff, HERE); break;
      case meet::warp_half: sync_warp(l, t % 32 < 16 ? 0x0000ffff : 0xffff0000, HERE); break;
      case meet::shuffle: l.collective(0xffffffff, nullptr, [](void**, std::uint32_t) {}, {}, HERE); break;
    }
    unsigned const other = (t + distance) % threads;
    unsigned const seen = load<unsigned>(l, space::shared, shared_at(other), HERE);
    if (how == meet::block) CHECK(seen == other);
  });
}

bool has(report_data const& r, violation_kind k) { return r.find(k) != nullptr; }

}  // namespace

TEST_CASE("a missing barrier is a race under every schedule") {
  for (unsigned threads : {2u, 31u, 32u, 33u, 100u, 1024u}) {
    CAPTURE(threads);
    on_schedules(neighbours(threads, meet::nothing), [](report_data const& r) {
      REQUIRE(has(r, violation_kind::race));
      for (violation const& v : r.violations) CHECK((v.kind == violation_kind::race || v.kind == violation_kind::read_of_unwritten));
      CHECK(r.find(violation_kind::race)->message.find("kernel.cu:") != std::string::npos);
      CHECK(r.find(violation_kind::race)->first != r.find(violation_kind::race)->second);
    });
  }
}

TEST_CASE("a block's barrier orders all of it") {
  for (unsigned threads : {1u, 2u, 31u, 32u, 33u, 100u, 1024u}) expect_clean(neighbours(threads, meet::block));
}

TEST_CASE("a warp's barrier orders the warp, not the next one") {
  expect_clean(neighbours(32, meet::warp));
  expect_clean(neighbours(20, meet::warp));
  on_schedules(neighbours(64, meet::warp), [](report_data const& r) { CHECK(has(r, violation_kind::race)); });
}

TEST_CASE("a barrier of half a warp orders that half") {
  on_schedules(neighbours(32, meet::warp_half), [](report_data const& r) { CHECK(has(r, violation_kind::race)); });   // 15 reads 16's
  auto inside = request(1, 32, 32, [](lane& l) {
    unsigned const t = index(l);
    store(l, space::shared, shared_at(t), t, HERE);
    sync_warp(l, t < 16 ? 0x0000ffff : 0xffff0000, HERE);
    load<unsigned>(l, space::shared, shared_at(t ^ 1), HERE);
  });
  expect_clean(inside);
}

TEST_CASE("lanes that meet two by two pass on what they know") {
  // Lane 0 writes; 0 meets 1, then 1 meets 2: lane 2 may read. Lane 3 only met nobody.
  auto chain = [](bool wrong) {
    return request(1, 4, 1, [=](lane& l) {
      unsigned const t = index(l);
      if (t == 0) store(l, space::shared, shared_at(0), 7u, HERE);
      if (t == 0 || t == 1) sync_warp(l, 0b0011, HERE);
      if (t == 1 || t == 2) sync_warp(l, 0b0110, HERE);
      if (t == (wrong ? 3u : 2u)) load<unsigned>(l, space::shared, shared_at(0), HERE);
    });
  };
  expect_clean(chain(false));
  on_schedules(chain(true), [](report_data const& r) { CHECK(!r.ok()); });
}

TEST_CASE("a shuffle orders no memory") {
  on_schedules(neighbours(32, meet::shuffle), [](report_data const& r) {
    CHECK(has(r, violation_kind::race));
    CHECK(!has(r, violation_kind::read_of_unwritten));
  });
}

TEST_CASE("a buffer reused without a second barrier") {
  auto twice = [](bool second) {
    return request(1, 64, 64, [=](lane& l) {
      for (int round = 0; round < 3; ++round) {
        store(l, space::shared, shared_at(index(l)), round, HERE);
        l.barrier(0, 0, HERE);
        load<int>(l, space::shared, shared_at(63 - index(l)), HERE);
        if (second) l.barrier(0, 0, HERE);
      }
    });
  };
  expect_clean(twice(true));
  expect_only(violation_kind::race, twice(false));
}

TEST_CASE("bytes of one word are told apart") {
  auto halves = [](unsigned bytes) {
    return request(1, 64, 64, [=](lane& l) {
      std::uint32_t const value = index(l);
      l.store(space::shared, shared_start + index(l) * 2, &value, 2, HERE);
      if (bytes == 4 && index(l) == 5) l.store(space::shared, shared_at(7), &value, 4, HERE);   // over what threads 14 and 15 write
    });
  };
  expect_clean(halves(2));
  expect_only(violation_kind::race, halves(4));
  expect_clean(request(1, 64, 16, [](lane& l) {
    std::uint8_t const value = 1;
    l.store(space::shared, shared_start + index(l), &value, 1, HERE);
  }));
}

TEST_CASE("a thread that reads what it wrote does not hide the write") {
  expect_only(violation_kind::race, request(1, 2, 1, [](lane& l) {
    if (index(l) == 0) {
      store(l, space::shared, shared_at(0), 1, HERE);
      load<int>(l, space::shared, shared_at(0), HERE);
    }
    l.collective(0xffffffff, nullptr, [](void**, std::uint32_t) {}, {}, HERE);   // so that it was written, and orders nothing
    if (index(l) == 1) load<int>(l, space::shared, shared_at(0), HERE);
  }));
}

TEST_CASE("two threads that write the same value race all the same") {
  expect_only(violation_kind::race, request(1, 2, 1, [](lane& l) { store(l, space::shared, shared_at(0), 1, HERE); }));
}
