// Every op's derivative against differences. One line a case; the last test asserts that no op was forgotten.
#include <doctest/doctest.h>

#include <string>

#include "support/gradient_check.hpp"

using namespace dyadic;
using namespace dyadic::testing;

namespace {

struct gradient_case {
  char const* name;
  int (*build)(op_graph&);
  bool zero = false;   ///< its derivative is 0 everywhere
};

/// A node along A with operand x.
template <class A, class X> auto node_like(X x, op kind, axis_set shape) {
  node n;
  n.kind = kind; n.axis = static_cast<std::int8_t>(axis_id<A>(*x.b)); n.nargs = 1; n.arg[0] = static_cast<std::int16_t>(x.id); n.axes = shape;
  return n;
}
/// An op that has no function of its own.
auto raw_map(op kind, expr<axes<row, col>> x) { return expr<axes<row, col>>{x.b, x.b->map(kind, x.id)}; }

using g = op_graph;
gradient_case const cases[] = {
    // maps of one operand
    {"neg", [](g& t) { return t.result(-t.real<row, col>()); }},
    {"exp", [](g& t) { return t.result(exp(t.real<row, col>())); }},
    {"log", [](g& t) { return t.result(log(t.real<row, col>(0.2, 3))); }},
    {"sqrt", [](g& t) { return t.result(sqrt(t.real<row, col>(0.2, 3))); }},
    {"rsqrt", [](g& t) { return t.result(rsqrt(t.real<row, col>(0.2, 3))); }},
    {"reciprocal", [](g& t) { return t.result(reciprocal(t.real<row, col>(0.5, 3))); }},
    {"tanh", [](g& t) { return t.result(tanh(t.real<row, col>())); }},
    {"sigmoid", [](g& t) { return t.result(sigmoid(t.real<row, col>())); }},
    {"silu", [](g& t) { return t.result(silu(t.real<row, col>())); }},
    {"silu_slope", [](g& t) { return t.result(raw_map(op::silu_slope, t.real<row, col>())); }},
    {"gelu", [](g& t) { return t.result(gelu(t.real<row, col>())); }},
    {"gelu_slope", [](g& t) { return t.result(raw_map(op::gelu_slope, t.real<row, col>())); }},
    {"gelu_tanh", [](g& t) { return t.result(gelu_tanh(t.real<row, col>())); }},
    {"gelu_tanh_slope", [](g& t) { return t.result(raw_map(op::gelu_tanh_slope, t.real<row, col>())); }},
    {"relu", [](g& t) { return t.result(relu(t.real<row, col>())); }},
    {"squared_relu", [](g& t) { return t.result(squared_relu(t.real<row, col>())); }},
    {"softplus", [](g& t) { return t.result(softplus(t.real<row, col>())); }},
    {"sin", [](g& t) { return t.result(sin(t.real<row, col>())); }},
    {"cos", [](g& t) { return t.result(cos(t.real<row, col>())); }},
    {"erf", [](g& t) { return t.result(erf(t.real<row, col>())); }},
    {"abs", [](g& t) { return t.result(abs(t.real<row, col>())); }},
    {"sign", [](g& t) { return t.result(sign(t.real<row, col>())); }, true},
    {"floor", [](g& t) { return t.result(floor(t.real<row, col>(0.1, 0.9) * 0.9)); }, true},
    {"cast to integers", [](g& t) { return t.result(cast<f32>(cast<i32>(t.real<row, col>(0.1, 0.9)))); }, true},
    {"cast to f32", [](g& t) {
       auto x = t.real<row, col>();
       return t.result(expr<axes<row, col>>{x.b, x.b->make(op::cast, x.b->shape(x.id), dtype::f32, 0, x.id)});
     }},
    {"probe", [](g& t) { auto x = exp(t.real<row, col>()); auto const r = t.result(x); probe("p", x); return r; }},
    {"probe inside", [](g& t) {
       auto const x = probe("p", t.real<row, col>());
       t.b.outputs.size = 0;   // the result is the first output
       return t.result(x);
     }},
    // maps of two and three
    {"add", [](g& t) { return t.result(t.real<row, col>() + t.real<row>()); }},
    {"sub", [](g& t) { return t.result(t.real<col>() - t.real<row, col>()); }},
    {"mul", [](g& t) { return t.result(t.real<row, col>() * t.real<col>()); }},
    {"mul by itself", [](g& t) { auto x = t.real<row, col>(); return t.result(x * x); }},
    {"div", [](g& t) { return t.result(t.real<row, col>() / t.real<row>(0.5, 2)); }},
    {"div by more", [](g& t) { return t.result(t.real<row>() / t.real<row, col>(0.5, 2)); }},
    {"minimum", [](g& t) { return t.result(minimum(t.real<row, col>(), t.real<row>())); }},
    {"maximum", [](g& t) { return t.result(maximum(t.real<row, col>(), t.real<col>())); }},
    {"maximum with a number", [](g& t) { return t.result(maximum(t.real<row, col>(), 0.1)); }},
    {"power", [](g& t) { return t.result(power(t.real<row, col>(0.3, 2), t.real<col>())); }},
    {"power of a negative number", [](g& t) { return t.result(power(t.real<row, col>(-2, -0.5), 3)); }},
    {"modulo", [](g& t) { return t.result(modulo(t.real<row, col>(), t.real<row>(5, 6)) * t.real<row, col>()); }},
    {"modulo by a small one", [](g& t) { return t.result(modulo(t.real<row>(0.62, 0.68), t.real<row>(0.30, 0.307))); }},
    {"less and select", [](g& t) { auto x = t.real<row, col>(); return t.result(select(x < 0.3, exp(x), sin(x))); }},
    {"less_equal", [](g& t) { auto x = t.real<row, col>(); return t.result(select(x <= 0.2, x * x, t.real<row>())); }},
    {"equal", [](g& t) { auto x = t.real<row, col>(); return t.result(select(t.index<row>(0, 1) == 1, x * 3, t.real<row, col>())); }},
    {"clamp", [](g& t) { return t.result(clamp(t.real<row, col>(), t.real<col>(-1.5, -0.5), t.real<col>(0.5, 1.5))); }},
    // rows
    {"sum", [](g& t) { auto x = t.real<row, col>(); return t.result(sum<row>(x * x)); }},
    {"spread", [](g& t) { return t.result(exp(spread<col>(t.real<row>()))); }},
    {"reduce_max", [](g& t) { return t.result(max<col>(t.real<row, col>())); }},
    {"reduce_max over two axes", [](g& t) { return t.result(max<col, dep>(t.real<col, row, dep>())); }},
    {"reduce_min", [](g& t) { return t.result(min<col>(t.real<row, col>())); }},
    {"argmax", [](g& t) { return t.result(cast<f32>(argmax<col>(t.real<row, col>()))); }, true},
    {"logsumexp", [](g& t) { return t.result(logsumexp<col>(t.real<row, col>())); }},
    {"softmax", [](g& t) { return t.result(softmax<col>(t.real<row, col>())); }},
    {"contract", [](g& t) { return t.result(contract<col>(t.real<row, col>(), t.real<col, dep>())); }},
    {"contract, batched", [](g& t) { return t.result(contract<row>(t.real<row, col, dep>(), t.real<row, dep>())); }},
    {"contract with itself", [](g& t) { auto x = t.real<row, col>(); return t.result(contract<col>(x, x)); }},
    {"mean", [](g& t) { auto x = t.real<row, col>(); return t.result(mean<row, col>(x * x)); }},
    {"variance", [](g& t) { return t.result(variance<col>(t.real<row, col>())); }},
    {"rms_normalize", [](g& t) { return t.result(rms_normalize<col>(t.real<row, col>(), 1e-5)); }},
    {"layer_normalize", [](g& t) { return t.result(layer_normalize<col>(t.real<row, col>(), 1e-5)); }},
    // views
    {"rename", [](g& t) { return t.result(outer(rename<row, both>(t.real<row, col>()), t.real<dep>())); }},
    {"slice", [](g& t) { return t.result(slice<both, row>(t.real<both, col>(), 2)); }},
    {"slice before the beginning", [](g& t) { return t.result(slice<both, row>(t.real<both, col>(), -1)); }},
    {"concatenate", [](g& t) { return t.result(concatenate<row, col, both>(t.real<row, dep>(), t.real<dep, col>())); }},
    {"pick", [](g& t) { return t.result(pick<row>(t.real<row, col>(), -1)); }},
    {"pick the first", [](g& t) { return t.result(pick<col>(t.real<row, col>(), 0)); }},
    {"pick with a substitute", [](g& t) {
       auto x = t.real<row, col>();
       auto y = t.real<col>();
       node n = node_like<row>(x, op::pick, x.b->shape(y.id));
       n.value = -1; n.nargs = 2; n.arg[1] = static_cast<std::int16_t>(y.id);
       return t.result(expr<axes<col>>{x.b, x.b->push(n)});
     }},
    {"if_empty", [](g& t) {
       auto y = t.real<col>();
       return t.result(expr<axes<col>>{y.b, y.b->push(node_like<row>(y, op::if_empty, y.b->shape(y.id)))});
     }, true},
    {"place", [](g& t) { return t.result(place<row>(t.real<col>(), -1)); }},
    {"split", [](g& t) { return t.result(split<row, outer_row, inner_row>(t.real<row, col>())); }},
    {"merge", [](g& t) { return t.result(merge<outer_row, inner_row, row>(t.real<outer_row, inner_row, col>())); }},
    {"rotate_half", [](g& t) { return t.result(rotate_half<wide>(t.real<row, wide>())); }},
    {"rotate_half, interleaved", [](g& t) { return t.result(rotate_half<wide, interleaved_pairs>(t.real<row, wide>(), 2)); }},
    {"rope", [](g& t) { return t.result(rope<wide>(t.real<row, wide>(), t.index<row>(0, 9))); }},
    {"rope, interleaved, partial", [](g& t) {
       return t.result(rope<wide, interleaved_pairs>(t.real<row, wide>(), t.index<row>(0, 9), {.theta = 100, .rotary = 2}));
     }},
    {"keep", [](g& t) {   // the others are cut off afterwards, as a fold does
       auto x = t.real<row, col>();
       auto const even = modulo(iota<row>(x), 2) == 0;
       return t.result(select(even, keep<row>(x, even), 0));
     }},
    // indexed
    {"gather", [](g& t) { return t.result(gather<col>(t.real<col, dep>(), t.index<row>(-1, 3))); }},
    {"gather, batched", [](g& t) { return t.result(gather<col>(t.real<row, col>(), t.index<row, dep>(0, 2))); }},
    {"gather along its own axis", [](g& t) { return t.result(gather<row>(t.real<row, col>(), t.index<row>(0, 2))); }},
    {"scatter", [](g& t) { return t.result(scatter<col>(t.real<row, dep>(), t.index<row>(-1, 3))); }},
    {"scatter, batched", [](g& t) { return t.result(scatter<col, row>(t.real<row, dep>(), t.index<row, dep>(0, 2))); }},
    {"cross_entropy", [](g& t) { return t.result(cross_entropy<col>(t.real<row, col>(), t.index<row>(-1, 2))); }},
    {"dropout", [](g& t) { return t.result(dropout(t.real<row, col>(), 0.5)); }},
};

}  // namespace

TEST_CASE("derivatives agree with differences") {
  for (gradient_case const& c : cases) {
    for (int n : {0, 1, 2, 3, 7}) {
      CAPTURE(std::string(c.name));
      CAPTURE(n);
      op_graph t;
      c.build(t);
      REQUIRE(t.b.error == fault::none);
      gradient_report const r = check_gradient(t, n, 17u + static_cast<unsigned>(n));
      CHECK_FALSE(r.failed);
      CHECK(r.error <= 1e-7);
      if (n == 7 && std::string(c.name) != "pick with a substitute") CHECK((r.smallest_norm > 1e-6) == !c.zero);
      if (n == 0 && std::string(c.name) == "pick with a substitute") CHECK(r.norm > 1e-6);
      if (n == 0 && std::string(c.name) == "if_empty") CHECK(r.norm > 1e-6);
    }
  }
}

TEST_CASE("every op but the leaves and those of recurrences has a derivative case") {
  bool seen[op_count]{};
  for (gradient_case const& c : cases) {
    op_graph t;
    c.build(t);
    for (int i = 0; i < t.b.size(); ++i) seen[static_cast<int>(t.b[i].kind)] = true;
  }
  for (int o = 0; o < op_count; ++o) {
    op_class const k = traits(static_cast<op>(o)).kind;
    if (static_cast<op>(o) == op::stop_gradient) continue;   // differences disagree with it by intent: see below
    if (k == op_class::leaf || k == op_class::far || k == op_class::pair || k == op_class::fold) continue;
    CAPTURE(op_name(static_cast<op>(o)));
    CHECK(seen[o]);
  }
}

TEST_CASE("at ties and ends the documented subgradient is taken") {
  auto const derivative = [](auto build, double x, double y) {   // d build(x, y) / d x, d y
    op_graph t;
    auto const a = t.real<>(), b = t.real<>();
    t.result(build(a, b));
    adjoint_request request;
    request.outputs = 1; request.inputs = true;
    builder const joint = adjoint(t.b.view(), request);
    reference_evaluator e(joint.view(), std::vector<std::int64_t>(static_cast<std::size_t>(joint.axes.size), 1), {{x}, {y}, {1.0}});
    std::pair<double, double> r;
    for (int o = 0; o < joint.outputs.size; ++o) {
      if (joint.outputs[o].role != output_role::gradient) continue;
      (joint.outputs[o].leaf == 0 ? r.first : r.second) = e.at(joint.outputs[o].node, {});
    }
    return r;
  };
  using both_of = std::pair<double, double>;
  CHECK(derivative([](auto a, auto b) { return maximum(a, b); }, 1, 1) == both_of{0.5, 0.5});
  CHECK(derivative([](auto a, auto b) { return minimum(a, b); }, 1, 1) == both_of{0.5, 0.5});
  CHECK(derivative([](auto a, auto b) { return minimum(a, b); }, 1, 2) == both_of{1, 0});
  CHECK(derivative([](auto a, auto b) { return relu(a) + abs(b); }, 0, 0) == both_of{0, 0});
  CHECK(derivative([](auto a, auto b) { return clamp(a, -1, 1) + clamp(b, -1, 1); }, 1, -1) == both_of{1, 1});
  CHECK(derivative([](auto a, auto b) { return clamp(a, b, real(a, 1)); }, -2, -1) == both_of{0, 1});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, 0, 2) == both_of{0, 0});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, 0, 1) == both_of{1, 0});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, 0, 0) == both_of{0, 0});
  CHECK(derivative([](auto a, auto b) { return power(a, b); }, -2, 2).first == -4);
  CHECK(derivative([](auto a, auto b) { return a * stop_gradient(a) + stop_gradient(exp(b)); }, 3, 1) == both_of{3, 0});
}

TEST_CASE("equal extrema share the gradient evenly") {
  op_graph t;
  auto const x = t.real<col>(), y = t.real<col>();
  t.result(max<col>(x) + min<col>(y));
  adjoint_request request;
  request.outputs = 1; request.inputs = true;
  builder const joint = adjoint(t.b.view(), request);
  reference_evaluator e(joint.view(), t.extents_for(3), {{5, 1, 5}, {2, 2, 2}, {6.0}});
  for (int o = 0; o < joint.outputs.size; ++o) {
    if (joint.outputs[o].role != output_role::gradient) continue;
    auto const d = e.all(joint.outputs[o].node);
    if (joint.outputs[o].leaf == 0) CHECK(d == std::vector<double>{3, 0, 3});
    else CHECK(d == std::vector<double>{2, 2, 2});
  }
}

TEST_CASE("rows of only -inf, and uncounted targets, pass no gradient and no NaN") {
  double const inf = std::numeric_limits<double>::infinity();
  for (int which = 0; which < 3; ++which) {
    CAPTURE(which);
    op_graph t;
    auto const x = t.real<dep, col>();
    if (which == 0) t.result(logsumexp<col>(x));
    if (which == 1) t.result(contract<col>(softmax<col>(x), cast<f32>(iota<col>(x))));
    if (which == 2) t.result(cross_entropy<col>(x, t.index<dep>(0, 0)));
    adjoint_request request;
    request.outputs = 1; request.inputs = true;
    builder const joint = adjoint(t.b.view(), request);
    double const masked = which == 2 ? 4 : -inf;
    std::vector<std::vector<double>> data{{masked, masked, masked, 1, 2, 3}};
    if (which == 2) data.push_back({-1, 1});
    data.push_back({1, 1});
    reference_evaluator e(joint.view(), t.extents_for(2), data);
    auto const y = e.all(t.b.outputs[0].node);
    CHECK(y[0] == (which == 0 ? -inf : 0));
    int const gradient = joint.outputs[joint.outputs.size - 1].node;
    auto const d = e.all(gradient);   // by axis number: dep, then col
    for (std::size_t k = 0; k < 3; ++k) CHECK(d[k] == 0);
    double norm = 0;
    for (std::size_t k = 3; k < 6; ++k) norm += d[k] * d[k];
    CHECK(norm > 1e-3);
  }
}
