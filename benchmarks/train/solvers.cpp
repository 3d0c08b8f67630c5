// Solvers against the plain step of the same system, and of the Transformer of the same size.
#include "dyadic/models/full_bandwidth.hpp"
#include "dyadic/models/latent_recurrent.hpp"
#include "dyadic/models/transformer.hpp"
#include "train/steps.hpp"

namespace {

using namespace steps;

constexpr models::config size{.vocabulary = 256, .width = 128, .layers = 2, .heads = 4, .hidden = 344};
constexpr batch rows{8};
constexpr seq length{128};
constexpr std::int64_t subsets = 4;

int const registered = [] {
  std::string const at = " C128 L2 T128 B8";
  train::trainer_options by_subsets{};
  by_subsets.subsets = subsets;
  entry<models::transformer<size>>("Transformer" + at, {}, rows, length);
  entry<models::full_bandwidth<size>>("Full-Bandwidth" + at, {}, rows, length);
  entry<models::full_bandwidth<size>, jacobi<>>("Full-Bandwidth" + at + " jacobi 4 passes", {}, rows, length, pass{4});
  entry<models::latent_recurrent<size>>("Latent Recurrent" + at, {}, rows, length);
  entry<models::latent_recurrent<size>, jacobi<>>("Latent Recurrent" + at + " jacobi 4 passes", {}, rows, length, pass{4});
  entry<models::latent_recurrent<size>, interleaved<>>("Latent Recurrent" + at + " interleaved 4 subsets", by_subsets, rows, length,
                                                       pass{subsets + 1});
  return 0;
}();

}  // namespace
