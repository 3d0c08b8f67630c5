// A model whose program is maps and rows alone, for the engine's interface.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "dyadic/core.hpp"
#include "dyadic/nn.hpp"

namespace dyadic::testing {

struct rows : axis<> {};
struct width : axis<> {};

/// y = gelu(norm(x)) dropped out; loss = -log softmax(y)[target].
struct classified_rows {
  nn::layer_norm<width> norm{};
  DYADIC_FIELDS(norm)
  static constexpr auto extents() { return bind(width{37}); }
  constexpr auto operator()(source from) const {
    auto const y = dropout(gelu(norm(from.input<rows, width>("x"))), 0.25);
    return results(named("y", y), named("loss", cross_entropy<width>(y, from.index<width, rows>("target"))));
  }
};

struct device_training {
  std::vector<float> y, loss;
  std::map<std::string, std::vector<float>> gradients;
  std::string violations;
};
/// On the device: one run with the given parameters by name, x and targets, the loss's cotangent all ones.
device_training train_on_device(std::map<std::string, std::vector<float>> const& parameters, std::vector<float> const& x,
                                std::vector<int> const& targets);
/// What wrong calls are told.
std::vector<std::string> errors_of_wrong_calls();

}  // namespace dyadic::testing
