// One running CUDA thread, as the body of a kernel sees it: its place in the grid, memory, and everything it does with other threads.
// The interpreter of PTX calls these members; tests of the machine script them from C++.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "site.hpp"

namespace ptx_machine {

struct extent {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t(x) * y * z; }
  friend bool operator==(extent const&, extent const&) = default;
};

/// State spaces of PTX. Addresses in shared, local and param are offsets; global, constant and generic share one numbering, in which the
/// first three have windows of their own.
enum class space : std::uint8_t { generic, global, shared, local, param, constant };

/// What an access promises other threads. weak: an ordinary ld/st, which may race. All others are strong: they do not race with one
/// another; ld.volatile and st.volatile are relaxed. acquire and release order the accesses around them as PTX's memory model says.
enum class order : std::uint8_t { weak, relaxed, acquire, release, acquire_release };
enum class scope : std::uint8_t { block, device, system };

enum class predicate_reduction : std::uint8_t { count, all, any };

/// The first byte of shared memory a kernel may use: the driver keeps what is below, and a null shared pointer is an error.
inline constexpr std::uint32_t shared_start = 1024;
inline constexpr std::uint64_t shared_window = std::uint64_t(1) << 47;   // no address of the host, nor of global memory
inline constexpr std::uint64_t local_window = shared_window + (std::uint64_t(1) << 32);
inline constexpr std::uint64_t param_window = shared_window + (std::uint64_t(2) << 32);
inline constexpr std::uint64_t window_bytes = std::uint64_t(1) << 32;

/// Runs once for a warp's collective, on the lane that arrives last: what each lane of `mask` passed as `mine`, null for the others.
using join_function = void (*)(void** of_lanes, std::uint32_t mask);

struct collective_rules {
  bool orders_memory = false;   ///< bar.warp.sync: accesses of the named lanes before it happen before those after it
  bool aligned = false;         ///< .aligned: every lane must be at this very instruction, not only at one of its kind
};

class block_state;
struct lane_state;

class lane {
 public:
  // Where this thread is.
  extent thread_index() const;   // %tid, from 0
  extent block_index() const;    // %ctaid, from 0
  extent block_shape() const;    // %ntid
  extent grid_shape() const;     // %nctaid
  unsigned lane_index() const;   // %laneid
  unsigned warp_index() const;   // %warpid
  std::uint32_t dynamic_shared_start() const;   ///< offset of `extern .shared`: shared_start + the kernel's own bytes
  std::uint32_t dynamic_shared_bytes() const;   // %dynamic_smem_size
  std::uint32_t total_shared_bytes() const;     // %total_smem_size
  std::uint64_t clock();                        ///< grows with every call; no unit
  ///< high half %envreg1, low half %envreg2: zeroed bytes for grid.sync(); 0 unless cooperative
  std::uint64_t grid_workspace() const;

  // Memory. An access that is out of bounds, misaligned or not allowed is reported; a load then gives bytes 0xff, a store does nothing.
  // Bytes are 1, 2, 4, 8 or 16 (a whole vector: ld.v4.f32 is one access of 16) and the address must be a multiple of them.
  void load(space, std::uint64_t address, void* to, unsigned bytes, site, order = order::weak);
  void store(space, std::uint64_t address, void const* from, unsigned bytes, site, order = order::weak);

  /// A frame of local memory (a function's depot), as a stack: bytes never written. Offsets begin above 0, so that 0 is an error.
  std::uint64_t push_local(std::uint32_t bytes, std::uint32_t alignment);
  void pop_local(std::uint64_t address);   // the frame pushed last: touching it afterwards is out of bounds

  /// atom and red: `update(std::byte* value)` changes the value in place; nobody comes between. Also reads (a failed cas) are atomic.
  template <class F>
  void atomic(space in, std::uint64_t address, unsigned bytes, F&& update, site at, order how = order::relaxed) {
    std::forward<F>(update)(begin_atomic(in, address, bytes, at, how));
    end_atomic();
  }

  void fence(scope, site);   ///< fence.acq_rel and fence.sc, membar: with strong accesses before or after it, an acquire and a release

  // Addresses (cvta, cvta.to, isspacep). Global and constant addresses are generic addresses already.
  static std::uint64_t to_generic(space, std::uint64_t address);
  static std::uint64_t from_generic(space, std::uint64_t generic);
  static bool is_in(space, std::uint64_t generic);

  // The block. `threads` 0 means all of the block. An aligned barrier wants all lanes of a warp at one instruction; one over the whole
  // block, all threads of it.
  void barrier(unsigned id, unsigned threads, site, bool aligned = true);
  void barrier_arrive(unsigned id, unsigned threads, site, bool aligned = true);   // does not wait
  unsigned barrier_reduce(unsigned id, unsigned threads, predicate_reduction, bool value, site, bool aligned = true);
  void grid_sync(site);   ///< all threads of a cooperative launch

  /// Meets the lanes of `mask` that have not returned, then runs `join` once for all of them; `mine` points to what this lane brings and
  /// takes away. shfl, vote, match, redux, ldmatrix, mma and bar.warp.sync are made of it. Lanes belong together when `join` and `mask`
  /// are the same.
  void collective(std::uint32_t mask, void* mine, join_function join, collective_rules, site);
  std::uint32_t active_mask() const;   ///< activemask: only this lane, the one set that is true however the warp has diverged

  // cp.async: the bytes may arrive at any time until the wait, so they arrive at the wait, and touching the destination before is an
  // error. Of `bytes` (4, 8 or 16) the last `bytes - source_bytes` are zeros.
  void copy_async(std::uint32_t shared_address, std::uint64_t global_address, unsigned bytes, unsigned source_bytes, site);
  void commit_group();
  void wait_group(unsigned most_pending, site);
  void wait_all(site);

  void step() {   ///< once per instruction, or per jump: drives the watchdog and the changes of thread between accesses
    if (--budget_ == 0) out_of_budget();
  }
  void yield();                                       ///< nanosleep
  [[noreturn]] void exit();                           ///< leaves the body by an exception; returning from it is the same
  [[noreturn]] void trap(std::string_view why, site);   ///< trap, __assert_fail: reported, and the launch ends
  void print(std::string_view text);                  ///< printf

 private:
  friend class block_state;
  lane(block_state& block, lane_state& state) : block_(block), state_(state) {}
  std::byte* begin_atomic(space, std::uint64_t address, unsigned bytes, site, order);
  void end_atomic();
  void out_of_budget();

  block_state& block_;
  lane_state& state_;
  std::uint32_t budget_ = 1;
};

}  // namespace ptx_machine
