// The axes of the library's models. All are bound at run time in the type; a configuration binds those it fixes, so that two widths of a
// model have the same expression types.
#pragma once
#include "dyadic/axes/axis.hpp"

namespace dyadic::models {

struct batch : axis<> {};
struct seq : axis<> {};
struct vocab : axis<> {};
struct feature : axis<> {};       ///< the stream between layers
struct hidden : axis<> {};        ///< inside a feed-forward layer
struct heads : axis<> {};         ///< key and value heads
struct group : axis<> {};         ///< query heads that share one of them
struct head_dim : axis<> {};
struct layer : axis<> {};
struct executed : axis<> {};      ///< a layer of a looped stack, counted as executed

struct chunk : axis<> {};         ///< the sequence in pieces,
struct within : axis<> {};        ///< and the positions of a piece

struct merges : axis<> {};        ///< of a tree over the sequence
struct inputs : axis<> {};        ///< one-hot symbols of the formal-language baselines
struct classes : axis<> {};       ///< and what they predict
struct units : axis<> {};         ///< of a recurrent cell: its state

}  // namespace dyadic::models
