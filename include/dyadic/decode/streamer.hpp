// Streaming: one position at a time, with whatever a model's recurrences keep between positions. Nothing here knows a model: the state is
// what the plan with the sequence forced outermost reads from afar. decoder.hpp gives it a model's programs.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "dyadic/exec/runner.hpp"

namespace dyadic::decode {

/// How many positions a row can have.
struct capacity { std::int64_t positions = 0; };

/// A decoder's memory of the past, as a value: save() and restore(). It fits decoders of the same model, batch and capacity.
template <class T> struct saved_state {
  std::vector<T> values;
  std::vector<std::vector<T>> inputs;
  std::vector<std::int64_t> positions;
  std::vector<T> logits;   ///< of the last call
};

struct decoder_options {
  std::int64_t prefill_rows = 64;   ///< positions of a prompt that are evaluated at once
  bool pack_weights = true;         ///< steps read copies of weights in the layout of their products, made once: twice the memory
  bool poison = false;              ///< tests: everything outside the state is NaN between steps
};

/// What a stream runs: a graph, its plan with the axis forced outermost, and its plan for many positions at once.
template <class T> struct stream_programs {
  graph_view graph;
  cpu::compiled<T> step, prefill;
};

/// A stream over `axis` of rows that are independent along `batch` (-1: one row). The graph needs an output "logits";
/// prefill and step feed its input "tokens". They, advance, set and reset allocate nothing: the logits they return are the stream's own,
/// and those of the next call take their place.
template <class T> class streamer {
 public:
  streamer(stream_programs<T> const& programs, shared<parameter_set<T>> parameters, extents const& e, int axis, int batch,
           decoder_options const& options = {}, cpu::workers on = {})
      : programs_(programs), parameters_(std::move(parameters)), options_(options), on_(on), extents_(e),
        positions_(static_cast<std::size_t>(batch >= 0 ? e.of[batch] : 1), 0), axis_(axis), batch_(batch) {
    logits_ = output_called("logits");
    tokens_ = input_called("tokens");
    output const& o = programs_.graph.outputs[logits_];
    vocabulary_ = 1;
    for (int r = 0; r < o.rank; ++r) if (o.order[r] != axis_ && o.order[r] != batch_) vocabulary_ *= extents_.of[o.order[r]];
    step_ = make(programs_.step, 1);
    axis_set steps = 0;
    for (int a = 0; a < programs_.graph.naxes; ++a)
      if (programs_.graph.axes[a].role == axis_role::scan || programs_.graph.axes[a].role == axis_role::merges) steps |= bit_of(a);
    for (int i = 0; batch_ >= 0 && i < programs_.graph.size; ++i) {
      storage const& s = step_->storage().of[i];
      bool const of_now = s.ring > 0 || !(s.stored & steps);   // one that keeps every position may be computed again
      shared_state_ = shared_state_ || (s.region == storage::state && of_now && !(programs_.graph[i].axes >> batch_ & 1));
    }
    state_.assign(static_cast<std::size_t>(step_->storage().state), T(0));
    out_.reserve(static_cast<std::size_t>(rows() * vocabulary_));
    step_->engine().bind_state(state_.data());
    version_ = parameters_->version();
    if (options_.prefill_rows > 1 && parallel_prefill()) {
      prefill_ = make(programs_.prefill, options_.prefill_rows);
      if (!same_state(prefill_->storage(), step_->storage())) prefill_.reset();
      else prefill_->engine().bind_state(state_.data());
    }
  }
  streamer(streamer const&) = delete;
  streamer& operator=(streamer const&) = delete;
  streamer(streamer&&) = default;
  streamer& operator=(streamer&&) = default;

  std::int64_t rows() const { return static_cast<std::int64_t>(positions_.size()); }
  std::int64_t position(std::int64_t row = 0) const { return positions_[static_cast<std::size_t>(row)]; }
  std::int64_t room() const { return extents_.of[axis_]; }
  std::int64_t vocabulary() const { return vocabulary_; }
  /// Elements kept between steps.
  std::int64_t state_size() const { return static_cast<std::int64_t>(state_.size()); }

  /// Feeds every row the same number of tokens ([row][token]) and returns the logits after the last, [row][vocabulary].
  template <class V> std::span<T const> prefill(std::span<V const> tokens) {
    if (rows() == 0 || tokens.size() % positions_.size() != 0)
      raise(error_kind::shape, message() << "a prompt of " << tokens.size() << " tokens for " << rows() << " rows");
    auto const each = tokens.size() / positions_.size();
    return feed([&](std::size_t r) { return tokens.subspan(r * each, each); });
  }
  /// Feeds every row its own prompt, of any length (an empty one leaves the row as it is).
  template <class V> std::span<T const> prefill(std::span<std::span<V const> const> prompts) {
    if (prompts.size() != positions_.size()) raise(error_kind::shape, message() << prompts.size() << " prompts for " << rows() << " rows");
    return feed([&](std::size_t r) { return prompts[r]; });
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
  /// The logits of the last call, or of the state that was restored.
  std::span<T const> logits() const { return out_; }

  /// Another input of the model at a row's position (documents, restarted positions, features), before it is fed or advanced over: all
  /// elements of its further axes, row-major. Errors: no such input; another number of elements; a row, position or index outside its axis.
  template <class V> void set(std::string_view name, std::int64_t row, std::int64_t at, std::span<V const> values) {
    int const k = input_called(name);
    if (k < 0) raise(error_kind::argument, message() << "the model has no input called " << std::string(name).c_str());
    if (row < 0 || row >= rows() || at < 0 || at >= room())
      raise(error_kind::index,
            message() << "row " << row << ", position " << at << " of " << rows() << " rows and " << room() << " positions");
    if (static_cast<std::int64_t>(values.size()) != elements_at_a_position(k))
      raise(error_kind::shape, message() << "input " << std::string(name).c_str() << " has " << elements_at_a_position(k)
                                         << " elements a position, given " << values.size());
    for (V v : values) check_index(k, static_cast<double>(v));
    for (std::size_t i = 0; i < values.size(); ++i) put(k, row, at, static_cast<T>(values[i]), static_cast<std::int64_t>(i));
  }
  void set(std::string_view name, std::int64_t row, std::int64_t at, double value) {
    double const one[1] = {value};
    set(name, row, at, std::span<double const>(one));
  }
  /// Moves every row on by `count` positions over inputs that were set, for models that read no tokens. Returns the last logits.
  std::span<T const> advance(std::int64_t count = 1) {
    for (std::size_t r = 0; r < positions_.size(); ++r) {
      if (count < 0 || positions_[r] + count > room())
        raise(error_kind::state, message() << "row " << r << " would pass the capacity of " << room() << " positions");
      if (shared_state_ && positions_[r] != positions_[0])
        raise(error_kind::state, "a state without rows of its own keeps all rows at one position");
    }
    for (std::size_t r = 0; r < positions_.size();) {
      std::size_t e = r + 1;
      while (e < positions_.size() && positions_[e] == positions_[r]) ++e;
      std::int64_t const first = static_cast<std::int64_t>(r);
      advance(first, static_cast<std::int64_t>(e), count);
      r = e;
    }
    return out_;
  }

  /// The programs that run: a position at a time, and pieces of prompts (nullptr: prompts too go a position at a time).
  runner<T>& step_program() { return *step_; }
  runner<T>* prefill_program() { return prefill_.get(); }

  /// Forgets everything.
  void reset() {
    for (auto& p : positions_) p = 0;
    for (auto& s : state_) s = T(0);
    out_.clear();
  }
  saved_state<T> save() const {
    saved_state<T> s{state_, {}, positions_, out_};
    for (int k = 0; k < programs_.graph.nleaves; ++k) {
      auto const in = step_->input(k);
      s.inputs.emplace_back(in.begin(), in.end());
    }
    return s;
  }
  /// Errors: state, when the saved state is another model's, batch's or capacity's; nothing changes then.
  void restore(saved_state<T> const& s) {
    bool fits = s.values.size() == state_.size() && s.positions.size() == positions_.size() &&
                s.inputs.size() == static_cast<std::size_t>(programs_.graph.nleaves);
    for (int k = 0; fits && k < programs_.graph.nleaves; ++k) fits = s.inputs[static_cast<std::size_t>(k)].size() == step_->input(k).size();
    if (!fits) raise(error_kind::state, message() << "the saved state belongs to another model, batch or capacity");
    std::copy(s.values.begin(), s.values.end(), state_.begin());
    positions_ = s.positions;
    out_ = s.logits;
    for (int k = 0; k < programs_.graph.nleaves; ++k)
      for (auto* run : {step_.get(), prefill_.get()})
        if (run)
          std::copy(s.inputs[static_cast<std::size_t>(k)].begin(), s.inputs[static_cast<std::size_t>(k)].end(), run->input(k).begin());
  }
  /// A second stream that continues from here.
  streamer fork() const {
    streamer s(programs_, parameters_, extents_, axis_, batch_, options_, on_);
    s.restore(save());
    return s;
  }

 private:
  stream_programs<T> programs_;
  shared<parameter_set<T>> parameters_;
  decoder_options options_;
  cpu::workers on_;
  extents extents_;
  std::vector<std::int64_t> positions_;
  std::vector<T> state_, out_;
  std::unique_ptr<runner<T>> step_, prefill_;
  int axis_ = -1, batch_ = -1, logits_ = -1, tokens_ = -1;
  std::int64_t vocabulary_ = 0;
  std::uint64_t version_ = 0;       ///< of the weights that are bound
  bool shared_state_ = false;       ///< some state that the next position overwrites has no rows

  std::unique_ptr<runner<T>> make(cpu::compiled<T> const& p, std::int64_t window) const {
    cpu::options o;
    o.poison = options_.poison;
    o.on = on_;
    o.fixed_parameters = options_.pack_weights && window == 1;
    memory_request request;
    request.stream = axis_;
    request.window = window;
    auto r = std::make_unique<runner<T>>(programs_.graph, p, extents_, o, request);
    r->bind_parameters(parameters_);
    return r;
  }
  /// Feeds row r the tokens prompt(r).
  template <class Prompt> std::span<T const> feed(Prompt&& prompt) {
    std::size_t const n = positions_.size();
    for (std::size_t r = 0; r < n; ++r) {
      if (positions_[r] + std::ssize(prompt(r)) > room())
        raise(error_kind::state, message() << "row " << r << " would pass the capacity of " << room() << " positions");
      for (auto v : prompt(r)) check_token(static_cast<double>(v));
      if (shared_state_ && (positions_[r] != positions_[0] || prompt(r).size() != prompt(0).size()))
        raise(error_kind::state, "a state without rows of its own keeps all rows at one position: give them prompts of equal length");
    }
    for (std::size_t r = 0; r < n;) {
      std::size_t e = r + 1;   // rows that stand at the same position and get as much run together
      while (e < n && positions_[e] == positions_[r] && prompt(e).size() == prompt(r).size()) ++e;
      for (std::size_t q = r; q < e; ++q) {
        auto const tokens = prompt(q);
        for (std::size_t t = 0; t < tokens.size(); ++t)
          put_token(static_cast<std::int64_t>(q), positions_[q] + static_cast<std::int64_t>(t), static_cast<T>(tokens[t]));
      }
      advance(static_cast<std::int64_t>(r), static_cast<std::int64_t>(e), std::ssize(prompt(r)));
      r = e;
    }
    return out_;
  }
  void read_weights() {
    for (auto* run : {step_.get(), prefill_.get()}) if (run) run->bind_parameters(parameters_);
    version_ = parameters_->version();
  }
  /// Two programs can share their state when every value of it lies at the same place in the same form.
  static bool same_state(memory_plan const& a, memory_plan const& b) {
    bool same = a.state == b.state;
    for (int i = 0; same && i < a.of.size; ++i) {
      storage const &x = a.of[i], &y = b.of[i];
      if (x.region != storage::state && y.region != storage::state) continue;
      same = x.region == y.region && x.stored == y.stored && x.ring == y.ring && x.offset == y.offset;
    }
    return same;
  }
  int output_called(std::string_view name) const {
    for (int k = 0; k < programs_.graph.noutputs; ++k)
      if (programs_.graph.outputs[k].name && name == programs_.graph.outputs[k].name) return k;
    raise(error_kind::argument, message() << "the model has no result called " << std::string(name).c_str());
  }
  int input_called(std::string_view name) const {
    for (int k = 0; k < programs_.graph.nleaves; ++k) {
      leaf const& l = programs_.graph.leaves[k];
      if ((l.role == leaf_role::input || l.role == leaf_role::index) && l.name && name == l.name) return k;
    }
    return -1;
  }
  void check_token(double v) const {
    if (tokens_ < 0) raise(error_kind::argument, message() << "the model has no input called tokens");
    check_index(tokens_, v);
  }
  void check_index(int k, double v) const {
    leaf const& l = programs_.graph.leaves[k];
    if (l.role == leaf_role::index && !(v >= -1 && v < static_cast<double>(extents_.of[l.of])))
      raise(error_kind::index, (message() << "input " << l.name << ": index " << static_cast<std::int64_t>(v) << " is outside axis ")
                                   .add(programs_.graph.axes[l.of].name, programs_.graph.axes[l.of].name_size)
                                   << " of extent " << extents_.of[l.of]);
  }
  void put_token(std::int64_t row, std::int64_t at, T value) { put(tokens_, row, at, value); }
  /// Elements of an input's axes other than the row's and the position's.
  std::int64_t elements_at_a_position(int k) const {
    leaf const& l = programs_.graph.leaves[k];
    std::int64_t n = 1;
    for (int r = 0; r < l.rank; ++r) if (l.order[r] != axis_ && l.order[r] != batch_) n *= extents_.of[l.order[r]];
    return n;
  }
  /// Element `i` of them.
  void put(int k, std::int64_t row, std::int64_t at, T value, std::int64_t i = 0) {
    leaf const& l = programs_.graph.leaves[k];
    if (l.node < 0) return;
    std::int64_t o = 0, stride = 1;
    for (int r = l.rank - 1; r >= 0; --r) {
      std::int64_t const n = extents_.of[l.order[r]];
      bool const inner = l.order[r] != axis_ && l.order[r] != batch_;
      o += (l.order[r] == axis_ ? at : l.order[r] == batch_ ? row : i % n) * stride;
      if (inner) i /= n;
      stride *= n;
    }
    for (auto* run : {step_.get(), prefill_.get()}) if (run) run->input(k)[static_cast<std::size_t>(o)] = value;
  }
  /// Whole pieces of a prompt need every state's rows to be there at once: no chunks, no trees, no rings outside a loop over the axis.
  bool parallel_prefill() const {
    graph_view const& g = programs_.graph;
    for (int i = 0; i < g.size; ++i)
      if (((g[i].kind == op::split || g[i].kind == op::merge) && g[i].axis == axis_) || (g[i].kind == op::take && g[i].aux == axis_))
        return false;
    int depth = 0;
    for (int i = 0; i < programs_.prefill.plan.size; ++i) {
      stmt const& s = programs_.prefill.plan[i];
      if (s.kind == stmt::begin) depth += s.id == axis_;
      else if (s.kind == stmt::end) depth -= s.id == axis_;
      else if (!depth && step_->storage().of[s.id].ring > 0) return false;
    }
    return programs_.prefill.plan.stuck < 0;
  }
  void read_logits(cpu::interpreter<T> const& engine, std::int64_t at, std::int64_t r0, std::int64_t r1) {
    output const& o = programs_.graph.outputs[logits_];
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
    if (version_ != parameters_->version()) read_weights();
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

}  // namespace dyadic::decode
