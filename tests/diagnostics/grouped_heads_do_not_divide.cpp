// error: config: kv_heads must divide heads
#include "dyadic/models/transformer.hpp"
using namespace dyadic;
using models::config;
using model = models::transformer<config{.vocabulary = 256, .width = 60, .layers = 2, .heads = 6, .kv_heads = 4, .hidden = 128}>;
constexpr auto& graph = traced<model>::graph;
