// A group of a fused plan, ready to go: loops over its domain but the row axis, and a kernel that computes a row: one made for its code at
// compile time where the program brings it; else the steps one after another, a row at a time.
#pragma once
#include "dyadic/cpu/group_kernel.hpp"
#include "dyadic/cpu/maps.hpp"
#include "dyadic/cpu/rows.hpp"
#include "dyadic/passes/signature.hpp"

namespace dyadic::cpu {

/// A group's data. Streams: its stored results in the order of their steps, then its operands.
template <class T> struct group_data {
  static constexpr int max_streams = max_group_members + max_group_operands;
  struct loop { std::int64_t n = 1; std::int8_t varies = -1; std::int64_t stride[max_streams]{}; };
  group_code code;
  group_kernel<T> kernel = nullptr;
  int streams = 0, dims = 0;
  std::int16_t node[max_streams]{};
  bool along_row[max_streams]{};
  address of[max_streams];
  loop d[max_dims], row;             ///< outer loops; the row
  std::int64_t longest = 1;          ///< the most elements a row can have
  nest clear[max_group_members];     ///< of the results that are added to
  bool adds[max_group_members]{};
  std::vector<T> rows;               ///< by worker: steps and strided streams, a row each
  std::int64_t rows_size = 0;
  std::vector<T> sums;               ///< by part: the results that are added to
  static constexpr int most_sums = 16;   ///< parts, then
  bool copied = true;                ///< such results run along memory: a part can have its own copy
};

namespace detail {

/// A group's row by its steps, one after another over the whole row.
template <class T> void compute_row_by_steps(group_data<T> const& w, T* const* p, std::int64_t n, T* rows) {
  group_code const& c = w.code;
  T* value[max_group_members]{};
  T number[max_group_members]{};
  int place = 0;
  for (int i = 0; i < c.count; ++i) {
    group_step const& s = c.s[i];
    T const* x[3]{};
    unsigned scalar = 0;
    for (int k = 0; k < 3; ++k) {
      int const a = s.arg[k];
      if (a == group_step::absent) continue;
      bool const one = a >= group_step::operand_zero ? c.of_row[a - group_step::operand_zero] : c.s[a].level == member_level::row;
      x[k] = a >= group_step::operand_zero ? p[c.results + a - group_step::operand_zero] : value[a];
      scalar |= static_cast<unsigned>(one) << k;
    }
    T* const to = s.stored ? p[place++] : nullptr;
    if (s.level == member_level::columns) {
      for (std::int64_t j = 0; j < n; ++j) to[j] += x[0][j];
    } else if (s.reduces()) {
      T r = s.kind == op::sum ? T(0) : s.kind == op::reduce_max ? -infinity<T> : infinity<T>;
      if (s.kind == op::sum) r = sum_of(x[0], n);
      else for (std::int64_t j = 0; j < n; ++j) {
        T const v = x[0][j];
        if (v != v || (s.kind == op::reduce_max ? v > r : v < r)) r = v;
      }
      number[i] = r;
      value[i] = &number[i];
    } else {
      bool const one = s.level == member_level::row;
      value[i] = one ? &number[i] : to ? to : rows + i * w.longest;
      node kind;
      kind.kind = s.kind; kind.type = s.type;
      kernel_of<T>(kind)(value[i], x[0], x[1], x[2], one ? 7u : scalar, one ? 1 : n);
    }
    if (to && s.level == member_level::row) *to = number[i];
  }
}

template <class T> void compute_group_at(group_data<T> const& w, T* const* p, std::int64_t n, T* rows) {
  if (w.kernel) w.kernel(p, n);
  else compute_row_by_steps(w, p, n, rows);
}

/// A row whose streams do not all run along memory: by way of copies.
template <class T> void compute_strided_row(group_data<T> const& w, T* const* p, std::int64_t n, T* rows) {
  T* q[group_data<T>::max_streams];
  T* room = rows + w.code.count * w.longest;
  for (int s = 0; s < w.streams; ++s, room += w.longest) {
    q[s] = p[s];
    if (!w.along_row[s] || w.row.stride[s] == 1) continue;
    q[s] = room;
    for (std::int64_t j = 0; j < n; ++j) room[j] = p[s][j * w.row.stride[s]];
  }
  compute_group_at(w, q, n, rows);
  for (int s = 0; s < w.code.results; ++s)
    if (q[s] != p[s]) for (std::int64_t j = 0; j < n; ++j) p[s][j * w.row.stride[s]] = q[s][j];
}

/// The lengths of a group's loops as it runs, and what moves in them. Where results are added to, a part of the rows adds to its own copy.
template <class T> struct group_walk {
  group_data<T> const& w;
  int dims;
  std::int64_t n[max_dims], by[max_dims], rows = 1, length, copies = 0;   // copies: elements of a part's sums
  std::int64_t first[max_group_members], stride[max_group_members][max_dims];   // of a part's sums, where there are any

  group_walk(engine<T> const& e, group_data<T> const& data) : w(data), dims(data.dims) {
    for (int q = 0; q < dims; ++q) {
      auto const& d = w.d[q];
      n[q] = d.varies >= 0 ? d.n * e.at[d.varies].n : d.n;
      by[q] = d.varies >= 0 ? e.at[d.varies].step : 1;
      rows *= n[q];
    }
    length = w.row.varies >= 0 ? w.row.n * e.at[w.row.varies].n : w.row.n;
    for (int s = 0; s < w.code.results; ++s) {
      if (!w.adds[s]) continue;
      first[s] = copies;
      std::int64_t size = length;
      for (int q = dims; q-- > 0;) {
        bool const moves = w.d[q].stride[s] != 0;
        stride[s][q] = moves ? size : 0;
        if (moves) size *= n[q];
      }
      copies += (size + 15) / 16 * 16;   // parts share no cache line
    }
  }
  double work() const {
    return static_cast<double>(rows) * (10 + static_cast<double>(length) * 0.1 * (w.code.count + w.streams));
  }
  /// Parts of the rows. With sums, adding up the copies is to take no more than a tenth of the work.
  pieces parts(division const& on) const {
    std::int64_t most = division::most_parts;
    if (!w.copied) most = 1;
    else if (copies) most = (std::min)(rows * length / (10 * copies), std::int64_t{group_data<T>::most_sums});
    return pieces(rows, on.parts(work(), (std::max)(most, std::int64_t{1})));
  }
  /// Rows [begin, end): f(pointers). p: at row 0. sums: where the results that are added to go instead, or nullptr.
  template <class F> void run(T* const* from, std::int64_t begin, std::int64_t end, T* sums, F&& f) const {
    T* p[group_data<T>::max_streams];
    std::int64_t at[max_dims], rest = begin;
    for (int s = 0; s < w.streams; ++s) p[s] = sums && s < w.code.results && w.adds[s] ? sums + first[s] : from[s];
    auto move = [&](int q, std::int64_t steps) {
      for (int s = 0; s < w.streams; ++s)
        p[s] += steps * (sums && s < w.code.results && w.adds[s] ? stride[s][q] : by[q] * w.d[q].stride[s]);
    };
    for (int q = dims; q-- > 0; rest /= n[q]) {
      at[q] = rest % n[q];
      if (at[q]) move(q, at[q]);
    }
    for (std::int64_t i = begin;;) {
      f(static_cast<T* const*>(p));
      if (++i == end) return;
      for (int q = dims - 1;; --q) {
        bool const more = ++at[q] < n[q];
        move(q, more ? 1 : -(n[q] - 1));
        if (more) break;
        at[q] = 0;
      }
    }
  }
  /// Adds the copies of all parts to the results, part after part.
  void add_copies(T* const* to, T const* sums, std::int64_t parts) const {
    for (int s = 0; s < w.code.results; ++s) {
      if (!w.adds[s]) continue;
      std::int64_t at[max_dims]{}, o = 0, c = first[s];
      for (;;) {
        for (std::int64_t i = 0; i < parts; ++i)
          for (std::int64_t j = 0; j < length; ++j) to[s][o + j] += sums[i * copies + c + j];
        int q = dims - 1;
        for (; q >= 0; --q) {
          if (stride[s][q] == 0) continue;
          bool const more = ++at[q] < n[q];
          std::int64_t const steps = more ? 1 : -(n[q] - 1);
          o += steps * by[q] * w.d[q].stride[s];
          c += steps * stride[s][q];
          if (more) break;
          at[q] = 0;
        }
        if (q < 0) break;
      }
    }
  }
};

template <class T> void group_run(engine<T>& e, task<T> const& k) {
  group_data<T>& w = e.groups[static_cast<std::size_t>(k.group)];
  T* p[group_data<T>::max_streams];
  for (int s = 0; s < w.streams; ++s) p[s] = e.pointer(w.of[s]);
  for (int s = 0; s < w.code.results; ++s) if (w.adds[s]) fill(e, w.clear[s], p[s], T(0));
  group_walk<T> const g(e, w);
  if (g.rows == 0) return;
  bool strided = false;
  for (int s = 0; s < w.streams; ++s) strided = strided || (w.along_row[s] && w.row.stride[s] != 1 && g.length > 1);
  auto compute = [&](T* const* at, std::int64_t n, int worker) {
    T* const rows = w.rows.data() + worker * w.rows_size;
    if (strided) compute_strided_row(w, at, n, rows);
    else compute_group_at(w, at, n, rows);
  };
  pieces const part = g.parts(e.on);
  if (part.count > 1) {
    T* const sums = g.copies ? w.sums.data() : nullptr;
    e.on.run(part.count, [&](std::int64_t i, int worker) {
      T* const own = sums ? sums + i * g.copies : nullptr;
      if (own) std::fill(own, own + g.copies, T(0));
      g.run(p, part.begin(i), part.begin(i) + part.length(i), own, [&](T* const* at) { compute(at, g.length, worker); });
    });
    if (sums) g.add_copies(p, sums, part.count);
    return;
  }
  if (w.code.rows) return g.run(p, 0, g.rows, nullptr, [&](T* const* at) { compute(at, g.length, 0); });
  // Few rows: pieces of all of them, where no sum of a row needs the whole.
  pieces const piece(g.length, e.on.parts(g.work()), 64);
  e.on.run(piece.count, [&](std::int64_t i, int worker) {
    T* from[group_data<T>::max_streams];
    for (int s = 0; s < w.streams; ++s) from[s] = w.along_row[s] ? p[s] + piece.begin(i) * w.row.stride[s] : p[s];
    g.run(from, 0, g.rows, nullptr, [&](T* const* at) { compute(at, piece.length(i), worker); });
  });
}

}  // namespace detail

/// The group of a statement and its followers, whose code is c. kernel: nullptr for none.
template <class T> void prepare_group(engine<T>& e, task<T>& k, group_code const& c, group_kernel<T> kernel) {
  if (static_cast<int>(e.groups.size()) <= k.group) e.groups.resize(static_cast<std::size_t>(k.group) + 1);
  group_data<T>& w = e.groups[static_cast<std::size_t>(k.group)];
  std::vector<T> rows = std::move(w.rows), sums = std::move(w.sums);
  bool const again = w.code.count > 0;   // for another range of rows: in the memory that there is
  w = group_data<T>();
  w.code = c;
  w.kernel = kernel;
  for (int i = 0; i < c.count; ++i) {
    if (!c.s[i].stored) continue;
    w.adds[w.streams] = c.s[i].level == member_level::columns;
    if (w.adds[w.streams]) w.clear[w.streams] = e.loops(k, e.g[c.node[i]].axes, 0, c.node[i]);
    w.along_row[w.streams] = c.s[i].level != member_level::row;
    w.node[w.streams++] = c.node[i];
  }
  for (int j = 0; j < c.operands; ++j) {
    w.along_row[w.streams] = !c.of_row[j];
    w.node[w.streams++] = c.operand[j];
  }
  for (int s = 0; s < w.streams; ++s) w.of[s] = e.address_of(w.node[s], e.g[w.node[s]].axes, 0, k.modes);
  for (int q = 0; q < e.g.naxes; ++q) {
    int const a = e.layout_order[q];
    dim d;
    if (!(c.domain >> a & 1) || !e.loop(a, k.modes, false, d)) continue;
    auto& l = a == c.row ? w.row : w.d[w.dims++];
    l.n = d.n;
    l.varies = d.axis;
    for (int s = 0; s < w.streams; ++s) l.stride[s] = e.place(w.node[s]).stride[a];
  }
  bool adds = false;
  for (int s = 0; s < c.results; ++s) adds = adds || w.adds[s];
  auto longest = [&](auto const& row) { return row.varies >= 0 ? row.n * e.ext.of[row.varies] : row.n; };
  auto copies = [&](auto const& row) {   // elements that a worker needs for such a row
    bool strided = false;
    for (int s = 0; s < w.streams; ++s) strided = strided || (w.along_row[s] && row.stride[s] != 1 && longest(row) > 1);
    return kernel && !strided ? 0 : ((c.count + w.streams) * longest(row) + 15) / 16 * 16;
  };
  auto may_be = [&](auto const& row) { return !again || copies(row) * static_cast<std::int64_t>(e.pack.size()) <= std::ssize(rows); };
  if (w.row.n == 1 && w.row.varies < 0 && w.dims > 0 && !c.rows && !adds && may_be(w.d[w.dims - 1])) w.row = w.d[--w.dims];
  // Where the next row begins at the end of one, both are one.
  while (w.dims > 0 && !c.rows && w.row.varies < 0 && w.d[w.dims - 1].varies < 0) {
    auto const& o = w.d[w.dims - 1];
    bool join = !adds;
    for (int s = 0; s < w.streams; ++s) join = join && (!w.along_row[s] || o.stride[s] == w.row.stride[s] * w.row.n);
    auto both = w.row;
    both.n *= o.n;
    if (!join || !may_be(both)) break;
    w.row = both;
    --w.dims;
  }
  w.longest = longest(w.row);
  w.rows = std::move(rows);
  w.rows_size = copies(w.row);
  std::size_t const all_copies = e.pack.size() * static_cast<std::size_t>(w.rows_size);
  if (w.rows.size() < all_copies) w.rows.resize(all_copies);
  w.sums = std::move(sums);
  if (adds) {   // room for the copies that group_walk::parts() allows; where a range varies, it is at most the axis
    std::int64_t size = 0, all = w.longest;
    auto most = [&](int q) { return w.d[q].varies >= 0 ? w.d[q].n * e.ext.of[w.d[q].varies] : w.d[q].n; };
    for (int q = 0; q < w.dims; ++q) all *= most(q);
    for (int s = 0; s < c.results; ++s) {
      if (!w.adds[s]) continue;
      w.copied = w.copied && (w.row.stride[s] == 1 || w.longest <= 1);
      std::int64_t elements = w.longest;
      for (int q = 0; q < w.dims; ++q) if (w.d[q].stride[s]) elements *= most(q);
      size += (elements + 15) / 16 * 16;
    }
    auto const room = static_cast<std::size_t>((std::min)(all / 10, size * group_data<T>::most_sums));
    if (w.copied && !again) w.sums.resize(room);
    w.copied = w.copied && w.sums.size() >= room;
  }
  k.run = &detail::group_run<T>;
}

}  // namespace dyadic::cpu
