// What the lanes of a warp do together: shuffles in every mode, segment and mask, votes, matches, reductions, elections; barriers that
// reduce.
#include <algorithm>
#include <bit>

#include "snippet.hpp"

using namespace scripted;

namespace {
std::vector<std::tuple<u32>> lanes(unsigned n = 32) {
  std::vector<std::tuple<u32>> v;
  for (unsigned l = 0; l < n; ++l) v.push_back({100 + l});
  return v;
}
/// The lane read, or -1 where the lane's own value stays: the ISA's pseudocode in other words. Lanes of a segment share the bits of
/// segmask.
int source(std::string const& mode, int lane, int b, int width) {
  int const first = lane / width * width, last = first + width - 1;
  if (mode == "up") return lane - b >= first ? lane - b : -1;
  if (mode == "down") return lane + b <= last ? lane + b : -1;
  if (mode == "bfly") return (lane ^ b) <= last ? lane ^ b : -1;
  return first + b % width;
}
}  // namespace

TEST_CASE("shuffles") {
  for (std::string const mode : {"up", "down", "bfly", "idx"})
    for (int width : {32, 16, 8, 4})
      for (int b : {0, 1, 3, 7, 16, 31}) {
        int const c = (32 - width) << 8 | (mode == "up" ? 0 : 31);   // as the intrinsics of CUDA do it
        std::string const text = "shfl.sync." + mode + ".b32 w0|p0, %1, " + std::to_string(b) + ", " + std::to_string(c) +
                                 ", -1; selp.u32 w1, 1, 0, p0; mov.b64 %0, {w0, w1};";
        auto const out = snippet<u64(u32)>(text).all(lanes());
        for (int l = 0; l < 32; ++l) {
          int const from = source(mode, l, b, width);
          CAPTURE(text); CAPTURE(l);
          CHECK(static_cast<u32>(out[static_cast<std::size_t>(l)]) == 100u + static_cast<u32>(from < 0 ? l : from));
          CHECK((out[static_cast<std::size_t>(l)] >> 32) == (from >= 0));
        }
      }
}

TEST_CASE("shuffles among some lanes: others may be elsewhere, and reading them gives no lane's value") {
  auto const out =
      snippet<u32(u32)>("mov.u32 %0, 1; setp.lt.u32 p0, %lane, 16; @p0 shfl.sync.down.b32 %0, %1, 8, 31, 0xffff;").all(lanes());
  for (u32 l = 0; l < 8; ++l) CHECK(out[l] == 108 + l);
  for (u32 l = 8; l < 16; ++l) CHECK((out[l] < 100 || out[l] > 131));
  for (u32 l = 16; l < 32; ++l) CHECK(out[l] == 1);
}

TEST_CASE("a warp that is not full") {
  auto const out = snippet<u32(u32)>("shfl.sync.idx.b32 %0, %1, 4, 31, 0x1f;").all(lanes(5));
  for (u32 l = 0; l < 5; ++l) CHECK(out[l] == 104);
}

TEST_CASE("votes") {
  auto const ballot = [](std::string const& text) { return snippet<u32(u32)>("setp.lt.u32 p0, %lane, 5; " + text).all(lanes()).front(); };
  CHECK(ballot("vote.sync.ballot.b32 %0, p0, -1;") == 0x1f);
  CHECK(ballot("vote.sync.ballot.b32 %0, !p0, -1;") == ~0x1fu);
  CHECK(ballot("setp.lt.u32 p1, %lane, 8; @p1 vote.sync.ballot.b32 %0, p0, 0xff; @!p1 mov.u32 %0, 0;") == 0x1f);
  for (std::string const kind : {"all", "any", "uni"})
    for (u32 n : {0u, 5u, 32u}) {
      auto const out =
          snippet<bool(u32)>("setp.lt.u32 p0, %lane, " + std::to_string(n) + "; vote.sync." + kind + ".pred %0, p0, -1;").all(lanes());
      for (bool x : out) CHECK(x == (kind == "all" ? n == 32 : kind == "any" ? n > 0 : n != 5));
    }
  CHECK(snippet<bool(u32)>("setp.lt.u32 p0, %lane, 5; vote.sync.all.pred %0, !p0, -1;").all(lanes()).front() == false);
}

TEST_CASE("matches") {
  std::vector<std::tuple<u32>> in;
  for (u32 l = 0; l < 32; ++l) in.push_back({l % 5});
  auto const any = snippet<u32(u32)>("match.any.sync.b32 %0, %1, -1;").all(in);
  for (u32 l = 0; l < 32; ++l) {
    u32 expected = 0;
    for (u32 m = l % 5; m < 32; m += 5) expected |= 1u << m;
    CHECK(any[l] == expected);
  }
  CHECK(snippet<u32(u32)>("match.all.sync.b32 %0|p0, %1, -1;").all(in).front() == 0);
  CHECK(snippet<u32(u32)>("mov.u32 w0, 7; match.all.sync.b32 %0|p0, w0, -1;").all(in).back() == 0xffffffff);
  CHECK(snippet<bool(u32)>("mov.u64 q0, 7; match.all.sync.b64 w0|%0, q0, -1;").all(in).back());
  CHECK(snippet<u32(u32)>("mov.b64 q0, {w31, %1}; mov.b64 q0, {%1, %1}; match.any.sync.b64 %0, q0, -1;").all(in).front() == any[0]);
}

TEST_CASE("reductions of a warp") {
  std::vector<std::tuple<i32>> in;
  for (int l = 0; l < 32; ++l) in.push_back({(l * 37 + 11) % 64 - 40});
  i32 sum = 0, least = 100, most = -100;
  u32 ands = ~0u, ors = 0, xors = 0, least_unsigned = ~0u, most_unsigned = 0;
  for (auto const& x : in) {
    i32 const v = std::get<0>(x);
    u32 const u = static_cast<u32>(v);
    sum += v; least = std::min(least, v); most = std::max(most, v);
    ands &= u; ors |= u; xors ^= u; least_unsigned = std::min(least_unsigned, u); most_unsigned = std::max(most_unsigned, u);
  }
  auto const redux = [&](std::string const& op) {
    return static_cast<u32>(snippet<i32(i32)>("redux.sync." + op + " %0, %1, -1;").all(in).back());
  };
  CHECK(redux("add.s32") == static_cast<u32>(sum));
  CHECK(redux("add.u32") == static_cast<u32>(sum));
  CHECK(redux("min.s32") == static_cast<u32>(least));
  CHECK(redux("max.s32") == static_cast<u32>(most));
  CHECK(redux("min.u32") == least_unsigned);
  CHECK(redux("max.u32") == most_unsigned);
  CHECK(redux("and.b32") == ands);
  CHECK(redux("or.b32") == ors);
  CHECK(redux("xor.b32") == xors);
  auto const part = snippet<i32(i32)>("mov.u32 %0, 0; setp.ge.u32 p0, %lane, 30; @p0 redux.sync.add.s32 %0, %1, 0xc0000000;").all(in);
  CHECK(part[31] == std::get<0>(in[30]) + std::get<0>(in[31]));
  CHECK(part[29] == 0);
}

TEST_CASE("elections, masks of lanes") {
  auto const leader = snippet<u64(u32)>("elect.sync w0|p0, -1; selp.u32 w1, 1, 0, p0; mov.b64 %0, {w0, w1};").all(lanes());
  for (u32 l = 0; l < 32; ++l) CHECK(leader[l] == (l == 0 ? u64(1) << 32 : 0));
  auto const masks = [](char const* name) { return snippet<u32(u32)>(std::string("mov.u32 %0, %lanemask_") + name + ";").all(lanes()); };
  auto const eq = masks("eq"), lt = masks("lt"), le = masks("le"), gt = masks("gt"), ge = masks("ge");
  for (u32 l = 0; l < 32; ++l) {
    u32 below = 0;
    for (u32 m = 0; m < l; ++m) below |= 1u << m;
    CHECK(eq[l] == 1u << l);
    CHECK(lt[l] == below);
    CHECK(le[l] == (below | 1u << l));
    CHECK(gt[l] == ~(below | 1u << l));
    CHECK(ge[l] == ~below);
  }
  auto const active = snippet<u32(u32)>("activemask.b32 %0;").all(lanes());
  for (u32 l = 0; l < 32; ++l) CHECK((active[l] >> l & 1) == 1);
}

TEST_CASE("barriers: of the block, of some warps, and with a reduction") {
  auto const threads = lanes(96);
  for (std::string const kind : {"popc.u32", "and.pred", "or.pred"}) {
    bool const count = kind == "popc.u32";
    for (u32 n : {0u, 40u, 96u}) {
      std::string const text = "setp.lt.u32 p0, %index, " + std::to_string(n) + "; bar.red." + kind +
                               (count ? " %0, 0, p0;" : " p1, 0, p0; selp.u32 %0, 1, 0, p1;");
      for (u32 x : snippet<u32(u32)>(text).all(threads)) CHECK(x == (count ? n : kind == "and.pred" ? n == 96 : n > 0));
      std::string const negated = "setp.lt.u32 p0, %index, " + std::to_string(n) + "; barrier.red." + kind +
                                  (count ? " %0, 3, 96, !p0;" : " p1, 3, 96, !p0; selp.u32 %0, 1, 0, p1;");
      for (u32 x : snippet<u32(u32)>(negated).all(threads)) CHECK(x == (count ? 96 - n : kind == "and.pred" ? n == 0 : n < 96));
    }
  }
  // The first warp writes, the second waits for it at barrier 1; the third takes no part.
  auto const out = snippet<u32(u32)>(
                       "mov.u32 %0, 0; setp.ge.u32 p0, %index, 64; @p0 bra DONE; setp.ge.u32 p1, %index, 32; mov.u32 w0, scratch; "
                       "mad.lo.u32 w1, %lane, 4, w0;"
                       "@!p1 st.shared.b32 [w1], %1; @!p1 bar.arrive 1, 64; @!p1 bra DONE; bar.sync 1, 64; ld.shared.b32 %0, [w1];\nDONE:")
                       .all(threads);
  for (u32 i = 0; i < 96; ++i) CHECK(out[i] == (i / 32 == 1 ? 100 + i - 32 : 0));
}
