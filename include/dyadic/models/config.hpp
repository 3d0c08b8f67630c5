// The sizes and choices that the language models share. A config is a template argument: models::transformer<models::config{...}>.
#pragma once
#include "dyadic/axes/bind.hpp"
#include "dyadic/models/axes.hpp"

namespace dyadic::models {

struct config {
  int vocabulary = 0, width = 0, layers = 0;
  int heads = 0;                ///< query heads
  int kv_heads = 0;             ///< key and value heads; 0: as many as query heads
  int head_dim = 0;             ///< 0: width / heads
  int hidden = 0;               ///< inside the feed-forward layer
  double theta = 10000;         ///< base of the rotary angles
  double eps = 1e-6;            ///< of the norms
  bool tied = false;            ///< the embedding is also the readout
  int window = 0;               ///< positions a query sees, its own counted; 0: all earlier ones
  bool packed = false;          ///< a row holds several documents: the input `documents` numbers them, and a query sees its own
  bool positions = false;       ///< rotary positions are the input `positions` (say, restarted with each document)

  constexpr int key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
  constexpr int group() const { return key_heads() > 0 ? heads / key_heads() : 0; }
  constexpr int dim() const { return head_dim > 0 ? head_dim : heads > 0 ? width / heads : 0; }
};

/// The conditions on a config; each name is the requirement. A model asserts check_config<C>().
template <config C> inline constexpr bool sizes_are_positive = C.vocabulary > 0 && C.width > 0 && C.layers >= 0;
template <config C> inline constexpr bool head_count_is_known = C.heads > 0;
template <config C> inline constexpr bool key_heads_divide_query_heads = !head_count_is_known<C> || C.heads % C.key_heads() == 0;
template <config C> inline constexpr bool heads_divide_the_width = !head_count_is_known<C> || C.head_dim > 0 || C.width % C.heads == 0;
template <config C> inline constexpr bool head_dim_is_even = C.dim() % 2 == 0;

template <config C> constexpr auto check_config() {
  static_assert(sizes_are_positive<C>, "config: vocabulary and width must be given");
  static_assert(head_count_is_known<C>, "config: heads must be given");
  static_assert(key_heads_divide_query_heads<C>, "config: kv_heads must divide heads");
  static_assert(heads_divide_the_width<C>, "config: heads must divide width, or head_dim be given");
  static_assert(head_dim_is_even<C>, "config: rotary embedding needs an even head_dim");
  return true;
}

/// What C fixes: the axes of a model with grouped attention, and More of a model's own.
template <config C, class... More> constexpr auto attention_extents(More... more) {
  return bind(vocab{C.vocabulary}, feature{C.width}, heads{C.key_heads()}, group{C.group()}, head_dim{C.dim()}, more...);
}
/// The same with a feed-forward layer.
template <config C, class... More> constexpr auto block_extents(More... more) {
  return attention_extents<C>(hidden{C.hidden}, more...);
}

}  // namespace dyadic::models
