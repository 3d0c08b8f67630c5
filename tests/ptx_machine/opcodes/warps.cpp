// What the lanes of a warp do together: shfl, vote, match, redux, elect, activemask.
#include <algorithm>
#include <bit>

#include "opcodes/handlers.hpp"

namespace ptx_machine {
namespace {

using s = scalar;

/// What comes from a lane that takes no part: the ISA leaves it open, so it is a pattern that shows (a NaN as a float).
constexpr std::uint32_t of_nobody = 0xffffdead;

template <class F> void for_lanes(std::uint32_t mask, void** of_lanes, F&& act) {
  for (; mask; mask &= mask - 1) {
    int const lane = std::countr_zero(mask);
    if (of_lanes[lane]) act(lane);
  }
}

// shfl -------------------------------------------------------------------------------------------------------------------------------
enum class shuffle { up, down, butterfly, index };
struct shuffled {
  std::uint32_t value, from, result;
};
template <shuffle> void exchange(void** of_lanes, std::uint32_t mask) {   // one per mode: lanes meet only in the same one
  for_lanes(mask, of_lanes, [&](int lane) {
    auto& mine = *static_cast<shuffled*>(of_lanes[lane]);
    auto const* const source = mask >> mine.from & 1 ? static_cast<shuffled const*>(of_lanes[mine.from]) : nullptr;
    mine.result = source ? source->value : of_nobody;
  });
}
/// a: the value, b: the lane or its distance, c: the clamp and, from bit 8 on, the mask of the segment. Lists: member mask, predicate.
template <shuffle mode> instruction const* shfl(frame& f, instruction const& i) {
  auto const lane = static_cast<int>(f.here.lane_index());
  auto const b = static_cast<int>(get<std::uint32_t>(f, i.b) & 31), c = static_cast<int>(get<std::uint32_t>(f, i.c));
  int const clamp = c & 31, segment = c >> 8 & 31, edge = (lane & segment) | (clamp & ~segment);
  int from = 0;
  bool inside = false;
  switch (mode) {
    case shuffle::up: from = lane - b; inside = from >= edge; break;
    case shuffle::down: from = lane + b; inside = from <= edge; break;
    case shuffle::butterfly: from = lane ^ b; inside = from <= edge; break;
    case shuffle::index: from = (lane & segment) | (b & ~segment & 31); inside = from <= edge; break;
  }
  if (!inside) from = lane;
  shuffled mine{get<std::uint32_t>(f, i.a), static_cast<std::uint32_t>(from), 0};
  std::uint32_t const* const list = f.code.lists.data() + i.list;
  f.here.collective(get<std::uint32_t>(f, list[0]), &mine, exchange<mode>, {}, i.at);
  put(f, i.d, mine.result);
  if (list[1] != no_slot) f.r[list[1]] = inside;
  return &i + 1;
}

void decode_shfl(decoder& d) {
  if (!d.take("sync")) d.fail("expected .sync");
  constexpr handler modes[] = {&shfl<shuffle::up>, &shfl<shuffle::down>, &shfl<shuffle::butterfly>, &shfl<shuffle::index>};
  handler const h = modes[d.take_one_of({"up", "down", "bfly", "idx"})];
  d.take_type({s::b32});
  operand to = d.next();
  std::uint32_t const inside = to.second.empty() ? no_slot : d.destination_of(to.second.front(), s::pred);
  to.second.clear();
  d.out.d = d.destination_of(to, s::b32);
  d.out.a = d.source(s::b32);
  d.out.b = d.source(s::b32);
  d.out.c = d.source(s::b32);
  std::uint32_t const mask = d.source(s::b32);
  d.begin_list();
  d.list(mask);
  d.list(inside);
  d.needs_site();
  d.emit(h);
}

// vote -------------------------------------------------------------------------------------------------------------------------------
struct voter {
  bool value;
  std::uint32_t ballot;
};
template <int> void count_votes(void** of_lanes, std::uint32_t mask) {
  std::uint32_t ballot = 0, voters = 0;
  for_lanes(mask, of_lanes, [&](int lane) {
    voters |= 1u << lane;
    ballot |= std::uint32_t(static_cast<voter*>(of_lanes[lane])->value) << lane;
  });
  for_lanes(mask, of_lanes, [&](int lane) { static_cast<voter*>(of_lanes[lane])->ballot = ballot; });
  // Lanes that returned have no vote: "all" is of those that are there, told by the complement.
  for_lanes(mask, of_lanes, [&](int lane) { static_cast<voter*>(of_lanes[lane])->value = ballot == voters; });
}
template <int kind> instruction const* vote(frame& f, instruction const& i) {   // 0 all, 1 any, 2 uni, 3 ballot
  voter mine{(f.r[i.a] != 0) != static_cast<bool>(i.flags), 0};
  f.here.collective(get<std::uint32_t>(f, i.b), &mine, count_votes<kind>, {}, i.at);
  f.r[i.d] = kind == 0 ? mine.value : kind == 1 ? mine.ballot != 0 : kind == 2 ? mine.value || mine.ballot == 0 : mine.ballot;
  return &i + 1;
}
void decode_vote(decoder& d) {
  if (!d.take("sync")) d.fail("expected .sync");
  constexpr handler kinds[] = {&vote<0>, &vote<1>, &vote<2>, &vote<3>};
  std::size_t const kind = d.take_one_of({"all", "any", "uni", "ballot"});
  d.out.d = d.destination(d.take_type({kind == 3 ? s::b32 : s::pred}));
  operand o = d.next();
  d.out.flags = o.negated;
  o.negated = false;
  d.out.a = d.source_of(o, s::pred);
  d.out.b = d.source(s::b32);
  d.needs_site();
  d.emit(kinds[kind]);
}

// match ------------------------------------------------------------------------------------------------------------------------------
struct matched {
  std::uint64_t value;
  std::uint32_t alike;
};
template <int> void find_alike(void** of_lanes, std::uint32_t mask) {
  for_lanes(mask, of_lanes, [&](int lane) {
    auto& mine = *static_cast<matched*>(of_lanes[lane]);
    mine.alike = 0;
    for_lanes(mask, of_lanes,
              [&](int other) { mine.alike |= std::uint32_t(static_cast<matched*>(of_lanes[other])->value == mine.value) << other; });
  });
}
template <class T, bool all> instruction const* match(frame& f, instruction const& i) {
  matched mine{get<T>(f, i.a), 0};
  auto const mask = get<std::uint32_t>(f, i.b);
  f.here.collective(mask, &mine, find_alike<all * 2 + (sizeof(T) == 8)>, {}, i.at);
  bool const same = mine.alike == mask;
  put(f, i.d, all && !same ? 0u : mine.alike);
  if (all && i.c != no_slot) f.r[i.c] = same;
  return &i + 1;
}
void decode_match(decoder& d) {
  bool const all = d.take_one_of({"any", "all"}) == 1;
  if (!d.take("sync")) d.fail("expected .sync");
  scalar const t = d.take_type({s::b32, s::b64});
  operand to = d.next();
  if (!to.second.empty()) {
    if (!all) d.fail(".any gives no predicate");
    d.out.c = d.destination_of(to.second.front(), s::pred);
    to.second.clear();
  }
  d.out.d = d.destination_of(to, s::b32);
  d.out.a = d.source(t);
  d.out.b = d.source(s::b32);
  d.needs_site();
  if (t == s::b64) return d.emit(all ? &match<std::uint64_t, true> : &match<std::uint64_t, false>);
  d.emit(all ? &match<std::uint32_t, true> : &match<std::uint32_t, false>);
}

// elect, activemask ------------------------------------------------------------------------------------------------------------------
struct elected {
  std::uint32_t leader;
};
void choose_leader(void** of_lanes, std::uint32_t mask) {
  std::uint32_t leader = 32;
  for_lanes(mask, of_lanes, [&](int lane) { leader = std::min(leader, static_cast<std::uint32_t>(lane)); });
  for_lanes(mask, of_lanes, [&](int lane) { static_cast<elected*>(of_lanes[lane])->leader = leader; });
}
instruction const* elect(frame& f, instruction const& i) {
  elected mine{0};
  f.here.collective(get<std::uint32_t>(f, i.a), &mine, choose_leader, {}, i.at);
  put(f, i.d, mine.leader);
  f.r[i.c] = mine.leader == f.here.lane_index();
  return &i + 1;
}
void decode_elect(decoder& d) {
  if (!d.take("sync")) d.fail("expected .sync");
  operand to = d.next();
  if (to.second.empty()) d.fail("a predicate is needed");
  d.out.c = d.destination_of(to.second.front(), s::pred);
  to.second.clear();
  d.out.d = d.destination_of(to, s::b32);
  d.out.a = d.source(s::b32);
  d.needs_site();
  d.emit(elect);
}
instruction const* activemask(frame& f, instruction const& i) {
  put(f, i.d, f.here.active_mask());
  return &i + 1;
}

}  // namespace

void add_warps(opcode_table& t) {
  t.add("shfl", opcode_kind::any, decode_shfl);
  t.add("vote", opcode_kind::any, decode_vote);
  t.add("match", opcode_kind::any, decode_match);
  t.add("elect", opcode_kind::any, decode_elect);
  t.add("activemask", opcode_kind::any, [](decoder& d) {
    d.out.d = d.destination(d.take_type({s::b32}));
    d.emit(activemask);
  });
}

}  // namespace ptx_machine
