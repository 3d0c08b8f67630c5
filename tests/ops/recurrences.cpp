// Far ops and folds: derivatives against differences of the definition, along both directions, with everything a fold can have (grouped
// heads, masks, learned scores at the key and the query, positions that are not stored, no self pair).
#include <doctest/doctest.h>

#include <string>

#include "dyadic/graph/trace.hpp"
#include "support/gradient_check.hpp"

using namespace dyadic;
using namespace dyadic::testing;

namespace {

struct merges : axis<> {};
struct recurrence_case {
  char const* name;
  void (*build)(op_graph&);
};
using g = op_graph;

/// Attention over earlier rows, dep the contracted axis; col a group of query heads that shares keys.
template <class F> void attention(g& t, bool self, F score) {
  auto const q = t.real<row, col, dep>();
  auto const k = t.real<row, dep>(), v = t.real<row, dep>();
  t.result(scan<row>(q, [&](auto query) {
    auto m = remember<row>(query);
    auto const kv = pair<dep>(position_of<row>(k), position_of<row>(v));
    append(m, kv);
    if (self) return attend(m, query, kv, score);
    return attend(m, query, without_self(kv), score);
  }));
}

recurrence_case const cases[] = {
    {"carry", [](g& t) {
       auto const x = t.real<row, col>();
       auto const first = t.real<col>();
       t.result(scan<row>(x, [&](auto now) {
         auto h = carry<row>(first);
         auto const next = tanh(read(h) * 0.7 + now);
         write(h, next);
         return next * read(h);
       }));
     }},
    {"shift earlier", [](g& t) { auto const x = t.real<row, col>(); t.result(shift<row>(x, 2) * x + x); }},
    {"shift later", [](g& t) { auto const x = t.real<row, col>(); t.result(shift<row>(exp(x), -1) + x); }},
    {"tree", [](g& t) {
       auto const x = t.real<row, col>();
       auto const w = t.real<col>();
       auto const tr = tree<row, merges>(x);
       auto h = carry(tr, x);
       write(h, tanh(left(h) * w + right(h)));
       t.result(prefixes(h));
     }},
    {"attend", [](g& t) { attention(t, true, plain_score{}); }},
    {"attend without self", [](g& t) { attention(t, false, plain_score{}); }},
    {"attend in a window", [](g& t) { attention(t, true, [](auto s, auto p) { return select(p.distance() < 3, s, never(s)); }); }},
    {"attend to nothing", [](g& t) { attention(t, false, [](auto s, auto p) { return select(p.distance() > 2, s, never(s)); }); }},
    {"attend, soft cap", [](g& t) { attention(t, true, [](auto s, auto p) { return tanh(s * 0.5) * 2 - p.distance() * 0.1; }); }},
    {"attend, learned at the key", [](g& t) {
       auto const bias = t.real<row>();
       attention(t, true, [bias](auto s, auto p) { return s + p.key(position_of<row>(bias)); });
     }},
    {"attend, learned at the query", [](g& t) {
       auto const rate = t.real<row>();
       attention(t, true, [rate](auto s, auto p) { return s * 0.3 - p.distance() * exp(position_of<row>(rate)); });
     }},
    {"attend, learned everywhere", [](g& t) {
       auto const rate = t.real<>();
       auto const bias = t.real<row>();
       attention(t, false, [rate, bias](auto s, auto p) {
         return s * sigmoid(rate) - p.distance() * exp(rate) + p.key(position_of<row>(bias)) * position_of<row>(bias);
       });
     }},
    {"attend to every second position", [](g& t) {
       auto const q = t.real<row, dep>(), k = t.real<row, dep>(), v = t.real<row, dep>();
       t.result(scan<row>(q, [&](auto query) {
         auto m = remember<row>(query);
         auto const kv = pair<dep>(position_of<row>(k), position_of<row>(v));
         append(m, kv, modulo(dyadic::position<row>(query), 2) == 0);
         return attend(m, query, kv);
       }));
     }},
    {"attention over its own outputs", [](g& t) {   // the recurrent layer: what is stored depends on what was read
       auto const x = t.real<row, dep>();
       auto const w = t.real<dep>();
       t.result(scan<row>(x, [&](auto now) {
         auto m = remember<row>(now);
         auto const a = attend(m, now, pair<dep>(now * w, now));
         auto const z = tanh(a + now);
         append(m, pair<dep>(z * w, z));
         return z;
       }));
     }},
};

}  // namespace

TEST_CASE("derivatives of recurrences agree with differences") {
  for (recurrence_case const& c : cases) {
    for (int n : {0, 1, 2, 3, 7}) {
      CAPTURE(std::string(c.name));
      CAPTURE(n);
      op_graph t;
      c.build(t);
      detail::link(t.b);
      REQUIRE(t.b.error == fault::none);
      gradient_report const r = check_gradient(t, n, 23u + static_cast<unsigned>(n), 12);
      CHECK_FALSE(r.failed);
      CHECK(r.error <= 1e-7);
      if (n == 7) CHECK(r.smallest_norm > 1e-6);
    }
  }
}

TEST_CASE("the evaluator reports a value that needs itself") {
  op_graph t;
  auto const x = t.real<row>();
  auto const y = exp(x), z = y + x;
  t.b[y.id].arg[0] = static_cast<std::int16_t>(z.id);
  t.result(z);
  reference_evaluator e(t.b.view(), t.extents_for(2), {{1, 2}});
  e.all(z.id);
  CHECK(e.cycle >= 0);
}
