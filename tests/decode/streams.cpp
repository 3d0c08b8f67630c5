// Every causal system, streamed: at every position what the sequential evaluation gives, however the prompt is cut, whatever is forked.
#include <doctest/doctest.h>

#include "decode/stream.hpp"
#include "support/systems.hpp"

namespace {

template <class F> void each_causal(F check) {
  for (test::system const& s : test::systems()) {
    if (!s.causal) continue;
    INFO(s.name);
    check(s.traced);
  }
}

}  // namespace

TEST_CASE("stream: one token at a time equals the sequential evaluation at every position") {
  each_causal([](dyadic::graph_view g) { for (std::int64_t positions : {1, 2, 13}) test::check_steps(g, 2, positions); });
}
TEST_CASE("stream: prompts in one piece, in pieces, of different lengths") { each_causal(test::check_prefill); }
TEST_CASE("stream: states are saved, restored and forked; what is refused changes nothing") { each_causal(test::check_states); }

TEST_CASE("stream: a recursive lstm's binary counter equals its evaluation level by level") {
  dyadic::graph_view const g = test::system_called("recursive lstm").traced;
  for (std::int64_t positions : {3, 23, 64, 65}) test::check_steps(g, 2, positions);
}
