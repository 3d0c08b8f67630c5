// State spaces, orders and cache hints as modifiers of instructions that touch memory.
#pragma once
#include "interpreter/decoder.hpp"

namespace ptx_machine {

/// Where and how an access goes, packed into instruction::flags. An address in a register of 32 bits wraps at 32 bits.
struct access_kind {
  space in = space::generic;
  order how = order::weak;
  bool narrow = false;

  std::uint16_t packed() const {
    return static_cast<std::uint16_t>(static_cast<unsigned>(in) | static_cast<unsigned>(how) << 3 | static_cast<unsigned>(narrow) << 6);
  }
  static access_kind of(std::uint16_t flags) {
    return {static_cast<space>(flags & 7), static_cast<order>(flags >> 3 & 7), (flags & 64) != 0};
  }
};

inline std::uint64_t address_of(frame const& f, instruction const& i) {
  std::uint64_t const at = f.r[i.a] + static_cast<std::uint64_t>(i.value);
  return i.flags & 64 ? at & 0xffffffff : at;
}

/// [.global], [.shared], ...: generic where none is named.
inline space take_space(decoder& d) {
  if (d.take("global")) return space::global;
  if (d.take("shared") || d.take("shared::cta")) return space::shared;
  if (d.take("local")) return space::local;
  if (d.take("const")) return space::constant;
  if (d.take("param") || d.take("param::entry") || d.take("param::func")) return space::param;
  return space::generic;
}

/// .cta, .cluster, .gpu or .sys: a cluster is a block here.
inline scope take_scope(decoder& d) {
  constexpr scope scopes[] = {scope::block, scope::block, scope::device, scope::system};
  return scopes[d.take_one_of({"cta", "cluster", "gpu", "sys"})];
}

/// Hints about caches; true where a policy follows as an operand (.L2::cache_hint).
inline bool take_cache_hints(decoder& d) {
  d.maybe_one_of({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  d.maybe_one_of({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  bool const policy = d.take("L2::cache_hint");
  d.maybe_one_of({"L2::64B", "L2::128B", "L2::256B"});
  return policy;
}

/// The address operand into a and value, its kind into flags.
inline void take_address(decoder& d, access_kind kind) {
  operand const& o = d.next();
  address const at = d.memory_of(o, kind.in);
  d.out.a = at.slot;
  d.out.value = at.offset;
  kind.narrow = at.named.what == symbol::kind::none && !o.parts.empty() && bits_of(o.parts.front().declared) == 32;
  d.out.flags = kind.packed();
}

}  // namespace ptx_machine
