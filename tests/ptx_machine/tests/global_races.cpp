// Races in global memory: between blocks, atomics, fences, grid.sync().
#include "scripted.hpp"

using namespace scripted;

TEST_CASE("blocks of a launch are not ordered") {
  buffer<int> sum(1, "sum", 0);
  auto add = [&](bool atomic) {
    return request(8, 1, 0, [&sum, atomic](lane& l) {
      if (atomic) atomic_add(l, space::global, sum.at(0), 1, HERE);
      else store(l, space::global, sum.at(0), load<int>(l, space::global, sum.at(0), HERE) + 1, HERE);
    });
  };
  std::string const message = expect_only(violation_kind::race, add(false));
  CHECK(message.find("'sum'") != std::string::npos);
  sum.set(0, 0);
  expect_clean(add(true));
  CHECK(sum.get(0) == 4 * 8);
}

TEST_CASE("an atomic and an ordinary access of one word race") {
  buffer<int> word(1, "word", 0);
  expect_only(violation_kind::race, request(2, 1, 0, [&](lane& l) {
    if (l.block_index().x) atomic_add(l, space::global, word.at(0), 1, HERE);
    else load<int>(l, space::global, word.at(0), HERE);
  }));
  expect_clean(request(2, 1, 0, [&](lane& l) {
    if (l.block_index().x) atomic_add(l, space::global, word.at(0), 1, HERE);
    else load<int>(l, space::global, word.at(0), HERE, order::relaxed);
  }));
}

TEST_CASE("launches of one stream are ordered") {
  buffer<int> x(64, "x");
  reset();
  run_launch(request(2, 32, 0, [&](lane& l) { store(l, space::global, x.at(l.block_index().x * 32 + index(l)), 1, HERE); }));
  run_launch(request(2, 32, 0, [&](lane& l) { load<int>(l, space::global, x.at(63 - l.block_index().x * 32 - index(l)), HERE); }));
  CHECK_MESSAGE(report().ok(), to_string(report()));
}

TEST_CASE("the last block done sees what the others fenced") {
  buffer<int> parts(6, "parts"), done(1, "done", 0), total(1, "total");
  auto reduce = [&](bool fences) {
    return request(6, 64, 1, [&, fences](lane& l) {
      unsigned const b = l.block_index().x;
      if (index(l) == 0) {
        store(l, space::global, parts.at(b), int(b) + 1, HERE);
        if (fences) l.fence(scope::device, HERE);
        int const before = atomic_add(l, space::global, done.at(0), 1, HERE);
        if (fences) l.fence(scope::device, HERE);
        store(l, space::shared, shared_at(0), int(before == 5), HERE);
      }
      l.barrier(0, 0, HERE);
      if (load<int>(l, space::shared, shared_at(0), HERE) == 0) return;
      int sum = 0;
      if (index(l) == 33) {   // another thread of the block: the barrier passes on what thread 0 acquired
        for (unsigned i = 0; i < 6; ++i) sum += load<int>(l, space::global, parts.at(i), HERE);
        store(l, space::global, total.at(0), sum, HERE);
        store(l, space::global, done.at(0), 0, HERE, order::relaxed);
      }
    });
  };
  expect_clean(reduce(true));
  CHECK(total.get(0) == 21);
  expect_only(violation_kind::race, reduce(false));
}

TEST_CASE("a flag released and acquired orders, a relaxed one does not") {
  buffer<int> data(1, "data"), flag(1, "flag", 0);
  auto pass = [&](order store_order, order load_order) {
    return request(1, 64, 0, [&, store_order, load_order](lane& l) {
      if (index(l) == 63) {
        store(l, space::global, data.at(0), 42, HERE);
        store(l, space::global, flag.at(0), 1, HERE, store_order);
      } else if (index(l) == 0) {
        while (load<int>(l, space::global, flag.at(0), HERE, load_order) != 1) {}
        load<int>(l, space::global, data.at(0), HERE);
        store(l, space::global, flag.at(0), 0, HERE, order::relaxed);
      }
    });
  };
  expect_clean(pass(order::release, order::acquire));
  expect_only(violation_kind::race, pass(order::relaxed, order::relaxed));
  expect_only(violation_kind::race, pass(order::relaxed, order::acquire));
}

TEST_CASE("grid.sync() orders all blocks") {
  buffer<int> x(96, "x");
  auto exchange = [&](bool sync, bool cooperative) {
    auto r = request(3, 32, 0, [&, sync](lane& l) {
      unsigned const i = l.block_index().x * 32 + index(l);
      for (int round = 0; round < 3; ++round) {
        store(l, space::global, x.at(i), round, HERE);
        if (sync) l.grid_sync(HERE);
        int const seen = load<int>(l, space::global, x.at((i + 32) % 96), HERE);
        if (sync) CHECK(seen == round);
        if (sync) l.grid_sync(HERE);
      }
    });
    r.cooperative = cooperative;
    return r;
  };
  expect_clean(exchange(true, true));
  on_schedules(exchange(false, true), [](report_data const& r) { CHECK(r.find(violation_kind::race)); });
  expect_only(violation_kind::bad_call, exchange(true, false));
}

TEST_CASE("a thread reads and rewrites its own words as it likes") {
  buffer<int> x(128, "x", 1);
  expect_clean(request(2, 64, 0, [&](lane& l) {
    std::uint64_t const mine = x.at(l.block_index().x * 64 + index(l));
    for (int i = 0; i < 4; ++i) store(l, space::global, mine, load<int>(l, space::global, mine, HERE) + 1, HERE);
  }));
  CHECK(x.get(77) == 1 + 4 * 4);
}
