// Recurrences: carries, shifts, trees, and attention with everything a fold can have (grouped heads, masks, learned scores at the key
// and the query, positions that are not stored, no self pair).
#pragma once
#include "dyadic/graph/trace.hpp"
#include "support/op_graph.hpp"

namespace dyadic::testing {

struct merges : axis<> {};
struct recurrence_case {
  char const* name;
  void (*build)(op_graph&);
};

/// Attention over earlier rows, dep the contracted axis; col a group of query heads that shares keys.
template <class F> void attention(op_graph& t, bool self, F score) {
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

inline recurrence_case const recurrence_cases[] = {
    {"carry", [](op_graph& t) {
       auto const x = t.real<row, col>();
       auto const first = t.real<col>();
       t.result(scan<row>(x, [&](auto now) {
         auto h = carry<row>(first);
         auto const next = tanh(read(h) * 0.7 + now);
         write(h, next);
         return next * read(h);
       }));
     }},
    {"shift earlier", [](op_graph& t) { auto const x = t.real<row, col>(); t.result(shift<row>(x, 2) * x + x); }},
    {"shift later", [](op_graph& t) { auto const x = t.real<row, col>(); t.result(shift<row>(exp(x), -1) + x); }},
    {"tree", [](op_graph& t) {
       auto const x = t.real<row, col>();
       auto const w = t.real<col>();
       auto const tr = tree<row, merges>(x);
       auto h = carry(tr, x);
       write(h, tanh(left(h) * w + right(h)));
       t.result(prefixes(h));
     }},
    {"attend", [](op_graph& t) { attention(t, true, plain_score{}); }},
    {"attend without self", [](op_graph& t) { attention(t, false, plain_score{}); }},
    {"attend in a window", [](op_graph& t) { attention(t, true, [](auto s, auto p) { return select(p.distance() < 3, s, never(s)); }); }},
    {"attend to nothing", [](op_graph& t) { attention(t, false, [](auto s, auto p) { return select(p.distance() > 2, s, never(s)); }); }},
    {"attend, soft cap", [](op_graph& t) { attention(t, true, [](auto s, auto p) { return tanh(s * 0.5) * 2 - p.distance() * 0.1; }); }},
    {"attend, learned at the key", [](op_graph& t) {
       auto const bias = t.real<row>();
       attention(t, true, [bias](auto s, auto p) { return s + p.key(position_of<row>(bias)); });
     }},
    {"attend, learned at the query", [](op_graph& t) {
       auto const rate = t.real<row>();
       attention(t, true, [rate](auto s, auto p) { return s * 0.3 - p.distance() * exp(position_of<row>(rate)); });
     }},
    {"attend, learned everywhere", [](op_graph& t) {
       auto const rate = t.real<>();
       auto const bias = t.real<row>();
       attention(t, false, [rate, bias](auto s, auto p) {
         return s * sigmoid(rate) - p.distance() * exp(rate) + p.key(position_of<row>(bias)) * position_of<row>(bias);
       });
     }},
    {"attend to every second position", [](op_graph& t) {
       auto const q = t.real<row, dep>(), k = t.real<row, dep>(), v = t.real<row, dep>();
       t.result(scan<row>(q, [&](auto query) {
         auto m = remember<row>(query);
         auto const kv = pair<dep>(position_of<row>(k), position_of<row>(v));
         append(m, kv, modulo(dyadic::position<row>(query), 2) == 0);
         return attend(m, query, kv);
       }));
     }},
    {"attention over its own outputs", [](op_graph& t) {   // the recurrent layer: what is stored depends on what was read
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
    {"two memories, read across", [](op_graph& t) {   // each stores what was read from the other
       auto const x = t.real<row, dep>();
       auto const w = t.real<dep>();
       t.result(scan<row>(x, [&](auto now) {
         auto one = remember<row>(now), other = remember<row>(now);
         auto const a = attend(one, now, without_self(pair<dep>(now, now)));
         auto const z = tanh(a * w + now);
         auto const c = attend(other, z, pair<dep>(z * w, z), [](auto s, auto p) { return select(p.distance() < 4, s, never(s)); });
         append(one, pair<dep>(c, c * w));
         append(other, pair<dep>(z * w, z));
         return c + a;
       }));
     }},
    {"two repeats, one after the other", [](op_graph& t) {
       auto const x = t.real<row, col>();
       auto const w = t.real<col>();
       auto const block = [&](auto h) {
         auto s = carry<row>(zeros_like(h));
         auto const next = tanh(h * w + read(s) * 0.5);
         write(s, next);
         return next;
       };
       t.result(scan<row>(x, [&](auto now) { return repeat<second_depth>(repeat<first_depth>(now, block), block) * now; }));
     }},
    {"a carry of integers", [](op_graph& t) {   // where x was positive, counted modulo 3; read as a number and as an index
       auto const x = t.real<row, col>();
       auto const table = t.real<dep>();
       t.result(scan<row>(x, [&](auto now) {
         auto count = carry<row>(cast<i32>(zeros_like(now)));
         auto const next = modulo(read(count) + cast<i32>(0 < now), 3);
         write(count, next);
         return now * cast<f32>(read(count)) + gather<dep>(table, modulo(next, 2)) * now;
       }));
     }},
};

}  // namespace dyadic::testing
