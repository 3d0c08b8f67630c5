// A byte-level Recurrent Transformer and a Transformer of equal parameters, trained side by side on the same windows of a text: held-out
// bits per byte of both, a sample through the decoder that follows from the model's definition, and the loss curves as CSV.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "dyadic/decode/decoder.hpp"
#include "dyadic/decode/sampling.hpp"
#include "dyadic/dyadic.hpp"
#include "dyadic/io/file.hpp"
#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/train/data.hpp"
#include "dyadic/train/trainer.hpp"
#include "options.hpp"
#include "progress.hpp"

using namespace dyadic;
using models::batch;
using models::seq;

namespace {

constexpr models::config size{.vocabulary = 256, .width = 96, .layers = 2, .heads = 4, .hidden = 256};
using recurrent = models::recurrent_transformer<size>;
using transformer = models::transformer<size>;
static_assert(tiled<recurrent, seq> && parallel<transformer, seq>);

constexpr std::int64_t rows = 8, length = 96;
constexpr std::uint64_t data_seed = 1;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Model> class competitor {
 public:
  competitor(train::divided_text text, std::int64_t steps_for_schedule)
      : text_(text), tokens_(static_cast<std::size_t>(rows * length)), targets_(tokens_.size()), steps_(steps_for_schedule),
        trainer_(weights_, exec::serial{}, train::adamw{.rate = 4e-3},
                 train::trainer_options{.clip = 1.0, .schedule = {.warmup = steps_for_schedule / 20 + 1, .total = steps_for_schedule}}, batch{rows},
                 seq{length}) {}

  train::report step(std::int64_t n) {
    train::training_batch<std::int32_t>(text_.training, data_seed, n, length, tokens_, targets_);
    return trainer_.step(train::example(std::span<std::int32_t const>(tokens_), std::span<std::int32_t const>(targets_)));
  }

  void train(progress& bars, std::size_t line) {
    auto const begin = std::chrono::steady_clock::now();
    double smooth = 0, weight = 0;
    for (std::int64_t n = 0; n < steps_; ++n) {
      double const loss = step(n).loss;
      curve.push_back(loss);
      smooth = 0.98 * smooth + 0.02 * loss;
      weight = 0.98 * weight + 0.02;
      bars.update(line, n + 1, steps_, smooth / weight, static_cast<double>((n + 1) * rows * length) / seconds_since(begin));
    }
  }

  /// Bits per byte of the held-out text, every byte counted once.
  double held_out() {
    bound<evaluation<Model>> run(bind(batch{rows}, seq{length}));
    run.bind_parameters(weights_.shared());
    train::evaluation_windows const windows(static_cast<std::int64_t>(text_.held_out.size()), length, length / 4);
    double nats = 0;
    for (std::int64_t first = 0; first < windows.count(); first += rows) {
      windows.batch<std::int32_t>(text_.held_out, first, tokens_, targets_);
      run.set("tokens", std::span<std::int32_t const>(tokens_));
      run.set("targets", std::span<std::int32_t const>(targets_));
      run.run();
      for (float const loss : run.output("loss")) nats += static_cast<double>(loss);   // 0 where a target is not counted
    }
    return train::bits_per_byte(nats, static_cast<std::int64_t>(text_.held_out.size()));
  }

  std::string sample(std::string const& prompt, int bytes) {
    decode::decoder decoder(weights_, exec::serial{}, batch{1}, decode::capacity{static_cast<std::int64_t>(prompt.size()) + bytes});
    decode::sampler choose({.temperature = 0.8, .top_p = 0.95}, 1);
    std::vector<std::int32_t> tokens;
    for (char const c : prompt) tokens.push_back(static_cast<unsigned char>(c));
    auto logits = decoder.prefill(std::span<std::int32_t const>(tokens));
    std::string text;
    while (static_cast<int>(text.size()) < bytes) {
      std::int64_t const token = choose(std::span<float const>(logits));
      text += static_cast<char>(static_cast<unsigned char>(token));
      if (static_cast<int>(text.size()) < bytes) logits = decoder.step(token);
    }
    return text;
  }

  std::int64_t parameters() const { return weights_->count(); }

  std::vector<double> curve;   ///< nats a byte, of every step

 private:
  weights<Model, float> weights_ = init<Model>(seed{1});
  train::divided_text text_;
  std::vector<std::int32_t> tokens_, targets_;
  std::int64_t steps_;
  train::trainer<Model> trainer_;
};

/// Seconds of one training step, the first not counted.
template <class Model> double step_seconds(train::divided_text text) {
  competitor<Model> trial(text, 10);
  trial.step(0);
  auto const begin = std::chrono::steady_clock::now();
  for (int n = 1; n <= 2; ++n) trial.step(n);
  return seconds_since(begin) / 2;
}

void write_curves(std::string const& path, std::vector<double> const& a, std::vector<double> const& b) {
  io::pending_file file(path);
  file.write(std::string("step,recurrent transformer,transformer\n"));
  std::size_t const every = std::max<std::size_t>(1, a.size() / 200);   // means over a two-hundredth of the way
  for (std::size_t i = 0; i + every <= a.size(); i += every) {
    double x = 0, y = 0;
    for (std::size_t k = i; k < i + every; ++k) { x += a[k]; y += b[k]; }
    double const scale = 1 / (0.6931471805599453 * static_cast<double>(every));
    char line[100];
    std::snprintf(line, sizeof line, "%zu,%.5f,%.5f\n", i + every, x * scale, y * scale);
    file.write(std::string(line));
  }
  file.commit();
}

int demo(options const& o) {
  auto const bytes = io::read_file(o.text);
  train::byte_span const all(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
  auto const text = train::divide(all, o.held_out);

  std::int64_t steps = o.steps;
  if (steps <= 0) {
    double a = 0, b = 0;
    std::thread other([&] { b = step_seconds<transformer>(text); });
    a = step_seconds<recurrent>(text);
    other.join();
    steps = std::max<std::int64_t>(20, static_cast<std::int64_t>(o.seconds / std::max(a, b)));
  }
  competitor<recurrent> r(text, steps);
  competitor<transformer> t(text, steps);
  std::printf("text: %zu bytes to train on, %zu held out; two models of %lld and %lld parameters; %lld steps of %lld x %lld bytes\n",
              text.training.size(), text.held_out.size(), static_cast<long long>(r.parameters()), static_cast<long long>(t.parameters()),
              static_cast<long long>(steps), static_cast<long long>(rows), static_cast<long long>(length));

  progress bars({"recurrent transformer", "transformer"});
  std::atomic<int> busy = 2;
  std::thread first([&] { r.train(bars, 0); --busy; }), second([&] { t.train(bars, 1); --busy; });
  while (busy > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    bars.draw();
  }
  first.join();
  second.join();
  bars.draw(true);

  double of_t = 0;
  std::thread other([&] { of_t = t.held_out(); });
  double const of_r = r.held_out();
  other.join();
  std::printf("\nheld-out text, %zu bytes:\n", text.held_out.size());
  std::printf("  recurrent transformer  %.3f bits per byte\n  transformer            %.3f bits per byte\n", of_r, of_t);
  if (o.xz_bytes > 0)
    std::printf("  xz -9                  %.3f bits per byte (%lld bytes)\n", 8 * static_cast<double>(o.xz_bytes) / static_cast<double>(text.held_out.size()),
                static_cast<long long>(o.xz_bytes));

  std::string const prompt(reinterpret_cast<char const*>(text.held_out.data()), std::min<std::size_t>(60, text.held_out.size()));
  std::printf("\nprompt: %s\nrecurrent transformer, 300 characters:\n%s\n", prompt.c_str(), r.sample(prompt, 300).c_str());
  write_curves(o.out + "/loss.csv", r.curve, t.curve);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  options const o = parse(argc, argv);
  try {
    return demo(o);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
