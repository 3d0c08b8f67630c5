// Modules: structs of parameters and other modules that know their fields' names. The names are the keys of checkpoints.
#pragma once
#include "dyadic/expr/ops/probe.hpp"
#include "dyadic/graph/repeat.hpp"

// DYADIC_FIELDS(a, b, (c, "key of c")) inside a struct lists its fields; every non-static member must be there.
#define DYADIC_FIELDS(...)                                                                     \
  template <class DyadicVisitor> constexpr void dyadic_fields(DyadicVisitor&& dyadic_visit) {  \
    DYADIC_EACH(DYADIC_FIELD, __VA_ARGS__)                                                     \
  }                                                                                            \
  static constexpr int dyadic_field_count = 0 DYADIC_EACH(DYADIC_ONE, __VA_ARGS__);            \
  static constexpr auto dyadic_members() { return ::dyadic::detail::members<void DYADIC_EACH(DYADIC_TYPE, __VA_ARGS__)>{}; }

#define DYADIC_FIELD(x) DYADIC_FIELD_PICK(DYADIC_PARENTHESISED(x), x)
#define DYADIC_FIELD_PICK(is, x) DYADIC_JOIN(DYADIC_FIELD_, is)(x)
#define DYADIC_FIELD_0(x) dyadic_visit(x, #x);
#define DYADIC_FIELD_1(x) DYADIC_FIELD_NAMED x
#define DYADIC_FIELD_NAMED(x, text) dyadic_visit(x, text);
#define DYADIC_ONE(x) +1
#define DYADIC_TYPE(x) DYADIC_TYPE_PICK(DYADIC_PARENTHESISED(x), x)
#define DYADIC_TYPE_PICK(is, x) DYADIC_JOIN(DYADIC_TYPE_, is)(x)
#define DYADIC_TYPE_0(x) , decltype(x)
#define DYADIC_TYPE_1(x) DYADIC_TYPE_NAMED x
#define DYADIC_TYPE_NAMED(x, text) , decltype(x)
#define DYADIC_JOIN(a, b) DYADIC_JOIN_(a, b)
#define DYADIC_JOIN_(a, b) a##b
#define DYADIC_PARENTHESISED(x) DYADIC_SECOND(DYADIC_PROBE x, 0, ~)
#define DYADIC_PROBE(...) ~, 1
#define DYADIC_SECOND(...) DYADIC_SECOND_(__VA_ARGS__)
#define DYADIC_SECOND_(a, b, ...) b
#define DYADIC_EACH(f, ...) __VA_OPT__(DYADIC_EXPAND(DYADIC_EACH_STEP(f, __VA_ARGS__)))
#define DYADIC_EACH_STEP(f, x, ...) f(x) __VA_OPT__(DYADIC_EACH_AGAIN DYADIC_PARENTHESES (f, __VA_ARGS__))
#define DYADIC_EACH_AGAIN() DYADIC_EACH_STEP
#define DYADIC_PARENTHESES ()
#define DYADIC_EXPAND(...) DYADIC_EXPAND_1(DYADIC_EXPAND_1(DYADIC_EXPAND_1(__VA_ARGS__)))
#define DYADIC_EXPAND_1(...) DYADIC_EXPAND_2(DYADIC_EXPAND_2(DYADIC_EXPAND_2(__VA_ARGS__)))
#define DYADIC_EXPAND_2(...) DYADIC_EXPAND_3(DYADIC_EXPAND_3(DYADIC_EXPAND_3(__VA_ARGS__)))
#define DYADIC_EXPAND_3(...) __VA_ARGS__

namespace dyadic {

/// How a parameter starts.
struct initial {
  init_rule rule = init_rule::fan_in;
  double value = 1;
  int inputs = 1;   ///< fan_in: how many of the last axes are the input side
};
/// Normal with standard deviation gain / sqrt(size of the last `inputs` axes).
constexpr initial fan_in(int inputs = 1, double gain = 1) { return {init_rule::fan_in, gain, inputs}; }
/// `inputs`: as for fan_in; it shapes the tensor in files alone.
constexpr initial normal_init(double deviation, int inputs = 1) { return {init_rule::normal, deviation, inputs}; }
constexpr initial uniform_init(double bound, int inputs = 1) { return {init_rule::uniform, bound, inputs}; }
constexpr initial constant_init(double v) { return {v == 0 ? init_rule::zeros : init_rule::constant, v, 0}; }

namespace detail {
template <class... A> constexpr auto fetch_parameter(builder& b, int path, initial init, int line) {
  for (int i = 0; i < b.leaves.size; ++i) if (b.leaves.p[i].path == path) return b.leaves.p[i].node;
  leaf l;
  l.path = static_cast<std::int16_t>(path); l.role = leaf_role::parameter;
  l.init = init.rule; l.value = init.value; l.fan = static_cast<std::int8_t>(init.inputs);
  ((l.order[l.rank++] = static_cast<std::int8_t>(axis_id<A>(b))), ...);
  axis_set shape = axis_bits(b, axes<A...>{});
  for (int p = path; p >= 0; p = b.paths.p[p].parent) {
    int const a = b.paths.p[p].axis;
    if (a < 0) continue;
    if (l.index_axis >= 0) b.fail(fault::parameter_in_two_repeats, line, a);
    l.index_axis = static_cast<std::int8_t>(a);
    shape |= bit_of(a);
    if (!(b.repeats & bit_of(a)) && b.tied[a] < 0) b.fail(fault::parameter_outside_its_repeat, line, a);
  }
  l.node = static_cast<std::int16_t>(b.make(op::param, shape));
  b.leaves.push(l);
  return l.node;
}
/// A parameter of a repeated module, inside a repeat that executes other iterations than it has layers, is read at an index.
constexpr int tied_read(builder& b, int id) {
  for (int a = 0; a < b.axes.size; ++a) {
    if (b.tied[a] < 0 || !(b.shape(id) & bit_of(a))) continue;
    node n;
    n.kind = op::gather; n.axis = static_cast<std::int8_t>(a); n.nargs = 2;
    n.arg[0] = static_cast<std::int16_t>(id); n.arg[1] = b.tied[a];
    n.axes = (b.shape(id) & ~bit_of(a)) | b.shape(b.tied[a]);
    id = b.push(n);
  }
  return id;
}
}  // namespace detail

/// A learned tensor over A..., row-major in that order in files. A weight names its output axes first, then its input axes.
template <class... A> struct parameter {
  static_assert(axes_are_distinct<axes<A...>>,
                "a parameter names an axis twice: a square weight has two axes, linear<A, A> or parameter<prime<A>, A>");
  initial init{};
  int path = -1;   ///< set when a model is traced
  /// The parameter as an expression; x says which graph.
  template <expression X> constexpr auto operator()(X x, int line = __builtin_LINE()) const {
    builder& b = *x.b;
    if (path < 0) {
      b.fail(fault::parameter_without_a_name, line);
      return expr<axes<A...>>{&b, b.make(op::constant, axis_bits(b, axes<A...>{}))};
    }
    return expr<axes<A...>>{&b, detail::tied_read(b, detail::fetch_parameter<A...>(b, path, init, line))};
  }
};

/// A parameter without a module, for blocks written as functions: `weight<hidden, feature>(x, "up")`. Inside a repeat it has one value per
/// iteration and is called `layer.<i>.up`.
template <class... A, expression X> constexpr auto weight(X x, char const* name, initial init = {}, int line = __builtin_LINE()) {
  builder& b = *x.b;
  auto part = [&](int parent, int axis, char const* text) {
    for (int i = 0; i < b.paths.size; ++i) {
      path_part const& p = b.paths.p[i];
      if (p.parent == parent && p.axis == axis && detail::same_text(p.text, text)) return i;
    }
    path_part p;
    p.parent = static_cast<std::int16_t>(parent); p.axis = static_cast<std::int8_t>(axis); p.text = text;
    return b.path(p);
  };
  int parent = -1;
  for (int a = 0; a < b.axes.size; ++a) if (b.repeats & bit_of(a)) parent = part(parent, a, "layer");
  int const path = part(parent, -1, name);
  return expr<axes<A...>>{&b, detail::fetch_parameter<A...>(b, path, init, line)};
}

/// A block repeated along Layer, with its own parameters in every iteration: `stack<layer, block> layers;` is `layers.<i>....` in files.
/// Two stacks can share one numbering: the second starts at `offset`.
template <class Layer, class Block> struct stack {
  Block block{};
  int offset = 0;
  template <class X> constexpr auto operator()(X x, int line = __builtin_LINE()) const { return repeat<Layer>(x, block, line); }
  /// With further arguments handed to every call of the block.
  template <class X, class... Y>
  constexpr auto with(X x, Y... more) const {
    return repeat<Layer>(x, [&](auto h) { return block(h, more...); });
  }
};

namespace detail {
template <class M> concept has_fields = requires { M::dyadic_field_count; };
struct convertible_to_any { template <class T> constexpr operator T() const; };
template <class M, class... F> constexpr int members_of() {   // how many initialisers an aggregate takes
  if constexpr (requires { M{F{}..., convertible_to_any{}}; }) return members_of<M, F..., convertible_to_any>();
  else return static_cast<int>(sizeof...(F));
}
template <class M> inline constexpr bool every_field_is_listed = members_of<M>() == M::dyadic_field_count;
template <> inline constexpr bool every_field_is_listed<void> = true;

// The first module below M that has a member DYADIC_FIELDS does not list; void when all are listed. Found as a type, before a model is
// traced, so that the error names the module and comes without a trail of calls.
template <class... F> struct members {};
template <class M> struct type_of { using type = M; };
template <class M> constexpr auto first_unlisted(type_of<M>);
template <class Layer, class Block> constexpr auto first_unlisted(type_of<stack<Layer, Block>>) { return first_unlisted(type_of<Block>{}); }
constexpr auto first_unlisted_of(members<void>) { return type_of<void>{}; }
template <class F, class... G> constexpr auto first_unlisted_of(members<void, F, G...>) {
  using found = decltype(first_unlisted(type_of<F>{}));
  if constexpr (std::is_void_v<typename found::type>) return first_unlisted_of(members<void, G...>{});
  else return found{};
}
template <class M> constexpr auto first_unlisted(type_of<M>) {
  if constexpr (!has_fields<M>) return type_of<void>{};
  else if constexpr (!every_field_is_listed<M>) return type_of<M>{};
  else return first_unlisted_of(M::dyadic_members());
}
template <class M> using unlisted_module = typename decltype(first_unlisted(type_of<M>{}))::type;

template <class... A> constexpr void name_module(parameter<A...>& p, builder& b, path_part at) { p.path = b.path(at); }
template <class Layer, class Block> constexpr void name_module(stack<Layer, Block>& s, builder& b, path_part at);
template <class M> constexpr void name_module(M& m, builder& b, path_part at) {
  if constexpr (has_fields<M>) {
    int const here = at.text ? b.path(at) : at.parent;
    m.dyadic_fields([&](auto& field, char const* text) {
      path_part p;
      p.parent = static_cast<std::int16_t>(here); p.text = text;
      name_module(field, b, p);
    });
  }
}
template <class Layer, class Block> constexpr void name_module(stack<Layer, Block>& s, builder& b, path_part at) {
  int const a = axis_id<Layer>(b);
  b.axes[a].role = axis_role::repeat;
  at.axis = static_cast<std::int8_t>(a);
  at.offset = s.offset;
  path_part under;
  under.parent = static_cast<std::int16_t>(b.path(at));
  name_module(s.block, b, under);
}
}  // namespace detail

}  // namespace dyadic
