// Random well-formed graphs of everything the library has: stacks, memories with every kind of score, states, chunks, trees, gathers,
// random draws. A stream of choices (a seeded generator, or a fuzzer's bytes) decides; data for the leaves follow from a seed.
#pragma once
#include <random>
#include <vector>

#include "dyadic/graph/prefix_tree.hpp"
#include "dyadic/plan/extents.hpp"
#include "support/hand_made.hpp"

namespace test {

/// Where decisions come from: a seeded generator, or bytes, and when those have run out a generator that they seed.
struct choices {
  std::mt19937 random;
  std::uint8_t const* data = nullptr;
  std::size_t size = 0, at = 0;
  explicit choices(unsigned seed) : random(seed) {}
  choices(std::uint8_t const* bytes, std::size_t count) : data(bytes), size(count) {
    std::uint32_t hash = 2166136261u;
    for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 16777619u;
    random.seed(hash);
  }
  int one_of(int n) { return at < size ? data[at++] % n : static_cast<int>(random() % static_cast<unsigned>(n)); }
};

class random_model : public hand_made {
 public:
  choices& c;
  int within, chunk, second, prime, merges, group, vocabulary, both, stored;
  int future;               ///< of so many steps one reads other positions regardless of time; 0: none
  bool feedback = false;    ///< the top of the model is fed back to its bottom, a position later
  bool moved_windows = false;   ///< has a window from an axis to itself: no function of the library makes one, loops and streams know none

  /// `positions`: the results keep the axis of the sequence.
  random_model(choices& from, int one_in, bool positions = false)
      : c(from), within(axis("within", axis_role::scan)), chunk(axis("chunk", axis_role::scan, dyadic::extent_rule::quotient, seq, within)),
        second(axis("second", axis_role::repeat)), prime(axis("prime", axis_role::plain, dyadic::extent_rule::same_as, seq)),
        merges(axis("merges", axis_role::merges, dyadic::extent_rule::tree, seq)), group(axis("group", axis_role::plain)),
        vocabulary(axis("vocabulary", axis_role::plain)), both(axis("both", axis_role::plain)), stored(axis("stored", axis_role::plain)),
        future(one_in) {
    b.axes[merges].tree = static_cast<std::int16_t>(b.trees.push(dyadic::prefix_tree));
    int x = c.one_of(3) ? input(row()) : embedding();
    feedback = c.one_of(4) == 1;
    if (feedback) {
      int const h = prev(seq, row()), top = flat(grow(add(dense(h, 0), x), 0, 2));
      write(h, top);
      x = top;
    } else {
      x = flat(grow(x, 0, 2));
      if (c.one_of(2)) x = flat(grow(x, 0, 1));
    }
    if (!(b.shape(x) >> seq & 1)) x = add(x, input(row()));
    int const y = c.one_of(2) ? dense(x, 0) : tanh(x);
    switch (c.one_of(positions ? 2 : 4)) {
      case 0: report(sum(y, feature), "loss"); break;
      case 1: report(y, "loss"); break;
      case 2: report(sum(sum(y, feature), seq), "loss"); break;
      default: report(pick(y, seq), "loss"); break;
    }
    if (c.one_of(3) == 1) report(x, "hidden");
    if (c.one_of(2)) b.axes[batch].role = axis_role::batch;   // what tracing a model finds out: no parameter has this axis
  }

  /// Lengths of all axes: `length` positions, the others as the generator decides.
  dyadic::extents sizes(std::int64_t length, unsigned seed, bool may_be_empty = true) const {
    std::mt19937 r(seed);
    auto const from = [&](int low, int high) { return low + static_cast<int>(r() % static_cast<unsigned>(high - low + 1)); };
    dyadic::extents e;
    e.of[seq] = length;
    int const fewest = may_be_empty ? 0 : 1;
    e.of[batch] = from(1, 2); e.of[feature] = from(1, 3); e.of[wide] = from(1, 3); e.of[group] = from(1, 2); e.of[vocabulary] = from(2, 4);
    e.of[stored] = from(1, 2); e.of[within] = from(1, 3); e.of[layer] = from(fewest, 3); e.of[second] = from(fewest, 2);
    if (may_be_empty && from(0, 15) == 0) e.of[from(0, 1) ? batch : feature] = 0;
    e.of[both] = e.of[feature] + e.of[wide];
    return dyadic::resolve(b.view(), e);
  }
  /// Numbers from (-1, 1), indices from their axis or -1; tables of trees stay empty.
  static std::vector<double> leaf_data(dyadic::graph_view g, int l, dyadic::extents const& e, std::mt19937& r) {
    dyadic::leaf const& x = g.leaves[l];
    std::vector<double> data;
    if (x.role == dyadic::leaf_role::child || x.role == dyadic::leaf_role::root || x.role == dyadic::leaf_role::active) return data;
    std::int64_t n = 1;
    for (int d = 0; d < x.rank; ++d) n *= e.of[x.order[d]];
    std::uniform_real_distribution<double> real(-1, 1);
    bool const index = x.role == dyadic::leaf_role::index;
    for (std::int64_t i = 0; i < n; ++i)
      data.push_back(index ? static_cast<double>(r() % static_cast<unsigned>(e.of[x.of] + 1)) - 1 : real(r));
    return data;
  }

 private:
  int left_ = -1, right_ = -1, root_ = -1, streams_ = 0, budget_ = 14;

  int number(double v) { return b.constant(v); }
  int one(op kind, int x) { return b.map(kind, x); }
  int two(op kind, int x, int y) { return b.map(kind, x, y); }
  int compare(op kind, int x, int y) { return b.make(kind, b.shape(x) | b.shape(y), dyadic::dtype::boolean, 0, x, y); }
  int whole(int v) { return b.constant(v, dyadic::dtype::i32); }
  int select(int s, int x, int y) { return b.make(op::select, b.shape(s) | b.shape(x) | b.shape(y), dyadic::dtype::f32, 0, s, x, y); }
  int scaled(int x, double v) { return two(op::mul, x, number(v)); }
  int spread(int x, axis_set to) { return (to & ~b.shape(x)) ? b.make(op::spread, b.shape(x) | to, dyadic::dtype::f32, 0, x) : x; }
  int index_leaf(axis_set shape, int of) {
    int const i = leaf_of(op::input, shape, "index");
    b[i].type = dyadic::dtype::i32;
    b.leaves[b.leaves.size - 1].role = dyadic::leaf_role::index;
    b.leaves[b.leaves.size - 1].of = static_cast<std::int8_t>(of);
    return i;
  }
  int position(int a) {
    node n;
    n.kind = op::iota; n.type = dyadic::dtype::i32; n.axis = static_cast<std::int8_t>(a); n.axes = bit_of(a);
    return b.push(n);
  }
  int length_of(int a) {
    node n;
    n.kind = op::extent; n.axis = static_cast<std::int8_t>(a);
    return b.push(n);
  }
  int gathered(int table, int a, int index) {
    return along(op::gather, table, a, (b.shape(table) & ~bit_of(a)) | b.shape(index), 0, index);
  }
  int embedding() {
    return gathered(param(bit_of(vocabulary) | bit_of(feature)), vocabulary, index_leaf(bit_of(batch) | bit_of(seq), vocabulary));
  }
  void report(int x, char const* name) {
    result(x, name);
    dyadic::output& o = b.outputs[b.outputs.size - 1];
    for (int a = 0; a < b.axes.size; ++a) if (b.shape(x) >> a & 1) o.order[o.rank++] = static_cast<std::int8_t>(a);
  }
  int flat(int x) {
    for (int a : {layer, second}) if (b.shape(x) >> a & 1) x = sum(x, a);
    return spread(x, bit_of(feature));
  }
  /// W tanh(x), with a weight per position of the axes in `per`, or of an axis of its own that is read in turn.
  int dense(int x, axis_set per) {
    int w = -1;
    if ((per >> second & 1) && c.one_of(3) == 1) {
      int const turn = b.make(op::modulo, bit_of(second), dyadic::dtype::i32, 0, position(second), length_of(stored));
      w = gathered(param(bit_of(feature) | bit_of(wide) | bit_of(stored)), stored, turn);
    } else {
      w = param(bit_of(feature) | bit_of(wide) | per);
    }
    return window(contract(c.one_of(4) ? tanh(x) : x, w, feature), wide, feature);
  }
  int grow(int x, axis_set open, int depth) {
    std::vector<int> scope{x};
    int const steps = 1 + c.one_of(4);
    for (int k = 0; k < steps; ++k) {
      int const y = scope[static_cast<std::size_t>(c.one_of(static_cast<int>(scope.size())))];
      if (--budget_ < 0) return add(x, y);
      x = step(x, y, open, depth);
      scope.push_back(x);
    }
    return x;
  }
  int step(int x, int y, axis_set open, int depth) {
    axis_set const shape = b.shape(x) | b.shape(y), per = c.one_of(2) ? open : 0;
    bool const alone = !feedback;   // what needs the whole sequence is kept out of a loop over it
    if (future && alone && c.one_of(future) == 1) return any_time(x, y);
    switch (c.one_of(20)) {
      case 0: {
        constexpr op maps[] = {op::tanh, op::sigmoid, op::silu, op::gelu, op::gelu_tanh, op::relu, op::squared_relu, op::softplus,
                               op::sin, op::cos, op::erf, op::abs, op::neg, op::stop_gradient, op::probe};
        int const z = one(maps[c.one_of(15)], tanh(x));
        return c.one_of(2) ? add(z, y) : spread(z, shape);
      }
      case 1: {
        constexpr op maps[] = {op::add, op::sub, op::mul, op::minimum, op::maximum};
        int const z = tanh(y);
        if (c.one_of(3) == 1) return select(compare(c.one_of(2) ? op::less : op::less_equal, x, z), x, scaled(z, 0.5));
        return two(maps[c.one_of(5)], x, z);
      }
      case 2: return add(dense(x, per), y);
      case 3: {   // across features
        int const t = spread(tanh(y), bit_of(feature));
        switch (c.one_of(6)) {
          case 0: return mul(x, one(op::rsqrt, add(sum(mul(t, t), feature), number(0.1))));
          case 1: return mul(softmax(t, feature), x);
          case 2: return two(op::sub, x, along(op::logsumexp, t, feature, b.shape(t) & ~bit_of(feature)));
          case 3: {
            op const kind = c.one_of(2) ? op::reduce_max : op::reduce_min;
            return add(x, b.make(kind, b.shape(t) & ~bit_of(feature), dyadic::dtype::f32, 0, t));
          }
          case 4: {
            int const best = along(op::argmax, t, feature, b.shape(t) & ~bit_of(feature));
            b[best].type = dyadic::dtype::i32;
            return add(x, gathered(param(bit_of(feature)), feature, best));
          }
          default: {
            int const r = along(op::rotate_half, t, feature, b.shape(t));
            b[r].slot = static_cast<std::int16_t>(c.one_of(2));
            b[r].value = -1;
            return add(r, x);
          }
        }
      }
      case 4: case 5: return state(x, y, shape, per);
      case 6: case 7: case 8: return attention(seq, x, y, open);
      case 9: case 10: case 11: return stack(x, y, open, depth);
      case 12:   // a memory over the layers below
        for (int a : {layer, second}) if (open >> a & 1) return attention(a, x, y, open);
        return tanh(x);
      case 13: return alone && c.one_of(4) == 1 ? add(y, moved(tanh(x), seq, -c.one_of(3))) : shift(x, seq);
      case 14: case 15: return alone ? chunks(x, y) : tanh(y);
      case 16: case 17: return alone ? tree(x, y) : add(x, tanh(y));
      case 18: {   // two values side by side
        int const u = window(spread(tanh(x), bit_of(feature)), feature, both), v = param(bit_of(wide));
        int w = window(v, wide, both);
        b[w].inner = static_cast<std::int8_t>(feature);
        b[w].slot = -1;
        int const z = contract(add(u, w), param(bit_of(both) | bit_of(wide)), both);
        return add(window(z, wide, feature), y);
      }
      default:
        for (int a : {layer, second})   // an operation along the layers
          if ((open >> a & 1) && (b.shape(x) >> a & 1) && c.one_of(2)) {
            return add(x, shift(tanh(param(bit_of(a) | bit_of(feature))), a, c.one_of(2) ? 1 : -1));
          }
        return drawn(x, y);
    }
  }
  int moved(int x, int a, int by) {
    moved_windows = true;
    return window(x, a, a, by);
  }
  int drawn(int x, int y) {
    constexpr op kinds[] = {op::uniform, op::normal, op::bernoulli, op::dropout_mask};
    node n;
    n.kind = kinds[c.one_of(4)]; n.axes = b.shape(x); n.value = n.kind == op::bernoulli || n.kind == op::dropout_mask ? 0.3 : 0;
    n.slot = static_cast<std::int16_t>(streams_++);
    return add(mul(x, b.push(n)), y);
  }
  int initial(axis_set shape) {
    switch (c.one_of(4)) {
      case 0: return -1;
      case 1: return shape >> feature & 1 ? param(bit_of(feature)) : number(0.5);
      case 2: return shape >> batch & 1 ? tanh(input(bit_of(batch))) : -1;
      default: return number(-0.25);
    }
  }
  int state(int x, int y, axis_set shape, axis_set per) {
    int const h = prev(seq, shape, initial(shape));
    switch (c.one_of(4)) {
      case 0: {
        int const z = tanh(add(dense(spread(h, bit_of(feature)), per), add(x, y)));
        write(h, flat_like(z, b.shape(h)));
        return c.one_of(2) ? b[h].arg[0] : add(h, tanh(x));
      }
      case 1: {   // two states
        int const k = prev(seq, shape, initial(shape)), z = tanh(add(dense(spread(h, bit_of(feature)), per), x));
        int const cell = flat_like(add(mul(k, one(op::sigmoid, z)), two(op::sub, y, scaled(k, 0.25))), b.shape(k));
        write(k, cell);
        write(h, tanh(cell));
        return add(b[h].arg[0], k);
      }
      case 2: {   // the largest so far, or the running sum
        int const t = spread(tanh(x), b.shape(h)), z = two(c.one_of(2) ? op::maximum : op::add, h, t);
        write(h, z);
        return add(z, scaled(y, 0.5));
      }
      default: {   // a row that is passed on
        write(h, spread(tanh(x), b.shape(h)));
        return add(h, y);
      }
    }
  }
  /// z without axes that `shape` lacks, with all that it has.
  int flat_like(int z, axis_set shape) {
    for (int a = 0; a < b.axes.size; ++a) if ((b.shape(z) & ~shape) >> a & 1) z = sum(z, a);
    return spread(z, shape);
  }
  int stack(int x, int y, axis_set open, int depth) {
    int const a = c.one_of(2) ? layer : second;
    if (depth == 0 || (open >> a & 1) || ((b.shape(x) | b.shape(y)) >> a & 1)) return add(x, y);
    int const h = prev(a, b.shape(x), x), k = c.one_of(3) == 1 ? prev(a, b.shape(y), y) : -1;
    int z = grow(k >= 0 ? spread(add(h, k), b.shape(h)) : h, open | bit_of(a), depth - 1);
    if (z == h) z = tanh(h);
    z = flat_like(z, b.shape(h));
    write(h, z);
    if (k >= 0) write(k, flat_like(tanh(add(k, z)), b.shape(k)));
    int const top = along(op::pick, z, a, b.shape(z) & ~bit_of(a), -1, x);
    return k >= 0 && c.one_of(2) ? add(top, along(op::pick, b[k].arg[0], a, b.shape(k) & ~bit_of(a), -1, y)) : top;
  }
  int distance(int a) {
    node n;
    n.kind = op::distance; n.axis = static_cast<std::int8_t>(a); n.axes = dyadic::pair_bit;
    return b.push(n);
  }
  /// Which positions of a are stored: from positions alone.
  int stored_positions(int a) {
    int const t = position(a);
    switch (c.one_of(3)) {
      case 0: return compare(op::equal, b.make(op::modulo, b.shape(t), dyadic::dtype::i32, 0, t, whole(2)), whole(c.one_of(2)));
      case 1: return compare(op::less, t, whole(c.one_of(4)));
      default: return compare(op::less_equal, whole(c.one_of(4)), t);
    }
  }
  int attention(int a, int x, int y, axis_set open) {
    axis_set const per = c.one_of(2) ? open : 0;
    double const never = -std::numeric_limits<double>::infinity();
    bool const grouped = c.one_of(4) == 1, alone = c.one_of(4) == 1;
    int q = dense(x, per);
    if (grouped) q = mul(q, param(bit_of(group) | bit_of(feature)));
    int const early = dense(y, per), key_sum = sum(spread(y, bit_of(feature) | bit_of(a)), feature);
    int const query_sum = sum(spread(x, bit_of(feature)), feature);
    int pair = make_score(b.shape(q) | (b.shape(early) & ~bit_of(a)));
    for (int k = c.one_of(3); k > 0; --k) {
      switch (c.one_of(8)) {
        case 0: pair = scaled(pair, 0.5); break;
        case 1: pair = scaled(tanh(scaled(pair, 0.5)), 2); break;
        case 2: pair = two(op::sub, pair, scaled(distance(a), 0.1)); break;
        case 3: pair = select(compare(op::less, distance(a), number(1 + c.one_of(4))), pair, number(never)); break;
        case 4: pair = add(pair, at_key(key_sum, a)); break;
        case 5: pair = two(op::sub, pair, mul(distance(a), one(op::sigmoid, query_sum))); break;
        case 6: pair = add(mul(pair, one(op::sigmoid, param(0))), mul(at_key(tanh(key_sum), a), query_sum)); break;
        default:   // equal tokens have equal sums but for the last bit: they are told apart
          pair = select(compare(op::less, add(at_key(key_sum, a), number(0.0123)), query_sum), pair, number(never));
      }
    }
    int when = c.one_of(4) == 1 ? stored_positions(a) : -1;
    if (when >= 0) pair = select(boolean_at_key(when, a), pair, number(never));
    int const self = alone ? -1 : contract(q, early, feature);
    int const r = attend(a, q, self, alone ? -1 : early, pair);
    b[r].axes |= b.shape(early) | (b.shape(pair) & ~dyadic::pair_bit);
    int const out = grouped ? sum(r, group) : r;
    int const z = add(x, dense(add(out, y), per));
    int k = c.one_of(2) ? dense(z, per) : early, v = c.one_of(3) == 1 ? tanh(k) : k;
    axis_set const room = b.shape(r) & ~bit_of(group);
    if (b.shape(k) & ~room) k = v = early;
    k = spread(k, bit_of(a)); v = spread(v, bit_of(a));
    if (when >= 0) { k = along(op::keep, k, a, b.shape(k), 0, when); v = along(op::keep, v, a, b.shape(v), 0, when); }
    append(r, k, v);
    return z;
  }
  int make_score(axis_set rows) { return b.make(op::score, (rows & ~bit_of(feature)) | dyadic::pair_bit); }
  int boolean_at_key(int when, int a) {
    int const i = at_key(when, a);
    b[i].type = dyadic::dtype::boolean;
    return i;
  }
  int chunks(int x, int y) {
    int const s = split(x, seq, chunk, within), h = prev(chunk, b.shape(s) & ~bit_of(within));
    int inside = s;
    switch (c.one_of(4)) {
      case 0: break;
      case 1: inside = mul(s, softmax(s, within)); break;
      case 2: inside = shift(tanh(s), within); break;
      default: {   // a state inside the chunk
        int const k = prev(within, b.shape(s));
        write(k, tanh(add(k, s)));
        inside = b[k].arg[0];
      }
    }
    write(h, tanh(add(h, sum(inside, within))));
    int z = add(s, h);
    if (c.one_of(3) == 1) z = add(z, shift(tanh(sum(inside, within)), chunk));
    return add(merge(z, chunk, within, seq), y);
  }
  int table(int a, dyadic::leaf_role role, int which) {
    int const i = leaf_of(op::input, bit_of(a), "prefix_tree");
    b[i].type = dyadic::dtype::i32;
    dyadic::leaf& l = b.leaves[b.leaves.size - 1];
    l.role = role; l.of = 0; l.which = static_cast<std::int8_t>(which);
    return i;
  }
  int take(int state, int leaves, int which, int a, bool far) {
    node n;
    n.kind = op::take; n.nargs = 3; n.far[0] = far;
    n.axis = static_cast<std::int8_t>(merges); n.aux = static_cast<std::int8_t>(seq);
    n.arg[0] = static_cast<std::int16_t>(state); n.arg[1] = static_cast<std::int16_t>(leaves); n.arg[2] = static_cast<std::int16_t>(which);
    n.axes = (b.shape(leaves) & ~bit_of(seq)) | bit_of(a);
    return b.push(n);
  }
  int tree(int x, int y) {
    if (left_ < 0) {
      left_ = table(merges, dyadic::leaf_role::child, 0);
      right_ = table(merges, dyadic::leaf_role::child, 1);
      root_ = table(seq, dyadic::leaf_role::root, 0);
    }
    int const leaves = spread(tanh(x), bit_of(feature));
    int const l = take(-1, leaves, left_, merges, true), r = take(-1, leaves, right_, merges, true);
    int const z = tanh(add(c.one_of(2) ? dense(l, 0) : mul(l, param(bit_of(feature))), r));
    b[l].arg[0] = b[r].arg[0] = static_cast<std::int16_t>(z);
    return add(take(z, leaves, root_, seq, false), y);
  }
  /// A value that reads other positions; some of these look ahead.
  int any_time(int x, int y) {
    int const s = split(x, seq, chunk, within);
    switch (c.one_of(14)) {
      case 0: return shift(x, seq, -1);
      case 1: return add(y, moved(tanh(x), seq, c.one_of(5) - 2));
      case 2: return add(x, scaled(sum(y, seq), 0.25));
      case 3: return mul(x, softmax(x, seq));
      case 4: {
        int const at = two(op::add, position(seq), whole(c.one_of(3) - 1));
        return add(y, gathered(tanh(x), seq, at));
      }
      case 5: return merge(add(s, sum(s, within)), chunk, within, seq);
      case 6: return merge(mul(s, softmax(s, within)), chunk, within, seq);
      case 7: return add(x, pick(y, seq, c.one_of(3) - 1));
      case 8: return merge(moved(s, within, c.one_of(3) - 1), chunk, within, seq);
      case 9: return merge(moved(s, chunk, c.one_of(3) - 1), chunk, within, seq);
      case 10: {   // the state of a chunk that is not over
        int const h = prev(chunk, b.shape(s) & ~bit_of(within)), z = tanh(add(h, sum(s, within)));
        write(h, z);
        return merge(add(s, c.one_of(2) ? z : h), chunk, within, seq);
      }
      case 11: {   // every position sees every other
        int const other = window(tanh(y), seq, prime);
        int const scores = contract(spread(x, bit_of(feature)), spread(other, bit_of(feature)), feature);
        return contract(softmax(scores, prime), other, prime);
      }
      case 12: {   // a state that runs from the end
        int const h = prev(seq, b.shape(x), -1, -1);
        write(h, c.one_of(2) ? two(op::maximum, h, tanh(x)) : tanh(add(h, x)));
        return add(h, y);
      }
      default: return gathered(spread(tanh(x), bit_of(seq)), seq, index_leaf(bit_of(batch) | bit_of(seq), prime));
    }
  }
};

}  // namespace test
