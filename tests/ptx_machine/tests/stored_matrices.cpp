// Stored kernels that multiply matrices: in fp32 through shared tiles, and in bf16 with cp.async, ldmatrix and mma.
#include <cmath>

#include "../interpreter/formats.hpp"
#include "stored.hpp"

using namespace scripted;

TEST_CASE("a tiled product of matrices at ragged sizes") {
  on_architectures("matmul", [](program& p) {
    struct sizes { int m, n, k; };
    for (sizes const s : {sizes{1, 1, 1}, {16, 16, 16}, {17, 15, 33}, {3, 37, 0}, {29, 31, 17}}) {
      CAPTURE(s.m); CAPTURE(s.n); CAPTURE(s.k);
      auto const count = [](int rows, int columns) { return static_cast<std::size_t>(rows * columns); };
      auto const a = numbers(count(s.m, s.k), 1), b = numbers(count(s.k, s.n), 2);
      buffer<float> of_a(a.size() + 1, "a"), of_b(b.size() + 1, "b"), c(count(s.m, s.n), "c");
      fill(of_a, a);
      fill(of_b, b);
      extent const grid{static_cast<unsigned>((s.n + 15) / 16), static_cast<unsigned>((s.m + 15) / 16), 1};
      expect_clean(p.request("matmul", grid, {16, 16, 1}, 0, of_a.at(0), of_b.at(0), c.at(0), s.m, s.n, s.k));
      double worst = 0;
      for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.n; ++j) {
          double sum = 0;
          for (int l = 0; l < s.k; ++l) sum += double(a[static_cast<std::size_t>(i * s.k + l)]) * b[static_cast<std::size_t>(l * s.n + j)];
          worst = std::fmax(worst, std::fabs(sum - c.get(static_cast<std::size_t>(i * s.n + j))));
        }
      CHECK(worst < 1e-5);
    }
  });
}

TEST_CASE("a tile of mma with asynchronous copies at ragged sizes") {
  on_architectures("mma_tile", [](program& p) {
    struct sizes { int m, n, k; };   // rows are copied in 16 bytes: n and k are multiples of 8
    for (sizes const s : {sizes{16, 8, 16}, {1, 8, 8}, {33, 16, 40}, {17, 24, 48}}) {
      CAPTURE(s.m); CAPTURE(s.n); CAPTURE(s.k);
      auto const round = [](float x) { return from_double<bfloat>(x).bits; };
      auto const a = numbers(static_cast<std::size_t>(s.m * s.k), 3), b = numbers(static_cast<std::size_t>(s.k * s.n), 4);
      buffer<std::uint16_t> of_a(a.size(), "a"), of_b(b.size(), "b");
      for (std::size_t i = 0; i < a.size(); ++i) of_a.set(i, round(a[i]));
      for (std::size_t i = 0; i < b.size(); ++i) of_b.set(i, round(b[i]));
      buffer<float> c(static_cast<std::size_t>(s.m * s.n), "c");
      extent const grid{static_cast<unsigned>(s.n / 8), static_cast<unsigned>((s.m + 15) / 16), 1};
      expect_clean(p.request("mma_tile", grid, {32, 1, 1}, 0, of_a.at(0), of_b.at(0), c.at(0), s.m, s.n, s.k));
      double worst = 0;
      for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.n; ++j) {
          double sum = 0;
          for (int l = 0; l < s.k; ++l)
            sum += to_double(bfloat{of_a.get(static_cast<std::size_t>(i * s.k + l))}) *
                   to_double(bfloat{of_b.get(static_cast<std::size_t>(l * s.n + j))});
          worst = std::fmax(worst, std::fabs(sum - c.get(static_cast<std::size_t>(i * s.n + j))));
        }
      CHECK(worst < 1e-5);
    }
  });
}
