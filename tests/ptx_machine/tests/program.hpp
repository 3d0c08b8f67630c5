// A PTX text parsed, placed in device memory and launched, for tests of the interpreter.
#pragma once
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../module.hpp"
#include "scripted.hpp"

namespace scripted {

class program {
 public:
  explicit program(std::string_view text, std::string_view name = "test.ptx") : module_(parse(text, name)) {
    device_memory& memory = device_memory::get();
    module_.place([&](variable const& v) {
      allocation* const a = memory.allocate(v.size, v.constant ? memory_kind::constant : memory_kind::device, v.name);
      placed_.push_back(a);
      return a->start;
    }, [&](std::uint64_t at, std::span<std::byte const> bytes) {
      std::memcpy(memory.bytes_at(at), bytes.data(), bytes.size());
      std::memset(memory.written_at(at), 1, bytes.size());
    });
  }
  program(program const&) = delete;
  ~program() {
    for (allocation* a : placed_) device_memory::get().release(*a);
  }

  ptx_module const& contents() const { return module_; }

  /// Each argument is copied to its parameter, whose size it must have.
  template <class... A>
  launch_request request(std::string_view kernel_name, extent grid, extent block, std::uint32_t dynamic_bytes, A const&... arguments) {
    kernel const* const k = module_.find(kernel_name);
    REQUIRE(k);
    bytes_.assign(k->parameter_bytes, std::byte{0});
    std::size_t next = 0;
    auto const put = [&](auto const& x) {
      REQUIRE(next < k->parameters.size());
      parameter const& p = k->parameters[next++];
      REQUIRE(p.size == sizeof x);
      std::memcpy(bytes_.data() + p.offset, &x, sizeof x);
    };
    (put(arguments), ...);
    REQUIRE(next == k->parameters.size());
    launch_request r;
    r.kernel = k->name;
    r.grid = grid;
    r.block = block;
    r.static_shared_bytes = k->static_shared_bytes;
    r.dynamic_shared_bytes = dynamic_bytes;
    r.parameters = bytes_;
    r.body = [this, k](lane& l) { run(l, *k, bytes_.data()); };
    return r;
  }

 private:
  ptx_module module_;
  std::vector<allocation*> placed_;
  std::vector<std::byte> bytes_;
};

}  // namespace scripted
