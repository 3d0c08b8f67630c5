// Folds over the positions of an axis: softmax-weighted sums of values, and their transposes. Whole statements, single rows of a token loop
// and the tiles of a tiled loop are near rows with far rows, at every position of the outer axes.
#pragma once
#include "dyadic/cpu/fold_narrow.hpp"
#include "dyadic/cpu/fold_wide.hpp"

namespace dyadic::cpu::detail {

/// A fold's outer axes: those that the result has, whose positions are independent, and those whose positions are summed in order.
template <class T> struct fold_outer {
  struct loop { std::int64_t n, step; int dim; };
  loop kept[fold_data<T>::max_outer], gone[fold_data<T>::max_outer];
  int kept_dims = 0, gone_dims = 0;
  std::int64_t positions = 1, sums = 1;
  fold_outer(engine<T> const& e, fold_data<T> const& f) {
    for (int q = 0; q < f.dims; ++q) {
      auto const& d = f.d[q];
      loop const l{d.axis >= 0 ? e.at[d.axis].n : d.n, d.axis >= 0 ? e.at[d.axis].step : 1, q};
      bool const has = d.of_result;
      (has ? kept[kept_dims++] : gone[gone_dims++]) = l;
      (has ? positions : sums) *= l.n;
    }
  }
  /// Moves a cursor by `by` positions of a loop.
  static void move(fold_cursor<T>& t, loop const& l, std::int64_t by) {
    for (int s = 0; s < t.f.count; ++s) t.p[s] += by * l.step * t.f.d[l.dim].stride[s];
  }
  /// To position number `i`; t.p as they are at number 0.
  void move_to(fold_cursor<T>& t, std::int64_t i) const {
    for (int q = kept_dims; q-- > 0; i /= kept[q].n) move(t, kept[q], i % kept[q].n);
  }
  /// Calls g for every position that is summed.
  template <class G> void each_sum(fold_cursor<T>& t, G&& g) const {
    if (sums == 0) return;
    std::int64_t at[fold_data<T>::max_outer]{};
    for (;;) {
      g();
      int q = gone_dims - 1;
      for (; q >= 0; --q) {
        bool const more = ++at[q] < gone[q].n;
        move(t, gone[q], more ? 1 : -(gone[q].n - 1));
        if (more) break;
        at[q] = 0;
      }
      if (q < 0) return;
    }
  }
};

/// Calls g(cursor, rows, each_sum) for every block of near rows at every position of the result's outer axes. `work`: nanoseconds a row.
template <class T, class G> void each_near(engine<T>& e, fold_data<T>& f, range const& near, double work, G&& g) {
  fold_outer<T> const outer(e, f);
  if (near.n <= 0 || outer.positions == 0) return;
  std::int64_t const block = f.near_block, blocks = (near.n + block - 1) / block;
  std::int64_t const items = outer.positions * blocks;
  pieces const part(items, e.on.parts(work * static_cast<double>(outer.positions * (std::max<std::int64_t>)(outer.sums, 1) * near.n)));
  e.on.run(part.count, [&](std::int64_t number, int worker) {
    std::int64_t const end = part.begin(number) + part.length(number);
    fold_cursor<T> t(e, f, worker);
    T* first_position[fold_data<T>::max_operands];
    std::copy(t.p, t.p + f.count, first_position);
    for (std::int64_t i = part.begin(number); i < end; ++i) {
      std::int64_t const first = i % blocks * block;
      std::copy(first_position, first_position + f.count, t.p);
      outer.move_to(t, i / blocks);
      range const rows{near.lo + first * near.step, (std::min)(block, near.n - first), near.step};
      g(t, rows, [&](auto&& h) { outer.each_sum(t, h); });
    }
  });
}

/// Up to near_block near rows with all far rows of a range that pair with them.
template <class T> void fold_into(fold_cursor<T>& t, range const& near, range const& far) {
  if (near.n <= 0 || far.n <= 0) return;
  if (near.n <= few_near<T>) narrow_fold<T>(t).run(near, far);
  else wide_fold<T>(t).run(near, far);
}

}  // namespace dyadic::cpu::detail
