// Reverse mode of any scalar, without a trainer; and streaming a model that reads features instead of tokens.
#include <doctest/doctest.h>

#include <cmath>

#include "dyadic/decode/decoder.hpp"
#include "dyadic/graph/trace.hpp"
#include "dyadic/passes/program.hpp"
#include "support/engines.hpp"

namespace {

using namespace dyadic;

struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<3> {};
struct units : axis<4> {};

struct model {
  parameter<units, feature> in{};
  parameter<prime<units>, units> back{};
  DYADIC_FIELDS(in, back)

  constexpr auto operator()(source s) const {
    auto x = s.input<batch, seq, feature>("x");
    auto h = scan<seq>(x, [&](auto x_t) {
      auto state = carry<seq>(zeros<batch, units>(x_t));
      auto next = tanh(contract<feature>(x_t, in(x_t)) + rename<prime<units>, units>(contract<units>(read(state), back(x_t))));
      write(state, next);
      return next;
    });
    return results(named("logits", h), named("energy", sum<units>(h * h)), named("total", sum<units>(h)));
  }
};
static_assert(causal<model, seq>);

constexpr std::uint32_t both = results_called<model>("energy", "total");
using program = differentiated<model, both>;

std::vector<double> inputs(std::size_t n) {
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(std::sin(1.7 * static_cast<double>(i)));
  return x;
}

}  // namespace

TEST_CASE("differentiated: two results, parameters and inputs, against differences") {
  bound<program, double> run(bind(batch{2}, seq{5}));
  auto const w = init<model, double>(seed{1});
  run.bind_parameters(w.shared());
  auto x = inputs(2 * 5 * 3);
  auto scalar = [&] {
    run.set("x", std::span<double const>(x));
    for (auto& c : run.cotangent("energy")) c = 0.5;
    for (auto& c : run.cotangent("total")) c = -2;
    run.run();
    double s = 0;
    for (double v : run.output("energy")) s += 0.5 * v;
    for (double v : run.output("total")) s -= 2 * v;
    return s;
  };
  scalar();
  auto const of_x = run.gradient("x"), of_back = run.gradient("back");
  double* back = nullptr;
  w->each([&](std::string const& name, leaf const&, double* first, std::int64_t) { if (name == "back") back = first; });
  REQUIRE(back);
  for (std::size_t i : {0u, 7u, 13u}) {
    double const h = 1e-5;
    double* const places[2] = {&x[i], &back[i]};
    double const found[2] = {of_x[i], of_back[i]};
    for (int k = 0; k < 2; ++k) {
      double const was = *places[k];
      *places[k] = was + h;
      double const up = scalar();
      *places[k] = was - h;
      double const down = scalar();
      *places[k] = was;
      CHECK(std::fabs(found[k]) > 1e-6);
      CHECK(found[k] == doctest::Approx((up - down) / (2 * h)).epsilon(1e-7));
    }
  }
  CHECK_THROWS_AS(run.gradient("nothing"), error);
  CHECK_THROWS_AS(run.cotangent("logits"), error);
}

TEST_CASE("streaming: a model that reads features is advanced over what was set") {
  auto const w = init<model, double>(seed{1});
  auto const x = inputs(2 * 5 * 3);
  bound<evaluation<model>, double> whole(bind(batch{2}, seq{5}));
  whole.bind_parameters(w.shared());
  whole.set("x", std::span<double const>(x));
  whole.run();
  auto const expected = whole.output("logits");   // [batch, seq, units]

  decode::decoder_options options;
  options.poison = true;
  decode::decoder<model, double, seq, batch> d(w, exec::serial{}, batch{2}, decode::capacity{5}, options);
  CHECK_THROWS_AS(d.set("x", 0, 0, 1.0), error);   // three elements a position
  CHECK_THROWS_AS(d.step(1), error);               // no tokens
  for (std::int64_t t = 0; t < 5; ++t) {
    for (std::int64_t r = 0; r < 2; ++r) d.set("x", r, t, std::span<double const>(x).subspan(static_cast<std::size_t>((r * 5 + t) * 3), 3));
    auto const h = d.advance();
    for (std::int64_t r = 0; r < 2; ++r)
      for (std::int64_t u = 0; u < 4; ++u)
        CHECK(std::fabs(h[static_cast<std::size_t>(r * 4 + u)] - expected[static_cast<std::size_t>((r * 5 + t) * 4 + u)]) < 1e-13);
  }
  CHECK_THROWS_AS(d.advance(), error);             // the capacity is used up
}
