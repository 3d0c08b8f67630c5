// The cases of support/op_cases.hpp as device programs. Compiled in parts, DYADIC_PART of DYADIC_PARTS: every kernel of every case is made.
#include "cuda/device_program_of.hpp"
#include "dyadic/passes/adjoint.hpp"
#include "support/op_cases.hpp"

namespace dyadic::testing {

namespace {

template <int Case, bool Backward> struct make_case {
  static constexpr builder make() {
    op_graph t;
    op_cases[Case].build(t);
    if (!Backward) return simplify(t.b.view());
    adjoint_request q;
    q.outputs = 1;
    q.inputs = true;
    return simplify(adjoint(t.b.view(), q).view());
  }
};
template <int Case, bool Backward> struct case_program {
  static constexpr graph_view const& graph = sealed<make_case<Case, Backward>>::view;
  struct make_plan {
    static constexpr dyadic::plan make() { return arrange(sealed<make_case<Case, Backward>>::view); }
  };
  static constexpr plan_view const& plan = dyadic::detail::sealed_plan_of<make_plan>::view;
};

/// By the compiler's own evaluation, as the graph: in which order a function's arguments add leaves is not the same at run time.
template <int Case> struct case_ranges {
  leaf_range of[op_graph::most_leaves];
  constexpr case_ranges() : of{} {
    op_graph t;
    op_cases[Case].build(t);
    for (int l = 0; l < t.known_ranges; ++l) of[l] = {t.ranges[l].lo, t.ranges[l].hi, t.ranges[l].whole};
  }
};
template <int Case> inline constexpr case_ranges<Case> ranges_of_case{};

template <int Case> void add(std::vector<device_program>& to) {
  to.push_back(device_program_of<case_program<Case, false>>(op_cases[Case].name, false, ranges_of_case<Case>.of));
  if constexpr (!op_cases[Case].zero)
    to.push_back(device_program_of<case_program<Case, true>>(op_cases[Case].name, true, ranges_of_case<Case>.of));
}
constexpr int cases = static_cast<int>(sizeof(op_cases) / sizeof(op_cases[0]));
template <int... Step> void add_all(std::vector<device_program>& to, std::integer_sequence<int, Step...>) {
  (add<Step * DYADIC_PARTS + DYADIC_PART>(to), ...);
}

}  // namespace

#define DYADIC_ADD_PART_(part) add_op_programs_##part
#define DYADIC_ADD_PART(part) DYADIC_ADD_PART_(part)
void DYADIC_ADD_PART(DYADIC_PART)(std::vector<device_program>& to) {
  add_all(to, std::make_integer_sequence<int, (cases - DYADIC_PART + DYADIC_PARTS - 1) / DYADIC_PARTS>());
}

}  // namespace dyadic::testing
