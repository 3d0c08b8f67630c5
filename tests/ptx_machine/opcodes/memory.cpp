// ld, ldu, st in every state space, with vectors, orders and cache hints; prefetch and cache policies, which change nothing here.
#include <algorithm>

#include "opcodes/handlers.hpp"
#include "opcodes/spaces.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

/// A value read from memory into a register of `bits` bits: a signed one takes its sign to the top.
template <class T> void extend(frame& f, std::uint32_t slot, unsigned bits, T x) {
  if constexpr (std::is_signed_v<T>) {
    auto const wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    f.r[slot] = bits == 64 ? wide : wide & ((std::uint64_t(1) << bits) - 1);
  } else {
    f.r[slot] = x;
  }
}

template <class T> struct load {   // c: bits of the register
  static instruction const* run(frame& f, instruction const& i) {
    access_kind const k = access_kind::of(i.flags);
    T x;
    f.here.load(k.in, address_of(f, i), &x, sizeof x, i.at, k.how);
    extend(f, i.d, i.c, x);
    return &i + 1;
  }
};
template <class T> struct store {
  static instruction const* run(frame& f, instruction const& i) {
    access_kind const k = access_kind::of(i.flags);
    T const x = get<T>(f, i.b);
    f.here.store(k.in, address_of(f, i), &x, sizeof x, i.at, k.how);
    return &i + 1;
  }
};
/// Vectors: an access has at most 16 bytes, longer ones are two.
template <class T> struct load_vector {
  static instruction const* run(frame& f, instruction const& i) {
    access_kind const k = access_kind::of(i.flags);
    alignas(16) T x[8];
    unsigned const all = i.count * static_cast<unsigned>(sizeof(T));
    for (unsigned done = 0; done < all; done += 16)
      f.here.load(k.in, address_of(f, i) + done, reinterpret_cast<std::byte*>(x) + done, std::min(all - done, 16u), i.at, k.how);
    for (unsigned e = 0; e < i.count; ++e) extend(f, f.code.lists[i.list + e], i.c, x[e]);
    return &i + 1;
  }
};
template <class T> struct store_vector {
  static instruction const* run(frame& f, instruction const& i) {
    access_kind const k = access_kind::of(i.flags);
    alignas(16) T x[8];
    unsigned const all = i.count * static_cast<unsigned>(sizeof(T));
    for (unsigned e = 0; e < i.count; ++e) x[e] = get<T>(f, f.code.lists[i.list + e]);
    for (unsigned done = 0; done < all; done += 16)
      f.here.store(k.in, address_of(f, i) + done, reinterpret_cast<std::byte const*>(x) + done, std::min(all - done, 16u), i.at, k.how);
    return &i + 1;
  }
};

/// Parameters lie in the function's own block. Only an address in a register can miss it.
std::byte* in_parameters(frame& f, instruction const& i, std::size_t bytes) {
  std::uint64_t const at = address_of(f, i);
  if (at + bytes > f.code.parameter_bytes || at + bytes < bytes) f.here.trap("access outside the parameters", i.at);
  return f.parameters + at;
}
template <class T> struct load_parameter {
  static instruction const* run(frame& f, instruction const& i) {
    std::byte const* const from = in_parameters(f, i, sizeof(T) * i.count);
    for (unsigned e = 0; e < i.count; ++e) {
      T x;
      std::memcpy(&x, from + e * sizeof x, sizeof x);
      extend(f, i.count == 1 ? i.d : f.code.lists[i.list + e], i.c, x);
    }
    return &i + 1;
  }
};
template <class T> struct store_parameter {
  static instruction const* run(frame& f, instruction const& i) {
    std::byte* const to = in_parameters(f, i, sizeof(T) * i.count);
    for (unsigned e = 0; e < i.count; ++e) {
      T const x = get<T>(f, i.count == 1 ? i.b : f.code.lists[i.list + e]);
      std::memcpy(to + e * sizeof x, &x, sizeof x);
    }
    return &i + 1;
  }
};

using memory_types =
    type_list<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
scalar as_bits(scalar t) {   // floats are moved as bits
  return t == s::f32 ? s::u32 : t == s::f64 ? s::u64 : t == s::f16 || t == s::bf16 ? s::u16 : t == s::f16x2 || t == s::bf16x2 ? s::u32 : t;
}

struct access_modifiers {
  access_kind kind;
  unsigned count = 1;
  bool policy = false;
  scalar type = s::none;
};

void take_vector_and_type(decoder& d, access_modifiers& m) {
  constexpr unsigned counts[] = {2, 4, 8, 1};
  m.count = counts[d.maybe_one_of({"v2", "v4", "v8"})];
  m.type = d.take_type({s::b8, s::b16, s::b32, s::b64, s::u8, s::u16, s::u32, s::u64, s::s8, s::s16, s::s32, s::s64, s::f32, s::f64, s::f16,
                        s::bf16, s::f16x2, s::bf16x2});
  if (m.count * bytes_of(m.type) > (m.kind.in == space::global ? 32u : 16u)) d.fail("the vector is too long");
}

access_modifiers take_load(decoder& d) {
  access_modifiers m;
  std::size_t const how = d.maybe_one_of({"weak", "volatile", "relaxed", "acquire", "mmio"});
  if (how == 4 && !d.take("relaxed")) d.fail(".mmio needs .relaxed");
  if (how >= 2 && how <= 4) take_scope(d);
  if (how >= 1 && how <= 4) m.kind.how = how == 3 ? order::acquire : order::relaxed;
  m.kind.in = take_space(d);
  d.maybe_one_of({"ca", "cg", "cs", "lu", "cv"});
  if (m.kind.in == space::global) d.take("nc");
  m.policy = take_cache_hints(d);
  take_vector_and_type(d, m);
  return m;
}

void decode_load(decoder& d, access_modifiers m) {
  operand const& to = d.next();
  if ((m.count == 1) != (to.what != operand::kind::vector)) d.fail("the result must be a vector exactly where the opcode says so");
  unsigned bits = 0;
  if (m.count == 1) {
    d.out.d = d.destination_of(to, m.type, true);
    bits = d.register_bits(to);
  } else {
    if (to.parts.size() != m.count) d.fail("the vector has the wrong number of elements");
    d.begin_list();
    for (operand const& o : to.parts) {
      d.list(d.destination_of(o, m.type, true));
      if (o.what == operand::kind::reg) bits = bits ? std::min(bits, d.register_bits(o)) : d.register_bits(o);
    }
  }
  d.out.c = bits ? bits : 64;
  d.out.count = static_cast<std::uint8_t>(m.count);
  take_address(d, m.kind);
  if (m.policy) d.source(s::b64);
  d.needs_site();
  scalar const t = as_bits(m.type);
  if (m.kind.in == space::param) return d.emit(choose<load_parameter>(memory_types{}, t));
  d.emit(m.count == 1 ? choose<load>(memory_types{}, t) : choose<load_vector>(memory_types{}, t));
}

void decode_store(decoder& d) {
  access_modifiers m;
  std::size_t const how = d.maybe_one_of({"weak", "volatile", "relaxed", "release", "mmio"});
  if (how == 4 && !d.take("relaxed")) d.fail(".mmio needs .relaxed");
  if (how >= 2 && how <= 4) take_scope(d);
  if (how >= 1 && how <= 4) m.kind.how = how == 3 ? order::release : order::relaxed;
  m.kind.in = take_space(d);
  if (m.kind.in == space::constant) d.fail("constant memory cannot be written");
  d.maybe_one_of({"wb", "cg", "cs", "wt"});
  m.policy = take_cache_hints(d);
  take_vector_and_type(d, m);
  take_address(d, m.kind);
  operand const& from = d.next();
  if ((m.count == 1) != (from.what != operand::kind::vector)) d.fail("the value must be a vector exactly where the opcode says so");
  if (m.count == 1) {
    d.out.b = d.source_of(from, m.type, true);
  } else {
    if (from.parts.size() != m.count) d.fail("the vector has the wrong number of elements");
    std::vector<std::uint32_t> slots;
    for (operand const& o : from.parts) slots.push_back(d.source_of(o, m.type, true));
    d.begin_list();
    for (std::uint32_t slot : slots) d.list(slot);
  }
  d.out.count = static_cast<std::uint8_t>(m.count);
  if (m.policy) d.source(s::b64);
  d.needs_site();
  scalar const t = as_bits(m.type);
  if (m.kind.in == space::param) return d.emit(choose<store_parameter>(memory_types{}, t));
  d.emit(m.count == 1 ? choose<store>(memory_types{}, t) : choose<store_vector>(memory_types{}, t));
}

instruction const* nothing(frame&, instruction const& i) { return &i + 1; }

void decode_prefetch(decoder& d) {
  space const in = take_space(d);
  if (in != space::generic && in != space::global && in != space::local) d.fail("there is no prefetch in this state space");
  d.take_one_of({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
  d.memory(in);
  d.emit(nothing);
}

void decode_policy(decoder& d) {   // which cache lines to keep: of no effect here
  d.take_one_of({"fractional"});
  d.take_one_of({"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"});
  d.maybe_one_of({"L2::evict_first", "L2::evict_unchanged"});
  d.take_type({s::b64});
  d.out.d = d.destination(s::b64);
  if (d.has_operand()) d.source(s::f32);
  d.out.a = d.builder.constant(0);
  d.emit([](frame& f, instruction const& i) -> instruction const* {
    f.r[i.d] = f.r[i.a];
    return &i + 1;
  });
}

}  // namespace

void add_memory(opcode_table& t) {
  t.add("ld", opcode_kind::any, [](decoder& d) { decode_load(d, take_load(d)); });
  t.add("ldu", opcode_kind::any, [](decoder& d) {
    access_modifiers m;
    m.kind.in = take_space(d);
    if (m.kind.in != space::generic && m.kind.in != space::global) d.fail("ldu reads global memory");
    take_vector_and_type(d, m);
    decode_load(d, m);
  });
  t.add("st", opcode_kind::any, decode_store);
  t.add("prefetch", opcode_kind::any, decode_prefetch);
  t.add("prefetchu", opcode_kind::any, [](decoder& d) {
    d.take_one_of({"L1"});
    d.memory(space::generic);
    d.emit(nothing);
  });
  t.add("createpolicy", opcode_kind::any, decode_policy);
}

}  // namespace ptx_machine
