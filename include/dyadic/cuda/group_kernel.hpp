// The kernels of a group of a fused plan, made from its code: the classes map and row of the CPU's engine, from the same signatures.
//
// A map whose arrays all run along memory is flat: a thread an element. Else a team of threads takes a row: a warp, or for long rows a
// block. It walks the row once for every reduction, as the code's phases say; elements that a later walk needs are computed again from the
// operands.
// Sums over other axes than the row's are kept by each block for a part of the rows, a column by one thread, and added up by a second
// kernel: in a fixed order, so that results do not depend on a schedule.
#pragma once
#include "dyadic/cuda/loops.hpp"
#include "dyadic/cuda/team.hpp"
#include "dyadic/passes/signature_type.hpp"

namespace dyadic::cuda {

/// A launch's data. Streams: the results in the order of their steps, then the operands.
template <class T, int Streams> struct group_arguments {
  T* p[Streams];
  loops<Streams> outer;              ///< all axes but the row's; those that some column sum keeps come first
  std::int64_t row_stride[Streams];
  std::int64_t length;               ///< of a row
  std::int64_t rows;
  std::int64_t piece;                ///< elements of a row that a team takes, where no reduction needs them all
  std::int64_t kept, chunks;         ///< of column sums: blocks = kept * chunks, each for a chunk of rows / kept rows
  T* sums;                           ///< by block, member, element of a row
  bool in_shared;                    ///< a block's sums are in shared memory until it ends
};

namespace detail {

template <class Code> struct group_facts {
  static constexpr int streams = Code::results + Code::operands;
  static constexpr bool columns = [] {
    for (int i = 0; i < Code::count; ++i) if (Code::at(i).level == member_level::columns) return true;
    return false;
  }();
  static constexpr int column_members = [] {
    int n = 0;
    for (int i = 0; i < Code::count; ++i) n += Code::at(i).level == member_level::columns;
    return n;
  }();
  static constexpr bool reduces = [] {
    for (int i = 0; i < Code::count; ++i) if (Code::at(i).level == member_level::row) return true;
    return false;
  }();
  static constexpr int numbers = [] {   // operands that are one number a row
    int n = 0;
    for (int j = 0; j < Code::operands; ++j) n += Code::of_row(j);
    return n;
  }();
  template <int Number> static constexpr int row_operand = [] {
    for (int j = 0, n = 0; j < Code::operands; ++j) if (Code::of_row(j) && n++ == Number) return j;
    return -1;
  }();
  template <int Operand> static constexpr int number_of = [] {
    int n = 0;
    for (int j = 0; j < Operand; ++j) n += Code::of_row(j);
    return n;
  }();
  template <int Step> static constexpr int column_of = [] {
    int n = 0;
    for (int i = 0; i < Step; ++i) n += Code::at(i).level == member_level::columns;
    return n;
  }();
};

/// A group's values at one place: the pointwise steps of a walk, from operands `in`, numbers of the row, and values of the row.
template <class T, class Code> struct group_values {
  using facts = group_facts<Code>;
  T number[facts::numbers > 0 ? facts::numbers : 1];
  T row[Code::count];

  template <int A> __device__ __forceinline__ T argument(T const* v, T const* in) const {
    if constexpr (A == group_step::absent) return T(0);
    else if constexpr (A >= group_step::operand_zero) {
      constexpr int operand = A - group_step::operand_zero;
      if constexpr (Code::template is_of_row<operand>) return number[facts::template number_of<operand>];
      else return in[operand];
    } else if constexpr (Code::template step<A>.level == member_level::row) return row[A];
    else return v[A];
  }
  /// Values of the row that are known before a walk. store(place, value).
  template <int Phase, class Store> __device__ __forceinline__ void scalars(Store&& store) {
    unroll<Code::count>([&](auto i) {
      constexpr int step = decltype(i)::value;
      constexpr group_step s = Code::template step<step>;
      if constexpr (s.level == member_level::row && !Code::template is_reduction<step> && s.phase == Phase) {
        row[step] = apply<s.kind, s.type, T>(argument<s.arg[0]>(nullptr, nullptr), argument<s.arg[1]>(nullptr, nullptr),
                                             argument<s.arg[2]>(nullptr, nullptr));
        if constexpr (s.stored) store(constant<Code::template place_of<step>>{}, row[step]);
      }
    });
  }
  /// One element of a walk. load(operand), store(place, value), add(column member, value); reductions go into `sums` by step.
  template <int Phase, class Load, class Store, class Add>
  __device__ __forceinline__ void element(T* sums, Load&& load, Store&& store, Add&& add) const {
    T v[Code::count], in[Code::operands > 0 ? Code::operands : 1];
    unroll<Code::operands>([&](auto j) {
      if constexpr (Code::template is_loaded<Phase, decltype(j)::value>) in[decltype(j)::value] = load(j);
    });
    unroll<Code::count>([&](auto i) {
      constexpr int step = decltype(i)::value;
      constexpr group_step s = Code::template step<step>;
      if constexpr (Code::template is_walked<Phase, step>) {
        T const x = argument<s.arg[0]>(v, in);
        if constexpr (s.level == member_level::row) sums[step] = combine<s.kind>()(sums[step], x);
        else if constexpr (s.level == member_level::columns) {
          if constexpr (s.phase == Phase) add(constant<facts::template column_of<step>>{}, x);
        } else {
          v[step] = apply<s.kind, s.type, T>(x, argument<s.arg[1]>(v, in), argument<s.arg[2]>(v, in));
          if constexpr (s.stored && s.phase == Phase) store(constant<Code::template place_of<step>>{}, v[step]);
        }
      }
    });
  }
};

}  // namespace detail

/// A map of arrays that all run along memory: element by element.
template <class T, class Code>
__global__ void __launch_bounds__(block_threads, 2)
    group_flat(__grid_constant__ const group_arguments<T, detail::group_facts<Code>::streams> a) {
  detail::group_values<T, Code> w;
  unroll<detail::group_facts<Code>::numbers>([&](auto k) {
    constexpr int s = Code::results + detail::group_facts<Code>::template row_operand<decltype(k)::value>;
    w.number[decltype(k)::value] = *a.p[s];
  });
  DYADIC_CUDA_EACH(i, a.length)
    w.template element<0>(
        nullptr, [&](auto j) { return a.p[Code::results + decltype(j)::value][i]; },
        [&](auto r, T value) { a.p[decltype(r)::value][i] = value; }, [](auto, T) {});
}

/// Row by row: a team of Threads to each.
template <class T, class Code, int Threads>
__global__ void __launch_bounds__(block_threads, 2)
    group_rows(__grid_constant__ const group_arguments<T, detail::group_facts<Code>::streams> a) {
  using facts = detail::group_facts<Code>;
  using threads = team<T, Threads, facts::numbers>;
  __shared__ typename threads::shared shared;
  extern __shared__ __align__(16) unsigned char own_sums[];
  threads on{shared, static_cast<int>(threadIdx.x)};
  detail::group_values<T, Code> w;
  constexpr int streams = facts::streams;

  std::int64_t first = blockIdx.x * static_cast<std::int64_t>(blockDim.y) + threadIdx.y, end = a.rows;
  std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.y, from = 0, to = a.length;
  T* sums = nullptr;
  if constexpr (facts::columns) {
    std::int64_t const chunk = blockIdx.x % a.chunks, rows = a.rows / a.kept, of_chunk = (rows + a.chunks - 1) / a.chunks;
    std::int64_t const row = blockIdx.x / a.chunks * rows;
    first = row + (chunk * of_chunk < rows ? chunk * of_chunk : rows);
    end = row + ((chunk + 1) * of_chunk < rows ? (chunk + 1) * of_chunk : rows);
    step = 1;
    sums = a.in_shared ? reinterpret_cast<T*>(own_sums) : a.sums + blockIdx.x * facts::column_members * a.length;
    for (std::int64_t j = on.rank; j < a.length; j += Threads)
      for (int m = 0; m < facts::column_members; ++m) sums[m * a.length + j] = T(0);
  } else if constexpr (!facts::reduces) {
    from = blockIdx.y * a.piece;
    to = from + a.piece < a.length ? from + a.piece : a.length;
  }
  for (std::int64_t row = first; row < end; row += step) {
    std::int64_t offset[streams];
    a.outer.at(row, offset);
    on.numbers(w.number, [&](auto k) {
      constexpr int s = Code::results + facts::template row_operand<decltype(k)::value>;
      return a.p[s][offset[s]];
    });
    auto const number = [&](auto r, T value) { if (on.rank == 0) a.p[decltype(r)::value][offset[decltype(r)::value]] = value; };
    unroll<Code::phases>([&](auto phase) {
      constexpr int now = decltype(phase)::value;
      w.template scalars<now>(number);
      T partial[Code::count];
      unroll<Code::count>([&](auto i) {
        constexpr int step = decltype(i)::value;
        constexpr group_step s = Code::template step<step>;
        if constexpr (s.level == member_level::row && Code::template is_reduction<step> && s.phase == now) {
          partial[step] = combine<s.kind>::template start<T>;
        }
      });
      for (std::int64_t j = from + on.rank; j < to; j += Threads)
        w.template element<now>(
            partial,
            [&](auto k) {
              constexpr int s = Code::results + decltype(k)::value;
              return a.p[s][offset[s] + j * a.row_stride[s]];
            },
            [&](auto r, T value) { a.p[decltype(r)::value][offset[decltype(r)::value] + j * a.row_stride[decltype(r)::value]] = value; },
            [&](auto m, T value) { sums[decltype(m)::value * a.length + j] += value; });
      unroll<Code::count>([&](auto i) {
        constexpr int step = decltype(i)::value;
        constexpr group_step s = Code::template step<step>;
        if constexpr (s.level == member_level::row && Code::template is_reduction<step> && s.phase == now) {
          w.row[step] = on.template reduce<s.kind>(partial[step]);
          if constexpr (s.stored) number(constant<Code::template place_of<step>>{}, w.row[step]);
        }
      });
    });
    w.template scalars<Code::phases>(number);
    on.finish_row();
  }
  if constexpr (facts::columns) {
    if (a.in_shared) {
      T* const all = a.sums + blockIdx.x * facts::column_members * a.length;
      for (std::int64_t j = on.rank; j < a.length; j += Threads)
        for (int m = 0; m < facts::column_members; ++m) all[m * a.length + j] = sums[m * a.length + j];
    }
  }
}

}  // namespace dyadic::cuda
