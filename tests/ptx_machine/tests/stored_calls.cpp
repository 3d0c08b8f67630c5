// Stored kernels with calls, tables of functions, printf, initialised variables; and with arithmetic in 16 bits.
#include <cmath>

#include "../interpreter/formats.hpp"
#include "stored.hpp"

using namespace scripted;

TEST_CASE("calls of every kind, and printf") {
  on_architectures("calls", [](program& p) {
    int const n = 61;
    buffer<int> which(n, "which"), x(n, "x"), y(n, "y");
    buffer<long long> out(n, "out");
    for (int i = 0; i < n; ++i) {
      which.set(static_cast<std::size_t>(i), i * 7 % 10);
      x.set(static_cast<std::size_t>(i), i * 13 - 300);
      y.set(static_cast<std::size_t>(i), i % 2 ? i + 1 : -i - 1);
    }
    std::string printed;
    on_schedules(p.request("calls", {2, 1, 1}, {32, 1, 1}, 0, which.at(0), x.at(0), y.at(0), out.at(0), n), [&](report_data const& r) {
      CHECK(r.ok());
      printed = r.printed;
    });
    int const weights[] = {3, -1, 4, 1, -5};
    for (int i = 0; i < n; ++i) {
      int const w = i * 7 % 10, a = i * 13 - 300, b = i % 2 ? i + 1 : -i - 1;
      long long r = w % 3 == 0 ? a + b : w % 3 == 1 ? a - b : a * b;
      switch (w) {
        case 0: r += a / b; break;
        case 1: r += a % b + (1ll << 40); break;
        case 2: r = r * 7 - weights[i % 5]; break;
        case 3: r ^= 0x55; break;
        case 4:
          for (long long f = 1, k = 1;; f *= ++k)
            if (k >= std::max(1, i % 12)) { r += f; break; }
          break;
        case 5: r += static_cast<long long>(0.25 * a); break;
        case 6: r -= a * ((b % 8 + 8) % 8); break;
        case 7: r = -r; break;
        default: r = 11;
      }
      CAPTURE(i);
      CHECK(out.get(static_cast<std::size_t>(i)) == r);
      if (i == 3) CHECK(printed == "thread 3: " + std::to_string(r) + " 0.250 x %    42|-7  |ff\n");
    }
  });
}

TEST_CASE("arithmetic in fp16 and bf16") {
  on_architectures("half_math", [](program& p) {
    int const n = 100;
    auto x = numbers(n, 11), y = numbers(n, 12);
    for (float& v : x) v *= 8;
    for (float& v : y) v *= 3;
    buffer<float> of_x(n, "x"), of_y(n, "y"), out(n * 8, "out");
    fill(of_x, x);
    fill(of_y, y);
    expect_clean(p.request("half_math", {4, 1, 1}, {32, 1, 1}, 0, of_x.at(0), of_y.at(0), out.at(0), n));
    auto const h = [](double v) { return to_double(from_double<half>(v)); };    // each operation rounds: products and sums of numbers of
    auto const b = [](double v) { return to_double(from_double<bfloat>(v)); };  // these sizes are exact in double
    for (std::size_t i = 0; i < n; ++i) {
      CAPTURE(i);
      double const a = h(x[i]), c = h(y[i]), d = b(x[i]), e = b(y[i]);
      CHECK(out.get(i * 8 + 0) == h(h(a * c) + h(a - c)));
      CHECK(out.get(i * 8 + 1) == h(a * c + std::fmax(a, c)));
      CHECK(out.get(i * 8 + 2) == h(c * a + std::fmax(c, a)));
      CHECK(out.get(i * 8 + 3) == std::fmax(0.0, h(a * c - c)));
      CHECK(out.get(i * 8 + 4) == b(b(d * e) + std::fabs(e)));
      CHECK(out.get(i * 8 + 5) == b(d * std::fmin(d, e) + d));
      CHECK(out.get(i * 8 + 6) == b(e * std::fmin(e, d) + e));
      CHECK(out.get(i * 8 + 7) == static_cast<float>(static_cast<int>(std::trunc(a)) + static_cast<int>(std::nearbyint(c))) +
                                      (a < c ? 0.5f : 0.0f) + (d > e ? 0.25f : 0.0f));
    }
  });
}
