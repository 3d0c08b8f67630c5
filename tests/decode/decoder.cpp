// The decoder of a model as a type: its programs, made by the compiler, are those that the other tests of streaming make at run time.
#include "dyadic/decode/decoder.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "decode/stream.hpp"
#include "dyadic/models/recurrent_transformer.hpp"

namespace {

using namespace dyadic;
constexpr models::config sizes{.vocabulary = 37, .width = 24, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 8, .hidden = 40};
using model = models::recurrent_transformer<sizes>;

/// How many tokens have been read is one number for all rows.
struct counter {
  parameter<models::classes, models::inputs> weight{};
  DYADIC_FIELDS(weight)
  static constexpr auto extents() { return bind(models::inputs{5}, models::classes{3}); }
  constexpr auto operator()(source in) const {
    auto tokens = in.index<models::inputs, models::batch, models::seq>("tokens");
    auto y = scan<models::seq>(gather<models::inputs>(weight(cast<f32>(tokens)), tokens), [](auto x) {
      auto count = carry<models::seq>(zeros<>(x));
      write(count, read(count) * 0.5 + 1);
      return x * read(count);
    });
    return results(named("logits", y));
  }
};

template <class F> bool refused(error_kind kind, F f) {
  try {
    f();
  } catch (error const& e) { return e.kind() == kind; }
  return false;
}
bool same(decode::saved_state<double> const& x, decode::saved_state<double> const& y) {
  return x.values == y.values && x.inputs == y.inputs && x.positions == y.positions && x.logits == y.logits;
}

}  // namespace

TEST_CASE("decoder: what a stream of the same graph gives, and a fork of it") {
  test::lengths const n{2, 7};
  test::stream expected(traced<model>::graph, n, 64);
  auto weights = init<model, double>(seed{1});
  test::move_parameters(*weights, 3);
  decode::decoder decoder{weights, exec::serial{}, models::batch{2}, decode::capacity{7}};
  std::vector<double> const prompt = {3, 1, 4, 1, 5, 9};     // [row][token]
  // The stream runs statement by statement, the decoder in groups: their sums have other orders.
  auto const equal = [](std::span<double const> x, std::vector<double> const& y) {
    bool near = x.size() == y.size();
    for (std::size_t i = 0; near && i < y.size(); ++i) near = std::fabs(x[i] - y[i]) <= 1e-13 * (1 + std::fabs(y[i]));
    return near;
  };
  CHECK(equal(decoder.prefill(std::span<double const>(prompt)), expected.prefill({{3, 1, 4}, {1, 5, 9}})));
  auto fork = decoder.fork();
  std::vector<double> const next = {2, 6};
  auto const logits = expected.step(next);
  auto const stepped = decoder.step(std::span<double const>(next)), forked = fork.step(std::span<double const>(next));
  CHECK(equal(stepped, logits));
  CHECK(std::vector<double>(forked.begin(), forked.end()) == std::vector<double>(stepped.begin(), stepped.end()));
  CHECK(fork.position(1) == 4);
  CHECK(decoder.vocabulary() == 37);
}

TEST_CASE("decoder: an extent that the model fixes takes no other value") {
  auto const weights = init<model, double>(seed{1});
  auto make = [&](std::int64_t width) { decode::decoder(weights, exec::serial{}, models::batch{1}, decode::capacity{4}, models::feature{width}); };
  CHECK(refused(error_kind::binding, [&] { make(sizes.width + 1); }));
  CHECK(refused(error_kind::binding, [&] { make(0); }));
  CHECK_NOTHROW(make(sizes.width));
}

TEST_CASE("decoder: an input set outside its axes is refused and changes nothing") {
  auto const weights = init<model, double>(seed{1});
  decode::decoder decoder{weights, exec::serial{}, models::batch{2}, decode::capacity{7}};
  std::vector<double> const prompt = {3, 1, 4, 1};
  decoder.prefill(std::span<double const>(prompt));
  auto const before = decoder.save();
  for (std::int64_t row : {-1, 2, 1000}) CHECK(refused(error_kind::index, [&] { decoder.set("tokens", row, 3, 1); }));
  for (std::int64_t at : {-1, 7, 1000}) CHECK(refused(error_kind::index, [&] { decoder.set("tokens", 0, at, 1); }));
  for (double token : {-2.0, 37.0, 1e300, std::nan("")}) CHECK(refused(error_kind::index, [&] { decoder.set("tokens", 0, 3, token); }));
  CHECK(refused(error_kind::argument, [&] { decoder.set("documents", 0, 3, 1); }));
  CHECK(same(decoder.save(), before));
  decoder.set("tokens", 1, 6, 36);
  CHECK_FALSE(same(decoder.save(), before));
}

TEST_CASE("decoder: rows that share a state stand at one position") {
  dyadic::graph_view const g = traced<counter>::graph;
  test::check_steps(g, 2, 9);
  test::stream s(g, {2, 9}, 64);
  s.prefill({{1, 2}, {3, 4}});
  auto const before = s->save();
  CHECK(refused(error_kind::state, [&] { s.prefill({{1}, {1, 2}}); }));
  CHECK(refused(error_kind::state, [&] { s.prefill({{}, {1}}); }));
  CHECK(refused(error_kind::state, [&] { s.prefill({{1}, {}}); }));
  CHECK(same(s->save(), before));
  CHECK_NOTHROW(s.prefill({{1}, {2}}));
  CHECK_NOTHROW(s.step({4, 0}));
  CHECK(s->position(0) == 4);
  CHECK(s->position(1) == 4);
}
