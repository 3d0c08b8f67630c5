// atom and red: one read, one change, one write that nobody comes between.
#include <cmath>

#include "opcodes/handlers.hpp"
#include "opcodes/spaces.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

// Each operation: what memory holds after it, from what it held and the operands.
struct add_op { template <class T> T operator()(T old, T b, T) const { return static_cast<T>(old + b); } };
struct min_op { template <class T> T operator()(T old, T b, T) const { return b < old ? b : old; } };
struct max_op { template <class T> T operator()(T old, T b, T) const { return old < b ? b : old; } };
struct and_op { template <class T> T operator()(T old, T b, T) const { return old & b; } };
struct or_op { template <class T> T operator()(T old, T b, T) const { return old | b; } };
struct xor_op { template <class T> T operator()(T old, T b, T) const { return old ^ b; } };
struct inc_op { template <class T> T operator()(T old, T b, T) const { return old >= b ? T(0) : old + 1; } };
struct dec_op { template <class T> T operator()(T old, T b, T) const { return old == 0 || old > b ? b : old - 1; } };
struct exch_op { template <class T> T operator()(T, T b, T) const { return b; } };
struct cas_op { template <class T> T operator()(T old, T b, T c) const { return old == b ? c : old; } };

/// Numbers of 16 bits: added or compared, then rounded once; a NaN gives way to a number in min and max.
template <class E, class Op> struct half_op {
  E one(E a, E b) const {
    double const x = to_double(a), y = to_double(b);
    if constexpr (std::is_same_v<Op, add_op>) return from_double<E>(sum_to_odd(x, y));
    else if (x != x) return y != y ? E{0x7fff} : b;
    else if (y != y) return a;
    else if (x == y) return (std::signbit(x) == std::is_same_v<Op, min_op>) ? a : b;
    else return (x < y) == std::is_same_v<Op, min_op> ? a : b;
  }
  E operator()(E old, E b, E) const { return one(old, b); }
  pair_of<E> operator()(pair_of<E> old, pair_of<E> b, pair_of<E>) const { return {one(old.low, b.low), one(old.high, b.high)}; }
};
struct add_f32 {   // red and atom flush subnormals in global memory; here as in shared memory they stay
  float operator()(float old, float b, float) const {
    float const r = old + b;
    return r != r ? std::bit_cast<float>(0x7fffffffu) : r;
  }
};

/// One element, or a vector of them, each atomic for itself. Operand slots: the value in b, that of cas in c; vectors in the list, results
/// first.
template <class Op, class T> instruction const* atomic(frame& f, instruction const& i) {
  access_kind const k = access_kind::of(i.flags);
  std::uint64_t const at = address_of(f, i);
  for (unsigned e = 0; e < i.count; ++e) {
    std::uint32_t const* const list = f.code.lists.data() + i.list;
    T const b = get<T>(f, i.count == 1 ? i.b : list[i.count + e]), c = get<T>(f, i.c == no_slot ? 0 : i.c);
    T old{};
    f.here.atomic(k.in, at + e * sizeof(T), sizeof(T), [&](std::byte* value) {
      std::memcpy(&old, value, sizeof old);
      T const now = Op{}(old, b, c);
      std::memcpy(value, &now, sizeof now);
    }, i.at, k.how);
    std::uint32_t const d = i.count == 1 ? i.d : list[e];
    if (d != no_slot) put<T>(f, d, old);
  }
  return &i + 1;
}

template <class Op, class... T> handler atomic_of(type_list<T...>, scalar t) {
  handler found = nullptr;
  ((scalar_of<T> == as_number(t) ? void(found = &atomic<Op, T>) : void()), ...);
  return found;
}
using words = type_list<std::uint32_t, std::uint64_t>;
using unsigned_32 = type_list<std::uint32_t>;
using numbers = type_list<std::uint32_t, std::uint64_t, std::int32_t, std::int64_t>;

handler half_atomic(scalar t, std::size_t op) {   // 0 add, 1 min, 2 max
  auto const pick = [op](handler add, handler min, handler max) { return op == 0 ? add : op == 1 ? min : max; };
  switch (t) {
    case s::f16:
      return pick(&atomic<half_op<half, add_op>, half>, &atomic<half_op<half, min_op>, half>, &atomic<half_op<half, max_op>, half>);
    case s::bf16:
      return pick(&atomic<half_op<bfloat, add_op>, bfloat>, &atomic<half_op<bfloat, min_op>, bfloat>,
                  &atomic<half_op<bfloat, max_op>, bfloat>);
    case s::f16x2:
      return pick(&atomic<half_op<half, add_op>, half2>, &atomic<half_op<half, min_op>, half2>, &atomic<half_op<half, max_op>, half2>);
    case s::bf16x2:
      return pick(&atomic<half_op<bfloat, add_op>, bfloat2>, &atomic<half_op<bfloat, min_op>, bfloat2>,
                  &atomic<half_op<bfloat, max_op>, bfloat2>);
    default: return nullptr;
  }
}

handler pick(decoder& d, std::size_t op, scalar t) {
  bool const bits = is_bits(t);
  if (is_half(t)) return op <= 2 ? half_atomic(t, op) : nullptr;
  switch (op) {
    case 0:
      return t == s::f32           ? &atomic<add_f32, float>
             : t == s::f64         ? &atomic<add_op, double>
             : t == s::s64 || bits ? nullptr
                                   : atomic_of<add_op>(numbers{}, t);
    case 1: return bits ? nullptr : atomic_of<min_op>(numbers{}, t);
    case 2: return bits ? nullptr : atomic_of<max_op>(numbers{}, t);
    case 3: return t == s::u32 ? atomic_of<inc_op>(unsigned_32{}, t) : nullptr;
    case 4: return t == s::u32 ? atomic_of<dec_op>(unsigned_32{}, t) : nullptr;
    case 5: return bits ? atomic_of<and_op>(words{}, t) : nullptr;
    case 6: return bits ? atomic_of<or_op>(words{}, t) : nullptr;
    case 7: return bits ? atomic_of<xor_op>(words{}, t) : nullptr;
    case 8: return bits ? atomic_of<exch_op>(words{}, t) : nullptr;
    case 9: return bits ? t == s::b16 ? &atomic<cas_op, std::uint16_t> : atomic_of<cas_op>(words{}, t) : nullptr;
    default: d.fail("unknown operation");
  }
}

constexpr std::size_t unnamed = 99;

template <bool returns> void decode_atomic(decoder& d) {
  access_kind kind;
  constexpr order orders[] = {order::relaxed, order::acquire, order::release, order::acquire_release};
  std::size_t op = unnamed;
  bool has_order = false, has_scope = false;
  for (bool taken = true; taken;) {   // .sem, .scope, the state space and the operation: headers of the toolkit write them in any order
    taken = false;
    auto const once = [&](bool& before, std::size_t which, std::size_t none) {
      if (which == none) return false;
      if (before) d.fail("a modifier stands twice");
      return before = taken = true;
    };
    std::size_t const sem = d.maybe_one_of({"relaxed", "acquire", "release", "acq_rel"});
    if (once(has_order, sem, 4)) kind.how = orders[sem];
    once(has_scope, d.maybe_one_of({"cta", "cluster", "gpu", "sys"}), 4);
    if (space const in = kind.in == space::generic ? take_space(d) : space::generic; in != space::generic) kind.in = in, taken = true;
    std::size_t const named = op == unnamed ? d.maybe_one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"}) : 10;
    if (named < 10) op = named, taken = true;
  }
  if (!returns && (kind.how == order::acquire || kind.how == order::acquire_release)) d.fail("red is relaxed or a release");
  if (kind.in != space::generic && kind.in != space::global && kind.in != space::shared) d.fail("there are no atomics in this state space");
  if (op == unnamed) d.take_one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  if (!returns && op >= 8) d.fail("red has neither .exch nor .cas");
  bool const noftz = d.take("noftz");
  bool const policy = d.take("L2::cache_hint");
  constexpr std::uint8_t counts[] = {2, 4, 8, 1};
  d.out.count = counts[d.maybe_one_of({"v2", "v4", "v8"})];
  scalar const t =
      d.take_type({s::b16, s::b32, s::b64, s::u32, s::u64, s::s32, s::s64, s::f16, s::bf16, s::f16x2, s::bf16x2, s::f32, s::f64});
  if (noftz != is_half(t)) d.fail(noftz ? ".noftz is for numbers of 16 bits" : ".noftz is missing");
  if (d.out.count > 1 && (kind.in != space::global || (t != s::f32 && !is_half(t)) || d.out.count * bytes_of(t) > 16))
    d.fail("no such vector of atomics");
  handler const h = pick(d, op, t);
  bool const vector = d.out.count > 1;
  std::vector<std::uint32_t> slots(vector ? d.out.count : 0u, no_slot);
  auto const elements = [&](operand const& o) -> std::vector<operand> const& {
    if (o.what != operand::kind::vector || o.parts.size() != d.out.count)
      d.fail("a vector of " + std::to_string(d.out.count) + " is needed");
    return o.parts;
  };
  if (returns) {
    operand const& to = d.next();
    if (!vector) d.out.d = to.what == operand::kind::sink ? no_slot : d.destination_of(to, t);
    else for (std::size_t e = 0; e < slots.size(); ++e) slots[e] = d.destination_of(elements(to)[e], t);
  }
  take_address(d, kind);
  if (vector) {
    for (operand const& o : elements(d.next())) slots.push_back(d.source_of(o, t));
    d.begin_list();
    for (std::uint32_t slot : slots) d.list(slot);
  } else {
    d.out.b = d.source(t);
  }
  if (op == 9) d.out.c = d.source(t);
  if (policy) d.source(s::b64);
  d.needs_site();
  d.emit(h);
}

}  // namespace

void add_atomics(opcode_table& t) {
  t.add("atom", opcode_kind::any, decode_atomic<true>);
  t.add("red", opcode_kind::any, decode_atomic<false>);
}

}  // namespace ptx_machine
