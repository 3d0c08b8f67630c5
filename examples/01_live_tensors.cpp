// Learn here: tensors over named axes, expressions that are computed when you say so, any function over tensors, and Eigen on the same
// memory. No model yet.
#include <cstdio>

#include <Eigen/Core>
#include <dyadic/dyadic.hpp>
#include <dyadic/interop/eigen.hpp>

using namespace dyadic;

// An axis is a type. With an extent in the type the compiler checks it; without, it is bound where a tensor is made.
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<3> {};

int main() {
  // Elements are row-major in the order of the list; the order matters to nothing else.
  tensor<axes<batch, feature>> const x(shape<axes<batch, feature>>(batch{2}), {1, 2, 3, 4, 5, 6});
  tensor<axes<feature>> const scale({}, {1, 10, 100});
  std::printf("by name: %g, by place: %g\n", x.at(coordinate<feature>{2}, batch{1}), x(1, 2));

  // Nothing is computed here. Operands meet by name, so `scale` repeats along batch; an axis of another extent would be an error
  // that names it: at compile time for feature, at run time for batch.
  auto e = (x + 1) * scale;
  tensor r = eval(e);
  std::printf("(x + 1) * scale: %g %g %g | %g %g %g\n", r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2));

  // Reductions and contractions say the axes that go.
  tensor s = eval(sum<feature>(x));
  tensor d = eval(contract<feature>(x, scale));
  std::printf("row sums: %g %g, dot products: %g %g\n", s(0), s(1), d(0), d(1));

  // A function of expressions may do all that a model may: walk along an axis with a state, for example. It is called once.
  tensor<axes<seq>> const rain(shape<axes<seq>>(seq{6}), {1, 0, 0, 2, 0, 0});
  tensor level = eval([](auto all) {
    return scan<seq>(all, [](auto now) {
      auto before = carry<seq>(zeros_like(now));
      auto after = 0.5 * read(before) + now;
      write(before, after);
      return after;
    });
  }, rain);
  std::printf("a leaking bucket:");
  for (float const v : level) std::printf(" %g", v);

  // The same memory as an Eigen map, and an Eigen matrix as an operand.
  auto m = to_eigen(r);
  m.row(0).setZero();
  Eigen::MatrixXf const other = Eigen::MatrixXf::Ones(2, 3);
  tensor both = eval(r.view() + from_eigen<axes<batch, feature>>(other));
  std::printf("\nafter Eigen cleared a row, plus ones: %g %g\n", both(0, 0), both(1, 0));

  // Errors say what and where.
  try {
    eval(x + tensor<axes<batch>>(batch{5}));
  } catch (error const& why) {
    std::printf("refused: %s\n", why.what());
  }
}
