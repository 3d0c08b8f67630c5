// Parameter counts of the Simple Attention Network's configurations and of their partners, to the digit; none of it runs.
#include <doctest/doctest.h>

#include "dyadic/models/simple_attention.hpp"
#include "dyadic/passes/match_params.hpp"
#include "dyadic/passes/measures.hpp"

namespace {

using namespace dyadic;
using models::config;

// ---- the family

constexpr config sized(int layers, int width, int heads = 8) {
  return {.vocabulary = 16384, .width = width, .layers = layers, .heads = heads, .kv_heads = heads / 2, .hidden = 4 * width, .tied = true};
}
constexpr models::simple_attention_options control_arm{.feed_forward = true};

template <auto C> using attention_only = models::simple_attention<C>;
template <auto C> using with_feed_forward = models::simple_attention<C, control_arm>;

/// Without the embedding.
template <auto C, template <auto> class Family>
inline constexpr std::int64_t body = parameter_count<Family<C>> - std::int64_t{C.vocabulary} * C.width;

/// Attention of a layer: 3 width^2, its norm, the head norms, its gate. A feed-forward layer of 4 width: 12 width^2, its norm and gate.
constexpr std::int64_t attention_layer(std::int64_t width) { return 3 * width * width + width + 2 * (width / 8) + 1; }
constexpr std::int64_t feed_forward_layer(std::int64_t width) { return 12 * width * width + width + 1; }
constexpr std::int64_t attention_total(int layers, std::int64_t width) { return 16384 * width + layers * attention_layer(width) + width; }
constexpr std::int64_t control_total(int layers, std::int64_t width) {
  return 16384 * width + layers * (attention_layer(width) + feed_forward_layer(width)) + width;
}

/// A count printed with two decimals of a million; the published tables round some entries and cut others.
constexpr bool reads_as(std::int64_t n, double millions, double unit = 0.01) {
  double const d = static_cast<double>(n) / 1e6 - millions;
  return d > -unit && d < unit;
}

// ---- the arms at the base width

static_assert(parameter_count<attention_only<sized(20, 512)>> == 24'130'580 && attention_total(20, 512) == 24'130'580);
static_assert(reads_as(body<sized(20, 512), attention_only>, 15.74));
static_assert(parameter_count<with_feed_forward<sized(4, 512)>> == control_total(4, 512) && reads_as(control_total(4, 512), 24.12));
static_assert(reads_as(body<sized(4, 512), with_feed_forward>, 15.73));
static_assert(parameter_count<with_feed_forward<sized(9, 512)>> == control_total(9, 512) && reads_as(control_total(9, 512), 43.8, 0.05));
static_assert(reads_as(body<sized(9, 512), with_feed_forward>, 35.4, 0.05));
static_assert(parameter_count<with_feed_forward<sized(20, 512)>> == control_total(20, 512) && reads_as(control_total(20, 512), 87.06));
static_assert(reads_as(body<sized(20, 512), with_feed_forward>, 78.67));

// ---- the ladder of widths, and its partners: five attention layers weigh one layer of the control arm

template <int Layers, int Width> inline constexpr std::int64_t rung = parameter_count<attention_only<sized(Layers, Width)>>;
template <int Layers, int Width> inline constexpr std::int64_t partner = parameter_count<with_feed_forward<sized(Layers, Width)>>;

static_assert(rung<10, 256> == attention_total(10, 256) && reads_as(rung<10, 256>, 6.16));
static_assert(reads_as(body<sized(10, 256), attention_only>, 1.97));
static_assert(rung<14, 384> == attention_total(14, 384) && reads_as(rung<14, 384>, 12.49));
static_assert(reads_as(body<sized(14, 384), attention_only>, 6.20));
static_assert(rung<20, 512> == attention_total(20, 512) && reads_as(rung<20, 512>, 24.13));
static_assert(reads_as(body<sized(20, 512), attention_only>, 15.74));
static_assert(rung<26, 640> == attention_total(26, 640) && reads_as(rung<26, 640>, 42.46));
static_assert(reads_as(body<sized(26, 640), attention_only>, 31.97));
static_assert(rung<32, 768> == attention_total(32, 768) && reads_as(rung<32, 768>, 69.24));
static_assert(reads_as(body<sized(32, 768), attention_only>, 56.65));

static_assert(partner<2, 256> == control_total(2, 256) && reads_as(partner<2, 256>, 6.16));
static_assert(partner<3, 384> == control_total(3, 384) && reads_as(partner<3, 384>, 12.93));
static_assert(partner<4, 512> == control_total(4, 512) && reads_as(partner<4, 512>, 24.12));
static_assert(partner<5, 640> == control_total(5, 640) && reads_as(partner<5, 640>, 41.21));
static_assert(partner<6, 768> == control_total(6, 768) && reads_as(partner<6, 768>, 65.68));

// ---- the ladder of depths: about the same parameters beside the embedding

static_assert(reads_as(body<sized(8, 800, 10), attention_only>, 15.37));
static_assert(reads_as(body<sized(32, 400, 10), attention_only>, 15.38));
static_assert(reads_as(body<sized(48, 320), attention_only>, 14.77));

// ---- the partners that the study calls matched, found

template <int Layers, int Width, match_rule Rule = match_rule::within>
inline constexpr int found =
    configuration_of<match_params<with_feed_forward, attention_only<sized(Layers, Width)>, vary_layers, Rule>>::value.layers;

static_assert(found<10, 256> == 2);
static_assert(found<14, 384, match_rule::nearest> == 3);             // the partner is the larger one
static_assert(found<20, 512> == 4);
static_assert(found<26, 640> == 5);
static_assert(found<32, 768> == 6);

}  // namespace

TEST_CASE("parameter counts hold at compile time") { CHECK(parameter_count<attention_only<sized(20, 512)>> == 24'130'580); }
