// Rows as models use them, with their gradients: norms, softmax, cross-entropy, an activation with a bias.
#include "cuda/device_program_of.hpp"
#include "dyadic/nn.hpp"
#include "dyadic/passes/program.hpp"

namespace dyadic::testing {

namespace {

struct rows : axis<> {};
struct width : axis<> {};

struct rms_rows {
  nn::rms_norm<width> norm;
  DYADIC_FIELDS(norm)
  constexpr auto operator()(source from) const {
    return results(named("y", norm(from.input<rows, width>("x"))));
  }
};
struct layer_rows {
  nn::layer_norm<width> norm;
  DYADIC_FIELDS(norm)
  constexpr auto operator()(source from) const {
    return results(named("y", norm(from.input<rows, width>("x"))));
  }
};
struct softmax_rows {
  constexpr auto operator()(source from) const {
    return results(named("y", softmax<width>(from.input<rows, width>("x") * 0.5)));
  }
};
struct cross_entropy_rows {
  constexpr auto operator()(source from) const {
    auto const logits = from.input<rows, width>("x");
    return results(named("y", cross_entropy<width>(logits, from.index<width, rows>("target"))));
  }
};
struct biased_gelu_rows {
  constexpr auto operator()(source from) const {
    return results(named("y", gelu(from.input<rows, width>("x") + from.input<width>("bias"))));
  }
};

template <class Model> struct make_gradient {
  static constexpr builder make() {
    adjoint_request q;
    q.outputs = 1;
    q.inputs = true;
    return simplify(adjoint(evaluation<Model>::graph, q).view());
  }
};
template <class Model> struct gradient_program {
  static constexpr graph_view const& graph = sealed<make_gradient<Model>>::view;
  struct make_plan {
    static constexpr dyadic::plan make() { return arrange(sealed<make_gradient<Model>>::view); }
  };
  static constexpr plan_view const& plan = dyadic::detail::sealed_plan_of<make_plan>::view;
};
template <class Model> void add(std::vector<device_program>& to, char const* name) {
  to.push_back(device_program_of<evaluation<Model>>(name, false));
  to.push_back(device_program_of<gradient_program<Model>>(name, true));
}

}  // namespace

std::vector<device_program> const& row_programs() {
  static std::vector<device_program> const all = [] {
    std::vector<device_program> r;
    add<rms_rows>(r, "rms_norm");
    add<layer_rows>(r, "layer_norm");
    add<softmax_rows>(r, "softmax");
    add<cross_entropy_rows>(r, "cross_entropy");
    add<biased_gelu_rows>(r, "bias and gelu");
    return r;
  }();
  return all;
}

}  // namespace dyadic::testing
