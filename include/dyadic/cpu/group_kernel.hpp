// The kernel of a group, made from its code: one row of the domain, in as many walks as its reductions need. Elements of one walk that a
// later one needs are computed again from the operands; nothing but results touches memory.
#pragma once
#include <limits>

#include "dyadic/cpu/unroll.hpp"
#include "dyadic/cpu/vector_ops.hpp"
#include "dyadic/passes/signature_type.hpp"

namespace dyadic::cpu {

/// Computes n neighbours along the row axis. p: the results in the order of their steps, then the operands; what has the row axis lies one
/// element after another, what lacks it is one number. Column sums are added to.
template <class T> using group_kernel = void (*)(T* const* p, std::int64_t n);

namespace detail {

template <class T, class Code> struct group_row {
  using V = vector_of<T>;
  static constexpr int lanes = native_lanes<T>, count = Code::count, operands = Code::operands;
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  T* const* p;
  T row[count];        // values that are one number a row
  T outer[operands > 0 ? operands : 1];

  template <int A> [[gnu::always_inline]] T scalar() const {
    if constexpr (A == group_step::absent) return T(0);
    else if constexpr (A >= group_step::operand_zero) return outer[A - group_step::operand_zero];
    else return row[A];
  }
  template <int A> [[gnu::always_inline]] static V element(group_row const& w, V const* v, V const* in) {
    if constexpr (A == group_step::absent) return V{};
    else if constexpr (A >= group_step::operand_zero) {
      if constexpr (Code::of_row(A - group_step::operand_zero)) return broadcast<V>(w.outer[A - group_step::operand_zero]);
      else return in[A - group_step::operand_zero];
    } else if constexpr (Code::at(A).level == member_level::row) return broadcast<V>(w.row[A]);
    else return v[A];
  }

  /// Pointwise values of the row that are known before a walk.
  template <int Phase> [[gnu::always_inline]] void scalars() {
    unroll<count>([&](auto i) DYADIC_INLINE {
      constexpr int Step = decltype(i)::value;
      constexpr group_step s = Code::at(Step);
      if constexpr (s.level == member_level::row && !s.reduces() && s.phase == Phase) {
        V const r = apply_op<s.kind, s.type, V>(broadcast<V>(scalar<s.arg[0]>()), broadcast<V>(scalar<s.arg[1]>()),
                                                broadcast<V>(scalar<s.arg[2]>()));
        row[Step] = r[0];
        if constexpr (s.stored) *p[Code::place(Step)] = row[Step];
      }
    });
  }

  /// One vector of a walk; the last of a row has fewer than `lanes` elements.
  template <int Phase, bool Whole> [[gnu::always_inline]] static void vector(group_row& w, V* sums, std::int64_t at, std::int64_t n) {
    V v[count], in[operands > 0 ? operands : 1];
    unroll<operands>([&](auto j) DYADIC_INLINE {
      constexpr int J = decltype(j)::value;
      if constexpr (Code::loads(Phase, J)) {
        T const* const x = w.p[Code::results + J] + at;
        if constexpr (Whole) in[J] = load<V>(x);
        else in[J] = load_first<V>(x, n);
      }
    });
    unroll<count>([&](auto i) DYADIC_INLINE {
      constexpr int Step = decltype(i)::value;
      constexpr group_step s = Code::at(Step);
      if constexpr (Code::walks(Phase, Step)) {
        V const x = element<s.arg[0]>(w, v, in);
        if constexpr (s.reduces() && s.level == member_level::row) {
          if constexpr (Whole) {
            if constexpr (s.kind == op::sum) sums[Step] += x;
            else if constexpr (s.kind == op::reduce_max) sums[Step] = select<V>((x > sums[Step]) | (x != x), x, sums[Step]);
            else sums[Step] = select<V>((x < sums[Step]) | (x != x), x, sums[Step]);
          } else {
            for (int k = 0; k < n; ++k) {
              if constexpr (s.kind == op::sum) sums[Step][k] += x[k];
              else if (s.kind == op::reduce_max ? x[k] > sums[Step][k] : x[k] < sums[Step][k]) sums[Step][k] = x[k];
              else if (x[k] != x[k]) sums[Step][k] = x[k];
            }
          }
        } else {
          if constexpr (s.level == member_level::columns) v[Step] = x;
          else v[Step] = apply_op<s.kind, s.type, V>(x, element<s.arg[1]>(w, v, in), element<s.arg[2]>(w, v, in));
          if constexpr (s.stored && s.phase == Phase) {
            T* const r = w.p[Code::place(Step)] + at;
            if constexpr (s.level == member_level::columns) v[Step] += Whole ? load<V>(r) : load_first<V>(r, n);
            if constexpr (Whole) store<V>(r, v[Step]);
            else store_first<V>(r, v[Step], n);
          }
        }
      }
    });
  }

  template <int Phase> [[gnu::always_inline]] void walk(std::int64_t n) {
    V sums[count];
    unroll<count>([&](auto i) DYADIC_INLINE {
      constexpr group_step s = Code::at(decltype(i)::value);
      if constexpr (s.reduces() && s.level == member_level::row && s.phase == Phase)
        sums[i] = broadcast<V>(s.kind == op::sum ? T(0) : s.kind == op::reduce_max ? -infinity : infinity);
    });
    std::int64_t at = 0;
    for (; at + lanes <= n; at += lanes) vector<Phase, true>(*this, sums, at, lanes);
    if (at < n) vector<Phase, false>(*this, sums, at, n - at);
    unroll<count>([&](auto i) DYADIC_INLINE {
      constexpr int Step = decltype(i)::value;
      constexpr group_step s = Code::at(Step);
      if constexpr (s.reduces() && s.level == member_level::row && s.phase == Phase) {
        if constexpr (s.kind == op::sum) row[Step] = sum(sums[Step]);
        else row[Step] = extreme<s.kind == op::reduce_max>(sums[Step]);
        if constexpr (s.stored) *p[Code::place(Step)] = row[Step];
      }
    });
  }
  /// The largest or smallest; a NaN among them stays.
  template <bool Largest> static T extreme(V const& v) {
    T m = v[0];
    for (int k = 1; k < lanes; ++k) if (Largest ? (v[k] > m || v[k] != v[k]) : (v[k] < m || v[k] != v[k])) m = v[k];
    return m;
  }
};

}  // namespace detail

template <class T, class Code> void compute_group_row(T* const* p, std::int64_t n) {
  detail::group_row<T, Code> w;
  w.p = p;
  detail::unroll<Code::operands>([&](auto j) DYADIC_INLINE {
    constexpr int J = decltype(j)::value;
    if constexpr (Code::of_row(J)) w.outer[J] = *p[Code::results + J];
  });
  detail::unroll<Code::phases>([&](auto phase) DYADIC_INLINE {
    w.template scalars<decltype(phase)::value>();
    w.template walk<decltype(phase)::value>(n);
  });
  w.template scalars<Code::phases>();
}

}  // namespace dyadic::cpu
