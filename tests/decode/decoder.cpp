// The decoder of a model as a type: its programs, made by the compiler, are those that the other tests of streaming make at run time.
#include "dyadic/decode/decoder.hpp"

#include <doctest/doctest.h>

#include "decode/stream.hpp"
#include "dyadic/models/recurrent_transformer.hpp"

namespace {

using namespace dyadic;
constexpr models::config sizes{.vocabulary = 37, .width = 24, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 8, .hidden = 40};
using model = models::recurrent_transformer<sizes>;

}  // namespace

TEST_CASE("decoder: what a stream of the same graph gives, and a fork of it") {
  test::lengths const n{2, 7};
  test::stream expected(traced<model>::graph, n, 64);
  auto weights = init<model, double>(seed{1});
  test::move_parameters(*weights, 3);
  decode::decoder decoder{weights, exec::serial{}, models::batch{2}, decode::capacity{7}};
  std::vector<double> const prompt = {3, 1, 4, 1, 5, 9};     // [row][token]
  auto const same = [](std::span<double const> x, std::vector<double> const& y) { return std::vector<double>(x.begin(), x.end()) == y; };
  CHECK(same(decoder.prefill(std::span<double const>(prompt)), expected.prefill({{3, 1, 4}, {1, 5, 9}})));
  auto fork = decoder.fork();
  std::vector<double> const next = {2, 6};
  auto const logits = expected.step(next);
  CHECK(same(decoder.step(std::span<double const>(next)), logits));
  CHECK(same(fork.step(std::span<double const>(next)), logits));
  CHECK(fork.position(1) == 4);
  CHECK(decoder.vocabulary() == 37);
}
