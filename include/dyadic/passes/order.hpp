// What a caller may ask of an arrangement.
#pragma once
#include "dyadic/expr/node.hpp"

namespace dyadic {

struct order {
  axis_set grouped = ~axis_set{0};   ///< of the axes of repeats and solver passes: those whose loops gather everything that has the axis
  int force = -1;                    ///< an axis whose loop is outermost, with everything that has the axis in it: decoding
  int force_dir = 1;
};

}  // namespace dyadic
