// Streaming: one position at a time, with whatever the model's recurrences keep between positions. Nothing here knows a model: the state is
// what the plan with the sequence forced outermost reads from afar.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dyadic/exec/runner.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/models/axes.hpp"

namespace dyadic::decode {

/// How many positions a row can have.
struct capacity { std::int64_t positions = 0; };

/// A decoder's memory of the past, as a value: save() and restore(). It fits decoders of the same model, batch and capacity.
template <class T> struct saved_state {
  std::vector<T> values;
  std::vector<std::vector<T>> inputs;
  std::vector<std::int64_t> positions;
};

struct decoder_options {
  std::int64_t prefill_rows = 64;   ///< positions of a prompt that are evaluated at once
  bool poison = false;              ///< tests: everything outside the state is NaN between steps
};

/// decoder{weights, exec::serial{}, batch{1}, capacity{4096}}. Axis is the sequence, Batch the axis of independent rows (rows may stand at
/// different positions). A model that is not causal does not compile.
template <class Model, class T = float, class Axis = models::seq, class Batch = models::batch> class decoder {
 public:
  using program = streaming<Model, Axis>;

  template <class... A>
  decoder(weights<Model, T> w, exec::serial, Batch rows, capacity room, A... axes) : decoder(w, exec::serial{}, rows, room, decoder_options{}, axes...) {}
  template <class... A>
  decoder(weights<Model, T> w, exec::serial, Batch rows, capacity room, decoder_options const& options, A... axes)
      : weights_(w), options_(options), extents_(checked(bind(rows, Axis{room.positions}, axes...))),
        positions_(static_cast<std::size_t>(rows.extent), 0) {
    axis_ = axis_number<Axis>(program::graph);
    batch_ = axis_number<Batch>(program::graph);
    logits_ = output_called("logits");
    step_ = make(program::plan, 1);
    state_.assign(static_cast<std::size_t>(step_->storage().state), T(0));
    step_->engine().bind_state(state_.data());
    vocabulary_ = 1;
    output const& o = program::graph.outputs[logits_];
    for (int r = 0; r < o.rank; ++r) if (o.order[r] != axis_ && o.order[r] != batch_) vocabulary_ *= extents_.of[o.order[r]];
    if (parallel_prefill() && options_.prefill_rows > 1) {
      prefill_ = make(program::prefill, options_.prefill_rows);
      if (prefill_->storage().state != step_->storage().state) prefill_.reset();
      else prefill_->engine().bind_state(state_.data());
    }
  }
  decoder(decoder const&) = delete;
  decoder& operator=(decoder const&) = delete;
  decoder(decoder&&) = default;
  decoder& operator=(decoder&&) = default;

  std::int64_t rows() const { return static_cast<std::int64_t>(positions_.size()); }
  std::int64_t position(std::int64_t row = 0) const { return positions_[static_cast<std::size_t>(row)]; }
  std::int64_t room() const { return extents_.of[axis_]; }
  std::int64_t vocabulary() const { return vocabulary_; }
  /// Elements kept between steps.
  std::int64_t state_size() const { return static_cast<std::int64_t>(state_.size()); }

  /// Feeds every row the same number of tokens ([row][token]) and returns the logits after the last, [row][vocabulary].
  template <class V> std::span<T const> prefill(std::span<V const> tokens) {
    if (rows() == 0 || tokens.size() % positions_.size() != 0) raise(error_kind::shape, message() << "a prompt of " << tokens.size() << " tokens for " << rows() << " rows");
    auto const each = tokens.size() / positions_.size();
    std::vector<std::span<V const>> prompts;
    for (std::size_t r = 0; r < positions_.size(); ++r) prompts.push_back(tokens.subspan(r * each, each));
    return prefill(std::span<std::span<V const> const>(prompts));
  }
  /// Feeds every row its own prompt, of any length (an empty one leaves the row as it is).
  template <class V> std::span<T const> prefill(std::span<std::span<V const> const> prompts) {
    if (prompts.size() != positions_.size()) raise(error_kind::shape, message() << prompts.size() << " prompts for " << rows() << " rows");
    for (std::size_t r = 0; r < prompts.size(); ++r) {
      if (positions_[r] + static_cast<std::int64_t>(prompts[r].size()) > room()) raise(error_kind::state, message() << "row " << r << " would pass the capacity of " << room() << " positions");
      for (V v : prompts[r]) check_token(static_cast<double>(v));
    }
    for (std::size_t r = 0; r < prompts.size();) {
      std::size_t e = r + 1;   // rows that stand at the same position and get as much run together
      while (e < prompts.size() && positions_[e] == positions_[r] && prompts[e].size() == prompts[r].size()) ++e;
      for (std::size_t q = r; q < e; ++q)
        for (std::size_t t = 0; t < prompts[q].size(); ++t) put_token(static_cast<std::int64_t>(q), positions_[q] + static_cast<std::int64_t>(t), static_cast<T>(prompts[q][t]));
      advance(static_cast<std::int64_t>(r), static_cast<std::int64_t>(e), static_cast<std::int64_t>(prompts[r].size()));
      r = e;
    }
    return out_;
  }
  /// One token a row; returns the logits, [row][vocabulary].
  template <class V> std::span<T const> step(std::span<V const> tokens) {
    if (tokens.size() != positions_.size()) raise(error_kind::shape, message() << tokens.size() << " tokens for " << rows() << " rows");
    return prefill(tokens);
  }
  std::span<T const> step(std::int64_t token) {
    std::int64_t const one[1] = {token};
    return step(std::span<std::int64_t const>(one));
  }
  /// The logits of the last call.
  std::span<T const> logits() const { return out_; }

  /// Another input of the model at a row's position (documents, restarted positions), before the tokens there are fed.
  void set(std::string_view name, std::int64_t row, std::int64_t at, double value) {
    int const k = input_called(name);
    if (k < 0) raise(error_kind::argument, message() << "the model has no input called " << std::string(name).c_str());
    put(k, row, at, static_cast<T>(value));
  }

  /// Forgets everything.
  void reset() {
    for (auto& p : positions_) p = 0;
    for (auto& s : state_) s = T(0);
  }
  saved_state<T> save() const {
    saved_state<T> s{state_, {}, positions_};
    for (int k = 0; k < program::graph.nleaves; ++k) {
      auto const in = step_->input(k);
      s.inputs.emplace_back(in.begin(), in.end());
    }
    return s;
  }
  /// Errors: state, when the saved state is another model's, batch's or capacity's; nothing changes then.
  void restore(saved_state<T> const& s) {
    bool fits = s.values.size() == state_.size() && s.positions.size() == positions_.size() && s.inputs.size() == static_cast<std::size_t>(program::graph.nleaves);
    for (int k = 0; fits && k < program::graph.nleaves; ++k) fits = s.inputs[static_cast<std::size_t>(k)].size() == step_->input(k).size();
    if (!fits) raise(error_kind::state, message() << "the saved state belongs to another model, batch or capacity");
    std::copy(s.values.begin(), s.values.end(), state_.begin());
    positions_ = s.positions;
    for (int k = 0; k < program::graph.nleaves; ++k)
      for (auto* run : {step_.get(), prefill_.get()})
        if (run) std::copy(s.inputs[static_cast<std::size_t>(k)].begin(), s.inputs[static_cast<std::size_t>(k)].end(), run->input(k).begin());
  }
  /// A second decoder that continues from here.
  decoder fork() const {
    decoder d(*this, forked{});
    d.restore(save());
    return d;
  }

 private:
  struct forked {};
  weights<Model, T> weights_;
  decoder_options options_;
  extents extents_;
  std::vector<std::int64_t> positions_;
  std::vector<T> state_, out_;
  std::unique_ptr<runner<T>> step_, prefill_;
  int axis_ = -1, batch_ = -1, logits_ = -1;
  std::int64_t vocabulary_ = 0;

  decoder(decoder const& o, forked)
      : weights_(o.weights_), options_(o.options_), extents_(o.extents_), positions_(o.positions_), state_(o.state_), out_(o.out_), axis_(o.axis_),
        batch_(o.batch_), logits_(o.logits_), vocabulary_(o.vocabulary_) {
    step_ = make(program::plan, 1);
    step_->engine().bind_state(state_.data());
    if (o.prefill_) { prefill_ = make(program::prefill, options_.prefill_rows); prefill_->engine().bind_state(state_.data()); }
  }
  template <class... A> static extents checked(binding<A...> const& b) {
    static_assert(every_axis_is_bound<binding<A...>, dyadic::detail::missing_axis<program, binding<A...>>()>, "decoder: an axis of the model is not bound");
    return extents_of(program::graph, b);
  }
  std::unique_ptr<runner<T>> make(plan_view const& p, std::int64_t window) {
    cpu::options o;
    o.poison = options_.poison;
    memory_request request;
    request.stream = axis_;
    request.window = window;
    auto r = std::make_unique<runner<T>>(program::graph, p, extents_, o, request);
    r->bind_parameters(weights_.shared());
    return r;
  }
  static int output_called(std::string_view name) {
    for (int k = 0; k < program::graph.noutputs; ++k) if (program::graph.outputs[k].name && name == program::graph.outputs[k].name) return k;
    raise(error_kind::argument, message() << "the model has no result called " << std::string(name).c_str());
  }
  static int input_called(std::string_view name) {
    for (int k = 0; k < program::graph.nleaves; ++k) {
      leaf const& l = program::graph.leaves[k];
      if ((l.role == leaf_role::input || l.role == leaf_role::index) && l.name && name == l.name) return k;
    }
    return -1;
  }
  void check_token(double v) const {
    int const k = input_called("tokens");
    if (k < 0) raise(error_kind::argument, message() << "the model has no input called tokens");
    leaf const& l = program::graph.leaves[k];
    if (l.role == leaf_role::index && !(v >= -1 && v < static_cast<double>(extents_.of[l.of])))
      raise(error_kind::index, message() << "token " << static_cast<std::int64_t>(v) << " is outside the vocabulary of " << extents_.of[l.of]);
  }
  void put_token(std::int64_t row, std::int64_t at, T value) { put(input_called("tokens"), row, at, value); }
  void put(int k, std::int64_t row, std::int64_t at, T value) {
    leaf const& l = program::graph.leaves[k];
    if (l.node < 0) return;
    std::int64_t o = 0;
    for (int r = 0; r < l.rank; ++r) o = o * extents_.of[l.order[r]] + (l.order[r] == axis_ ? at : l.order[r] == batch_ ? row : 0);
    for (auto* run : {step_.get(), prefill_.get()}) if (run) run->input(k)[static_cast<std::size_t>(o)] = value;
  }
  /// Whole pieces of a prompt need every state's rows to be there at once: no chunks, no trees, no rings outside a loop over the axis.
  bool parallel_prefill() const {
    graph_view const& g = program::graph;
    for (int i = 0; i < g.size; ++i)
      if (((g[i].kind == op::split || g[i].kind == op::merge) && g[i].axis == axis_) || (g[i].kind == op::take && g[i].aux == axis_)) return false;
    int depth = 0;
    for (int i = 0; i < program::prefill.size; ++i) {
      stmt const& s = program::prefill[i];
      if (s.kind == stmt::begin) depth += s.id == axis_;
      else if (s.kind == stmt::end) depth -= s.id == axis_;
      else if (!depth && step_->storage().of[s.id].ring > 0) return false;
    }
    return program::prefill.stuck < 0;
  }
  void read_logits(cpu::interpreter<T> const& engine, std::int64_t at, std::int64_t r0, std::int64_t r1) {
    output const& o = program::graph.outputs[logits_];
    std::int64_t p[max_axes]{};
    p[axis_] = at;
    for (std::int64_t r = r0; r < r1; ++r) {
      if (batch_ >= 0) p[batch_] = r;
      for (std::int64_t v = 0; v < vocabulary_; ++v) {
        std::int64_t rest = v;
        for (int d = o.rank - 1; d >= 0; --d) {
          if (o.order[d] == axis_ || o.order[d] == batch_) continue;
          p[o.order[d]] = rest % extents_.of[o.order[d]];
          rest /= extents_.of[o.order[d]];
        }
        out_[static_cast<std::size_t>(r * vocabulary_ + v)] = engine.value(o.node, p);
      }
    }
  }
  void advance(std::int64_t r0, std::int64_t r1, std::int64_t count) {
    out_.resize(static_cast<std::size_t>(rows() * vocabulary_));
    std::int64_t at = positions_[static_cast<std::size_t>(r0)];
    while (count > 0) {
      std::int64_t const piece = prefill_ && count > 1 ? (count < options_.prefill_rows ? count : options_.prefill_rows) : 1;
      runner<T>& run = piece > 1 ? *prefill_ : *step_;
      run.engine().set_rows(axis_, at, at + piece);
      if (batch_ >= 0) run.engine().set_rows(batch_, r0, r1);
      run.run();
      at += piece;
      count -= piece;
      for (std::int64_t r = r0; r < r1; ++r) positions_[static_cast<std::size_t>(r)] = at;
      if (count == 0) read_logits(run.engine(), at - 1, r0, r1);
    }
  }
};
template <class Model, class T, class Batch, class... A> decoder(weights<Model, T>, exec::serial, Batch, capacity, A...) -> decoder<Model, T, models::seq, Batch>;

}  // namespace dyadic::decode
