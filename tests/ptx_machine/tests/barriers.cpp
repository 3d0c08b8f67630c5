// Barriers: divergent, after a return, named, with a reduction; deadlock and its listing.
#include "scripted.hpp"

using namespace scripted;

TEST_CASE("one barrier at two places") {
  std::string const message = expect_only(violation_kind::divergent_barrier, request(1, 64, 0, [](lane& l) {
    if (index(l) < 32) l.barrier(0, 0, HERE);
    else {
      l.barrier(0, 0, HERE);
    }
  }));
  CHECK_MESSAGE(message.find("two places") != std::string::npos, message);
  expect_clean(request(1, 64, 0, [](lane& l) { l.barrier(0, 0, HERE); }));
  // barrier.sync without .aligned counts threads, wherever they stand
  expect_clean(request(1, 64, 0, [](lane& l) {
    if (index(l) < 20) l.barrier(0, 0, HERE, false);
    else {
      l.barrier(0, 0, HERE, false);
    }
  }));
}

TEST_CASE("a barrier after some threads returned") {
  expect_only(violation_kind::barrier_after_exit, request(1, 64, 0, [](lane& l) {
    if (index(l) == 40) return;
    l.barrier(0, 0, HERE);
  }));
  expect_only(violation_kind::barrier_after_exit, request(1, 64, 0, [](lane& l) {
    if (index(l) == 40) l.exit();
    l.barrier(0, 0, HERE);
  }));
  expect_clean(request(1, 64, 0, [](lane& l) {
    l.barrier(0, 0, HERE);
    if (index(l) == 40) l.exit();
  }));
}

TEST_CASE("barriers of some of the threads") {
  // Two halves meet by themselves, on barriers of their own.
  auto halves = [](unsigned wrong_id) {
    return request(1, 128, 128, [=](lane& l) {
      unsigned const t = index(l), half = t / 64;
      store(l, space::shared, shared_at(t), t, HERE);
      l.barrier(1 + (t == 127 ? wrong_id : half), 64, HERE);
      load<unsigned>(l, space::shared, shared_at(t ^ 63), HERE);
    });
  };
  expect_clean(halves(1));
  on_schedules(halves(7), [](report_data const& r) { CHECK(r.find(violation_kind::deadlock)); });
  // ... but order nothing between the halves.
  on_schedules(request(1, 128, 128, [](lane& l) {
    unsigned const t = index(l);
    store(l, space::shared, shared_at(t), t, HERE);
    l.barrier(1 + t / 64, 64, HERE);
    load<unsigned>(l, space::shared, shared_at(127 - t), HERE);
  }), [](report_data const& r) { CHECK(r.find(violation_kind::race)); });
}

TEST_CASE("a producer arrives without waiting") {
  auto pass = [](bool arrives) {
    return request(1, 64, 32, [=](lane& l) {
      unsigned const t = index(l);
      if (t < 32) {
        store(l, space::shared, shared_at(t), t, HERE);
        if (arrives) l.barrier_arrive(3, 64, HERE);
      } else {
        if (arrives) l.barrier(3, 64, HERE);
        load<unsigned>(l, space::shared, shared_at(t - 32), HERE);
      }
    });
  };
  expect_clean(pass(true));
  on_schedules(pass(false), [](report_data const& r) { CHECK(!r.ok()); });
  // The arrival releases, it does not acquire: the producer must not touch what the consumer read.
  expect_only(violation_kind::race, request(1, 64, 32, [](lane& l) {
    unsigned const t = index(l);
    if (t < 32) {
      store(l, space::shared, shared_at(t), t, HERE);
      l.barrier_arrive(3, 64, HERE);
      store(l, space::shared, shared_at(t), t, HERE);
    } else {
      l.barrier(3, 64, HERE);
      load<unsigned>(l, space::shared, shared_at(t - 32), HERE);
    }
  }));
}

TEST_CASE("reductions at a barrier") {
  for (unsigned threads : {1u, 31u, 32u, 33u, 97u}) {
    expect_clean(request(1, threads, 0, [=](lane& l) {
      bool const third = index(l) % 3 == 0;
      CHECK(l.barrier_reduce(0, 0, predicate_reduction::count, third, HERE) == (threads + 2) / 3);
      CHECK(l.barrier_reduce(0, 0, predicate_reduction::all, third, HERE) == (threads == 1));
      CHECK(l.barrier_reduce(0, 0, predicate_reduction::any, third, HERE) == 1);
      CHECK(l.barrier_reduce(0, 0, predicate_reduction::any, false, HERE) == 0);
    }));
  }
}

TEST_CASE("a deadlock tells where each thread stands") {
  std::string const message = expect_only(violation_kind::deadlock, request(1, 64, 0, [](lane& l) {
    if (index(l) < 32) l.barrier(1, 64, HERE);
    else l.barrier(2, 64, HERE);
  }));
  CHECK_MESSAGE(message.find("32 threads wait at barrier 1, kernel.cu:") != std::string::npos, message);
  CHECK_MESSAGE(message.find("32 threads wait at barrier 2, kernel.cu:") != std::string::npos, message);
}

TEST_CASE("counts that no barrier takes") {
  expect_only(violation_kind::bad_call, request(1, 32, 0, [](lane& l) { l.barrier(16, 0, HERE); }));
  expect_only(violation_kind::bad_call, request(1, 32, 0, [](lane& l) { l.barrier(1, 33, HERE); }));
}

TEST_CASE("a thread that never ends meets the watchdog") {
  options const kept = current_options();
  current_options().most_steps = 1'000'000;
  expect_only(violation_kind::watchdog, request(2, 40, 0, [](lane& l) {
    while (index(l) == 3) l.step();
  }));
  current_options() = kept;
}
