// eval(): live expressions, and functions of expressions, computed. The same trace, passes and engine as a model's, at run time.
#pragma once
#include <vector>

#include "dyadic/cpu/interpreter.hpp"
#include "dyadic/exec/live_ops.hpp"
#include "dyadic/graph/fault_text.hpp"
#include "dyadic/graph/trace.hpp"
#include "dyadic/passes/arrange.hpp"
#include "dyadic/passes/memory.hpp"
#include "dyadic/passes/simplify.hpp"

namespace dyadic {

namespace detail {

/// A trace over tensors: its inputs are their elements, its extents theirs. T: the type it is computed in.
template <class T> class live_trace {
 public:
  builder b;

  /// Errors: the axis has another extent already.
  template <class A> void bind(std::int64_t n) {
    int const a = axis_id<A>(b);
    std::int64_t const known = b.axes[a].extent >= 0 ? b.axes[a].extent : extents_.of[a];
    if (n < 0) raise(error_kind::binding, message() << "axis " << axis_label<A>() << " has the negative extent " << n);
    if (known >= 0 && known != n) {
      raise(error_kind::shape, message() << "axis extents disagree: " << axis_label<A>() << " is " << known << " in one operand and " << n
                                         << " in another");
    }
    extents_.of[a] = n;
  }
  /// A tensor as an input of the graph; the same elements are one input, so that common subexpressions are found.
  template <class... A, class U> expr<axes<A...>, tag_of<U>> leaf(view<axes<A...>, U const> const& v) {
    using result = expr<axes<A...>, tag_of<U>>;
    static_assert(sizeof...(A) <= 8, "eval: a tensor of more than eight axes");
    (bind<A>(v.template extent<A>()), ...);
    dyadic::leaf l;
    l.name = "operand"; l.role = leaf_role::input;
    ((l.order[l.rank++] = static_cast<std::int8_t>(axis_id<A>(b))), ...);
    for (int k = 0; k < b.leaves.size; ++k) {
      source_elements const& s = sources_[static_cast<std::size_t>(k)];
      bool same = s.data == v.data() && s.type == &type_mark<U> && b.leaves[k].rank == l.rank;
      for (int i = 0; same && i < l.rank; ++i) same = b.leaves[k].order[i] == l.order[i] && s.stride[i] == v.strides()[i];
      if (same) return result{&b, b.leaves[k].node};
    }
    l.node = static_cast<std::int16_t>(b.make(op::input, axis_bits(b, axes<A...>{}), tag_of<U>::id));
    b.leaves.push(l);
    source_elements s;
    s.data = v.data();
    s.type = &type_mark<U>;
    for (int i = 0; i < l.rank; ++i) s.stride[i] = v.strides()[i];
    if constexpr (std::is_same_v<U, T>) {
      if (v.contiguous()) s.direct = v.data();
    }
    if (!s.direct) {   // other strides or another element type: a row-major copy
      s.packed.resize(static_cast<std::size_t>(v.size()));
      T* const p = s.packed.data();
      for_each_offset(v.extents(), v.strides(), [&](std::int64_t i, std::int64_t offset) { p[i] = static_cast<T>(v.data()[offset]); });
    }
    sources_.push_back(std::move(s));
    return result{&b, l.node};
  }
  template <expression X> void wants(X x) { add_output(named("value", x), output_role::result); }

  /// Computes what is wanted; take() hands it out.
  void run(cpu::options const& options) {
    link(b);
    if (b.error != fault::none) {
      raise(error_kind::state, message() << "eval: " << fault_text(b.error) << " (source line " << b.error_line << ")");
    }
    graph_ = simplify(b.view());
    graph_view const g = graph_.view();
    extents_ = resolve(g, extents_);
    for (int i = 0; i < b.size(); ++i) {   // a renamed axis is as long as it was, unless it is bound
      node const& x = b[i];
      if (x.kind != op::window || x.value != 0 || x.inner >= 0 || extents_.of[x.axis] >= 0) continue;
      extents_.of[x.axis] = extents_.of[x.aux];
      extents_ = resolve(g, extents_);
    }
    int const unbound = first_unbound_axis(g, extents_);
    if (unbound >= 0) {
      raise(error_kind::binding, (message() << "eval: axis ").add(g.axes[unbound].name, g.axes[unbound].name_size)
                                     << " has no extent: give it after the operands");
    }
    int const bad = first_contradicted_axis(g, extents_);
    if (bad >= 0) {
      raise(error_kind::shape, (message() << "axis extents disagree: ").add(g.axes[bad].name, g.axes[bad].name_size) << " is "
                                   << extents_.of[bad] << ", but another extent follows from the axes it is made of");
    }
    plan const p = arrange(g);
    if (p.stuck >= 0) {
      raise(error_kind::argument, message() << "eval: a recurrence has no usable loop axis, at " << op_name(g[p.stuck].kind));
    }
    memory_plan const m = plan_memory(g, p.view(), extents_);
    cpu::interpreter<T> engine(g, p.view(), m, extents_, options);
    for (int k = 0; k < g.nleaves; ++k) {
      if (g.leaves[k].role == leaf_role::parameter) raise(error_kind::argument, "eval: a function of tensors has no parameters");
      if (g.leaves[k].node < 0 || g.leaves[k].role != leaf_role::input) continue;   // a tree's tables are the engine's
      source_elements& s = sources_[static_cast<std::size_t>(k)];
      engine.bind_leaf(k, s.direct ? const_cast<T*>(s.direct) : s.packed.data());   // inputs are only read
    }
    engine.run();
    for (int k = 0; k < g.noutputs; ++k) results_.push_back(engine.output(k));
  }
  /// The k-th wanted value.
  template <class List, class D> auto take(int k) const {
    using element = std::conditional_t<std::is_same_v<D, i32>, std::int32_t, std::conditional_t<std::is_same_v<D, boolean>, bool, T>>;
    shape<List> s;
    [&]<class... A>(axes<A...>) { (s.template set<A>(extent_of<A>()), ...); }(List{});
    tensor<List, element> r(s);
    std::vector<T> const& from = results_[static_cast<std::size_t>(k)];
    element* const p = r.data();
    for (std::size_t i = 0; i < from.size(); ++i) p[i] = static_cast<element>(from[i]);
    return r;
  }

 private:
  struct source_elements {
    void const* data = nullptr;
    void const* type = nullptr;
    std::int64_t stride[8]{};
    T const* direct = nullptr;
    std::vector<T> packed;
  };
  template <class U> static inline char type_mark = 0;
  builder graph_;
  extents extents_;
  std::vector<source_elements> sources_;
  std::vector<std::vector<T>> results_;

  template <class A> std::int64_t extent_of() const {
    for (int a = 0; a < b.axes.size; ++a) if (b.axes[a].key == axis_key<A>) return extents_.of[a];
    return -1;
  }
};

// Arguments that are not operands: extents of further axes, and the engine's options.
template <class X> inline constexpr bool is_option = axis_value<X> || std::is_same_v<X, cpu::options>;
template <class X> struct real_of_argument { using type = void; };
template <live_operand X> struct real_of_argument<X> { using type = typename live_type<X>::real; };
template <class... X> using real_of_arguments = typename joint_reals<typename real_of_argument<X>::type...>::type;
template <class T> using engine_real = std::conditional_t<std::is_void_v<T>, double, T>;   // indices alone: in double

// f over the operands among the arguments, as expressions.
template <class T, class F> auto call_traced(live_trace<T>&, cpu::options&, F const& f) { return f(); }
template <class T, class F, class X, class... Y>
auto call_traced(live_trace<T>& t, cpu::options& o, F const& f, X const& x, Y const&... y) {
  if constexpr (is_option<X>) {
    if constexpr (std::is_same_v<X, cpu::options>) o = x;
    else t.template bind<X>(x.extent);
    return call_traced(t, o, f, y...);
  } else {
    static_assert(live_operand<X>, "eval: an argument is a tensor, a view, a live expression, an extent or cpu::options");
    auto const e = as_live(x).trace(t);
    return call_traced(t, o, [&](auto... rest) { return f(e, rest...); }, y...);
  }
}
template <class T, class List, class D, class H> auto finish(live_trace<T>& t, cpu::options const& o, expr<List, D, H> x) {
  t.wants(x);
  t.run(o);
  return t.template take<List, D>(0);
}
template <class T, class X, class Y> auto finish(live_trace<T>& t, cpu::options const& o, values_of<X, Y> x) {
  t.wants(x.first);
  t.wants(x.second);
  t.run(o);
  auto first = t.template take<typename X::shape, typename X::element>(0);
  auto second = t.template take<typename Y::shape, typename Y::element>(1);
  return values_of<decltype(first), decltype(second)>{std::move(first), std::move(second)};
}
struct identity { template <class X> constexpr X operator()(X x) const { return x; } };
}  // namespace detail

/// A live expression's elements, as a new tensor: `auto r = eval(x * 2 + exp(y));`. Extents of axes that no operand has follow it:
/// `eval(slice<seq, piece>(x, 2), piece{3})`. Errors: extents of one axis disagree, or one is missing. Nothing of the operands changes.
template <live_operand X, class... Option> auto eval(X const& x, Option const&... option) {
  static_assert((detail::is_option<Option> && ...), "eval: what follows an expression are extents or cpu::options");
  using real = detail::engine_real<typename detail::live_type<X>::real>;
  detail::live_trace<real> t;
  cpu::options o{};
  return detail::finish(t, o, detail::call_traced(t, o, detail::identity{}, x, option...));
}

/// A function of expressions, applied to tensors: `eval([](auto q, auto k) { return softmax<seq>(contract<dim>(q, k)); }, q, k)`. It is
/// called once, and may use everything a model may: scan, carry, attend. Two results: return values(a, b); the result has first and second.
template <class F, class... X> requires(!live_operand<F>) auto eval(F const& f, X const&... x) {
  using joint = detail::real_of_arguments<X...>;
  static_assert(!std::is_same_v<joint, detail::mixed>, "tensors of different element types, float and double, in one expression");
  using real = detail::engine_real<std::conditional_t<std::is_same_v<joint, detail::mixed>, double, joint>>;
  detail::live_trace<real> t;
  cpu::options o{};
  return detail::finish(t, o, detail::call_traced(t, o, f, x...));
}

/// The same into existing elements, matched by axis names. `to` may overlap the operands: they are read before it is written.
/// Errors: as eval; extents other than the view's; a view that repeats elements.
template <class List, class T, live_operand X, class... Option>
void eval_into(view<List, T> const& to, X const& x, Option const&... option) {
  auto const value = eval(x, option...);
  copy_elements(to, value.view());
}
template <class List, class T, live_operand X, class... Option> void eval_into(tensor<List, T>& to, X const& x, Option const&... option) {
  eval_into(to.view(), x, option...);
}

}  // namespace dyadic
