// error: what backward needs is more than the budget
#include "dyadic/models/rnn.hpp"
#include "dyadic/passes/budget.hpp"
using namespace dyadic;
using model = models::rnn<models::symbol_config{.inputs = 5, .hidden = 6, .classes = 3}>;
using program = training<model, exact, false, keeping::bytes<100, bind(models::batch{2}, models::seq{7})>>;
static_assert(program::graph.size > 0);
