// Decoding: tokens a second of one row, between a prompt and a full memory.
#pragma once
#include "dyadic/decode/decoder.hpp"
#include "dyadic/decode/sampling.hpp"
#include "dyadic/models/config.hpp"
#include "support/suite.hpp"

namespace decoding {

using namespace dyadic;

// Weights of some 13 MB: beyond the second-level cache.
inline constexpr models::config size{.vocabulary = 512, .width = 256, .layers = 4, .heads = 8, .hidden = 688};
inline constexpr std::int64_t prompt = 64, room = 192;

template <class Model> void measure(benchmark::State& s, int threads, bool tied) {
  auto const w = init<Model>(seed{1});
  decode::decoder decoder(w, suite::pool_of(threads), models::batch{1}, decode::capacity{room});
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(prompt));
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i * 31 % static_cast<std::size_t>(size.vocabulary));
  auto logits = decoder.prefill(std::span<std::int32_t const>(tokens));
  auto const start = decoder.save();
  for (auto _ : s) {
    if (decoder.position() == room) {   // one step in 128 also copies the state back
      decoder.restore(start);
      logits = decoder.logits();
    }
    logits = decoder.step(static_cast<std::int64_t>(decode::greedy(logits)));
    benchmark::ClobberMemory();
  }
  s.counters["tokens"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
  // Every weight is read once, but of the embedding one row; a tied one is the readout, too.
  std::int64_t const read = w->count() - (tied ? 0 : size.vocabulary * size.width);
  suite::count_bytes(s, static_cast<double>(read) * 4);
}

/// tied: the embedding is the readout.
template <class Model> void entry(char const* work, bool tied = false) {
  for (int threads : suite::thread_counts())
    suite::add({"decoding", work, "dyadic", threads}, benchmark::kMicrosecond,
               [=](benchmark::State& s) { measure<Model>(s, threads, tied); });
}

}  // namespace decoding
