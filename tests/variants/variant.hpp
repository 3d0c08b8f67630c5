// What every variant is held to: gradients against finite differences, streaming against the whole sequence, passes against both.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "dyadic/models.hpp"
#include "dyadic/passes/measures.hpp"
#include "dyadic/passes/program.hpp"
#include "models/subject.hpp"

namespace test {

/// A small counter-based generator: uniform in [0, 1).
class draws {
 public:
  explicit draws(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  double operator()() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = (state_ ^ state_ >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

template <class Model> std::int64_t symbols_of_index(char const* name) {
  auto const& g = dyadic::traced<Model>::graph;
  for (int k = 0; k < g.nleaves; ++k)
    if (g.leaves[k].role == dyadic::leaf_role::index && std::string(g.leaves[k].name) == name) return g.axes[g.leaves[k].of].extent;
  return 0;
}
template <class Model> std::vector<double> random_indices(char const* name, std::size_t n, std::uint64_t seed) {
  draws next(seed);
  std::vector<double> r;
  for (std::size_t i = 0; i < n; ++i) r.push_back(std::floor(next() * static_cast<double>(symbols_of_index<Model>(name))));
  return r;
}
/// Every parameter moved off its initial value, so that nothing is zero by construction.
template <class Model> void perturb(named_parameters<Model> const& p, std::uint64_t seed) {
  draws next(seed);
  p.weights->each([&](std::string const&, dyadic::leaf const&, double* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) x[i] += 0.6 * (next() - 0.5);
  });
}
inline double largest_difference(std::vector<double> const& x, std::vector<double> const& y) {
  if (x.size() != y.size() || x.empty()) return HUGE_VAL;
  double m = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const d = std::fabs(x[i] - y[i]);
    if (!(d <= m)) m = d;
  }
  return std::isnan(m) ? HUGE_VAL : m;
}

/// Four elements of every parameter against central differences, extrapolated twice; every parameter's gradient is somewhere not zero.
template <class Model, class Solver> void check_gradients(subject<Model, Solver>& s) {
  draws next(17);
  std::vector<double> weight(s.losses());
  for (double& w : weight) w = next() - 0.5;
  auto const gradient = s.gradients(weight);
  CHECK(gradient.size() == s.names().size());
  auto loss = [&] {
    auto const l = s.forward().at("loss");
    double sum = 0;
    for (std::size_t i = 0; i < l.size(); ++i) sum += l[i] * weight[i];
    return sum;
  };
  for (auto const& entry : gradient) {
    std::string const& name = entry.first;   // clang 14 captures no structured binding
    auto const& g = entry.second;
    auto const x = s.at(name);
    REQUIRE(x.size() == g.size());
    double largest = 0;
    for (double v : g) largest = std::fmax(largest, std::fabs(v));
    CHECK_MESSAGE(largest > 0, "the gradient of " << name << " is zero");
    for (int k = 0; k < 4; ++k) {
      auto const i = static_cast<std::size_t>(next() * static_cast<double>(x.size()));
      double const was = x[i];
      auto slope = [&](double h) {
        x[i] = was + h;
        double const up = loss();
        x[i] = was - h;
        double const down = loss();
        x[i] = was;
        return (up - down) / (2 * h);
      };
      double const h = 1e-3, a = slope(h), b = slope(h / 2), c = slope(h / 4);
      double const ab = (4 * b - a) / 3, bc = (4 * c - b) / 3, expected = (16 * bc - ab) / 15;
      bool const close = std::fabs(g[i] - expected) < 1e-7 * std::fmax(1.0, std::fabs(expected));
      CHECK_MESSAGE(close, name << "[" << i << "]: " << g[i] << " and " << expected);
    }
  }
}

template <class Model> tensors sequence_of(std::size_t points) {
  return {{"tokens", random_indices<Model>("tokens", points, 5)}, {"targets", random_indices<Model>("targets", points, 6)}};
}

/// Gradients and streaming.
template <class Model, class Seq, class Batch> void check_variant(dyadic::binding<Batch, Seq> const& sizes) {
  auto const rows = sizes.extent(0), positions = sizes.extent(1);
  auto const in = sequence_of<Model>(static_cast<std::size_t>(rows * positions));
  subject<Model> s(sizes);
  perturb<Model>(s, 3);
  for (auto const& [name, v] : in) REQUIRE(s.set(name, v));
  check_gradients(s);

  streamed<Model, Seq, Batch> one_by_one(rows, positions);
  perturb<Model>(one_by_one, 3);
  CHECK(largest_difference(one_by_one.logits(in.at("tokens")), s.forward().at("logits")) < 1e-11);
}

/// Jacobi: gradients of three passes; at `enough` passes the last one equals the sequential evaluation.
template <class Model, class Seq, class Batch> void check_passes(dyadic::binding<Batch, Seq> const& sizes, std::int64_t enough) {
  auto const in = sequence_of<Model>(static_cast<std::size_t>(sizes.extent(0) * sizes.extent(1)));
  auto ready = [&](auto& s) {
    perturb<Model>(s, 3);
    for (auto const& [name, v] : in) REQUIRE(s.set(name, v));
  };
  subject<Model, jacobi_solver> three(sizes, 3);
  ready(three);
  check_gradients(three);

  subject<Model> exactly(sizes);
  subject<Model, jacobi_solver> passes(sizes, enough);
  ready(exactly);
  ready(passes);
  auto const all = passes.forward().at("logits"), expected = exactly.forward().at("logits");
  std::vector<double> const last(all.end() - static_cast<std::ptrdiff_t>(expected.size()), all.end());
  CHECK(largest_difference(last, expected) < 1e-11);
}

}  // namespace test
