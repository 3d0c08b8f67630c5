// Tensors: construction by name, sizes and their overflow, elements by name and position, copies and moves, errors.
#include "dyadic/tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<3> {};
struct one : axis<1> {};

std::string what_of(auto&& f) {
  try { f(); } catch (error const& e) { return e.what(); }
  return "nothing thrown";
}
}  // namespace

TEST_CASE("extents by name, in any order; static ones come from the type") {
  tensor<axes<batch, seq, feature>> x(seq{4}, batch{2});
  CHECK(x.extent<batch>() == 2);
  CHECK(x.extent<seq>() == 4);
  CHECK(x.extent<feature>() == 3);
  CHECK(x.size() == 24);
  for (float v : x) CHECK(v == 0);
  tensor<axes<feature>, double> const y;   // nothing to bind
  CHECK(y.size() == 3);
  tensor<axes<batch, seq>> const z(bind(seq{5}, batch{1}));
  CHECK(z.extent<seq>() == 5);
  tensor<axes<>, double> scalar({}, {2.5});
  CHECK(scalar.size() == 1);
  CHECK(scalar() == 2.5);
  CHECK(scalar.at() == 2.5);
}

TEST_CASE("memory is aligned to 64 bytes whatever the element type") {
  for (int n = 0; n < 40; ++n) {
    tensor<axes<batch>, float> x(batch{n});
    tensor<axes<batch>, double> y(batch{n});
    tensor<axes<batch>, bool> z(batch{n});
    CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(y.data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(z.data()) % 64 == 0);
  }
}

TEST_CASE("elements by name and by position") {
  tensor<axes<batch, feature>> x(shape<axes<batch, feature>>(batch{2}), {1, 2, 3, 4, 5, 6});
  CHECK(x.at(batch{1}, coordinate<feature>{0}) == 4);
  CHECK(x.at(coordinate<feature>{2}, coordinate<batch>{0}) == 3);
  CHECK(x(1, 2) == 6);
  x.at(batch{0}, coordinate<feature>{1}) = 9;
  CHECK(x(0, 1) == 9);
  CHECK_THROWS_AS(x.at(batch{2}, coordinate<feature>{0}), error);
  CHECK_THROWS_AS(x.at(batch{-1}, coordinate<feature>{0}), error);
  CHECK(what_of([&] { x.at(batch{0}, coordinate<feature>{3}); }) == "position 3 is outside axis feature of extent 3");
}

TEST_CASE("copies are deep, moves take the elements") {
  tensor<axes<batch>> x(shape<axes<batch>>(batch{3}), {1, 2, 3});
  tensor<axes<batch>> y = x;
  y(0) = 7;
  CHECK(x(0) == 1);
  float const* const p = x.data();
  tensor<axes<batch>> z = std::move(x);
  CHECK(z.data() == p);
  x = y;
  CHECK(x(0) == 7);
  tensor<axes<batch>>& alias = x;
  x = alias;
  CHECK(x(2) == 3);
  z.fill(4);
  CHECK(z(2) == 4);
}

TEST_CASE("a moved-from tensor is empty and can be used again") {
  tensor<axes<batch, seq>> x(batch{2}, seq{2});
  auto y = std::move(x);
  CHECK(x.size() == 0);
  CHECK(x.begin() == x.end());
  CHECK(x.extent<batch>() == 0);
  x = tensor<axes<batch, seq>>(batch{1}, seq{3});
  CHECK(x.size() == 3);
  tensor<axes<feature>> f;
  auto g = std::move(f);
  CHECK(f.size() == 0);
}

TEST_CASE("sizes of zero, and sizes that overflow") {
  tensor<axes<batch, seq>> x(batch{0}, seq{1000000});
  CHECK(x.size() == 0);
  tensor<axes<batch, seq>> const y = x;
  CHECK(y.extent<seq>() == 1000000);
  std::int64_t const big = std::int64_t{1} << 40;
  CHECK_THROWS_AS((tensor<axes<batch, seq>>(batch{big}, seq{big})), error);
  CHECK_THROWS_AS((tensor<axes<batch, seq>, double>(batch{std::int64_t{1} << 31}, seq{std::int64_t{1} << 30})), error);   // times 8 bytes
  CHECK_THROWS_AS((tensor<axes<batch>>(batch{-1})), error);
  CHECK(what_of([] { tensor<axes<batch>>(batch{-2}); }) == "axis batch has the negative extent -2");
  CHECK(what_of([] { tensor<axes<batch>>(shape<axes<batch>>(batch{2}), {1, 2, 3}); }) == "3 values for a tensor of 2 elements");
}
