// CUDA's mathematical functions, as nvcc inlines them, against those of the host.
#include <cmath>

#include "stored.hpp"

using namespace scripted;

TEST_CASE("functions of the mathematical library") {
  on_architectures("functions", [](program& p) {
    std::vector<float> x = {1.0f,  -1.0f,   0.5f, 1e-8f,     -3e-5f, 20.0f,     -20.0f,
                            87.5f, -100.0f, 1e5f, 123456.7f, -3e8f,  0x1p-140f, 3.4e38f};  // sin of large numbers: the slow path
    for (float v : numbers(49, 21)) x.push_back(v * 6);
    int const n = static_cast<int>(x.size());
    buffer<float> in(x.size(), "x"), out(x.size() * 10, "out");
    buffer<double> wide_in(x.size(), "y"), wide(x.size() * 4, "wide");
    fill(in, x);
    for (std::size_t i = 0; i < x.size(); ++i) wide_in.set(i, std::fmod(double(x[i]), 700) * 1.0000001);
    expect_clean(p.request("functions", {2, 1, 1}, {32, 1, 1}, 0, in.at(0), wide_in.at(0), out.at(0), wide.at(0), n));
    for (std::size_t i = 0; i < x.size(); ++i) {
      double const a = x[i], b = wide_in.get(i);
      double const expected[] = {
          std::exp(a), std::log(std::fabs(a)),     std::tanh(a),      std::erf(a), std::sin(a), std::sqrt(std::fabs(a)),
          1 / a,       std::fmod(a, double(0.7f)), std::nearbyint(a), std::exp2(a)};
      std::string const names[] = {"exp", "log", "tanh", "erf", "sin", "sqrt", "1/x", "fmod", "rint", "exp2"};
      for (std::size_t k = 0; k < 10; ++k) {
        auto const rounded = static_cast<float>(expected[k]);
        CAPTURE(names[k]);
        CAPTURE(a);
        // CUDA promises between 0 (sqrt, division, fmod, rint) and 2 units in the last place.
        double const unit =
            std::fmax(std::fabs(std::nextafter(rounded, INFINITY) - rounded), std::fabs(rounded - std::nextafter(rounded, -INFINITY)));
        float const got = out.get(i * 10 + k);
        if (std::isinf(rounded)) CHECK(got == rounded);
        else CHECK(std::fabs(got - expected[k]) <= (k >= 5 && k < 9 ? 0.5000001 : 2.5) * unit);
      }
      double const of_double[] = {std::exp(b), std::log(std::fabs(b)), std::sqrt(std::fabs(b)), 3 / b};
      for (std::size_t k = 0; k < 4; ++k) {
        CAPTURE(k);
        CAPTURE(b);
        CHECK(wide.get(i * 4 + k) == doctest::Approx(of_double[k]).epsilon(1e-15));
      }
    }
  });
}
