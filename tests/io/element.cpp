// Stored numbers and ours: every bit pattern of the 16-bit types, rounding, unaligned bytes.
#include "dyadic/io/element.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace dyadic;

TEST_CASE("every f16 pattern is its sign, exponent and fraction") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    int const exponent = static_cast<int>((bits >> 10) & 31), fraction = static_cast<int>(bits & 1023);
    double const sign = bits & 0x8000 ? -1 : 1;
    float const x = io::float_of_f16(static_cast<std::uint16_t>(bits));
    if (exponent == 31 && fraction) { CHECK(std::isnan(x)); continue; }
    double const want = exponent == 31   ? std::numeric_limits<double>::infinity()
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    REQUIRE(static_cast<double>(x) == sign * want);
    REQUIRE(std::signbit(x) == (sign < 0));
  }
}

TEST_CASE("bf16: every pattern returns to itself; rounding goes to the nearest, ties to even") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    float const x = io::float_of_bf16(static_cast<std::uint16_t>(bits));
    if (std::isnan(x)) CHECK(std::isnan(io::float_of_bf16(io::bf16_of_float(x))));
    else REQUIRE(io::bf16_of_float(x) == bits);
  }
  CHECK(io::bf16_of_float(std::bit_cast<float>(0x3f808000u)) == 0x3f80);   // halfway, even below
  CHECK(io::bf16_of_float(std::bit_cast<float>(0x3f818000u)) == 0x3f82);   // halfway, even above
  CHECK(io::bf16_of_float(std::bit_cast<float>(0x3f808001u)) == 0x3f81);
  CHECK(io::bf16_of_float(std::numeric_limits<float>::max()) == 0x7f80);   // over the largest: infinity
}

TEST_CASE("conversion reads any alignment and refuses reals as integers") {
  std::vector<std::byte> bytes(1 + 3 * 8);
  double const values[] = {1.5, -2, 1e300};
  std::memcpy(bytes.data() + 1, values, sizeof values);
  std::vector<double> out(3);
  io::convert<double>(io::element::f64, bytes.data() + 1, out);
  CHECK(out == std::vector<double>{1.5, -2, 1e300});
  std::vector<std::int32_t> integers(3);
  CHECK_THROWS_AS(io::convert<std::int32_t>(io::element::f64, bytes.data() + 1, integers), error);
  std::byte const truth[] = {std::byte{0}, std::byte{1}, std::byte{7}};
  io::convert<std::int32_t>(io::element::boolean, truth, integers);
  CHECK(integers == std::vector<std::int32_t>{0, 1, 1});
}
