// Learn here: the gradient of a scalar, without a trainer, with respect to parameters and to inputs. The scalar is the weighted sum of the
// result "loss"; the weights are yours. Then a check against a finite difference.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <dyadic/dyadic.hpp>

using namespace dyadic;

struct seq : axis<> {};
struct feature : axis<2> {};
struct units : axis<3> {};

// A recurrent cell over a real input; the "loss" of every position is the square of its state's sum.
struct model {
  nn::linear<feature, units> input{};
  nn::linear<units, units> recurrent{};
  DYADIC_FIELDS(input, recurrent)

  constexpr auto operator()(source in) const {
    auto x = in.input<seq, feature>("x");
    auto loss = scan<seq>(x, [&](auto x_t) {
      auto state = carry<seq>(zeros<units>(x_t));
      auto h = tanh(input(x_t) + recurrent(read(state)));
      write(state, h);
      auto s = sum<units>(h);
      return s * s;
    });
    return results(named("loss", loss));
  }
};

// `true`: gradients of inputs too. The backward half is part of the graph; here is the whole, in double precision.
using program = training<model, exact, true>;

int main() {
  bound<program, double> run(bind(seq{4}));
  auto const w = init<model, double>(seed{3});
  run.bind_parameters(w.shared());

  std::vector<double> x{1, 0, 0, 1, -1, 0.5, 2, 1};
  run.set("x", std::span<double const>(x));
  // The scalar: loss[1] + 2 * loss[3].
  std::vector<double> const weight{0, 1, 0, 2};
  auto const seeds = run.cotangent("loss");
  std::copy(weight.begin(), weight.end(), seeds.begin());
  auto scalar = [&] {
    run.run();
    auto const loss = run.output("loss");
    double total = 0;
    for (std::size_t i = 0; i < loss.size(); ++i) total += weight[i] * loss[i];
    return total;
  };
  std::printf("the scalar: %.6f\n", scalar());

  // A run computes every gradient; each is an output, in the layout of its parameter or input.
  for (int k = 0; k < run.graph.nleaves; ++k) {
    int const o = run.gradient_output(k);
    if (o < 0) continue;
    scalar();   // again, without what the last check moved
    std::vector<double> const gradient = run.engine().output(o);
    leaf const& l = run.graph.leaves[k];
    bool const is_parameter = l.role == leaf_role::parameter;
    double* const value = is_parameter ? w->data(k) : run.input(k).data();
    double worst = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {   // central differences, one element at a time
      double const was = value[i], h = 1e-5;
      value[i] = was + h;
      double const up = scalar();
      value[i] = was - h;
      double const down = scalar();
      value[i] = was;
      worst = std::fmax(worst, std::fabs(gradient[i] - (up - down) / (2 * h)));
    }
    std::printf("%-9s %-17s first element %+.6f, largest error %.1e\n", is_parameter ? "parameter" : "input",
                leaf_name(run.graph, l).c_str(), gradient[0], worst);
    if (worst > 1e-8) return 1;
  }
}
