// A program's fused plan and the codes of its groups, as constants.
#pragma once
#include "dyadic/passes/program.hpp"
#include "dyadic/passes/signature.hpp"

namespace dyadic {

namespace detail {
template <int Words, int Groups> struct sealed_codes {
  std::uint64_t word[Words + 1]{};
  int begin[Groups + 1]{};
  static constexpr int groups = Groups;
};
template <int Words, int Groups> constexpr sealed_codes<Words, Groups> seal(group_codes const& c) {
  sealed_codes<Words, Groups> r;
  for (int i = 0; i < Words; ++i) r.word[i] = c.words.p[i];
  for (int i = 0; i <= Groups; ++i) r.begin[i] = c.begin.p[i];
  return r;
}
/// A plan among the constants of a program, by a type that names it.
template <class Program> struct usual_plan {
  static constexpr graph_view const& graph = Program::graph;
  static constexpr plan_view const& plan = Program::plan;
};
template <class Program> struct prefill_plan {
  static constexpr graph_view const& graph = Program::graph;
  static constexpr plan_view const& plan = Program::prefill;
};
template <class Of> struct fused_plan {
  static constexpr plan make() { return fuse(Of::graph, Of::plan); }
  static constexpr auto plan_ = seal<Of::plan.size>(make());
  static constexpr plan_view view = plan_.view();
  static constexpr int words = codes_of(Of::graph, view).words.size, groups = groups_of(view);
  static constexpr auto codes = seal<words, groups>(codes_of(Of::graph, view));
};
}  // namespace detail

/// How many groups the fused plan of a program has.
template <class Program> inline constexpr int group_count = detail::fused_plan<detail::usual_plan<Program>>::groups;

/// How many different codes the groups of a program have: the kernels that are made for it.
template <class Program> inline constexpr int group_kernel_count = [] {
  auto const& c = detail::fused_plan<detail::usual_plan<Program>>::codes;
  int n = 0;
  for (int q = 0; q < c.groups; ++q) {
    bool known = false;
    for (int r = 0; r < q && !known; ++r) {
      known = c.begin[r + 1] - c.begin[r] == c.begin[q + 1] - c.begin[q];
      for (int i = 0; known && i < c.begin[q + 1] - c.begin[q]; ++i) known = c.word[c.begin[r] + i] == c.word[c.begin[q] + i];
    }
    n += !known;
  }
  return n;
}();

}  // namespace dyadic
