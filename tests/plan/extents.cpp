// Extents that follow from others, missing and foreign axes, layout.
#include "dyadic/plan/extents.hpp"

#include <doctest/doctest.h>

#include "dyadic/axes/bind.hpp"
#include "dyadic/expr/builder.hpp"
#include "dyadic/plan/storage.hpp"

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct chunk : axis<> {};
struct within : axis<4> {};
struct layer : axis<> {};
struct foreign : axis<> {};

struct sample {
  builder g;
  int s, w, b, c, l;
  constexpr sample() : s(axis_id<seq>(g)), w(axis_id<within>(g)), b(axis_id<batch>(g)), c(0), l(0) {
    axis_info x;
    x.key = axis_key<chunk>; x.rule = extent_rule::quotient; x.from = static_cast<std::int8_t>(s); x.by = static_cast<std::int8_t>(w);
    c = g.axis(x);
    l = axis_id<layer>(g);
    g.axes[l].role = axis_role::repeat;
    g.axes[s].role = axis_role::scan;
    g.make(op::input, bit_of(b) | bit_of(c));
  }
};
static_assert([] {
  sample const x;
  extents const e = extents_of(x.g.view(), bind(batch{2}, seq{9}));
  return e[x.c] == 3 && e[x.w] == 4 && e[x.l] == -1 && unbound_axes(x.g.view(), e) == 0;   // nothing uses layer
}());
static_assert([] {
  sample const x;
  extents const e = extents_of(x.g.view(), bind(batch{2}));
  return first_unbound_axis(x.g.view(), e) == x.s && unbound_axes(x.g.view(), e) == bit_of(x.s);   // chunk follows from it
}());
static_assert([] {
  sample const x;
  extents e = extents_of(x.g.view(), bind(batch{2}, seq{9}));
  if (first_contradicted_axis(x.g.view(), e) != -1) return false;
  e.of[x.c] = 4;
  return first_contradicted_axis(x.g.view(), e) == x.c;
}());
static_assert([] {
  sample const x;
  return foreign_axis<decltype(bind(batch{1}, foreign{2}))>(x.g.view()) == 1 && foreign_axis<decltype(bind(seq{1}))>(x.g.view()) == -1;
}());
static_assert([] {
  sample const x;
  extents const e = extents_of(x.g.view(), bind(batch{2}, seq{9}, layer{5}));
  std::int64_t stride[max_axes]{};
  std::int64_t const n = strides(x.g.view(), e, bit_of(x.b) | bit_of(x.w) | bit_of(x.s) | bit_of(x.l), stride);
  return n == 5 * 9 * 4 * 2 && stride[x.l] == 72 && stride[x.s] == 8 && stride[x.w] == 2 && stride[x.b] == 1 && stride[x.c] == 0;
}());
}  // namespace

TEST_CASE("an extent of 0 is an extent") {
  sample const x;
  extents const e = extents_of(x.g.view(), bind(batch{0}, seq{0}));
  CHECK(e[x.c] == 0);
  CHECK(unbound_axes(x.g.view(), e) == 0);
  CHECK(points(e, bit_of(x.b) | bit_of(x.w)) == 0);
}
