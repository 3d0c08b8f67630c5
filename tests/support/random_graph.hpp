// Random graphs for tests of passes: stacks, memories, states, chunks and feedback put together by a seeded generator.
#pragma once
#include <random>
#include <vector>

#include "support/hand_made.hpp"

namespace test {

using dyadic::builder;

struct random_graph {
  test::hand_made m;
  std::mt19937 random;
  int within, chunk, second, prime;
  bool leaks;                ///< also make values that look ahead
  bool causal = true;        ///< without leaks: whether one was made all the same
  bool feedback = false;

  explicit random_graph(unsigned seed, bool with_leaks = false)
      : random(seed), within(m.axis("within", axis_role::scan)),
        chunk(m.axis("chunk", axis_role::scan, dyadic::extent_rule::quotient, m.seq, within)), second(m.axis("second", axis_role::repeat)),
        prime(m.axis("prime", axis_role::plain, dyadic::extent_rule::same_as, m.seq)), leaks(with_leaks) {}
  int one_of(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

  /// Some operations on x; `open`: repeat axes around it.
  int grow(int x, axis_set open, int depth) {
    std::vector<int> scope{x};
    int const steps = 1 + one_of(4);
    for (int k = 0; k < steps; ++k) {
      int const y = scope[static_cast<std::size_t>(one_of(static_cast<int>(scope.size())))];
      x = step(x, y, open, depth);
      scope.push_back(x);
    }
    return x;
  }
  int step(int x, int y, axis_set open, int depth) {
    axis_set const shape = m.b.shape(x) | m.b.shape(y);
    bool const alone = !feedback;   // what would block the loop over tokens is kept out of it
    if (leaks && alone && one_of(6) == 0) return leak(x, y);
    switch (one_of(13)) {
      case 0: return m.add(m.tanh(x), y);
      case 1: return m.dense(m.mul(x, y), one_of(2) ? open : 0);
      case 2: return m.mul(x, m.b.map(op::rsqrt, m.sum(m.mul(y, y), m.feature)));
      case 3: {   // a state
        int const h = m.prev(m.seq, shape), z = m.tanh(m.add(m.dense(h, one_of(2) ? open : 0), m.add(x, y)));
        m.write(h, z);
        return z;
      }
      case 4: case 5: return attention(m.seq, x, y, open);
      case 6: case 7: {   // a stack
        int const a = one_of(2) ? m.layer : second;
        if (depth == 0 || (open >> a & 1) || (m.b.shape(x) >> a & 1)) return m.add(x, y);
        int const h = m.prev(a, m.b.shape(x), x);
        int z = grow(h, open | bit_of(a), depth - 1);
        if (m.b.shape(z) & ~m.b.shape(h)) z = m.sum(z, a == m.layer ? second : m.layer);
        if (z == h) z = m.tanh(h);
        m.write(h, z);
        return m.along(op::pick, z, a, m.b.shape(z) & ~bit_of(a), -1, x);
      }
      case 8: {   // a memory over the layers below
        for (int a : {m.layer, second}) if (open >> a & 1) return attention(a, x, y, open);
        return m.tanh(x);
      }
      case 9: return m.shift(x, m.seq);
      case 10: {   // a state carried from chunk to chunk
        if (!alone) return m.tanh(y);
        int const c = m.split(x, m.seq, chunk, within), s = m.prev(chunk, m.b.shape(c) & ~bit_of(within));
        int const inside = one_of(2) ? m.mul(c, m.softmax(c, within)) : c;
        m.write(s, m.tanh(m.add(s, m.sum(inside, within))));
        return m.merge(m.add(c, s), chunk, within, m.seq);
      }
      case 11: {   // every position sees every other
        if (!alone || one_of(3)) return m.add(x, y);
        causal = false;
        int const other = m.window(m.tanh(y), m.seq, prime);
        return m.contract(m.softmax(m.contract(x, other, m.feature), prime), other, prime);
      }
      default: {   // an operation along the layers
        for (int a : {m.layer, second})
          if ((open >> a & 1) && (m.b.shape(x) >> a & 1))
            return m.add(x, m.shift(m.tanh(m.param(bit_of(a) | bit_of(m.feature))), a, one_of(2) ? 1 : -1));
        return m.add(y, x);
      }
    }
  }
  /// A value that reads other positions: some of them look ahead.
  int leak(int x, int y) {
    int const c = m.split(x, m.seq, chunk, within);
    switch (one_of(12)) {
      case 0: return m.shift(x, m.seq, -1);
      case 1: return m.add(y, m.window(m.tanh(x), m.seq, m.seq, one_of(5) - 2));
      case 2: return m.add(x, m.sum(y, m.seq));
      case 3: return m.softmax(x, m.seq);
      case 4: return m.along(op::gather, x, m.seq, m.b.shape(x), 0, m.input(bit_of(m.batch) | bit_of(m.seq)));
      case 5: return m.merge(m.add(c, m.sum(c, within)), chunk, within, m.seq);
      case 6: return m.merge(m.mul(c, m.softmax(c, within)), chunk, within, m.seq);
      case 7: return m.add(x, m.pick(y, m.seq, one_of(3) - 1));
      case 8: return m.merge(m.window(c, within, within, one_of(3) - 1), chunk, within, m.seq);
      case 9: return m.merge(m.window(c, chunk, chunk, one_of(3) - 1), chunk, within, m.seq);
      case 10: {   // the state of a chunk that is not over
        int const s = m.prev(chunk, m.b.shape(c) & ~bit_of(within)), z = m.tanh(m.add(s, m.sum(c, within)));
        m.write(s, z);
        return m.merge(m.add(c, one_of(2) ? z : s), chunk, within, m.seq);
      }
      default: {   // chunks of another length
        int const within2 = m.axis("within2", axis_role::scan);
        int const chunk2 = m.axis("chunk2", axis_role::scan, dyadic::extent_rule::quotient, m.seq, within2);
        int const d = m.split(x, m.seq, chunk2, within2), s = m.prev(chunk2, m.b.shape(d) & ~bit_of(within2));
        m.write(s, m.tanh(m.sum(d, within2)));
        return m.merge(m.add(d, s), chunk2, within2, m.seq);
      }
    }
  }
  int attention(int a, int x, int y, axis_set open) {
    axis_set const per = one_of(2) ? open : 0;
    int const q = m.dense(x, per), early = m.dense(y, per), self = m.contract(q, early, m.feature);
    int pair = m.score(q);
    if (one_of(3) == 0) pair = m.b.map(op::add, pair, m.at_key(m.sum(y, m.feature), a));
    if (one_of(3) == 0) pair = m.b.map(op::add, pair, m.sum(x, m.feature));
    int const r = m.attend(a, q, self, early, pair);
    int const z = m.add(x, m.dense(m.add(r, y), per));
    int const k = one_of(2) ? m.dense(z, per) : early;
    if (m.b.shape(k) & ~m.b.shape(r)) return finish(r, early, z);
    return finish(r, k, z);
  }
  int finish(int r, int k, int z) {
    m.append(r, k, k);
    return z;
  }
  builder make() {
    int x = m.input(m.row());
    feedback = one_of(3) == 0;
    if (feedback) {
      int const h = m.prev(m.seq, m.row()), top = grow(m.add(m.dense(h), x), 0, 2);
      m.write(h, top);
      x = top;
    } else {
      x = grow(x, 0, 2);
      if (one_of(2)) x = grow(x, 0, 1);
    }
    for (int a : {m.layer, second}) if (m.b.shape(x) >> a & 1) x = m.sum(x, a);
    m.result(m.sum(m.dense(x), m.feature));
    return m.b;
  }
};

}  // namespace test
