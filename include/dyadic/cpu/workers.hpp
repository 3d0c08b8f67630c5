// What the kernels know of threads: a handle to an executor, which runs numbered chunks of work, each on some worker. A statement is cut
// into chunks by its sizes alone, never by the number of workers, so what it computes does not depend on where it runs.
#pragma once
#include <cstdint>
#include <type_traits>

namespace dyadic::cpu {

class workers;
namespace detail {
struct any_work { void operator()(std::int64_t chunk, int worker) const; };
}  // namespace detail

/// x.run(chunks, f) calls f(chunk, worker) once for every chunk in [0, chunks) and returns when all are done; x.threads() workers, numbered
/// from 0. No two calls with one worker's number run at the same time within one run. exec::serial, exec::pool, or one of the user's own.
template <class X> concept executor = !std::is_same_v<std::remove_cvref_t<X>, workers> && requires(X& x, detail::any_work const& f) {
  { static_cast<int>(x.threads()) };
  x.run(std::int64_t{}, f);
};

/// A handle to an executor: two pointers. The executor must live as long as the handle is used; one without data may be a temporary.
class workers {
 public:
  /// The calling thread alone.
  workers() = default;
  template <executor X> workers(X& x) : of_(&x), threads_(static_cast<int>(x.threads())) {
    run_ = [](void* of, std::int64_t chunks, body f, void* with) {
      static_cast<X*>(of)->run(chunks, [f, with](std::int64_t chunk, int worker) { f(with, chunk, worker); });
    };
  }
  template <executor X> requires std::is_empty_v<X> workers(X&& x) : threads_(static_cast<int>(x.threads())) {
    run_ = [](void*, std::int64_t chunks, body f, void* with) {
      X().run(chunks, [f, with](std::int64_t chunk, int worker) { f(with, chunk, worker); });
    };
  }

  int threads() const { return threads_; }
  /// Calls f(chunk, worker) for every chunk; a single one here, as worker 0.
  template <class F> void run(std::int64_t chunks, F&& f) const {
    if (chunks < 2 || !run_) {
      for (std::int64_t c = 0; c < chunks; ++c) f(c, 0);
      return;
    }
    run_(of_, chunks, [](void* with, std::int64_t chunk, int worker) { (*static_cast<std::remove_reference_t<F>*>(with))(chunk, worker); },
         const_cast<void*>(static_cast<void const*>(&f)));
  }

 private:
  using body = void (*)(void* with, std::int64_t chunk, int worker);
  void* of_ = nullptr;
  void (*run_)(void* of, std::int64_t chunks, body f, void* with) = nullptr;
  int threads_ = 1;
};

}  // namespace dyadic::cpu
