// One small graph for every op: what derivatives and engines are tested with.
#pragma once
#include "support/op_graph.hpp"

namespace dyadic::testing {

struct gradient_case {
  char const* name;
  int (*build)(op_graph&);
  bool zero = false;   ///< its derivative is 0 everywhere
};

/// A node along A with operand x.
template <class A, class X> constexpr auto node_like(X x, op kind, axis_set shape) {
  node n;
  n.kind = kind;
  n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b)); n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.axes = shape;
  return n;
}
/// An op that has no function of its own.
constexpr auto raw_map(op kind, expr<axes<row, col>> x) { return expr<axes<row, col>>{x.b, x.b->map(kind, x.id)}; }

inline constexpr gradient_case op_cases[] = {
    // maps of one operand
    {"neg", [](op_graph& t) { return t.result(-t.real<row, col>()); }},
    {"exp", [](op_graph& t) { return t.result(exp(t.real<row, col>())); }},
    {"log", [](op_graph& t) { return t.result(log(t.real<row, col>(0.2, 3))); }},
    {"sqrt", [](op_graph& t) { return t.result(sqrt(t.real<row, col>(0.2, 3))); }},
    {"rsqrt", [](op_graph& t) { return t.result(rsqrt(t.real<row, col>(0.2, 3))); }},
    {"reciprocal", [](op_graph& t) { return t.result(reciprocal(t.real<row, col>(0.5, 3))); }},
    {"reciprocal_or_zero", [](op_graph& t) { return t.result(raw_map(op::reciprocal_or_zero, t.real<row, col>(0.5, 3))); }},
    {"tanh", [](op_graph& t) { return t.result(tanh(t.real<row, col>())); }},
    {"sigmoid", [](op_graph& t) { return t.result(sigmoid(t.real<row, col>())); }},
    {"silu", [](op_graph& t) { return t.result(silu(t.real<row, col>())); }},
    {"silu_slope", [](op_graph& t) { return t.result(raw_map(op::silu_slope, t.real<row, col>())); }},
    {"gelu", [](op_graph& t) { return t.result(gelu(t.real<row, col>())); }},
    {"gelu_slope", [](op_graph& t) { return t.result(raw_map(op::gelu_slope, t.real<row, col>())); }},
    {"gelu_tanh", [](op_graph& t) { return t.result(gelu_tanh(t.real<row, col>())); }},
    {"gelu_tanh_slope", [](op_graph& t) { return t.result(raw_map(op::gelu_tanh_slope, t.real<row, col>())); }},
    {"relu", [](op_graph& t) { return t.result(relu(t.real<row, col>())); }},
    {"squared_relu", [](op_graph& t) { return t.result(squared_relu(t.real<row, col>())); }},
    {"softplus", [](op_graph& t) { return t.result(softplus(t.real<row, col>())); }},
    {"sin", [](op_graph& t) { return t.result(sin(t.real<row, col>())); }},
    {"cos", [](op_graph& t) { return t.result(cos(t.real<row, col>())); }},
    {"erf", [](op_graph& t) { return t.result(erf(t.real<row, col>())); }},
    {"abs", [](op_graph& t) { return t.result(abs(t.real<row, col>())); }},
    {"sign", [](op_graph& t) { return t.result(sign(t.real<row, col>())); }, true},
    {"floor", [](op_graph& t) { return t.result(floor(t.real<row, col>(0.1, 0.9) * 0.9)); }, true},
    {"cast to integers", [](op_graph& t) { return t.result(cast<f32>(cast<i32>(t.real<row, col>(0.1, 0.9)))); }, true},
    {"cast to f32", [](op_graph& t) {
       auto x = t.real<row, col>();
       return t.result(expr<axes<row, col>>{x.b, x.b->make(op::cast, x.b->shape(x.id), dtype::f32, 0, x.id)});
     }},
    {"probe", [](op_graph& t) { auto x = exp(t.real<row, col>()); auto const r = t.result(x); probe("p", x); return r; }},
    {"probe inside", [](op_graph& t) {
       auto const x = probe("p", t.real<row, col>());
       t.b.outputs.size = 0;   // the result is the first output
       return t.result(x);
     }},
    // maps of two and three
    {"shifted_exp", [](op_graph& t) {
       auto const x = t.real<row, col>();
       return t.result(expr<axes<row, col>>{x.b, x.b->map(op::shifted_exp, x.id, t.real<row, col>().id)});
     }},
    {"add", [](op_graph& t) { return t.result(t.real<row, col>() + t.real<row>()); }},
    {"sub", [](op_graph& t) { return t.result(t.real<col>() - t.real<row, col>()); }},
    {"mul", [](op_graph& t) { return t.result(t.real<row, col>() * t.real<col>()); }},
    {"mul by itself", [](op_graph& t) { auto x = t.real<row, col>(); return t.result(x * x); }},
    {"div", [](op_graph& t) { return t.result(t.real<row, col>() / t.real<row>(0.5, 2)); }},
    {"div by more", [](op_graph& t) { return t.result(t.real<row>() / t.real<row, col>(0.5, 2)); }},
    {"minimum", [](op_graph& t) { return t.result(minimum(t.real<row, col>(), t.real<row>())); }},
    {"maximum", [](op_graph& t) { return t.result(maximum(t.real<row, col>(), t.real<col>())); }},
    {"maximum with a number", [](op_graph& t) { return t.result(maximum(t.real<row, col>(), 0.1)); }},
    {"power", [](op_graph& t) { return t.result(power(t.real<row, col>(0.3, 2), t.real<col>())); }},
    {"power of a negative number", [](op_graph& t) { return t.result(power(t.real<row, col>(-2, -0.5), 3)); }},
    {"modulo", [](op_graph& t) { return t.result(modulo(t.real<row, col>(), t.real<row>(5, 6)) * t.real<row, col>()); }},
    {"modulo by a small one", [](op_graph& t) { return t.result(modulo(t.real<row>(0.62, 0.68), t.real<row>(0.30, 0.307))); }},
    {"less and select", [](op_graph& t) { auto x = t.real<row, col>(); return t.result(select(x < 0.3, exp(x), sin(x))); }},
    {"less_equal", [](op_graph& t) { auto x = t.real<row, col>(); return t.result(select(x <= 0.2, x * x, t.real<row>())); }},
    {"equal", [](op_graph& t) {
       auto x = t.real<row, col>(); return t.result(select(t.index<row>(0, 1) == 1, x * 3, t.real<row, col>()));
     }},
    {"clamp", [](op_graph& t) { return t.result(clamp(t.real<row, col>(), t.real<col>(-1.5, -0.5), t.real<col>(0.5, 1.5))); }},
    // rows
    {"sum", [](op_graph& t) { auto x = t.real<row, col>(); return t.result(sum<row>(x * x)); }},
    {"spread", [](op_graph& t) { return t.result(exp(spread<col>(t.real<row>()))); }},
    {"reduce_max", [](op_graph& t) { return t.result(max<col>(t.real<row, col>())); }},
    {"reduce_max over two axes", [](op_graph& t) { return t.result(max<col, dep>(t.real<col, row, dep>())); }},
    {"reduce_min", [](op_graph& t) { return t.result(min<col>(t.real<row, col>())); }},
    {"argmax", [](op_graph& t) { return t.result(cast<f32>(argmax<col>(t.real<row, col>()))); }, true},
    {"logsumexp", [](op_graph& t) { return t.result(logsumexp<col>(t.real<row, col>())); }},
    {"softmax", [](op_graph& t) { return t.result(softmax<col>(t.real<row, col>())); }},
    {"contract", [](op_graph& t) { return t.result(contract<col>(t.real<row, col>(), t.real<col, dep>())); }},
    {"contract, batched", [](op_graph& t) { return t.result(contract<row>(t.real<row, col, dep>(), t.real<row, dep>())); }},
    {"contract with itself", [](op_graph& t) { auto x = t.real<row, col>(); return t.result(contract<col>(x, x)); }},
    {"mean", [](op_graph& t) { auto x = t.real<row, col>(); return t.result(mean<row, col>(x * x)); }},
    {"variance", [](op_graph& t) { return t.result(variance<col>(t.real<row, col>())); }},
    {"rms_normalize", [](op_graph& t) { return t.result(rms_normalize<col>(t.real<row, col>(), 1e-5)); }},
    {"layer_normalize", [](op_graph& t) { return t.result(layer_normalize<col>(t.real<row, col>(), 1e-5)); }},
    // views
    {"rename", [](op_graph& t) { return t.result(outer(rename<row, both>(t.real<row, col>()), t.real<dep>())); }},
    {"slice", [](op_graph& t) { return t.result(slice<both, row>(t.real<both, col>(), 2)); }},
    {"slice before the beginning", [](op_graph& t) { return t.result(slice<both, row>(t.real<both, col>(), -1)); }},
    {"concatenate", [](op_graph& t) { return t.result(concatenate<row, col, both>(t.real<row, dep>(), t.real<dep, col>())); }},
    {"pick", [](op_graph& t) { return t.result(pick<row>(t.real<row, col>(), -1)); }},
    {"pick the first", [](op_graph& t) { return t.result(pick<col>(t.real<row, col>(), 0)); }},
    {"pick with a substitute", [](op_graph& t) {
       auto x = t.real<row, col>();
       auto y = t.real<col>();
       node n = node_like<row>(x, op::pick, x.b->shape(y.id));
       n.value = -1; n.nargs = 2; n.arg[1] = static_cast<std::int16_t>(y.id);
       return t.result(expr<axes<col>>{x.b, x.b->push(n)});
     }},
    {"if_empty", [](op_graph& t) {
       auto y = t.real<col>();
       return t.result(expr<axes<col>>{y.b, y.b->push(node_like<row>(y, op::if_empty, y.b->shape(y.id)))});
     }, true},
    {"place", [](op_graph& t) { return t.result(place<row>(t.real<col>(), -1)); }},
    {"split", [](op_graph& t) { return t.result(split<row, outer_row, inner_row>(t.real<row, col>())); }},
    {"merge", [](op_graph& t) { return t.result(merge<outer_row, inner_row, row>(t.real<outer_row, inner_row, col>())); }},
    {"rotate_half", [](op_graph& t) { return t.result(rotate_half<wide>(t.real<row, wide>())); }},
    {"rotate_half, interleaved", [](op_graph& t) { return t.result(rotate_half<wide, interleaved_pairs>(t.real<row, wide>(), 2)); }},
    {"rope", [](op_graph& t) { return t.result(rope<wide>(t.real<row, wide>(), t.index<row>(0, 9))); }},
    {"rope, interleaved, partial", [](op_graph& t) {
       return t.result(rope<wide, interleaved_pairs>(t.real<row, wide>(), t.index<row>(0, 9), {.theta = 100, .rotary = 2}));
     }},
    {"keep", [](op_graph& t) {   // the others are cut off afterwards, as a fold does
       auto x = t.real<row, col>();
       auto const even = modulo(iota<row>(x), 2) == 0;
       return t.result(select(even, keep<row>(x, even), 0));
     }},
    // indexed
    {"gather", [](op_graph& t) { return t.result(gather<col>(t.real<col, dep>(), t.index<row>(-1, 3))); }},
    {"gather, batched", [](op_graph& t) { return t.result(gather<col>(t.real<row, col>(), t.index<row, dep>(0, 2))); }},
    {"gather along its own axis", [](op_graph& t) { return t.result(gather<row>(t.real<row, col>(), t.index<row>(0, 2))); }},
    {"scatter", [](op_graph& t) { return t.result(scatter<col>(t.real<row, dep>(), t.index<row>(-1, 3))); }},
    {"scatter, batched", [](op_graph& t) { return t.result(scatter<col, row>(t.real<row, dep>(), t.index<row, dep>(0, 2))); }},
    {"cross_entropy", [](op_graph& t) { return t.result(cross_entropy<col>(t.real<row, col>(), t.index<row>(-1, 2))); }},
    {"dropout", [](op_graph& t) { return t.result(dropout(t.real<row, col>(), 0.5)); }},
};

}  // namespace dyadic::testing
