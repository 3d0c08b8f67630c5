// A worker's place in a fold: its operands at one position of the outer axes, its scratch, and the choice of rows in direction and rings.
#pragma once
#include "dyadic/cpu/contract.hpp"
#include "dyadic/cpu/fold_data.hpp"
#include "dyadic/cpu/fold_softmax.hpp"

namespace dyadic::cpu::detail {

template <class T> struct fold_cursor {
  using fold = fold_data<T>;
  engine<T> const& e;
  fold& f;
  gemm_room<T>& pack;
  fold_room<T> room;
  T* p[fold::max_operands]{};    // at the current outer position, row 0 of the folded axis
  T const* leaf[fold::max_operands]{};
  fold_cursor(engine<T>& engine_, fold& fold_, int worker)
      : e(engine_), f(fold_), pack(engine_.pack[static_cast<std::size_t>(worker)]), room(f, f.scratch.data() + worker * f.scratch_size) {
    for (int s = 0; s < f.count; ++s) if (f.x[s].present) p[s] = e.pointer(f.x[s].of);
  }

  /// Rows of an operand: some of the folded axis, none of whose numbers lie on both sides of a ring's end.
  matrix<T> rows(int s, range const& r) const {
    auto const& x = f.x[s];
    return {p[s] + e.offset(x.row, r.lo), r.n, f.has_depth() || s != fold::result ? f.depth : 1, x.row.stride * r.step, x.depth};
  }
  matrix<T const> values(int s, range const& r) const {
    matrix<T> const m = rows(s, r);
    return {m.p, m.rows, m.cols, m.row, m.col};
  }
  void gather(T* to, int s, range const& r) const {
    auto const& x = f.x[s];
    T const* const from = p[s] + e.offset(x.row, r.lo);
    std::int64_t const stride = x.row.stride * r.step;
    for (std::int64_t i = 0; i < r.n; ++i) to[i] = from[i * stride];
  }
  /// The program's leaves along one side, `size` apart.
  void gather_leaves(bool near, range const& r) {
    T* to = near ? room.near_leaves : room.far_leaves;
    std::int64_t const size = near ? room.near_size : room.far_size;
    for (std::size_t l = 0; l < f.leaves.size(); ++l, to += size) {
      int const s = fold::first_leaf + static_cast<int>(l);
      if (f.leaves[l].uniform) leaf[l] = p[s];
      else if ((f.leaves[l].at_key != f.near_is_query) == near) {
        gather(to, s, r);
        leaf[l] = to;
      }
    }
  }
  /// Logsumexp and delta of queries; without a pair no weight is to be more than 0.
  void gather_statistics(T* lse, T* delta, range const& queries) const {
    gather(lse, fold::lse, queries);
    for (std::int64_t i = 0; i < queries.n; ++i) if (lse[i] == -infinity<T>) lse[i] = infinity<T>;
    if (f.changes()) gather(delta, fold::delta, queries);
  }
  /// Moves leaves along the near side.
  void leaves_at(T const** to, std::int64_t near, std::int64_t far) const {
    for (std::size_t l = 0; l < f.leaves.size(); ++l)
      to[l] = leaf[l] + (f.leaves[l].uniform ? 0 : f.leaves[l].at_key != f.near_is_query ? near : far);
  }
  std::int64_t distance(std::int64_t near, std::int64_t far) const { return f.near_is_query ? near - far : far - near; }

  /// The far rows of r that pair with some row of `near`.
  range paired(range const& near, range r) const {
    std::int64_t const last = near.lo + (near.n - 1) * near.step;
    if (f.far_earlier()) {
      std::int64_t const n = last <= r.lo ? 0 : (last - r.lo + r.step - 1) / r.step;
      r.n = (std::min)(r.n, n);
    } else if (near.lo >= r.lo) {
      std::int64_t const skip = (std::min)(r.n, (near.lo - r.lo) / r.step + 1);
      r.lo += skip * r.step;
      r.n -= skip;
    }
    return r;
  }
  /// Calls g(rows, the rows after them) for the far rows that pair with `near`, block by block; blocks end where a ring of keys does.
  template <class G> void each_far_block(range const& near, range far, std::int64_t most, G&& g) const {
    std::int64_t const ring = f.near_is_query ? f.x[fold::key].row.ring : 0;
    if (ring) {
      std::int64_t const first = near.lo + (near.n - 1) * near.step - ring;
      if (first > far.lo) { far.n = (std::max<std::int64_t>)(far.n - (first - far.lo), 0); far.lo = first; }
    }
    far = paired(near, far);
    for (std::int64_t i = 0; i < far.n;) {
      std::int64_t const at = far.lo + i * far.step;
      std::int64_t n = (std::min)(most, far.n - i);
      if (ring) n = (std::min)(n, ring - at % ring);
      std::int64_t const rest = ring ? 0 : (std::min)(most, far.n - i - n);
      g(range{at, n, far.step}, range{at + n * far.step, rest, far.step});
      i += n;
    }
  }
};

}  // namespace dyadic::cpu::detail
