// Text as bytes: a file, its held-out tail, and windows of it as tokens with the byte that follows each as target.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dyadic/axes/error.hpp"
#include "dyadic/tensor/counter_random.hpp"

namespace dyadic::train {

using byte_span = std::span<std::uint8_t const>;

/// A text cut in two: the last `held_out` bytes are never trained on. Views into the text.
struct divided_text { byte_span training, held_out; };

/// Errors: argument, when the text has no more than `held_out` bytes.
inline divided_text divide(byte_span text, std::int64_t held_out) {
  auto const size = static_cast<std::int64_t>(text.size());
  if (held_out < 0 || held_out >= size)
    raise(error_kind::argument, "a text of " + std::to_string(size) + " bytes has no tail of " + std::to_string(held_out) + " to hold out");
  auto const cut = static_cast<std::size_t>(size - held_out);
  return {text.first(cut), text.subspan(cut)};
}

/// Where row `row` of step `step` begins: uniform over all windows of length + 1 bytes, a function of the seed alone.
/// Errors: argument, when the text is shorter than that.
inline std::int64_t window_begin(byte_span text, std::uint64_t seed, std::int64_t step, std::int64_t row, std::int64_t length) {
  std::int64_t const places = static_cast<std::int64_t>(text.size()) - length;
  if (places <= 0) raise(error_kind::argument, "a text of " + std::to_string(text.size()) + " bytes is shorter than a window");
  return static_cast<std::int64_t>(
      below(static_cast<std::uint64_t>(places), random_bits(seed, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(row))));
}

namespace detail {
template <class T> void check_batch(std::int64_t length, std::span<T> tokens, std::span<T> targets) {
  if (length <= 0 || tokens.size() != targets.size() || tokens.size() % static_cast<std::size_t>(length) != 0)
    raise(error_kind::shape, "a batch is rows of `length` tokens with as many targets");
}
}  // namespace detail

/// Random windows for one training step. tokens, targets: [rows][length], rows = tokens.size() / length.
/// Errors: shape; argument, when the text is shorter than length + 1.
template <class T>
void training_batch(byte_span text, std::uint64_t seed, std::int64_t step, std::int64_t length, std::span<T> tokens, std::span<T> targets) {
  detail::check_batch(length, tokens, targets);
  auto const rows = static_cast<std::int64_t>(tokens.size()) / length;
  for (std::int64_t r = 0; r < rows; ++r) {
    auto const begin = static_cast<std::size_t>(window_begin(text, seed, step, r, length));
    auto const at = static_cast<std::size_t>(r * length);
    for (std::size_t t = 0; t < static_cast<std::size_t>(length); ++t) {
      tokens[at + t] = static_cast<T>(text[begin + t]);
      targets[at + t] = static_cast<T>(text[begin + t + 1]);
    }
  }
}

/// Windows that together predict every byte of a text but the first, each once. Every window but the first has the last
/// `context` tokens of the one before as context, whose targets are not counted again.
struct evaluation_windows {
  std::int64_t size, length, context;

  /// Errors: argument, unless 0 <= context < length.
  evaluation_windows(std::int64_t size_, std::int64_t length_, std::int64_t context_ = 0)
      : size(size_), length(length_), context(context_) {
    if (context < 0 || context >= length) raise(error_kind::argument, "the context must be shorter than the window");
  }
  std::int64_t count() const {
    if (size < 2) return 0;
    std::int64_t const fresh = length - context, rest = (size - 1) - length;
    return rest <= 0 ? 1 : 1 + (rest + fresh - 1) / fresh;
  }

  /// Windows first, first + 1, ... as rows. Positions that are not counted, beyond the text or beyond the last window have
  /// target -1 (and, beyond it, token 0). Returns how many targets are counted. Errors: shape.
  template <class T> std::int64_t batch(byte_span text, std::int64_t first, std::span<T> tokens, std::span<T> targets) const {
    detail::check_batch(length, tokens, targets);
    if (static_cast<std::int64_t>(text.size()) != size) raise(error_kind::shape, "these windows were made for a text of another length");
    std::int64_t counted = 0;
    auto const rows = static_cast<std::int64_t>(tokens.size()) / length;
    for (std::int64_t r = 0; r < rows; ++r) {
      std::int64_t const window = first + r, begin = window * (length - context);
      for (std::int64_t t = 0; t < length; ++t) {
        auto const at = static_cast<std::size_t>(r * length + t);
        bool const inside = window < count() && begin + t + 1 < size;
        bool const fresh = inside && (window == 0 || t >= context);
        tokens[at] = static_cast<T>(inside ? text[static_cast<std::size_t>(begin + t)] : 0);
        targets[at] = fresh ? static_cast<T>(text[static_cast<std::size_t>(begin + t + 1)]) : static_cast<T>(-1);
        counted += fresh;
      }
    }
    return counted;
  }
};

/// Nats over the predicted bytes of a text as bits per byte of all of it. The first byte, which nothing precedes, costs 8 bits.
constexpr double bits_per_byte(double nats, std::int64_t size) {
  return size <= 0 ? 0.0 : (nats / 0.69314718055994530942 + 8.0) / static_cast<double>(size);
}

}  // namespace dyadic::train
