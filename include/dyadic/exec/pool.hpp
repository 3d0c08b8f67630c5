// A fixed number of threads that work on one run at a time. The caller works too, and never waits for a thread to wake up: who is awake
// takes the next chunk, and a run is over when all its chunks are. A thread without work spins briefly (a barrier of some 100 ns, where a
// sleeping one takes some 10 us), then yields, then sleeps.
#pragma once
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "dyadic/axes/error.hpp"
#include "dyadic/cpu/workers.hpp"

namespace dyadic::exec {

/// Cores this process may use.
inline int cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
  long const n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<int>(n) : 1;
}

/// An executor of `threads` workers: the caller and threads - 1 of its own. Any number of trainers, decoders and runners may share it. A
/// run from within a run, and one that another thread calls while a run is going on, is executed inline by who calls it.
class pool {
 public:
  /// threads = 0: as many as cores(). At most `at_once` are kept awake (0: one a core): more threads than cores only get in each other's
  /// way. Errors: error_kind::argument, a negative number; error_kind::state, when the system makes no further thread.
  explicit pool(int threads = 0, int at_once = 0) {
    if (threads < 0 || at_once < 0) raise(error_kind::argument, "pool: a negative number of threads");
    int const available = cores(), wanted = threads ? threads : available;
    at_once_ = at_once ? at_once : available;
    crowded_ = (wanted < at_once_ ? wanted : at_once_) > available;
    entries_.resize(static_cast<std::size_t>(wanted) - 1);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i] = {this, static_cast<int>(i) + 1, {}};
      if (int const e = pthread_create(&entries_[i].thread, nullptr, &enter, &entries_[i]); e != 0) {
        entries_.resize(i);   // within the capacity: the others' addresses stay
        stop();
        raise(error_kind::state, message() << "pool: the system made " << i << " of " << wanted - 1 << " threads, then gave error " << e);
      }
    }
  }
  ~pool() { stop(); }
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  int threads() const { return static_cast<int>(entries_.size()) + 1; }

  /// Calls f(chunk, worker) for every chunk, in any order. An exception in f is thrown here, when no call is running any more; chunks that
  /// had not begun are left out then. Of several exceptions one arrives.
  template <class F> void run(std::int64_t chunks, F&& f) {
    if (chunks < 2 || entries_.empty() || busy_.exchange(true, std::memory_order_acquire)) {
      for (std::int64_t c = 0; c < chunks; ++c) f(c, 0);
      return;
    }
    run(chunks, [](void* with, std::int64_t chunk, int worker) { (*static_cast<std::remove_reference_t<F>*>(with))(chunk, worker); },
        const_cast<void*>(static_cast<void const*>(&f)));
  }

 private:
  using body = void (*)(void* with, std::int64_t chunk, int worker);
  struct entry { pool* of; int worker; pthread_t thread; };

  // The state of a run in one word, so that a piece is taken and known to be of this run in one step: the run's number, its pieces, and the
  // next one. Many chunks make a piece when there are more than 16 bits count.
  static constexpr std::int64_t most_pieces = 0xffff;
  static constexpr std::uint32_t run_of(std::uint64_t s) { return static_cast<std::uint32_t>(s >> 32); }
  static constexpr std::int64_t pieces_of(std::uint64_t s) { return static_cast<std::int64_t>(s >> 16 & 0xffff); }
  static constexpr std::int64_t next_of(std::uint64_t s) { return static_cast<std::int64_t>(s & 0xffff); }

  alignas(64) std::atomic<std::uint64_t> state_{0};
  std::atomic<body> body_{nullptr};
  std::atomic<void*> with_{nullptr};
  std::atomic<std::int64_t> chunks_{0};
  alignas(64) std::atomic<std::int64_t> done_{0};
  std::atomic<bool> caller_sleeps_{false}, failed_{false};
  alignas(64) std::atomic<bool> busy_{false}, stopping_{false};
  std::atomic<int> asleep_{0};
  std::mutex mutex_;
  std::condition_variable work_, end_;
  std::exception_ptr error_;
  std::vector<entry> entries_;
  int at_once_ = 1;
  bool crowded_ = false;

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
  }
  /// Whether ready() came true without sleeping.
  template <class Ready> bool comes_soon(Ready ready) const {
    int const spins = crowded_ ? 20 : 2000, yields = crowded_ ? 4 : 40;
    for (int i = 0; i < spins; ++i) {
      if (ready()) return true;
      relax();
    }
    for (int i = 0; i < yields; ++i) {
      if (ready()) return true;
      sched_yield();
    }
    return ready();
  }

  void run(std::int64_t chunks, body f, void* with) {
    std::int64_t const pieces = chunks < most_pieces ? chunks : most_pieces;
    body_.store(f, std::memory_order_relaxed);
    with_.store(with, std::memory_order_relaxed);
    chunks_.store(chunks, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    std::uint32_t const number = run_of(state_.load(std::memory_order_relaxed)) + 1;
    state_.store(std::uint64_t{number} << 32 | static_cast<std::uint64_t>(pieces) << 16);   // after the rest, and before asleep_ is read
    wake(pieces - 1);
    help(number, 0);
    auto const over = [&] { return done_.load(std::memory_order_acquire) == pieces; };
    if (!comes_soon(over)) {
      std::unique_lock<std::mutex> lock(mutex_);
      caller_sleeps_.store(true);
      while (done_.load() != pieces) end_.wait(lock);
      caller_sleeps_.store(false);
    }
    std::exception_ptr error;
    if (failed_.load(std::memory_order_relaxed)) {
      error = std::move(error_);
      error_ = nullptr;
      failed_.store(false, std::memory_order_relaxed);
    }
    busy_.store(false, std::memory_order_release);
#if defined(__cpp_exceptions)
    if (error) std::rethrow_exception(error);
#endif
  }
  void wake(std::int64_t wanted) {
    int const asleep = asleep_.load();
    if (asleep == 0) return;
    std::int64_t const awake = static_cast<std::int64_t>(entries_.size()) - asleep, allowed = at_once_ - 1 - awake;
    std::int64_t n = wanted - awake < allowed ? wanted - awake : allowed;
    if (n <= 0) return;
    { std::lock_guard<std::mutex> const lock(mutex_); }   // who has said that it sleeps, but does not yet, holds it
    for (; n > 0; --n) work_.notify_one();
  }
  /// Takes pieces of run `number` as long as there are any.
  void help(std::uint32_t number, int worker) {
    std::uint64_t s = state_.load(std::memory_order_acquire);
    while (run_of(s) == number && next_of(s) < pieces_of(s)) {
      // These are of this run if the exchange succeeds: the next run is only described when all pieces of this one are done.
      body const f = body_.load(std::memory_order_relaxed);
      void* const with = with_.load(std::memory_order_relaxed);
      std::int64_t const chunks = chunks_.load(std::memory_order_relaxed);
      if (!state_.compare_exchange_weak(s, s + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      std::int64_t const pieces = pieces_of(s), piece = next_of(s), each = chunks / pieces, more = chunks % pieces;
      std::int64_t const begin = piece * each + (piece < more ? piece : more), end = begin + each + (piece < more);
      execute(f, with, begin, end, worker);
      if (done_.fetch_add(1) + 1 == pieces && caller_sleeps_.load()) {
        std::lock_guard<std::mutex> const lock(mutex_);
        end_.notify_one();
      }
      s = state_.load(std::memory_order_acquire);
    }
  }
  void execute(body f, void* with, std::int64_t begin, std::int64_t end, int worker) {
#if defined(__cpp_exceptions)
    try {
      for (std::int64_t c = begin; c < end && !failed_.load(std::memory_order_relaxed); ++c) f(with, c, worker);
    } catch (...) {
      std::lock_guard<std::mutex> const lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
#else
    for (std::int64_t c = begin; c < end; ++c) f(with, c, worker);
#endif
  }

  static void* enter(void* p) {
    entry const& e = *static_cast<entry*>(p);
    e.of->work(e.worker);
    return nullptr;
  }
  void work(int worker) {
    std::uint32_t seen = 0;
    bool fresh = true;   // sleeps at once: no more than at_once_ are to be awake, and wake() decides who
    auto const called = [&] { return stopping_.load(std::memory_order_relaxed) || run_of(state_.load(std::memory_order_acquire)) != seen; };
    for (;;) {
      if (fresh || !comes_soon(called)) {
        std::unique_lock<std::mutex> lock(mutex_);
        asleep_.fetch_add(1);
        while (!stopping_.load() && run_of(state_.load()) == seen) work_.wait(lock);
        asleep_.fetch_sub(1);
      }
      fresh = false;
      if (stopping_.load()) return;
      seen = run_of(state_.load(std::memory_order_acquire));
      help(seen, worker);
    }
  }
  void stop() {
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      stopping_.store(true);
    }
    work_.notify_all();
    for (auto const& e : entries_) pthread_join(e.thread, nullptr);
    entries_.clear();
  }
};

}  // namespace dyadic::exec
