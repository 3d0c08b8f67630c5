// What the compiler proves of the baselines' plans (golden.cpp: of the systems').
#include "dyadic/models.hpp"
#include "dyadic/passes/program.hpp"

namespace {

using namespace dyadic;
using models::seq;
constexpr models::config base{.vocabulary = 37, .width = 24, .layers = 3, .heads = 4, .kv_heads = 2, .head_dim = 8, .hidden = 40};
constexpr models::symbol_config symbols{.inputs = 5, .hidden = 16, .classes = 3};

static_assert(parallel<models::looped_transformer<base>, seq> && !tiled<models::looped_transformer<base>, seq>);
static_assert(sequential<models::looped_transformer<base>, models::executed>);
static_assert(sequential<models::gru<symbols>, seq> && sequential<models::rnn<symbols>, seq> && !parallel<models::rnn<symbols>, seq>);
static_assert(parallel<models::rnn<symbols>, seq, jacobi<>>);   // every state comes from the pass before
static_assert(causal<models::looped_transformer<base>, seq> && causal<models::gru<symbols>, seq> && causal<models::rnn<symbols>, seq>);

}  // namespace
