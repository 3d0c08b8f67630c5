// How random nodes are made. Each has its own stream, so no two are ever shared, and the numbers are the same under recomputation,
// threads and devices: they depend on (seed, step, stream, index) only.
#pragma once
#include "dyadic/expr/builder.hpp"

namespace dyadic {

/// A random node over `shape` with a fresh stream.
constexpr int draw(builder& b, op kind, axis_set shape, dtype type, double value) {
  node n;
  n.kind = kind; n.type = type; n.axes = shape; n.value = value; n.slot = static_cast<std::int16_t>(b.streams++);
  return b.push(n);
}

}  // namespace dyadic
