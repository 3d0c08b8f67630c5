// Views: slices, picks, renames, transposes, broadcasts, offsets; copies by name against index loops; lifetime.
#include "dyadic/tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct piece : axis<2> {};
struct feature : axis<4> {};
struct batch_of_another : axis<> {};
struct fixed : axis<7> {};

tensor<axes<batch, seq, feature>, double> counted() {
  tensor<axes<batch, seq, feature>, double> x(batch{2}, seq{3});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i);
  return x;
}
double element(std::int64_t b, std::int64_t t, std::int64_t f) { return static_cast<double>((b * 3 + t) * 4 + f); }
}  // namespace

TEST_CASE("slice, pick, rename, reorder and broadcast read the right elements") {
  auto x = counted();
  auto s = x.view().slice<seq>(1, seq{2});
  auto p = x.view().slice<feature, piece>(2);
  auto last = x.view().pick<seq>(-1);
  auto t = x.view().reorder<axes<feature, batch, seq>>();
  auto r = x.view().pick<batch>(1).broadcast(batch{5});
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t f = 0; f < 4; ++f) {
      CHECK(last(b, f) == element(b, 2, f));
      for (std::int64_t i = 0; i < 3; ++i) {
        CHECK(t(f, b, i) == element(b, i, f));
        CHECK(r(b + 3, i, f) == element(1, i, f));
        if (i < 2) CHECK(s(b, i, f) == element(b, i + 1, f));
        if (f < 2) CHECK(p(b, i, f) == element(b, i, f + 2));
      }
    }
  CHECK(x.view().contiguous());
  CHECK(!s.contiguous());
  CHECK(!t.contiguous());
  CHECK(x.view().slice<batch>(1, batch{1}).contiguous());
  CHECK(r.repeats());
  CHECK(!t.repeats());
  CHECK(x.view().rename<seq, batch_of_another>().size() == 24);
}

TEST_CASE("writing through a view") {
  auto x = counted();
  fill(x.view().slice<seq>(0, seq{1}), -1.0);
  CHECK(x(1, 0, 3) == -1);
  CHECK(x(1, 1, 3) == element(1, 1, 3));
  auto const from = counted();
  copy_elements(x.view().pick<seq>(0).reorder<axes<feature, batch>>(), from.view().pick<seq>(2));
  CHECK(x(1, 0, 3) == element(1, 2, 3));
  CHECK_THROWS_AS(copy_elements(x.view().pick<seq>(0).broadcast(seq{3}), from.view()), error);   // would write each element three times
}

TEST_CASE("a copy follows names, not positions") {
  auto x = counted();
  tensor<axes<feature, seq, batch>, double> const y(x.view());
  tensor<axes<batch, seq, feature>, float> z(x.extents());
  copy_elements(z.view(), x.view());   // element types convert
  CHECK(z(1, 2, 3) == 23);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t f = 0; f < 4; ++f) CHECK(y(f, i, b) == element(b, i, f));
}

TEST_CASE("positions and pieces outside an axis are errors that name it") {
  auto x = counted();
  auto message_of = [](auto&& f) { try { f(); } catch (error const& e) { return std::string(e.what()); } return std::string(); };
  CHECK_THROWS_AS(x.view().pick<seq>(3), error);
  CHECK_THROWS_AS(x.view().pick<seq>(-4), error);
  CHECK(message_of([&] { x.view().slice<seq>(2, seq{2}); }) == "slice: 2 positions from 2 leave axis seq of extent 3");
  CHECK_THROWS_AS((x.view().slice<feature, piece>(3)), error);
  CHECK(x.view().slice<seq>(3, seq{0}).size() == 0);
  CHECK(message_of([&] { x.view().slice<seq>(0, seq{2}).rename<seq, batch_of_another>().rename<batch_of_another, fixed>(); }) ==
        "axis extents disagree: fixed is 7 by its type and 2 here");
  tensor<axes<batch, seq>, double> small(batch{2}, seq{2}), other(batch{2}, seq{3});
  CHECK(message_of([&] { copy_elements(small.view(), other.view()); }) == "copy: axis extents disagree: seq is 2 and 3");
}

TEST_CASE("a view keeps its tensor's memory") {
  auto make = [] { auto x = counted(); return x.view().pick<batch>(1); };
  auto v = make();
  CHECK(v(2, 3) == element(1, 2, 3));
  double raw[6] = {1, 2, 3, 4, 5, 6};
  view<axes<seq>, double> over(raw + 1, shape<axes<seq>>(seq{5}));   // somebody else's memory, offset by one element
  CHECK(over.at(seq{4}) == 6);
}
