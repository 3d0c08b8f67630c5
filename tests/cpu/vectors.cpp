// The vectors that cpu/vector.hpp makes of the compiler's, and the sums that rows take with them.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dyadic/cpu/rows.hpp"
#include "dyadic/cpu/vector.hpp"

using namespace dyadic;

namespace {
template <class T> T const infinite = std::numeric_limits<T>::infinity();
template <class T> T const none = std::numeric_limits<T>::quiet_NaN();

template <class T> cpu::vector_of<T> counting(T first) {
  cpu::vector_of<T> v{};
  for (int i = 0; i < cpu::native_lanes<T>; ++i) v[i] = first + static_cast<T>(i);
  return v;
}
}  // namespace

TEST_CASE_TEMPLATE("elements in and out of memory, whole vectors and parts", T, float, double) {
  using V = cpu::vector_of<T>;
  constexpr int lanes = cpu::lanes_of<V>;
  static_assert(lanes == cpu::native_lanes<T> && sizeof(V) == cpu::native_bytes);
  std::vector<T> memory(3 * lanes + 1);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i + 1);
  V const v = cpu::load<V>(memory.data() + 1);   // at any address
  for (int i = 0; i < lanes; ++i) CHECK(v[i] == static_cast<T>(i + 2));
  for (int n = 0; n <= lanes; ++n) {
    V const part = cpu::load_first<V>(memory.data(), n);
    for (int i = 0; i < lanes; ++i) CHECK(part[i] == (i < n ? static_cast<T>(i + 1) : T(0)));
    std::vector<T> out(lanes + 1, T(-5));
    cpu::store_first<V>(out.data(), v, n);
    for (int i = 0; i <= lanes; ++i) CHECK(out[static_cast<std::size_t>(i)] == (i < n ? static_cast<T>(i + 2) : T(-5)));
  }
  std::vector<T> out(lanes + 2, T(-5));
  cpu::store<V>(out.data() + 1, v);
  CHECK((out.front() == T(-5) && out.back() == T(-5) && out[1] == 2 && out[lanes] == static_cast<T>(lanes + 1)));
}

TEST_CASE_TEMPLATE("one number in all elements, choices, bounds and signs", T, float, double) {
  using V = cpu::vector_of<T>;
  constexpr int lanes = cpu::lanes_of<V>;
  V const zero = cpu::broadcast<V>(T(-0.0)), v = counting<T>(-1);
  V mixed = v;
  mixed[lanes - 1] = none<T>;
  V const chosen = cpu::select<V>(v < V{}, v, cpu::broadcast<V>(9)), low = cpu::at_most<V>(mixed, 0), high = cpu::at_least<V>(mixed, 0);
  for (int i = 0; i < lanes; ++i) {
    CHECK((zero[i] == 0 && std::signbit(static_cast<T>(zero[i]))));
    CHECK(chosen[i] == (i == 0 ? T(-1) : T(9)));
    if (i == lanes - 1) { CHECK((std::isnan(static_cast<T>(low[i])) && std::isnan(static_cast<T>(high[i])))); continue; }
    CHECK((low[i] == (i == 0 ? T(-1) : T(0)) && high[i] == (i == 0 ? T(0) : static_cast<T>(i - 1))));
  }
  V const m = cpu::magnitude<V>(cpu::broadcast<V>(-infinite<T>)), s = cpu::larger<V>(v, V{}), t = cpu::smaller<V>(v, V{});
  CHECK((m[0] == infinite<T> && s[0] == 0 && t[0] == -1 && t[lanes - 1] == 0));
  CHECK(std::signbit(static_cast<T>(cpu::magnitude<V>(zero)[0])) == false);
  for (int i = 0; i < lanes; ++i) {
    V one{};
    one[i] = -2;
    CHECK((cpu::any(one < V{}) && !cpu::any(one > V{})));
  }
}

TEST_CASE_TEMPLATE("sums and maxima of a vector: every element, halves first", T, float, double) {
  using V = cpu::vector_of<T>;
  constexpr int lanes = cpu::lanes_of<V>;
  CHECK(cpu::sum<V>(counting<T>(1)) == static_cast<T>(lanes * (lanes + 1) / 2));
  for (int i = 0; i < lanes; ++i) {
    V v = cpu::broadcast<V>(-3);
    v[i] = 4;
    CHECK((cpu::largest<V>(v) == 4 && cpu::sum<V>(v) == static_cast<T>(4 - 3 * (lanes - 1))));
  }
  if constexpr (lanes < 4) return;
  V v{};   // the halves cancel before the 1 is added: any other order loses it
  v[0] = T(1e30); v[lanes / 2] = T(-1e30); v[1] = 1;
  CHECK(cpu::sum<V>(v) == 1);
}

namespace {
template <int n> void check_polynomial() {
  using V = cpu::vector_of<float>;
  float c[n], truth[3]{};
  float const at[3] = {-1, 2, 0};
  for (int i = 0; i < n; ++i) c[i] = static_cast<float>(i % 5 - 3);
  for (int k = 0; k < 3; ++k)
    for (int i = n - 1; i >= 0; --i) truth[k] = truth[k] * at[k] + c[i];   // small integers: exact in any order
  for (int k = 0; k < 3; ++k) CHECK(cpu::polynomial<V>(cpu::broadcast<V>(at[k]), c)[0] == truth[k]);
}
}  // namespace

TEST_CASE("polynomials of every length") {
  check_polynomial<1>(); check_polynomial<2>(); check_polynomial<3>(); check_polynomial<4>(); check_polynomial<5>(); check_polynomial<6>();
  check_polynomial<7>(); check_polynomial<8>(); check_polynomial<9>(); check_polynomial<10>(); check_polynomial<11>(); check_polynomial<12>();
  check_polynomial<13>(); check_polynomial<14>(); check_polynomial<15>(); check_polynomial<16>();
}

TEST_CASE_TEMPLATE("sums of rows: 32 partial sums, halves added, then the rest", T, float, double) {
  for (int n = 0; n <= 200; ++n) {
    std::vector<T> x;
    for (int i = 0; i < n; ++i) x.push_back(std::sin(static_cast<T>(i * 7 + n)) * static_cast<T>(i % 3 == 0 ? 100 : 1));
    T part[32]{}, truth = 0;
    int const whole = n / 32 * 32;
    for (int i = 0; i < whole; ++i) part[i % 32] += x[static_cast<std::size_t>(i)];
    for (int h = 16; h > 0; h /= 2) for (int i = 0; i < h; ++i) part[i] += part[i + h];
    truth = part[0];
    for (int i = whole; i < n; ++i) truth += x[static_cast<std::size_t>(i)];
    CHECK(cpu::detail::sum_of(x.data(), n) == truth);
  }
  std::vector<T> x(77, T(1));
  for (int const at : {0, 31, 32, 63, 64, 76}) {
    std::size_t const i = static_cast<std::size_t>(at);
    std::vector<T> y = x;
    y[i] = infinite<T>;
    CHECK(cpu::detail::sum_of(y.data(), 77) == infinite<T>);
    y[i] = none<T>;
    CHECK(std::isnan(cpu::detail::sum_of(y.data(), 77)));
  }
}
