// The parameters of a model: one buffer a tensor, shared by everything that uses them.
#pragma once
#include <cmath>
#include <vector>

#include "dyadic/axes/error.hpp"
#include "dyadic/expr/random_value.hpp"
#include "dyadic/exec/names.hpp"
#include "dyadic/graph/trace.hpp"
#include "dyadic/tensor/handle.hpp"

namespace dyadic {

struct seed { std::uint64_t value = 0; };

/// Buffers by leaf number of a graph (and of every graph derived from it: passes keep the numbers). A leaf of a repeated module holds all
/// its layers, one after another. Other leaves are empty.
template <class T> class parameter_set {
 public:
  graph_view graph;
  extents ext;
  std::vector<std::vector<T>> values;

  /// Errors: error_kind::binding where a parameter's extents are not fixed by the model or the binding.
  parameter_set(graph_view g, extents const& e) : graph(g), ext(e), values(static_cast<std::size_t>(g.nleaves)) {
    for (int k = 0; k < g.nleaves; ++k) {
      leaf const& l = g.leaves[k];
      if (l.role != leaf_role::parameter) continue;
      std::int64_t const n = leaf_size(l, ext) * leaf_parts(l, ext);
      for (int r = 0; r < l.rank; ++r) need(l, l.order[r]);
      if (l.index_axis >= 0) need(l, l.index_axis);
      values[static_cast<std::size_t>(k)].assign(static_cast<std::size_t>(n), T(0));
    }
  }
  /// Counts the times that elements may have changed: data() and each() on a set that is not const. Who writes in another way, through
  /// `values` or a pointer of before, says so with changed(): programs that keep packed copies (decoders) look at the number.
  std::uint64_t version() const { return version_; }
  void changed() { ++version_; }
  T* data(int leaf) {
    changed();
    return values[static_cast<std::size_t>(leaf)].data();
  }
  T const* data(int leaf) const { return values[static_cast<std::size_t>(leaf)].data(); }
  std::int64_t count() const {
    std::int64_t n = 0;
    for (auto const& v : values) n += static_cast<std::int64_t>(v.size());
    return n;
  }
  /// Calls f(name, leaf, T* first, elements) for every named tensor: a repeated module's once a layer.
  template <class F> void each(F f) {
    for (int k = 0; k < graph.nleaves; ++k) {
      leaf const& l = graph.leaves[k];
      if (l.role != leaf_role::parameter) continue;
      std::int64_t const n = leaf_size(l, ext), parts = leaf_parts(l, ext);
      for (std::int64_t i = 0; i < parts; ++i) f(leaf_name(graph, l, i), l, data(k) + i * n, n);
    }
  }

 private:
  std::uint64_t version_ = 0;

  void need(leaf const& l, int axis) const {
    if (ext.of[axis] >= 0) return;
    raise(error_kind::binding, (message() << "parameter " << leaf_name(graph, l).c_str() << ": the extent of axis ")
                                       .add(graph.axes[axis].name, graph.axes[axis].name_size) << " is not bound");
  }
};

/// Fills every parameter as its module says, from a counter-based generator keyed by (seed, name, element): adding a parameter does not
/// change the others.
template <class T> void initialise(parameter_set<T>& p, seed s) {
  p.each([&](std::string const& name, leaf const& l, T* x, std::int64_t n) {
    std::uint64_t key = 14695981039346656037u;
    for (char c : name) key = (key ^ static_cast<unsigned char>(c)) * 1099511628211u;
    double scale = l.value;
    if (l.init == init_rule::fan_in) {
      double inputs = 1;
      for (int r = l.rank - l.fan < 0 ? 0 : l.rank - l.fan; r < l.rank; ++r) inputs *= static_cast<double>(p.ext.of[l.order[r]]);
      scale /= std::sqrt(inputs < 1 ? 1 : inputs);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      auto const at = static_cast<std::uint64_t>(i);
      switch (l.init) {
        case init_rule::zeros: x[i] = T(0); break;
        case init_rule::constant: x[i] = static_cast<T>(l.value); break;
        case init_rule::uniform: x[i] = static_cast<T>(scale * (2 * random_numbers::random_uniform(s.value, key, at) - 1)); break;
        default: x[i] = static_cast<T>(scale * random_numbers::random_normal(s.value, key, at)); break;
      }
    }
  });
}

/// A shared handle to the parameters of Model in element type T.
template <class Model, class T = float> class weights {
 public:
  using model = Model;
  using element = T;
  weights() : set_(dyadic::shared<parameter_set<T>>::make(traced<Model>::graph, resolve(traced<Model>::graph, extents{}))) {}
  parameter_set<T>& operator*() const { return *set_; }
  parameter_set<T>* operator->() const { return set_.get(); }
  dyadic::shared<parameter_set<T>> const& shared() const { return set_; }

 private:
  dyadic::shared<parameter_set<T>> set_;
};

/// init<model>(seed{1}); init<model, double>(seed{1}).
template <class Model, class T = float> weights<Model, T> init(seed s) {
  weights<Model, T> w;
  initialise(*w, s);
  return w;
}

}  // namespace dyadic
