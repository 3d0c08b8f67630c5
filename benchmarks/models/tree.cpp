// The Parallel Recursive LSTM, by levels of its tree, beside the LSTM of its comparison.
#include "dyadic/models/parallel_recursive_lstm.hpp"
#include "models/layers.hpp"

namespace {

using namespace layers;

constexpr symbol_config size{.inputs = 8, .hidden = 256, .classes = 8};

template <class Model> void both(std::string const& work) {
  for (int threads : suite::thread_counts()) {
    suite::add({"layers", work + " forward", "dyadic", threads}, benchmark::kMillisecond,
               [=](benchmark::State& s) { measure<evaluation<Model>>(s, threads, batch{8}, seq{256}); });
    suite::add({"layers", work + " forward and backward", "dyadic", threads}, benchmark::kMillisecond,
               [=](benchmark::State& s) { measure<training<Model>>(s, threads, batch{8}, seq{256}); });
  }
}

int const registered = [] {
  both<parallel_recursive_lstm<size>>("PR-LSTM D256 T256 B8");
  both<lstm<size>>("LSTM over symbols D256 T256 B8");
  return 0;
}();

}  // namespace
