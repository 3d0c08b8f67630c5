// Barriers of a block and a warp, and fences: bar, barrier, membar, fence.
#include "opcodes/handlers.hpp"
#include "opcodes/spaces.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
constexpr std::uint16_t aligned = 1, negated = 2;   // flags

unsigned threads_of(frame const& f, instruction const& i) { return i.b == no_slot ? 0 : get<std::uint32_t>(f, i.b); }

instruction const* sync(frame& f, instruction const& i) {
  f.here.barrier(get<std::uint32_t>(f, i.a), threads_of(f, i), i.at, i.flags & aligned);
  return &i + 1;
}
instruction const* arrive(frame& f, instruction const& i) {
  f.here.barrier_arrive(get<std::uint32_t>(f, i.a), threads_of(f, i), i.at, i.flags & aligned);
  return &i + 1;
}
instruction const* reduce(frame& f, instruction const& i) {
  bool const mine = (f.r[i.c] != 0) != static_cast<bool>(i.flags & negated);
  f.r[i.d] = f.here.barrier_reduce(get<std::uint32_t>(f, i.a), threads_of(f, i), static_cast<predicate_reduction>(i.value), mine, i.at,
                                   i.flags & aligned);
  return &i + 1;
}

struct nothing {};
void meet(void**, std::uint32_t) {}
instruction const* sync_warp(frame& f, instruction const& i) {
  nothing mine;
  f.here.collective(get<std::uint32_t>(f, i.a), &mine, meet, {.orders_memory = true, .aligned = false}, i.at);
  return &i + 1;
}

void decode_bar(decoder& d, bool always_aligned) {
  if (always_aligned && d.take("warp")) {
    if (!d.take("sync")) d.fail("expected .sync");
    d.out.a = d.source(s::u32);
    d.needs_site();
    return d.emit(sync_warp);
  }
  d.take("cta");
  std::size_t const what = d.take_one_of({"sync", "arrive", "red"});
  handler h = what == 0 ? sync : what == 1 ? arrive : reduce;
  std::size_t const reduction = what == 2 ? d.take_one_of({"popc", "and", "or"}) : 0;
  if (d.take("aligned") || always_aligned) d.out.flags |= aligned;
  scalar const t = what != 2 ? s::none : d.take_type({reduction ? s::pred : s::u32});
  if (what == 2) {
    constexpr predicate_reduction reductions[] = {predicate_reduction::count, predicate_reduction::all, predicate_reduction::any};
    d.out.value = static_cast<std::int64_t>(reductions[reduction]);
    d.out.d = d.destination(t);
  }
  d.out.a = d.source(s::u32);
  bool const counted = d.text.operands.size() == (what == 2 ? 4u : 2u);   // threads are named
  if (counted) d.out.b = d.source(s::u32);
  else if (what == 1) d.fail("an arrival needs the number of threads");
  if (what == 2) {
    operand o = d.next();
    if (o.negated) d.out.flags |= negated;
    o.negated = false;
    d.out.c = d.source_of(o, s::pred);
  }
  d.needs_site();
  d.emit(h);
}

instruction const* fence(frame& f, instruction const& i) {
  f.here.fence(static_cast<scope>(i.value), i.at);
  return &i + 1;
}
void decode_membar(decoder& d) {
  constexpr scope scopes[] = {scope::block, scope::device, scope::system};
  d.out.value = static_cast<std::int64_t>(scopes[d.take_one_of({"cta", "gl", "sys"})]);
  d.needs_site();
  d.emit(fence);
}
void decode_fence(decoder& d) {   // acquire and release alone are taken for both
  d.maybe_one_of({"sc", "acq_rel", "acquire", "release"});
  d.out.value = static_cast<std::int64_t>(take_scope(d));
  d.needs_site();
  d.emit(fence);
}

}  // namespace

void add_barriers(opcode_table& t) {
  t.add("bar", opcode_kind::any, [](decoder& d) { decode_bar(d, true); });
  t.add("barrier", opcode_kind::any, [](decoder& d) { decode_bar(d, false); });
  t.add("membar", opcode_kind::any, decode_membar);
  t.add("fence", opcode_kind::any, decode_fence);
}

}  // namespace ptx_machine
