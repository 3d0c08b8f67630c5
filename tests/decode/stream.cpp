#include "decode/stream.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "dyadic/passes/fuse.hpp"

namespace test {

using namespace dyadic;

namespace {

constexpr double rounding = 1e-11;

/// A model's sequential evaluation, and a stream of the same parameters that is fed the same sequence.
class beside {
 public:
  beside(graph_view traced, lengths const& n, std::int64_t prefill_rows = 64)
      : n_(n), in_(sequence_for(traced, n)), whole_(evaluated(traced), n), decoder(traced, n, prefill_rows) {
    move_parameters(whole_.parameters(), 3);
    whole_.set(in_);
    logits_ = whole_.result("logits");
    for (auto const& [name, v] : in_) if (name != "tokens" && name != "targets") set_all(name, v);
  }

 private:
  lengths n_;
  tensors in_;
  machine whole_;
  std::vector<double> logits_;
  void set_all(std::string const& name, std::vector<double> const& v) {
    for (std::int64_t r = 0; r < n_.rows; ++r)
      for (std::int64_t t = 0; t < n_.positions; ++t) decoder->set(name, r, t, v[at(r, t)]);
  }
  std::size_t at(std::int64_t row, std::int64_t t) const { return static_cast<std::size_t>(row * n_.positions + t); }

 public:
  stream decoder;

  double token(std::int64_t row, std::int64_t t) const { return in_.at("tokens")[at(row, t)]; }
  /// `count` tokens of every row from where it stands.
  prompts next(std::vector<std::int64_t> const& count) const {
    prompts p;
    for (std::int64_t r = 0; r < n_.rows; ++r) {
      std::vector<double> v;
      for (std::int64_t k = 0; k < count[static_cast<std::size_t>(r)]; ++k) v.push_back(token(r, decoder->position(r) + k));
      p.push_back(v);
    }
    return p;
  }
  prompts next(std::int64_t count) const { return next(std::vector<std::int64_t>(static_cast<std::size_t>(n_.rows), count)); }
  std::vector<double> step() {
    std::vector<double> tokens;
    for (std::int64_t r = 0; r < n_.rows; ++r) tokens.push_back(token(r, decoder->position(r)));
    return decoder.step(tokens);
  }
  /// Is every row's part of the decoder's logits what the whole sequence gives at the position before the one it stands at?
  double error(std::vector<double> const& logits) const {
    std::size_t const n = logits_.size() / static_cast<std::size_t>(n_.rows * n_.positions);
    double worst = 0;
    for (std::int64_t r = 0; r < n_.rows; ++r) {
      if (decoder->position(r) == 0) continue;
      auto const mine = logits.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(r) * n);
      auto const expected = logits_.begin() + static_cast<std::ptrdiff_t>(at(r, decoder->position(r) - 1) * n);
      worst = std::fmax(worst, apart({mine, mine + static_cast<std::ptrdiff_t>(n)}, {expected, expected + static_cast<std::ptrdiff_t>(n)}));
    }
    return worst;
  }
};

/// The kind of error that f raises.
template <class F> bool refused(error_kind kind, F f) {
  try {
    f();
  } catch (error const& e) { return e.kind() == kind; }
  return false;
}

}  // namespace

struct stream::programs {
  builder graph;
  plan step, prefill;
  shared<parameter_set<double>> parameters;
};

stream::stream(graph_view traced, lengths const& n, std::int64_t prefill_rows) {
  auto p = std::make_shared<programs>();
  std::uint32_t keep = 0;
  for (int i = 0; i < traced.noutputs; ++i) if (std::string(traced.outputs[i].name) != "loss") keep |= std::uint32_t{1} << i;
  p->graph = simplify(keep_outputs(traced, keep).view());
  graph_view const g = p->graph.view();
  order o;
  o.force = axis_number<models::seq>(g);
  p->step = fuse(g, arrange(g, o).view());
  p->prefill = fuse(g, arrange(g).view());
  extents const e = bound_to(g, n);
  p->parameters = shared<parameter_set<double>>::make(g, e);
  initialise(*p->parameters, seed{1});
  move_parameters(*p->parameters, 3);
  decode::decoder_options options;
  options.prefill_rows = prefill_rows;
  options.poison = true;
  decode::stream_programs<double> const plans{g, {p->step.view()}, {p->prefill.view()}};
  state_ = std::make_shared<decode::streamer<double>>(plans, p->parameters, e, o.force, axis_number<models::batch>(g), options);
  programs_ = p;
}
stream::stream(stream const& origin, decode::streamer<double>&& s)
    : programs_(origin.programs_), state_(std::make_shared<decode::streamer<double>>(static_cast<decode::streamer<double>&&>(s))) {}

std::vector<double> stream::prefill(prompts const& p) {
  std::vector<std::span<double const>> const spans(p.begin(), p.end());
  auto const x = state_->prefill(std::span<std::span<double const> const>(spans));
  return {x.begin(), x.end()};
}
std::vector<double> stream::step(std::vector<double> const& tokens) {
  auto const x = state_->step(std::span<double const>(tokens));
  return {x.begin(), x.end()};
}

void check_steps(graph_view traced, std::int64_t rows, std::int64_t positions) {
  beside p(traced, {rows, positions});
  for (std::int64_t t = 0; t < positions; ++t) {
    INFO("position " << t << " of " << positions);
    CHECK(p.error(p.step()) < rounding);
  }
}

void check_prefill(graph_view traced) {
  constexpr std::int64_t positions = 13;
  for (std::int64_t at_once : {64, 4, 1}) {
    INFO("a prompt of 13, " << at_once << " positions at once");
    beside p(traced, {2, positions}, at_once);
    CHECK(p.error(p.decoder.prefill(p.next(positions))) < rounding);
  }
  {
    beside p(traced, {2, positions}, 5);
    for (std::int64_t piece : {3, 0, 5, 0, 1, 0, 0}) {      // 0: a step
      INFO("a piece of " << piece << " at position " << p.decoder->position(0));
      CHECK(p.error(piece ? p.decoder.prefill(p.next(piece)) : p.step()) < rounding);
    }
  }
  beside p(traced, {4, positions}, 3);                           // rows that stand at different positions
  CHECK(p.error(p.decoder.prefill(p.next({2, 5, 5, 0}))) < rounding);
  for (int k = 0; k < 3; ++k) CHECK(p.error(p.step()) < rounding);
  CHECK(p.error(p.decoder.prefill(p.next({8, 1, 3, 4}))) < rounding);
  CHECK(p.decoder->position(0) == positions);
  CHECK(p.decoder->position(3) == 7);
}

void check_states(graph_view traced) {
  constexpr std::int64_t positions = 13;
  beside p(traced, {2, positions}, 4);
  stream& d = p.decoder;
  d.prefill(p.next(5));
  auto const saved = d->save();
  std::vector<double> const last(d->logits().begin(), d->logits().end());
  std::vector<std::vector<double>> first;
  for (int k = 0; k < 3; ++k) first.push_back(p.step());
  d->restore(saved);
  CHECK(d->position(0) == 5);
  CHECK(std::vector<double>(d->logits().begin(), d->logits().end()) == last);
  for (int k = 0; k < 3; ++k) CHECK(p.step() == first[static_cast<std::size_t>(k)]);

  // A fork goes on as its origin does, and neither feels the other.
  stream fork = d.fork();
  CHECK(fork->position(1) == 8);
  for (int k = 0; k < 2; ++k) fork.step({0, 1});
  stream again = d.fork();
  std::vector<double> const tokens = {p.token(0, 8), p.token(1, 8)};
  auto const expected = p.step();
  CHECK(p.error(expected) < rounding);
  CHECK(again.step(tokens) == expected);
  CHECK(fork->position(0) == 10);

  // Refused: another batch's or capacity's state, what would pass the capacity, a token that is none.
  beside other(traced, {3, positions}), longer(traced, {2, positions + 4});
  other.step();
  longer.step();
  CHECK(refused(error_kind::state, [&] { d->restore(other.decoder->save()); }));
  CHECK(refused(error_kind::state, [&] { d->restore(longer.decoder->save()); }));
  CHECK(refused(error_kind::state, [&] { d.prefill({{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}); }));
  CHECK(refused(error_kind::shape, [&] { d.step({0}); }));
  CHECK(refused(error_kind::index, [&] { d.step({0, 1e6}); }));
  for (std::int64_t t = 9; t < positions; ++t) CHECK(p.error(p.step()) < rounding);
  CHECK(refused(error_kind::state, [&] { d.step({0, 0}); }));
  CHECK(d->position(0) == positions);

  d->reset();
  CHECK(d->position(0) == 0);
  if (sequence_for(traced, {1, 1}).size() == 2)            // other inputs than tokens and targets would have to be set again
    for (std::int64_t t = 0; t < 3; ++t) CHECK(p.error(p.step()) < rounding);
}

}  // namespace test
