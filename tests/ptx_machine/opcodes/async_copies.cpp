// cp.async from global to shared memory, and its groups.
#include "opcodes/handlers.hpp"
#include "opcodes/spaces.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

/// a, value: the destination; b and the list's offset: the source; c: bytes of the source, the rest are zeros.
instruction const* copy(frame& f, instruction const& i) {
  std::uint64_t const from = f.r[i.b] + (f.code.lists[i.list] | std::uint64_t(f.code.lists[i.list + 1]) << 32);
  std::uint32_t const bytes = i.c == no_slot ? i.count : get<std::uint32_t>(f, i.c);
  if (bytes > i.count) f.here.trap("cp.async with a source larger than the copy", i.at);
  f.here.copy_async(static_cast<std::uint32_t>(address_of(f, i)), from, i.count, bytes, i.at);
  return &i + 1;
}
/// The same where a predicate says that the source is to be ignored.
instruction const* copy_unless(frame& f, instruction const& i) {
  std::uint64_t const from = f.r[i.b] + (f.code.lists[i.list] | std::uint64_t(f.code.lists[i.list + 1]) << 32);
  f.here.copy_async(static_cast<std::uint32_t>(address_of(f, i)), from, i.count, f.r[i.c] ? 0 : i.count, i.at);
  return &i + 1;
}
instruction const* commit(frame& f, instruction const& i) {
  f.here.commit_group();
  return &i + 1;
}
instruction const* wait_group(frame& f, instruction const& i) {
  f.here.wait_group(static_cast<unsigned>(i.value), i.at);
  return &i + 1;
}
instruction const* wait_all(frame& f, instruction const& i) {
  f.here.wait_all(i.at);
  return &i + 1;
}

void decode_cp(decoder& d) {
  if (!d.take("async")) d.fail("expected .async");
  switch (d.take_one_of({"commit_group", "wait_group", "wait_all", "ca", "cg"})) {
    case 0: return d.emit(commit);
    case 1:
      d.out.value = d.immediate(0, 0x7fffffff);
      d.needs_site();
      return d.emit(wait_group);
    case 2: d.needs_site(); return d.emit(wait_all);
    case 4: d.out.flags = 1; break;
    default: break;
  }
  bool const only_16 = d.out.flags;
  if (!d.take("shared") && !d.take("shared::cta")) d.fail("expected .shared");
  if (!d.take("global")) d.fail("expected .global");
  bool const policy = d.take("L2::cache_hint");
  d.maybe_one_of({"L2::64B", "L2::128B", "L2::256B"});
  take_address(d, {space::shared});
  address const source = d.memory(space::global);
  d.out.b = source.slot;
  std::int64_t const bytes = d.immediate(4, 16);
  if ((bytes != 4 && bytes != 8 && bytes != 16) || (only_16 && bytes != 16)) d.fail("a copy has 4, 8 or 16 bytes, with .cg 16");
  d.out.count = static_cast<std::uint8_t>(bytes);
  bool by_predicate = false;
  if (d.text.operands.size() > (policy ? 4u : 3u)) {
    operand const& o = d.next();
    by_predicate = o.what == operand::kind::reg && o.declared == s::pred;
    d.out.c = d.source_of(o, by_predicate ? s::pred : s::u32);
  }
  if (policy) d.source(s::b64);
  d.begin_list();
  d.list(static_cast<std::uint32_t>(static_cast<std::uint64_t>(source.offset)));
  d.list(static_cast<std::uint32_t>(static_cast<std::uint64_t>(source.offset) >> 32));
  d.needs_site();
  d.emit(by_predicate ? copy_unless : copy);
}

}  // namespace

void add_async_copies(opcode_table& t) { t.add("cp", opcode_kind::any, decode_cp); }

}  // namespace ptx_machine
