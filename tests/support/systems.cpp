#include "support/systems.hpp"

#include "dyadic/models.hpp"

namespace test {

using namespace dyadic;
using models::config;
using models::memory_scope;

namespace {

constexpr config base{.vocabulary = 37, .width = 24, .layers = 3, .heads = 4, .kv_heads = 2, .head_dim = 8, .hidden = 40};
template <class F> constexpr config with(F change) { config c = base; change(c); return c; }
constexpr config packed = with([](config& c) { c.window = 5; c.packed = true; });
constexpr config at_positions = with([](config& c) { c.packed = c.positions = true; });
constexpr config tied_readout = with([](config& c) { c.tied = true; });
constexpr config official = with([](config& c) { c.heads = c.kv_heads = 3; });
constexpr config two_layers = with([](config& c) { c.layers = 2; });
constexpr models::latent_options layerwise{.variant = models::latent_variant::layerwise, .gate_channels = 12};
constexpr models::simple_attention_options control_arm{.path = models::residual::rezero, .sandwich = true, .feed_forward = true};
constexpr models::feedback_options concatenated{.fuse = models::fusion::concat_projection};
constexpr models::feedback_options added{.fuse = models::fusion::linear_addition, .prefix = 3};
constexpr models::recurrent_options official_block{.variant = models::recurrent_variant::official};
constexpr models::depth_options every_second{.stride = 2};
constexpr models::depth_options looped(models::depth_anchor a) { return {.stride = 2, .loops = 2, .anchor = a}; }
constexpr models::gru_memory_options memory_of(memory_scope s) { return {.scope = s, .heads = 3, .steps = 2, .chunk = 4}; }
constexpr models::symbol_config symbols{.inputs = 5, .hidden = 16, .classes = 3};

/// Layer outside, token inside: the same parameters as models::recurrent_transformer.
struct layers_outside {
  nn::embedding<models::vocab, models::feature> embed_tokens;
  stack<models::layer, models::recurrent_block<base, models::recurrent_options{}>> layers;
  nn::rms_norm<models::feature> norm{.eps = base.eps};
  nn::linear<models::feature, models::vocab> lm_head;
  DYADIC_FIELDS((embed_tokens, "model.embed_tokens"), (layers, "model.layers"), (norm, "model.norm"), lm_head)
  static constexpr auto extents() { return models::block_extents<base>(models::layer{base.layers}); }

  constexpr auto operator()(source in) const {
    auto context = models::context_of<base>(in);
    auto h = repeat<models::layer>(embed_tokens(models::tokens_of(in)), [&](auto y) {
      return scan<models::seq>(y, [&](auto y_t) { return layers.block(y_t, context.at(y_t)); });
    });
    return models::predictions(in, lm_head(norm(h)));
  }
};

constexpr visit parallel = visit::parallel, tiled = visit::tiled, sequential = visit::sequential;

template <models::depth_anchor A> using looped_depth = models::depth_attention<base, looped(A)>;
template <memory_scope S> using gru_memory = models::gru_memory<two_layers, memory_of(S)>;

std::vector<system> make() {
  using models::depth_anchor;
  return {
      {"transformer", traced<models::transformer<base>>::graph, parallel, parallel},
      {"transformer over documents", traced<models::transformer<packed>>::graph, parallel, parallel},
      {"transformer at given positions", traced<models::transformer<at_positions>>::graph, parallel, parallel},
      {"simple attention", traced<models::simple_attention<tied_readout>>::graph, parallel, parallel},
      {"simple attention, control arm", traced<models::simple_attention<tied_readout, control_arm>>::graph, parallel, parallel},
      {"recurrent, modern", traced<models::recurrent_transformer<base>>::graph, tiled, tiled},
      {"recurrent, layers outside", traced<layers_outside>::graph, tiled, tiled},
      {"recurrent, official", traced<models::recurrent_transformer<official, official_block>>::graph, tiled, tiled},
      {"depth attention", traced<models::depth_attention<base, every_second>>::graph, parallel, parallel},
      {"looped depth attention, layer", traced<looped_depth<depth_anchor::layer>>::graph, parallel, parallel},
      {"looped depth attention, layer once", traced<looped_depth<depth_anchor::layer_once>>::graph, parallel, parallel},
      {"looped depth attention, execution", traced<looped_depth<depth_anchor::execution>>::graph, parallel, parallel},
      {"looped transformer", traced<models::looped_transformer<base>>::graph, parallel, parallel},
      {"latent, shared", traced<models::latent_recurrent<base>>::graph, sequential, tiled, true, true},
      {"latent, layerwise", traced<models::latent_recurrent<base, layerwise>>::graph, sequential, tiled, true, true},
      {"full bandwidth", traced<models::full_bandwidth<base>>::graph, sequential, tiled, true, true},
      {"full bandwidth, concatenated", traced<models::full_bandwidth<base, concatenated>>::graph, sequential, tiled, true, true},
      {"full bandwidth, added", traced<models::full_bandwidth<base, added>>::graph, sequential, tiled, true, true},
      {"gru memory, prefix", traced<gru_memory<memory_scope::prefix>>::graph, parallel, parallel},
      {"gru memory, chunked", traced<gru_memory<memory_scope::chunked>>::graph, parallel, parallel},
      {"gru memory, leaky", traced<gru_memory<memory_scope::whole_sequence_leaky>>::graph, parallel, parallel, false},
      {"recursive lstm", traced<models::parallel_recursive_lstm<symbols>>::graph, parallel, parallel},
      {"lstm", traced<models::lstm<symbols>>::graph, sequential, sequential},
      {"gru", traced<models::gru<symbols>>::graph, sequential, sequential},
      {"gru, haiku", traced<models::gru<symbols, models::gru_form::haiku>>::graph, sequential, sequential},
      {"rnn", traced<models::rnn<symbols>>::graph, sequential, sequential},
  };
}

}  // namespace

std::vector<system> const& systems() {
  static std::vector<system> const all = make();
  return all;
}

system const& system_called(std::string const& name) {
  for (system const& s : systems()) if (s.name == name) return s;
  raise(error_kind::argument, "no such system: " + name);
}

std::vector<training_of> trainings() {
  std::vector<training_of> r;
  for (system const& s : systems()) {
    r.push_back({&s, solver_kind::none});
    if (s.feedback) for (solver_kind k : {solver_kind::jacobi, solver_kind::interleaved}) r.push_back({&s, k});
  }
  return r;
}

}  // namespace test
