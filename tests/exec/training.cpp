// A trainer and a decoder on a pool: bit for bit what they do on the calling thread.
#include <doctest/doctest.h>

#include <vector>

#include "dyadic/decode/decoder.hpp"
#include "dyadic/exec/eval.hpp"
#include "dyadic/exec/pool.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/train/data.hpp"
#include "dyadic/train/trainer.hpp"
#include "support/engines.hpp"

using namespace dyadic;
using models::batch;
using models::seq;

namespace {
// Large enough for its products, folds and optimizer to be cut; attention in tiles.
using model = models::recurrent_transformer<models::config{.vocabulary = 64, .width = 96, .layers = 1, .heads = 4, .hidden = 200}>;
constexpr std::int64_t rows = 4, length = 24;

std::vector<std::uint8_t> text() {
  std::vector<std::uint8_t> r(512);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = static_cast<std::uint8_t>((i * i + i / 3) % 64);
  return r;
}
}  // namespace

TEST_CASE("trainers on 1, 2 and 7 threads have the same losses, norms and weights") {
  exec::pool two(2, 2), seven(7, 7);
  auto w1 = init<model>(seed{3}), w2 = init<model>(seed{3}), w7 = init<model>(seed{3});
  train::adamw const settings{.rate = 0.01};
  train::trainer one{w1, exec::serial{}, settings, batch{rows}, seq{length}};
  train::trainer on_two{w2, two, settings, batch{rows}, seq{length}};
  train::trainer on_seven{w7, seven, settings, train::trainer_options{}, batch{rows}, seq{length}};
  auto const bytes = text();
  std::vector<std::int32_t> tokens(rows * length), targets = tokens;
  auto const before = w1->values;
  for (std::int64_t n = 0; n < 4; ++n) {
    train::training_batch<std::int32_t>(bytes, 1, n, length, tokens, targets);
    auto const e = train::example(std::span<std::int32_t const>(tokens), std::span<std::int32_t const>(targets));
    auto const a = one.step(e), b = on_two.step(e), c = on_seven.step(e);
    CHECK(a.loss == b.loss);
    CHECK(a.loss == c.loss);
    CHECK(a.gradient_norm == b.gradient_norm);
    CHECK(a.gradient_norm == c.gradient_norm);
  }
  CHECK(w1->values != before);
  CHECK(w1->values == w2->values);
  CHECK(w1->values == w7->values);
}

TEST_CASE("decoders on 1 and 7 threads give the same logits, and a fork stays on the pool") {
  exec::pool seven(7, 7);
  auto w = init<model>(seed{4});
  decode::decoder one{w, exec::serial{}, batch{2}, decode::capacity{40}};
  decode::decoder many{w, seven, batch{2}, decode::capacity{40}};
  std::vector<std::int32_t> prompt(2 * 30);
  for (std::size_t i = 0; i < prompt.size(); ++i) prompt[i] = static_cast<std::int32_t>(i * 7 % 64);
  auto same = [](std::span<float const> x, std::span<float const> y) { return std::vector<float>(x.begin(), x.end()) == std::vector<float>(y.begin(), y.end()); };
  CHECK(same(one.prefill(std::span<std::int32_t const>(prompt)), many.prefill(std::span<std::int32_t const>(prompt))));
  auto fork = many.fork();
  std::int32_t const next[2] = {5, 9};
  for (int i = 0; i < 5; ++i) {
    auto const logits = one.step(std::span<std::int32_t const>(next));
    CHECK(same(logits, many.step(std::span<std::int32_t const>(next))));
    CHECK(same(logits, fork.step(std::span<std::int32_t const>(next))));
  }
}

TEST_CASE("programs and live expressions on a pool") {
  exec::pool pool(3, 3);
  bound<evaluation<model>> one(bind(batch{2}, seq{9})), many(pool, bind(batch{2}, seq{9}));
  auto w = init<model>(seed{5});
  std::vector<std::int32_t> const tokens(18, 3);
  for (auto* r : {&one, &many}) {
    r->bind_parameters(w.shared());
    r->set("tokens", std::span<std::int32_t const>(tokens));
    r->run();
  }
  CHECK(one.output("logits") == many.output("logits"));

  tensor<axes<batch, seq>> x(batch{300}, seq{700});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = 0.001f * static_cast<float>(i % 1013);
  auto const here = eval(softmax<seq>(x) * 2), there = eval(softmax<seq>(x) * 2, cpu::options{.on = pool});
  CHECK(std::vector<float>(here.data(), here.data() + here.size()) == std::vector<float>(there.data(), there.data() + there.size()));
}
