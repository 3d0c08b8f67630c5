// Decoding of systems without feedback along the sequence.
#include "decode/decoding.hpp"
#include "dyadic/models/depth_attention.hpp"
#include "dyadic/models/simple_attention.hpp"
#include "dyadic/models/transformer.hpp"

namespace {

constexpr dyadic::models::config tied = [] {
  auto c = decoding::size;
  c.tied = true;
  return c;
}();

int const registered = [] {
  using namespace dyadic::models;
  decoding::entry<transformer<decoding::size>>("Transformer");
  decoding::entry<depth_attention<decoding::size>>("Depth-Attention");
  decoding::entry<simple_attention<tied>>("Simple Attention", true);
  return 0;
}();

}  // namespace
