// A model's stream through plans made at run time, beside the sequential evaluation of the whole sequence.
#pragma once
#include <memory>
#include <vector>

#include "dyadic/decode/streamer.hpp"
#include "support/machine.hpp"

namespace test {

using prompts = std::vector<std::vector<double>>;

/// The graph and plans that streaming<Model, seq> has; everything outside the state is NaN between steps.
class stream {
 public:
  stream(dyadic::graph_view traced, lengths const& n, std::int64_t prefill_rows);

  std::vector<double> prefill(prompts const& p);          ///< logits, [row][class]
  std::vector<double> step(std::vector<double> const& tokens);
  stream fork() const { return stream(*this, state_->fork()); }
  dyadic::decode::streamer<double>* operator->() const { return state_.get(); }

 private:
  struct programs;
  std::shared_ptr<programs const> programs_;
  std::shared_ptr<dyadic::decode::streamer<double>> state_;
  stream(stream const& origin, dyadic::decode::streamer<double>&& s);
};

/// One token at a time against the evaluation of the whole sequence, at every position.
void check_steps(dyadic::graph_view traced, std::int64_t rows, std::int64_t positions);
/// Prompts in one piece, in pieces and steps, of different lengths.
void check_prefill(dyadic::graph_view traced);
/// Saved, restored and forked states; what is refused leaves the state as it was.
void check_states(dyadic::graph_view traced);

}  // namespace test
