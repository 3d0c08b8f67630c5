// Frames and the loop that executes their instructions.
#include <array>
#include <memory>
#include <vector>

#include "instruction.hpp"

namespace ptx_machine {
namespace {

/// Register files are used again: a block of threads has as many as threads, and the next block finds them.
class register_file {
 public:
  explicit register_file(std::vector<std::uint64_t> const& image) : class_(std::bit_width(image.size())) {
    auto& free = pool()[class_];
    if (free.empty()) data_ = std::make_unique<std::uint64_t[]>(std::size_t(1) << class_);
    else {
      data_ = std::move(free.back());
      free.pop_back();
    }
    std::memcpy(data_.get(), image.data(), image.size() * sizeof(std::uint64_t));
  }
  ~register_file() { pool()[class_].push_back(std::move(data_)); }
  register_file(register_file const&) = delete;
  register_file& operator=(register_file const&) = delete;
  std::uint64_t* data() const { return data_.get(); }

 private:
  using pools = std::array<std::vector<std::unique_ptr<std::uint64_t[]>>, 33>;
  static pools& pool() {
    static thread_local pools all;
    return all;
  }
  std::size_t class_;
  std::unique_ptr<std::uint64_t[]> data_;
};

std::uint64_t value_of(special what, frame const& f) {
  lane& l = f.here;
  std::uint32_t const lane_bit = 1u << l.lane_index();
  switch (what) {
    case special::tid_x: return l.thread_index().x;
    case special::tid_y: return l.thread_index().y;
    case special::tid_z: return l.thread_index().z;
    case special::ntid_x: return l.block_shape().x;
    case special::ntid_y: return l.block_shape().y;
    case special::ntid_z: return l.block_shape().z;
    case special::ctaid_x: return l.block_index().x;
    case special::ctaid_y: return l.block_index().y;
    case special::ctaid_z: return l.block_index().z;
    case special::nctaid_x: return l.grid_shape().x;
    case special::nctaid_y: return l.grid_shape().y;
    case special::nctaid_z: return l.grid_shape().z;
    case special::laneid: return l.lane_index();
    case special::warpid: return l.warp_index();
    case special::nwarpid: return (l.block_shape().count() + 31) / 32;
    case special::lanemask_eq: return lane_bit;
    case special::lanemask_lt: return lane_bit - 1;
    case special::lanemask_le: return lane_bit | (lane_bit - 1);
    case special::lanemask_gt: return ~(lane_bit | (lane_bit - 1));
    case special::lanemask_ge: return ~(lane_bit - 1);
    case special::dynamic_smem_size: return l.dynamic_shared_bytes();
    case special::total_smem_size: return l.total_shared_bytes();
    case special::envreg1: return l.grid_workspace() >> 32;
    case special::envreg2: return static_cast<std::uint32_t>(l.grid_workspace());
    case special::dynamic_shared: return l.dynamic_shared_start();
    case special::local_base: return f.local_base;
    case special::nsmid: case special::one: return 1;
    default: return 0;   // one multiprocessor; clocks are read by mov
  }
}

instruction const* ran_past_the_end(frame& f, instruction const& i) { f.here.trap("control ran past the end of " + f.code.name, i.at); }

}  // namespace

handler const end_of_code = ran_past_the_end;

void run_function(thread_context& context, function const& code, void (*enter)(frame&, void*), void (*leave)(frame&, void*), void* with) {
  register_file const registers(code.image);
  std::byte small[256];
  std::unique_ptr<std::byte[]> large;
  if (code.parameter_bytes > sizeof small) large = std::make_unique<std::byte[]>(code.parameter_bytes);
  std::uint64_t const local = code.local_bytes ? context.here.push_local(code.local_bytes, code.local_alignment) : 0;
  frame f{registers.data(), context.here, code, context, large ? large.get() : small, local};
  for (entry_value const& e : code.entry_values)
    f.r[e.slot] = value_of(e.what, f) + static_cast<std::uint64_t>(e.addend);
  enter(f, with);
  instruction const* i = code.code.data();
  do i = f.r[i->guard] == i->skip_when ? i + 1 : i->execute(f, *i);
  while (i);
  leave(f, with);
  if (code.local_bytes) context.here.pop_local(local);   // a thread that ends by exception takes its memory with it
}

void run(lane& here, kernel const& k, void const* parameters) {
  thread_context context{here, k};
  struct source {
    void const* from;
    std::uint32_t bytes;
  } s{parameters, k.parameter_bytes};
  run_function(context, *k.code, [](frame& f, void* with) {
    auto const& from = *static_cast<source*>(with);
    if (from.bytes) std::memcpy(f.parameters, from.from, from.bytes);
  }, [](frame&, void*) {}, &s);
}

}  // namespace ptx_machine
