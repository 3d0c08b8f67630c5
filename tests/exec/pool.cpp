// The thread pool: every chunk once, whatever the numbers of chunks, threads and cores; nesting, exceptions, two callers, destruction.
#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "dyadic/exec/pool.hpp"
#include "dyadic/exec/serial.hpp"

using namespace dyadic;

namespace {

/// Runs chunks that each count themselves; true when every one ran once, by a worker that the executor has, never two at a time by one.
template <class X> bool each_once(X& x, std::int64_t chunks) {
  std::vector<std::atomic<int>> count(static_cast<std::size_t>(chunks));
  std::vector<std::atomic<int>> inside(static_cast<std::size_t>(x.threads()));
  std::atomic<int> bad{0};
  cpu::workers const on = x;
  on.run(chunks, [&](std::int64_t c, int worker) {
    if (worker < 0 || worker >= x.threads()) { ++bad; return; }
    auto& here = inside[static_cast<std::size_t>(worker)];
    if (here.fetch_add(1) != 0) ++bad;
    ++count[static_cast<std::size_t>(c)];
    here.fetch_sub(1);
  });
  for (auto const& n : count) bad += n != 1;
  return bad == 0;
}

/// An executor of the user's own.
struct backwards {
  int runs = 0;
  static constexpr int threads() { return 2; }
  template <class F> void run(std::int64_t n, F f) { ++runs; while (n-- > 0) f(n, 1); }
};

}  // namespace

TEST_CASE("pool: every chunk once") {
  for (int threads : {1, 2, 3, 7, 4 * exec::cores()}) {
    for (int at_once : {0, threads}) {   // no more awake than cores, and all
      exec::pool pool(threads, at_once);
      CHECK(pool.threads() == threads);
      for (std::int64_t chunks : {0, 1, 2, 3, 7, 64, 1000, 65535, 65536, 100003}) {
        CAPTURE(threads);
        CAPTURE(chunks);
        CHECK(each_once(pool, chunks));
      }
    }
  }
  exec::serial serial;
  CHECK(each_once(serial, 5));
  CHECK(exec::pool().threads() == exec::cores());
}

TEST_CASE("pool: all threads take part when there is enough to do") {
  exec::pool pool(4, 4);
  std::atomic<int> arrived{0};
  pool.run(4, [&](std::int64_t, int) {   // every chunk waits for the others: one thread could not do two
    ++arrived;
    while (arrived < 4) std::this_thread::yield();
  });
  CHECK(arrived == 4);
}

TEST_CASE("pool: thousands of tiny runs, one after another and after pauses") {
  exec::pool pool(3, 3);
  std::int64_t sum = 0;
  for (int i = 0; i < 20000; ++i) {
    std::int64_t part[5]{};
    pool.run(5, [&](std::int64_t c, int) { part[c] = i + c; });
    sum += std::accumulate(part, part + 5, std::int64_t{0});
  }
  CHECK(sum == std::int64_t{5} * 19999 * 20000 / 2 + 10 * 20000);
  for (int i = 0; i < 50; ++i) {   // long enough for the threads to fall asleep in between
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(each_once(pool, 9));
  }
}

TEST_CASE("pool: a run within a run is inline") {
  exec::pool pool(3, 3);
  std::atomic<int> count{0}, bad{0};
  pool.run(8, [&](std::int64_t, int) {
    auto const here = std::this_thread::get_id();
    pool.run(11, [&](std::int64_t, int worker) {
      ++count;
      bad += worker != 0 || std::this_thread::get_id() != here;
    });
  });
  CHECK(count == 88);
  CHECK(bad == 0);
}

TEST_CASE("pool: several callers") {
  exec::pool pool(3, 3);
  std::atomic<int> bad{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] { for (int r = 0; r < 500; ++r) bad += !each_once(pool, 1 + r % 13); });
  for (auto& t : callers) t.join();
  CHECK(bad == 0);
}

TEST_CASE("pool: an exception arrives at the caller, and the pool goes on") {
  exec::pool pool(3, 3);
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> running{0};
    try {
      pool.run(40, [&](std::int64_t c, int) {
        ++running;
        if (c == i % 40) { --running; raise(error_kind::index, "chunk"); }
        --running;
      });
      FAIL("no exception");
    } catch (error const& e) {
      CHECK(e.kind() == error_kind::index);
      CHECK(running == 0);
    }
    CHECK(each_once(pool, 7));
  }
  CHECK_THROWS_AS(pool.run(6, [](std::int64_t, int) { throw 3; }), int);   // all of them
  CHECK(each_once(pool, 7));
}

TEST_CASE("pool: made and destroyed, used or not") {
  for (int i = 0; i < 200; ++i) {
    exec::pool pool(1 + i % 5, 1 + i % 5);
    if (i % 3) CHECK(each_once(pool, i % 7));
  }
}

TEST_CASE("pool: bad numbers of threads") {
  CHECK_THROWS_AS(exec::pool(-1), error);
  CHECK_THROWS_AS(exec::pool(2, -1), error);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define DYADIC_NO_FORK 1
#endif
#endif
#ifndef DYADIC_NO_FORK
TEST_CASE("pool: a thread that cannot be made is an error, and those before it end") {
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {   // the address space has room for a few stacks more
    long pages = 0;
    if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(f, "%ld", &pages) != 1) pages = 0;
      std::fclose(f);
    }
    pthread_attr_t a;
    std::size_t stack = 0;
    pthread_getattr_np(pthread_self(), &a);
    pthread_attr_destroy(&a);
    pthread_attr_init(&a);
    pthread_attr_getstacksize(&a, &stack);
    rlim_t const most = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + 5 * stack;
    rlimit const limit{most, most};
    if (pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
    try {
      exec::pool pool(64);
    } catch (error const& e) {
      _exit(e.kind() == error_kind::state ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif
#endif

TEST_CASE("workers: a handle of nothing, of a temporary, of another executor") {
  std::int64_t sum = 0;
  cpu::workers().run(4, [&](std::int64_t c, int worker) { sum += c + worker; });
  CHECK(sum == 6);
  cpu::workers const serial = exec::serial{};
  CHECK(serial.threads() == 1);
  serial.run(4, [&](std::int64_t c, int worker) { sum += c + worker; });
  CHECK(sum == 12);
  backwards other;
  cpu::workers handle = other, copy = handle;
  copy.run(3, [&](std::int64_t c, int worker) { sum += c + worker; });
  CHECK(sum == 18);
  CHECK(other.runs == 1);
  copy.run(1, [&](std::int64_t, int worker) { sum += worker; });   // one chunk needs nobody
  CHECK(sum == 18);
  static_assert(!std::is_constructible_v<cpu::workers, exec::pool&&>);   // would be gone at the end of the line
}
