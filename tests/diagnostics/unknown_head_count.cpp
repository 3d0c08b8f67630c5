// error: config: heads must be given
#include "dyadic/models/transformer.hpp"
using namespace dyadic;
constexpr auto& graph = traced<models::transformer<models::config{.vocabulary = 256, .width = 64, .layers = 2, .hidden = 128}>>::graph;
