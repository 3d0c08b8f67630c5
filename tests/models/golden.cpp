// Every reference file: logits, loss, every gradient, and the streamed logits, in double. A configuration is a line of the table.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "dyadic/decode/streamer.hpp"
#include "dyadic/io/safetensors.hpp"
#include "dyadic/models.hpp"
#include "support/machine.hpp"
#include "support/paths.hpp"

namespace {

using namespace dyadic;
using models::config;
using test::tensors;

constexpr double tolerance = 1e-9;

// ---- a file

struct golden_file {
  tensors parameters, gradients, inputs, results;
  std::map<std::string, std::vector<std::int64_t>> shapes;   ///< of parameters
  std::int64_t batch = 0, seq = 0;

  explicit golden_file(std::string const& name) {
    auto const file = io::safetensors::open(test::golden_folder() + "/" + name + ".safetensors");
    std::set<std::string> const read = {"tokens", "targets", "documents", "positions"};
    batch = file.at("tokens").shape[0];
    seq = file.at("tokens").shape[1];
    for (auto const& t : file.tensors()) {
      auto const v = t.values<double>();
      if (t.name.rfind("param.", 0) == 0) { parameters[t.name.substr(6)] = v; shapes[t.name.substr(6)] = t.shape; }
      else if (t.name.rfind("grad.", 0) == 0) gradients[t.name.substr(5)] = v;
      else if (read.count(t.name)) inputs[t.name] = v;
      else results[t.name] = v;
    }
  }
  bool counted(std::int64_t b, std::int64_t t) const { return inputs.at("targets")[static_cast<std::size_t>(b * seq + t)] >= 0; }
};

// ---- how a file's loss weighs the loss of a token, and which pass its logits come from

struct reading {
  enum kind_t { plain, passes, refinements, subsets } kind = plain;
  int count = 0;            ///< passes; refinements after the first pass; subsets

  int passes_run() const { return kind == plain ? 1 : kind == passes ? count : count + 1; }
  /// Is the token visited in the pass?
  bool visits(int pass, std::int64_t t) const { return kind != subsets || pass == 0 || t % count == pass - 1; }
  double weight_of_pass(int pass) const {
    if (kind == plain) return 1;
    if (kind == passes) return pass == 0 ? 1 : 1.0 / (count - 1);
    return 1.0 / (count + 1);
  }
  int last_visit(std::int64_t t) const { return kind == subsets ? static_cast<int>(1 + t % count) : passes_run() - 1; }
};

/// The weight of every token's loss, [pass, batch, seq]: per pass the mean over its visited, counted tokens.
std::vector<double> loss_weights(golden_file const& f, reading const& r) {
  std::vector<double> w;
  for (int pass = 0; pass < r.passes_run(); ++pass) {
    double n = 0;
    for (std::int64_t b = 0; b < f.batch; ++b)
      for (std::int64_t t = 0; t < f.seq; ++t) n += r.visits(pass, t) && f.counted(b, t);
    for (std::int64_t b = 0; b < f.batch; ++b)
      for (std::int64_t t = 0; t < f.seq; ++t) w.push_back(r.visits(pass, t) && f.counted(b, t) ? r.weight_of_pass(pass) / n : 0);
  }
  return w;
}

// ---- the checks

double largest(std::vector<double> const& x) {
  double m = 0;
  for (double v : x) m = std::fmax(m, std::fabs(v));
  return m;
}
/// The largest difference; infinite where sizes differ or something is not a number.
double difference(std::vector<double> const& x, std::vector<double> const& y) {
  if (x.size() != y.size()) return HUGE_VAL;
  double m = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const d = std::fabs(x[i] - y[i]);
    if (!(d <= m)) m = d;
  }
  return std::isnan(m) ? HUGE_VAL : m;
}
/// [pass, batch, seq, class] at each token's last visit.
std::vector<double> at_last_visit(golden_file const& f, reading const& r, std::vector<double> const& all) {
  auto const n = static_cast<std::int64_t>(all.size()) / r.passes_run() / (f.batch * f.seq);
  std::vector<double> out;
  for (std::int64_t b = 0; b < f.batch; ++b)
    for (std::int64_t t = 0; t < f.seq; ++t) {
      std::int64_t const at = ((r.last_visit(t) * f.batch + b) * f.seq + t) * n;
      out.insert(out.end(), all.begin() + at, all.begin() + at + n);
    }
  return out;
}

/// Copies the file's parameters in; every one of the model's must be there.
void load(parameter_set<double>& p, golden_file const& f) {
  std::size_t found = 0;
  p.each([&](std::string const& name, leaf const& l, double* x, std::int64_t n) {
    auto const v = f.parameters.find(name);
    REQUIRE_MESSAGE(v != f.parameters.end(), "the file has no parameter " << name);
    CHECK_MESSAGE(checkpoint_shape(l, p.ext) == f.shapes.at(name), "the shape of " << name);
    REQUIRE(static_cast<std::int64_t>(v->second.size()) == n);
    std::copy(v->second.begin(), v->second.end(), x);
    ++found;
  });
  CHECK(found == f.parameters.size());
}

/// By plain plans, and by plans whose pointwise statements are fused.
void check(std::string const& name, graph_view traced, solver_kind solver, reading const& r, bool fused) {
  golden_file const f(name);
  INFO("reference file " << name << (fused ? ", fused" : ""));
  test::lengths const n{f.batch, f.seq, r.passes_run(), r.kind == reading::subsets ? r.count : 0};
  auto const weights = loss_weights(f, r);
  {
    test::machine m(test::evaluated(traced, solver), n, fused);
    load(m.parameters(), f);
    m.set(f.inputs);
    CHECK(difference(at_last_visit(f, r, m.result("logits")), f.results.at("logits")) < tolerance);
    double loss = 0;
    auto const losses = m.value("loss");
    REQUIRE(losses.size() == weights.size());
    for (std::size_t i = 0; i < losses.size(); ++i) if (weights[i] != 0) loss += weights[i] * losses[i];
    CHECK(std::fabs(loss - f.results.at("loss")[0]) < tolerance);
  }
  test::machine m(test::trained(traced, solver), n, fused);
  load(m.parameters(), f);
  m.set(f.inputs);
  tensors const gradient = m.gradients(weights);
  CHECK(gradient.size() == f.gradients.size());
  double scale = 0;
  for (auto const& [key, x] : f.gradients) scale = std::fmax(scale, largest(x));
  for (auto const& entry : f.gradients) {
    std::string const& key = entry.first;   // clang 14 captures no structured binding
    auto const& x = entry.second;
    auto const g = gradient.find(key);
    CHECK_MESSAGE(g != gradient.end(), "no gradient for " << key);
    if (g == gradient.end()) continue;
    double const error = difference(g->second, x) / scale;
    CHECK_MESSAGE(error < tolerance, "gradient of " << key << ": " << error);
  }
}

/// One token a step, everything outside the state NaN between steps.
void check_stream(std::string const& name, graph_view traced) {
  golden_file const f(name);
  INFO("reference file " << name);
  builder const graph = simplify(keep_outputs(traced, 1u << detail::find_output(traced, "logits")).view());
  graph_view const g = graph.view();
  order streamed;
  streamed.force = axis_number<models::seq>(g);
  plan const step = arrange(g, streamed), whole = arrange(g);
  extents const e = test::bound_to(g, {f.batch, f.seq});
  auto const parameters = shared<parameter_set<double>>::make(g, e);
  load(*parameters, f);
  decode::decoder_options options;
  options.poison = true;
  decode::streamer<double> s({g, step.view(), whole.view()}, parameters, e, streamed.force, axis_number<models::batch>(g), options);
  std::vector<double> logits(f.results.at("logits").size());
  auto const rows = static_cast<std::size_t>(f.batch), positions = static_cast<std::size_t>(f.seq), n = static_cast<std::size_t>(s.vocabulary());
  for (std::size_t t = 0; t < positions; ++t) {
    std::vector<double> now;
    for (std::size_t row = 0; row < rows; ++row) {
      for (auto const& [key, x] : f.inputs)
        if (key != "tokens" && key != "targets") s.set(key, static_cast<std::int64_t>(row), static_cast<std::int64_t>(t), x[row * positions + t]);
      now.push_back(f.inputs.at("tokens")[row * positions + t]);
    }
    auto const x = s.step(std::span<double const>(now));
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t c = 0; c < n; ++c) logits[(row * positions + t) * n + c] = x[row * n + c];
  }
  auto const expected = f.results.find("decode.logits");
  CHECK(difference(logits, expected == f.results.end() ? f.results.at("logits") : expected->second) < tolerance);
}

struct row {
  char const* file;
  graph_view const* model;
  solver_kind solver;
  reading how;
  bool streams;             ///< false: the file's logits are not those of the sequential evaluation, or nothing streams
};

template <class Model> row plain(char const* file) { return {file, &traced<Model>::graph, solver_kind::none, {}, true}; }
template <class Model> row leaky(char const* file) { return {file, &traced<Model>::graph, solver_kind::none, {}, false}; }
/// `count` passes of the whole sequence: the loss is the first pass's, and the mean of the later ones'.
template <class Model> row passes(char const* file, int count, bool streams = true) {
  return {file, &traced<Model>::graph, solver_kind::jacobi, {reading::passes, count}, streams};
}
/// A pass without states and `count` more, equally weighted.
template <class Model> row refinements(char const* file, int count) {
  return {file, &traced<Model>::graph, solver_kind::jacobi, {reading::refinements, count}, false};
}
/// A pass without states, then `count` disjoint subsets of positions in order.
template <class Model> row subsets(char const* file, int count) {
  return {file, &traced<Model>::graph, solver_kind::interleaved, {reading::subsets, count}, true};
}

// ---- the configurations

constexpr config base{.vocabulary = 37, .width = 24, .layers = 3, .heads = 4, .kv_heads = 2, .head_dim = 8, .hidden = 40};
template <class F> constexpr config with(F change) { config c = base; change(c); return c; }

constexpr config tied = with([](config& c) { c.tied = true; c.kv_heads = 4; c.theta = 1e6; });
constexpr config window = with([](config& c) { c.window = 5; });
constexpr config packed = with([](config& c) { c.packed = true; });
constexpr config san = with([](config& c) { c.layers = 4; c.tied = true; });
constexpr config san_packed = with([](config& c) { c.layers = 4; c.tied = true; c.packed = true; });
constexpr config official = with([](config& c) { c.heads = c.kv_heads = 3; c.eps = 1e-5; });
constexpr config five_layers = with([](config& c) { c.layers = 5; });
constexpr config two_layers = with([](config& c) { c.layers = 2; });

using models::depth_anchor;
using models::memory_scope;

constexpr models::recurrent_options official_block{.variant = models::recurrent_variant::official};
constexpr models::recurrent_options scaled{.residual_scale = 0.57735026918962576451};     // 1 / sqrt(3)
constexpr models::depth_options every_second{.stride = 2};
constexpr models::depth_options author_order{.stride = 2, .keys = models::key_order::rotation_then_norm};
constexpr models::depth_options looped(depth_anchor a) { return {.stride = 2, .loops = 2, .anchor = a}; }
constexpr models::gru_memory_options memory(memory_scope s) { return {.scope = s, .heads = 3, .steps = 2, .chunk = 4}; }
constexpr models::latent_options layerwise{.variant = models::latent_variant::layerwise, .gate_channels = 12};
constexpr models::feedback_options prefix4{.prefix = 4};
constexpr models::symbol_config symbols{.inputs = 5, .hidden = 16, .classes = 3};
template <int R> using recursive = models::parallel_recursive_lstm<symbols, models::recursive_options{.refinements = R}>;

// ---- what the plans are, found from the definitions alone

using models::seq;
template <models::memory_scope S> using gru_memory = models::gru_memory<two_layers, memory(S)>;

static_assert(parallel<models::transformer<base>, seq> && parallel<models::transformer<packed>, seq> && parallel<models::simple_attention<san>, seq>);
static_assert(tiled<models::recurrent_transformer<base, scaled>, seq> && tiled<models::recurrent_transformer<official, official_block>, seq>);
static_assert(parallel<models::depth_attention<five_layers, every_second>, seq>);
static_assert(parallel<models::depth_attention<base, looped(depth_anchor::execution)>, seq>);
static_assert(parallel<gru_memory<memory_scope::prefix>, seq> && parallel<gru_memory<memory_scope::chunked>, seq>);
static_assert(sequential<gru_memory<memory_scope::chunked>, models::chunk>);
static_assert(sequential<models::lstm<symbols>, seq>);
static_assert(sequential<models::full_bandwidth<base>, seq> && parallel<models::full_bandwidth<base>, seq, jacobi<>>);
static_assert(sequential<models::latent_recurrent<base>, seq> && parallel<models::latent_recurrent<base>, seq, interleaved<>>);
static_assert(parallel<recursive<1>, seq> && sequential<recursive<1>, models::merges>);

// The published form of the GRU memory reads the whole sequence before every position.
static_assert(!causal<gru_memory<memory_scope::whole_sequence_leaky>, seq>);
static_assert(causal<gru_memory<memory_scope::prefix>, seq> && causal<gru_memory<memory_scope::chunked>, seq>);

// ---- the table: file, model, solver

row const table[] = {
    plain<models::transformer<base>>("transformer"),
    plain<models::transformer<tied>>("transformer_tied"),
    plain<models::transformer<window>>("transformer_window"),
    plain<models::transformer<packed>>("transformer_packed"),
    plain<models::simple_attention<san>>("san"),
    plain<models::simple_attention<san_packed>>("san_packed"),
    plain<models::recurrent_transformer<official, official_block>>("recurrent_official"),
    plain<models::recurrent_transformer<base, scaled>>("recurrent_modern"),
    plain<models::depth_attention<five_layers, every_second>>("depth_attention"),
    plain<models::depth_attention<five_layers, author_order>>("depth_attention_author_order"),
    plain<models::depth_attention<base, looped(depth_anchor::layer)>>("depth_attention_looped_layer"),
    plain<models::depth_attention<base, looped(depth_anchor::layer_once)>>("depth_attention_looped_layer_once"),
    plain<models::depth_attention<base, looped(depth_anchor::execution)>>("depth_attention_looped_execution"),
    leaky<models::gru_memory<two_layers, memory(memory_scope::whole_sequence_leaky)>>("gru_memory_whole"),
    plain<models::gru_memory<two_layers, memory(memory_scope::prefix)>>("gru_memory_prefix"),
    plain<models::gru_memory<two_layers, memory(memory_scope::chunked)>>("gru_memory_chunked"),
    subsets<models::latent_recurrent<base>>("latent_recurrent_shared_interleaved1", 1),
    subsets<models::latent_recurrent<base>>("latent_recurrent_shared_interleaved2", 2),
    subsets<models::latent_recurrent<base>>("latent_recurrent_shared_interleaved3", 3),
    refinements<models::latent_recurrent<base>>("latent_recurrent_shared_refine2", 2),
    subsets<models::latent_recurrent<base, layerwise>>("latent_recurrent_layerwise_interleaved1", 1),
    subsets<models::latent_recurrent<base, layerwise>>("latent_recurrent_layerwise_interleaved2", 2),
    subsets<models::latent_recurrent<base, layerwise>>("latent_recurrent_layerwise_interleaved3", 3),
    refinements<models::latent_recurrent<base, layerwise>>("latent_recurrent_layerwise_refine2", 2),
    passes<models::full_bandwidth<base>>("full_bandwidth_pass1", 1),
    passes<models::full_bandwidth<base>>("full_bandwidth_pass2", 2),
    passes<models::full_bandwidth<base>>("full_bandwidth_pass3", 3),
    passes<models::full_bandwidth<base, prefix4>>("full_bandwidth_pass3_prefix4", 3, false),
    plain<recursive<0>>("prlstm_0r"),
    plain<recursive<1>>("prlstm_1r"),
    plain<recursive<2>>("prlstm_2r"),
    plain<models::lstm<symbols>>("lstm"),
};

}  // namespace

TEST_CASE("golden: logits, loss and every gradient") {
  for (row const& r : table)
    for (bool fused : {false, true}) CHECK_NOTHROW_MESSAGE(check(r.file, *r.model, r.solver, r.how, fused), std::string(r.file));
}

TEST_CASE("golden: streamed logits") {
  for (row const& r : table) if (r.streams) CHECK_NOTHROW_MESSAGE(check_stream(r.file, *r.model), std::string(r.file));
}
