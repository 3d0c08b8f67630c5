// mma: D = A B + C by a warp. Products are exact, their sum and C are added in double and rounded once; devices add in an order and with
// roundings that the ISA leaves open, so results may differ in the last bits.
#include <cmath>
#include <cstring>

#include "opcodes/fragments.hpp"
#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
using fragments::place;
constexpr std::uint32_t everybody = 0xffffffff;

struct part {
  std::uint64_t a[8], b[8], c[4], d[4];   // elements, one by one
  bool complete;
};

bool complete(void** of_lanes) {
  bool all = true;
  for (int lane = 0; lane < 32; ++lane) all = all && of_lanes[lane];
  for (int lane = 0; lane < 32; ++lane)
    if (of_lanes[lane]) static_cast<part*>(of_lanes[lane])->complete = all;
  return all;
}

template <class T> T element(std::uint64_t bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
template <class T> std::uint64_t bits_of_element(T x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}
struct tf32_bits { std::uint32_t bits; };
double to_double(tf32_bits x) { return std::bit_cast<float>(x.bits & 0xffffe000u); }   // lower bits are ignored
using ptx_machine::to_double;

/// A shape: extents, elements per lane, and where they lie.
template <int k> struct shape_16 {
  static constexpr int m = 16, n = 8, depth = k, a_count = k / 2, b_count = k / 4;
  static constexpr place a(int lane, int i) { return fragments::a_16(lane, i); }
  static constexpr place b(int lane, int i) { return fragments::b_16(lane, i); }
  static constexpr place c(int lane, int i) { return fragments::c_16x8(lane, i); }
  static constexpr int c_count = 4;
};
template <int k> struct shape_32 {
  static constexpr int m = 16, n = 8, depth = k, a_count = k / 2, b_count = k / 4;
  static constexpr place a(int lane, int i) { return fragments::a_32(lane, i); }
  static constexpr place b(int lane, int i) { return fragments::b_32(lane, i); }
  static constexpr place c(int lane, int i) { return fragments::c_16x8(lane, i); }
  static constexpr int c_count = 4;
};
struct shape_64 {
  static constexpr int m = 8, n = 8, depth = 4, a_count = 1, b_count = 1;
  static constexpr place a(int lane, int i) { return fragments::a_64(lane, i); }
  static constexpr place b(int lane, int i) { return fragments::b_64(lane, i); }
  static constexpr place c(int lane, int i) { return fragments::c_64(lane, i); }
  static constexpr int c_count = 2;
};

template <class Shape, class In, class Out> void multiply(void** of_lanes, std::uint32_t) {
  if (!complete(of_lanes)) return;
  double a[Shape::m][Shape::depth], b[Shape::depth][Shape::n];
  for (int lane = 0; lane < 32; ++lane) {
    part const& p = *static_cast<part const*>(of_lanes[lane]);
    for (int i = 0; i < Shape::a_count; ++i) a[Shape::a(lane, i).row][Shape::a(lane, i).column] = to_double(element<In>(p.a[i]));
    for (int i = 0; i < Shape::b_count; ++i) b[Shape::b(lane, i).row][Shape::b(lane, i).column] = to_double(element<In>(p.b[i]));
  }
  for (int lane = 0; lane < 32; ++lane) {
    part& p = *static_cast<part*>(of_lanes[lane]);
    for (int i = 0; i < Shape::c_count; ++i) {
      auto const [row, column] = Shape::c(lane, i);
      double sum = to_double(element<Out>(p.c[i]));
      for (int k = 0; k < Shape::depth; ++k) {
        if constexpr (std::is_same_v<Out, double>) sum = std::fma(a[row][k], b[k][column], sum);   // f64 is a chain of fma
        else sum += a[row][k] * b[k][column];
      }
      if constexpr (std::is_same_v<Out, double>) p.d[i] = bits_of_element(sum);
      else p.d[i] = bits_of_element(from_double<Out>(sum));
    }
  }
}

/// Registers of the list: d, a, b, c. `packed` elements share a register.
template <class Shape, class In, class Out> instruction const* mma(frame& f, instruction const& i) {
  constexpr unsigned in_packed = sizeof(In) == 2 ? 2 : 1, out_packed = sizeof(Out) == 2 ? 2 : 1;
  std::uint32_t const* list = f.code.lists.data() + i.list;
  std::uint32_t const* const results = list;
  list += Shape::c_count / out_packed;
  part mine{};
  auto const unpack = [&](std::uint64_t* to, unsigned count, unsigned packed) {
    for (unsigned e = 0; e < count; ++e) {
      std::uint64_t const bits = f.r[list[e / packed]];
      to[e] = packed == 2 ? bits >> (e % 2 * 16) & 0xffff : bits;
    }
    list += count / packed;
  };
  unpack(mine.a, Shape::a_count, in_packed);
  unpack(mine.b, Shape::b_count, in_packed);
  unpack(mine.c, Shape::c_count, out_packed);
  f.here.collective(everybody, &mine, multiply<Shape, In, Out>, {.orders_memory = false, .aligned = true}, i.at);
  if (!mine.complete) f.here.trap("mma needs all 32 lanes of the warp", i.at);
  for (unsigned e = 0; e < Shape::c_count; e += out_packed)
    f.r[results[e / out_packed]] = out_packed == 2 ? mine.d[e] | mine.d[e + 1] << 16 : mine.d[e];
  return &i + 1;
}

template <class Shape, class In, class Out> void emit_mma(decoder& d) {
  constexpr unsigned in_packed = sizeof(In) == 2 ? 2 : 1, out_packed = sizeof(Out) == 2 ? 2 : 1;
  constexpr scalar in = sizeof(In) == 8 ? s::b64 : s::b32, out = sizeof(Out) == 8 ? s::b64 : s::b32;
  std::vector<std::uint32_t> slots;
  auto const take = [&](unsigned count, scalar t, bool result) {
    operand const& o = d.next();
    std::vector<operand> const parts = o.what == operand::kind::vector ? o.parts : std::vector<operand>{o};
    if (parts.size() != count) d.fail("a fragment must have " + std::to_string(count) + " registers");
    for (operand const& x : parts) slots.push_back(result ? d.destination_of(x, t) : d.source_of(x, t));
  };
  take(Shape::c_count / out_packed, out, true);
  take(Shape::a_count / in_packed, in, false);
  take(Shape::b_count / in_packed, in, false);
  take(Shape::c_count / out_packed, out, false);
  d.begin_list();
  for (std::uint32_t slot : slots) d.list(slot);
  d.needs_site();
  d.emit(&mma<Shape, In, Out>);
}

void decode_mma(decoder& d) {
  for (char const* m : {"sync", "aligned"})
    if (!d.take(m)) d.fail(std::string("expected .") + m);
  std::string_view const name = d.peek();
  std::size_t const shape = d.take_one_of({"m16n8k4", "m16n8k8", "m16n8k16", "m8n8k4"});
  for (char const* m : {"row", "col"})
    if (!d.take(m)) d.fail(std::string("expected .") + m);
  scalar const of_d = d.take_type({s::f16, s::f32, s::f64});
  scalar const of_a = d.take_type({s::f16, s::bf16, s::tf32, s::f64}), of_b = d.take_type({s::f16, s::bf16, s::tf32, s::f64});
  scalar const of_c = d.take_type({s::f16, s::f32, s::f64});
  if (of_a != of_b || of_c != of_d) d.fail("mma with these types is not known");
  auto const is = [&](std::size_t wanted, scalar in, scalar out) { return shape == wanted && of_a == in && of_c == out; };
  if (is(2, s::bf16, s::f32)) return emit_mma<shape_16<16>, bfloat, float>(d);
  if (is(1, s::bf16, s::f32)) return emit_mma<shape_16<8>, bfloat, float>(d);
  if (is(2, s::f16, s::f32)) return emit_mma<shape_16<16>, half, float>(d);
  if (is(1, s::f16, s::f32)) return emit_mma<shape_16<8>, half, float>(d);
  if (is(2, s::f16, s::f16)) return emit_mma<shape_16<16>, half, half>(d);
  if (is(1, s::f16, s::f16)) return emit_mma<shape_16<8>, half, half>(d);
  if (is(1, s::tf32, s::f32)) return emit_mma<shape_32<8>, tf32_bits, float>(d);
  if (is(0, s::tf32, s::f32)) return emit_mma<shape_32<4>, tf32_bits, float>(d);
  if (is(3, s::f64, s::f64)) return emit_mma<shape_64, double, double>(d);
  d.fail("mma of shape " + std::string(name) + " with these types is not known");
}

}  // namespace

void add_matrix_products(opcode_table& t) { t.add("mma", opcode_kind::any, decode_mma); }

}  // namespace ptx_machine
