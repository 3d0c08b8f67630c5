// Windows of a text: reproducible, within it, and for evaluation every byte exactly once.
#include "dyadic/train/data.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace dyadic;

namespace {
std::vector<std::uint8_t> counting(std::size_t n) {
  std::vector<std::uint8_t> text(n);
  for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<std::uint8_t>(i);
  return text;
}
}  // namespace

TEST_CASE("training windows: targets follow tokens; the same seed and step give the same windows") {
  auto const text = counting(200);
  std::vector<std::int32_t> tokens(3 * 16), targets(3 * 16), again(3 * 16), again_targets(3 * 16);
  train::training_batch<std::int32_t>(text, 7, 5, 16, tokens, targets);
  train::training_batch<std::int32_t>(text, 7, 5, 16, again, again_targets);
  CHECK(tokens == again);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t t = 0; t < 16; ++t) {
      CHECK(targets[r * 16 + t] == tokens[r * 16] + static_cast<std::int32_t>(t) + 1);
      CHECK(targets[r * 16 + t] < 200);
    }
  train::training_batch<std::int32_t>(text, 7, 6, 16, again, again_targets);
  CHECK(tokens != again);
  train::training_batch<std::int32_t>(text, 8, 5, 16, again, again_targets);
  CHECK(tokens != again);
}

TEST_CASE("every place is reached, about equally often") {
  auto const text = counting(20);
  std::vector<int> seen(20);
  int const draws = 16000;
  for (int i = 0; i < draws; ++i) ++seen[static_cast<std::size_t>(train::window_begin(text, 1, i, 0, 4))];
  for (std::size_t i = 0; i < 16; ++i) CHECK(std::abs(seen[i] - 1000) < 200);
  for (std::size_t i = 16; i < 20; ++i) CHECK(seen[i] == 0);
}

TEST_CASE("short texts and wrong buffers are refused; the shortest text has one window") {
  auto const text = counting(5);
  std::vector<float> a(4), b(4), c(3);
  train::training_batch<float>(text, 0, 0, 4, a, b);
  CHECK(a == std::vector<float>{0, 1, 2, 3});
  CHECK(b == std::vector<float>{1, 2, 3, 4});
  CHECK_THROWS_AS(train::training_batch<float>(train::byte_span(text).first(4), 0, 0, 4, a, b), error);
  CHECK_THROWS_AS(train::training_batch<float>(text, 0, 0, 4, a, c), error);
  CHECK_THROWS_AS(train::training_batch<float>(text, 0, 0, 0, a, b), error);
  CHECK_THROWS_AS(train::divide(text, 5), error);
  CHECK(train::divide(text, 2).training.size() == 3);
  CHECK(train::divide(text, 2).held_out[0] == 3);
  CHECK(train::divide(text, 0).held_out.empty());
}

TEST_CASE("evaluation windows count every byte but the first exactly once") {
  for (std::size_t size : {0u, 1u, 2u, 3u, 8u, 9u, 10u, 17u, 50u, 64u, 65u})
    for (std::int64_t length : {1, 2, 4, 8})
      for (std::int64_t context = 0; context < length; ++context) {
        auto const text = counting(size);
        train::evaluation_windows const windows(static_cast<std::int64_t>(size), length, context);
        std::vector<int> counted(size);
        std::int64_t total = 0;
        std::vector<std::int32_t> tokens(static_cast<std::size_t>(3 * length)), targets(tokens.size());
        for (std::int64_t first = 0; first < windows.count(); first += 3) {
          total += windows.batch<std::int32_t>(text, first, tokens, targets);
          for (std::size_t i = 0; i < targets.size(); ++i) {
            if (targets[i] < 0) continue;
            ++counted[static_cast<std::size_t>(targets[i])];
            CHECK(tokens[i] + 1 == targets[i]);
          }
        }
        for (std::size_t i = 1; i < size; ++i) CHECK(counted[i] == 1);
        if (size) CHECK(counted[0] == 0);
        CHECK(total == std::max<std::int64_t>(0, static_cast<std::int64_t>(size) - 1));
      }
  CHECK_THROWS_AS(train::evaluation_windows(10, 4, 4), error);
}

TEST_CASE("bits per byte") {
  CHECK(train::bits_per_byte(0, 0) == 0);
  CHECK(train::bits_per_byte(0, 1) == 8);
  CHECK(train::bits_per_byte(9 * 8 * std::log(2.0), 10) == doctest::Approx(8));   // uniform over 256
}
