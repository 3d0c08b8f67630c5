// redux: one number from all lanes of a mask.
#include <bit>

#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

struct add_op {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};
struct min_op { template <class T> T operator()(T a, T b) const { return b < a ? b : a; } };
struct max_op { template <class T> T operator()(T a, T b) const { return a < b ? b : a; } };
struct and_op { template <class T> T operator()(T a, T b) const { return a & b; } };
struct or_op { template <class T> T operator()(T a, T b) const { return a | b; } };
struct xor_op { template <class T> T operator()(T a, T b) const { return a ^ b; } };

template <class Op, class T> void reduce(void** of_lanes, std::uint32_t mask) {
  T result{};
  bool first = true;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1) || !of_lanes[lane]) continue;
    T const value = *static_cast<T const*>(of_lanes[lane]);
    result = first ? value : Op{}(result, value);
    first = false;
  }
  for (int lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1 && of_lanes[lane]) *static_cast<T*>(of_lanes[lane]) = result;
}
template <class Op, class T> instruction const* redux(frame& f, instruction const& i) {
  T mine = get<T>(f, i.a);
  f.here.collective(get<std::uint32_t>(f, i.b), &mine, reduce<Op, T>, {}, i.at);
  put(f, i.d, mine);
  return &i + 1;
}

void decode_redux(decoder& d) {
  if (!d.take("sync")) d.fail("expected .sync");
  std::size_t const op = d.take_one_of({"add", "min", "max", "and", "or", "xor"});
  bool const bits = op >= 3;
  scalar const t = bits ? d.take_type({s::b32}) : d.take_type({s::u32, s::s32});
  using u = std::uint32_t;
  using i = std::int32_t;
  constexpr handler unsigned_ops[] = {&redux<add_op, u>, &redux<min_op, u>, &redux<max_op, u>,
                                      &redux<and_op, u>, &redux<or_op, u>,  &redux<xor_op, u>};
  constexpr handler signed_ops[] = {&redux<add_op, i>, &redux<min_op, i>, &redux<max_op, i>};
  d.out.d = d.destination(t);
  d.out.a = d.source(t);
  d.out.b = d.source(s::b32);
  d.needs_site();
  d.emit(t == s::s32 ? signed_ops[op] : unsigned_ops[op]);
}

}  // namespace

void add_reductions(opcode_table& t) { t.add("redux", opcode_kind::any, decode_redux); }

}  // namespace ptx_machine
