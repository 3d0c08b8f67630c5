// Graphs written node by node, for tests of passes that should not depend on the front end.
#pragma once
#include "dyadic/expr/op_table.hpp"

namespace test {

using dyadic::axis_role;
using dyadic::axis_set;
using dyadic::bit_of;
using dyadic::node;
using dyadic::op;

struct hand_made {
  dyadic::builder b;
  int batch, seq, feature, wide, layer;

  constexpr hand_made()
      : batch(axis("batch", axis_role::plain)), seq(axis("seq", axis_role::scan)), feature(axis("feature", axis_role::plain)),
        wide(axis("wide", axis_role::plain)), layer(axis("layer", axis_role::repeat)) {}

  constexpr int axis(char const* name, axis_role role, dyadic::extent_rule rule = dyadic::extent_rule::bound, int from = -1, int by = -1) {
    dyadic::axis_info a;
    a.key = static_cast<std::uint64_t>(b.axes.size) + 1;
    a.name = name;
    while (name[a.name_size]) ++a.name_size;
    a.role = role; a.rule = rule; a.from = static_cast<std::int8_t>(from); a.by = static_cast<std::int8_t>(by);
    return b.axis(a);
  }
  constexpr axis_set row() const { return bit_of(batch) | bit_of(seq) | bit_of(feature); }

  constexpr int leaf_of(op kind, axis_set shape, char const* name) {
    dyadic::leaf l;
    l.node = static_cast<std::int16_t>(b.make(kind, shape));
    l.role = kind == op::param ? dyadic::leaf_role::parameter : dyadic::leaf_role::input;
    l.name = name;
    for (int a = 0; a < b.axes.size; ++a) if (shape >> a & 1) l.order[l.rank++] = static_cast<std::int8_t>(a);
    b.leaves.push(l);
    return l.node;
  }
  constexpr int input(axis_set shape) { return leaf_of(op::input, shape, "x"); }
  constexpr int param(axis_set shape) { return leaf_of(op::param, shape, "w"); }
  constexpr void result(int i, char const* name = "loss") {
    dyadic::output o;
    o.node = static_cast<std::int16_t>(i); o.name = name;
    b.outputs.push(o);
  }

  constexpr int tanh(int x) { return b.map(op::tanh, x); }
  constexpr int add(int x, int y) { return b.map(op::add, x, y); }
  constexpr int mul(int x, int y) { return b.map(op::mul, x, y); }
  constexpr int sum(int x, int over) { return b.make(op::sum, b.shape(x) & ~bit_of(over), dyadic::dtype::f32, 0, x); }
  constexpr int contract(int x, int y, int over) {
    return b.make(op::contract, (b.shape(x) | b.shape(y)) & ~bit_of(over), dyadic::dtype::f32, 0, x, y);
  }
  constexpr int along(op kind, int x, int a, axis_set shape, double value = 0, int y = -1) {
    node n;
    n.kind = kind; n.axis = static_cast<std::int8_t>(a); n.axes = shape; n.value = value; n.nargs = 1;
    n.arg[0] = static_cast<std::int16_t>(x);
    if (y >= 0) n.arg[n.nargs++] = static_cast<std::int16_t>(y);
    return b.push(n);
  }
  constexpr int softmax(int x, int a) { return along(op::softmax, x, a, b.shape(x)); }
  constexpr int pick(int x, int a, double at = -1) { return along(op::pick, x, a, b.shape(x) & ~bit_of(a), at); }
  constexpr int window(int x, int from, int to, double offset = 0) {
    node n;
    n.kind = op::window; n.axis = static_cast<std::int8_t>(to); n.aux = static_cast<std::int8_t>(from); n.value = offset; n.nargs = 1;
    n.arg[0] = static_cast<std::int16_t>(x); n.axes = (b.shape(x) & ~bit_of(from)) | bit_of(to);
    return b.push(n);
  }
  /// A square layer: W tanh(x), with a weight per position of the axes in `per`.
  constexpr int dense(int x, axis_set per = 0) {
    int const w = param(bit_of(feature) | bit_of(wide) | per);
    return window(contract(tanh(x), w, feature), wide, feature);
  }

  /// The state of a carry along a: linked to what is written later.
  constexpr int prev(int a, axis_set shape, int initial = -1, int far = 1) {
    node n;
    n.kind = op::prev; n.axis = static_cast<std::int8_t>(a); n.axes = shape | bit_of(a); n.value = 1; n.nargs = 1;
    n.far[0] = static_cast<std::int8_t>(far);
    if (initial >= 0) n.arg[n.nargs++] = static_cast<std::int16_t>(initial);
    n.slot = slots++;
    return b.push(n);
  }
  constexpr void write(int state, int x) { b[state].arg[0] = static_cast<std::int16_t>(x); b[state].slot = -1; }
  constexpr int shift(int x, int a, int far = 1) {
    node n;
    n.kind = op::shift; n.axis = static_cast<std::int8_t>(a); n.axes = b.shape(x); n.value = 1; n.nargs = 1;
    n.far[0] = static_cast<std::int8_t>(far); n.arg[0] = static_cast<std::int16_t>(x);
    return b.push(n);
  }
  constexpr int score(int q) { return b.make(op::score, (b.shape(q) & ~bit_of(feature)) | dyadic::pair_bit); }
  constexpr int at_key(int x, int a) {
    node n;
    n.kind = op::at_key; n.axis = static_cast<std::int8_t>(a); n.axes = b.shape(x) | dyadic::pair_bit; n.nargs = 1; n.far[0] = 1;
    n.arg[0] = static_cast<std::int16_t>(x);
    return b.push(n);
  }
  /// Over earlier positions of a; keys and values are linked by `append`.
  constexpr int attend(int a, int q, int self, int self_value, int pair) {
    node n;
    n.kind = op::attend; n.axis = static_cast<std::int8_t>(a); n.aux = static_cast<std::int8_t>(feature); n.nargs = 6;
    int const args[6] = {q, self, self_value, -1, -1, pair};
    for (int k = 0; k < 6; ++k) n.arg[k] = static_cast<std::int16_t>(args[k]);
    n.far[3] = n.far[4] = 1;
    n.axes = b.shape(q) | bit_of(a);
    n.slot = slots++;
    return b.push(n);
  }
  constexpr void append(int attend, int k, int v) {
    b[attend].arg[3] = static_cast<std::int16_t>(k); b[attend].arg[4] = static_cast<std::int16_t>(v); b[attend].slot = -1;
  }
  constexpr int split(int x, int a, int outer, int inner) {
    node n;
    n.kind = op::split;
    n.axis = static_cast<std::int8_t>(a);
    n.aux = static_cast<std::int8_t>(outer);
    n.inner = static_cast<std::int8_t>(inner);
    n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x); n.axes = (b.shape(x) & ~bit_of(a)) | bit_of(outer) | bit_of(inner);
    return b.push(n);
  }
  constexpr int merge(int x, int outer, int inner, int a) {
    node n;
    n.kind = op::merge;
    n.axis = static_cast<std::int8_t>(a);
    n.aux = static_cast<std::int8_t>(outer);
    n.inner = static_cast<std::int8_t>(inner);
    n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x); n.axes = (b.shape(x) & ~bit_of(outer) & ~bit_of(inner)) | bit_of(a);
    return b.push(n);
  }

  /// A layer of attention and a dense part. Keys and values come from what goes in (a Transformer) or what comes out (recurrent).
  constexpr int block(int x, axis_set per, bool recurrent) {
    int const q = dense(x, per), k0 = dense(x, per);
    int const a = attend(seq, q, contract(q, k0, feature), k0, score(q));
    int const z = add(x, dense(add(x, a), per));
    int const k = recurrent ? dense(z, per) : k0;
    append(a, k, k);
    return z;
  }
  /// depth x block: the last layer's output.
  constexpr int stack(int x, bool recurrent) {
    int const h = prev(layer, b.shape(x), x);
    int const z = block(h, bit_of(layer), recurrent);
    write(h, z);
    return along(op::pick, z, layer, b.shape(x), -1, x);
  }

 private:
  std::int16_t slots = 1;
};

}  // namespace test
