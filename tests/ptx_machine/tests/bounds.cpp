// Bounds, lifetimes, unwritten bytes, alignment.
#include "scripted.hpp"

using namespace scripted;

TEST_CASE("global memory ends where it was asked to end") {
  buffer<float> keys(5, "keys", 1.f);
  for (int off : {-1, 5, 70, 1 << 20}) {
    std::string const message = expect_only(violation_kind::out_of_bounds, request(1, 1, 0, [&](lane& l) {
      load<float>(l, space::global, keys.at(0) + std::uint64_t(std::int64_t(off) * 4), HERE);
    }));
    CHECK_MESSAGE(message.find("'keys'") != std::string::npos, message);
    CHECK(message.find("bounds.cpp") == std::string::npos);
    CHECK(message.find("kernel.cu:") != std::string::npos);
  }
  // 8 bytes
  expect_only(violation_kind::out_of_bounds, request(1, 1, 0, [&](lane& l) { store(l, space::global, keys.at(4), 1.0, HERE); }));
  expect_only(violation_kind::out_of_bounds, request(1, 1, 0, [&](lane& l) { store(l, space::generic, 0, 1, HERE); }));
  expect_clean(request(1, 5, 0, [&](lane& l) { store(l, space::global, keys.at(index(l)), 2.f, HERE); }));
}

TEST_CASE("a store out of bounds changes nothing, a load gives 0xff") {
  buffer<int> a(3, "a", 7);
  expect_only(violation_kind::out_of_bounds, request(1, 1, 0, [&](lane& l) {
    store(l, space::global, a.at(3), 9, HERE);
    CHECK(load<int>(l, space::global, a.at(3), HERE) == -1);
  }));
  CHECK(a.get(2) == 7);
}

TEST_CASE("freed memory is known by name") {
  std::uint64_t address = 0;
  {
    buffer<int> gone(8, "gone", 1);
    address = gone.at(2);
  }
  std::string const message = expect_only(violation_kind::use_after_free,
      request(1, 1, 0, [&](lane& l) { load<int>(l, space::global, address, HERE); }));
  CHECK_MESSAGE(message.find("'gone'") != std::string::npos, message);
}

TEST_CASE("memory never written") {
  buffer<int> x(8, "values");
  x.set(3, 1);
  std::string const message = expect_only(violation_kind::read_of_unwritten,
      request(1, 1, 0, [&](lane& l) { load<int>(l, space::global, x.at(4), HERE); }));
  CHECK_MESSAGE(message.find("'values' + 16") != std::string::npos, message);
  expect_clean(request(1, 1, 0, [&](lane& l) { load<int>(l, space::global, x.at(3), HERE); }));
  forget(reinterpret_cast<void*>(x.at(3)), 4);
  expect_only(violation_kind::read_of_unwritten, request(1, 1, 0, [&](lane& l) { load<int>(l, space::global, x.at(3), HERE); }));
  // Shared memory is unwritten in every block anew.
  expect_only(violation_kind::read_of_unwritten, request(2, 1, 1, [](lane& l) {
    if (l.block_index().x == 0) store(l, space::shared, shared_at(0), 1, HERE);
    load<int>(l, space::shared, shared_at(0), HERE);
  }));
}

TEST_CASE("forbidden bytes of an arena") {
  buffer<int> arena(16, "arena", 0);
  forbid(reinterpret_cast<void*>(arena.at(4)), 16);
  expect_only(violation_kind::out_of_bounds, request(1, 1, 0, [&](lane& l) { store(l, space::global, arena.at(5), 1, HERE); }));
  expect_clean(request(1, 1, 0, [&](lane& l) { store(l, space::global, arena.at(8), 1, HERE); }));
}

TEST_CASE("shared memory ends with the block's bytes, static and dynamic") {
  for (std::int64_t at : {-1024, -4, 16, 40, 1 << 20}) {
    expect_only(violation_kind::out_of_bounds, request(1, 1, 4, [=](lane& l) {
      store(l, space::shared, shared_start + std::uint64_t(at), 1, HERE);
    }));
  }
  auto r = request(1, 1, 4, [](lane& l) {
    CHECK(l.dynamic_shared_start() == shared_start + 16);
    store(l, space::generic, lane::to_generic(space::shared, l.dynamic_shared_start() + 4), 1, HERE);
  });
  r.dynamic_shared_bytes = 8;
  expect_clean(r);
}

TEST_CASE("misaligned accesses") {
  buffer<double> x(4, "x", 0.);
  expect_only(violation_kind::misaligned, request(1, 1, 0, [&](lane& l) { load<double>(l, space::global, x.at(1) + 4, HERE); }));
  expect_only(violation_kind::misaligned, request(1, 1, 8, [](lane& l) { store(l, space::shared, shared_start + 2, 1, HERE); }));
}

TEST_CASE("local memory: frames, bounds, unwritten bytes") {
  expect_clean(request(1, 40, 0, [](lane& l) {
    std::uint64_t const frame = l.push_local(8, 8);
    store(l, space::local, frame, index(l), HERE);
    std::uint64_t const inner = l.push_local(16, 16);
    CHECK(inner % 16 == 0);
    CHECK(inner >= frame + 8);
    store(l, space::local, inner + 12, 5u, HERE);
    l.pop_local(inner);
    CHECK(load<unsigned>(l, space::generic, lane::to_generic(space::local, frame), HERE) == index(l));
  }));
  expect_only(violation_kind::out_of_bounds, request(1, 1, 0, [](lane& l) { store(l, space::local, l.push_local(8, 4) + 8, 1, HERE); }));
  expect_only(violation_kind::out_of_bounds, request(1, 1, 0, [](lane& l) { store(l, space::local, 0, 1, HERE); }));
  expect_only(violation_kind::read_of_unwritten, request(1, 1, 0, [](lane& l) { load<int>(l, space::local, l.push_local(8, 4), HERE); }));
}

TEST_CASE("windows of generic addresses") {
  buffer<int> x(1, "x");
  std::uint64_t const shared = lane::to_generic(space::shared, 2000), local = lane::to_generic(space::local, 2000);
  CHECK(shared != local);
  CHECK(lane::from_generic(space::shared, shared) == 2000);
  CHECK(lane::is_in(space::shared, shared));
  CHECK(!lane::is_in(space::shared, local));
  CHECK(!lane::is_in(space::global, shared));
  CHECK(lane::is_in(space::global, x.at(0)));
  CHECK(!lane::is_in(space::local, x.at(0)));
}

TEST_CASE("constant memory is not written") {
  allocation& c = *device_memory::get().allocate(8, memory_kind::constant, "table");
  expect_only(violation_kind::not_writable, request(1, 1, 0, [&](lane& l) { store(l, space::global, c.start, 1, HERE); }));
  CHECK(lane::is_in(space::constant, c.start));
  device_memory::get().release(c);
}

TEST_CASE("parameters") {
  float const values[2] = {1.f, 2.f};
  auto r = request(1, 1, 0, [](lane& l) {
    CHECK(load<float>(l, space::param, 4, HERE) == 2.f);
    CHECK(load<float>(l, space::generic, lane::to_generic(space::param, 0), HERE) == 1.f);
  });
  r.parameters = std::as_bytes(std::span(values));
  expect_clean(r);
  r.body = [](lane& l) { load<float>(l, space::param, 8, HERE); };
  expect_only(violation_kind::out_of_bounds, r);
}
