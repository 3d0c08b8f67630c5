// A plan's statements put on a stream one after another, and which of them have kernels here.
#pragma once
#include "dyadic/cuda/contract_kernel.hpp"
#include "dyadic/cuda/group_launch.hpp"
#include "dyadic/cuda/indexed_kernel.hpp"
#include "dyadic/cuda/line_kernel.hpp"
#include "dyadic/cuda/random_kernel.hpp"
#include "dyadic/cuda/view_kernel.hpp"

namespace dyadic::cuda {

/// The first statement of a plan that no CUDA kernel exists for, or -1: a loop, a fold, or an operand at another position of a recurrence.
constexpr int first_unsupported(graph_view g, plan_view p) {
  for (int s = 0; s < p.size; ++s) {
    if (p.s[s].kind != stmt::run || p.s[s].guard != stmt::always || p.s[s].active_rows) return s;
    node const& x = g.nodes[p.s[s].id];
    op_class const kind = traits(x.kind).kind;
    if (kind == op_class::fold || kind == op_class::far || kind == op_class::pair) return s;
    for (int k = 0; k < x.nargs; ++k) if (x.far[k]) return s;
  }
  return -1;
}

namespace detail {
template <class T> void enqueue_reduction(context<T> const& c, int i) {
  node const& w = c.g[i];
  int const x = w.arg[0];
  reduce_arguments<T> const a{c.pointer(i), c.pointer(x), c.over(w.axes, i, x), c.over(c.g[x].axes & ~w.axes, x)};
  if (w.kind == op::sum) reduce<op::sum>(a, c.stream);
  else if (w.kind == op::reduce_max) reduce<op::reduce_max>(a, c.stream);
  else reduce<op::reduce_min>(a, c.stream);
}
template <class T> void enqueue_alone(context<T> const& c, int i) {
  node const& w = c.g[i];
  if (w.kind == op::sum || w.kind == op::reduce_max || w.kind == op::reduce_min) return enqueue_reduction(c, i);
  if (w.kind == op::argmax || w.kind == op::softmax || w.kind == op::logsumexp) return enqueue_lines(c, i);
  if (w.kind == op::contract) return enqueue_contract(c, i);
  if (w.kind == op::gather) return enqueue_gather(c, i);
  if (w.kind == op::scatter) return enqueue_scatter(c, i);
  if (traits(w.kind).kind == op_class::view) return enqueue_view(c, i);
  if (traits(w.kind).kind != op_class::leaf) raise(error_kind::argument, message() << "no CUDA kernel for operation " << op_name(w.kind));
  if (traits(w.kind).random) enqueue_random(c, i);
}
}  // namespace detail

/// Calls group(number, code) for every group of a fused plan and alone(node) for every other statement, in order.
template <class Group, class Alone> void each_statement(graph_view g, plan_view p, Group&& group, Alone&& alone) {
  dyadic::detail::group_readers const readers(g, p);
  for (int s = 0; s < p.size;) {
    if (p.s[s].kind != stmt::run) { ++s; continue; }
    if (p.s[s].group < 0) { alone(p.s[s++].id); continue; }
    int end = s + 1;
    while (end < p.size && p.s[end].kind == stmt::run && p.s[end].group == p.s[s].group) ++end;
    group(p.s[s].group, code_of(g, p, readers, s, end));
    s = end;
  }
}

/// Elements of the scratch memory that the plan's groups need, at least one.
template <class T> std::int64_t scratch_size(context<T> c, plan_view p, std::vector<group_launch<T>> const& groups) {
  std::int64_t most = 1;
  c.scratch = nullptr;
  each_statement(c.g, p, [&](int q, group_code const& code) {
    std::int64_t const n = groups[static_cast<std::size_t>(q)](c, code);
    if (n > most) most = n;
  }, [](int) {});
  return most;
}

/// Puts a plan on the context's stream. Errors: a statement without a kernel, or what CUDA says of a launch.
template <class T> void enqueue(context<T> const& c, plan_view p, std::vector<group_launch<T>> const& groups) {
  each_statement(c.g, p, [&](int q, group_code const& code) {
    groups[static_cast<std::size_t>(q)](c, code);
    check(cudaGetLastError(), "launching a group's kernel");
  }, [&](int i) {
    detail::enqueue_alone(c, i);
    check(cudaGetLastError(), op_name(c.g[i].kind));
  });
}

}  // namespace dyadic::cuda
