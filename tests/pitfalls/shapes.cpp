// Pitfalls of shapes and edges; the numbers are those of README.md beside this file.
#include "support/live.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace dyadic;

namespace {
struct batch : axis<> {};
struct seq : axis<> {};
struct feature : axis<> {};
struct hidden : axis<> {};
struct one : axis<1> {};

template <class T> tensor<axes<batch, feature>, T> numbers(std::int64_t b, std::int64_t f) {
  tensor<axes<batch, feature>, T> x(batch{b}, feature{f});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i)));
  return x;
}
// A little of everything: a row operation, a contraction, a pointwise function.
auto everything = [](auto x, auto w) { return tanh(contract<feature>(softmax<feature>(x), w)); };

template <class V> void check_everything(V const& x, tensor<axes<hidden, feature>, double> const& w) {
  auto const r = eval(everything, x, w);
  std::int64_t const rows = x.template extent<batch>(), width = x.template extent<feature>(), high = w.template extent<hidden>();
  for (std::int64_t b = 0; b < rows; ++b) {
    double norm = 0;
    for (std::int64_t f = 0; f < width; ++f) norm += std::exp(x.at(batch{b}, feature{f}));
    for (std::int64_t h = 0; h < high; ++h) {
      double s = 0;
      for (std::int64_t f = 0; f < width; ++f) s += std::exp(x.at(batch{b}, feature{f})) / norm * w.at(hidden{h}, feature{f});
      CHECK(r.at(batch{b}, hidden{h}) == doctest::Approx(std::tanh(s)));
    }
  }
}
tensor<axes<hidden, feature>, double> weights_of(std::int64_t h, std::int64_t f) {
  tensor<axes<hidden, feature>, double> w(hidden{h}, feature{f});
  for (std::int64_t i = 0; i < w.size(); ++i) w.data()[i] = std::cos(0.3 * static_cast<double>(i));
  return w;
}
}  // namespace

TEST_CASE("pitfall 24: empty axes and values without axes") {
  CHECK(eval(everything, numbers<double>(0, 3), weights_of(4, 3)).size() == 0);
  auto const none = numbers<double>(2, 0);
  CHECK(eval(sum<feature>(none))(1) == 0);
  CHECK(eval(max<feature>(none))(0) == -std::numeric_limits<double>::infinity());
  CHECK(eval(min<feature>(none))(0) == std::numeric_limits<double>::infinity());
  CHECK(eval(contract<feature>(none, weights_of(4, 0)))(1, 3) == 0);
  for (std::int64_t n : {0, 1}) {
    tensor<axes<batch, seq>, double> x(batch{2}, seq{n});
    x.fill(3);
    CHECK(eval(cumulative_sum<seq>(x)).size() == 2 * n);
  }
  tensor<axes<>, double> const scalar({}, {4});
  CHECK(eval(sqrt(scalar))() == 2);
}

TEST_CASE("pitfall 25: argmax along an axis of one") {
  tensor<axes<batch, one>, double> const x(shape<axes<batch, one>>(batch{3}), {5, -1, 2});
  auto const r = eval(argmax<one>(x));
  for (int b = 0; b < 3; ++b) CHECK(r(b) == 0);
}

TEST_CASE("pitfall 26: odd sizes") {
  for (std::int64_t f : {1, 3, 7, 16, 17, 63, 64, 65, 88, 100, 128, 257}) check_everything(numbers<double>(7, f).view(), weights_of(5, f));
  for (std::int64_t n : {1, 2, 15, 16, 17, 127, 128, 129, 1000}) {
    tensor<axes<seq>, double> x(seq{n});
    x.fill(0.5);
    auto const r = eval(cumulative_sum<seq>(x));
    CHECK(r(n - 1) == doctest::Approx(0.5 * static_cast<double>(n)));
  }
}

TEST_CASE("pitfall 27: sliced, permuted, repeated and offset operands") {
  auto x = numbers<double>(6, 11);
  auto const w = weights_of(4, 5);
  check_everything(x.view().slice<feature>(3, feature{5}), w);
  check_everything(x.view().slice<feature>(1, feature{5}).slice<batch>(2, batch{3}), w);
  tensor<axes<feature, batch>, double> const t(x.view());
  check_everything(t.view().slice<feature>(2, feature{5}), w);
  check_everything(x.view().pick<batch>(2).slice<feature>(0, feature{5}).broadcast(batch{3}), w);
}

TEST_CASE("pitfall 28: base addresses off by one element") {
  std::vector<float> memory(200, 0.25f);
  for (int offset = 0; offset < 4; ++offset) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 13) * 0.125f;
    view<axes<batch, feature>, float const> const x(memory.data() + offset, shape<axes<batch, feature>>(batch{9}, feature{17}));
    auto const r = eval(x * x + 1);
    for (int b = 0; b < 9; ++b) for (int f = 0; f < 17; ++f) CHECK(r(b, f) == x(b, f) * x(b, f) + 1);
    eval_into(view<axes<batch, feature>, float>(memory.data() + offset, x.extents()), x * 2);
  }
}

TEST_CASE("pitfall 29: offsets beyond 32 bits") {
  static float element = 7;
  // 2^34 elements with stride 0: nothing is allocated, and every address is the one element's.
  std::int64_t const big = std::int64_t{1} << 17, zero[2] = {0, 0};
  view<axes<batch, feature>, float const> const v(&element, shape<axes<batch, feature>>(batch{big}, feature{big}), zero);
  CHECK(v.size() == std::int64_t{1} << 34);
  CHECK(v.at(batch{big - 1}, feature{big - 1}) == 7);
  // A contiguous shape of 2^34 elements over an address that is never read: its last element's offset.
  view<axes<batch, feature>, float const> const fake(&element, shape<axes<batch, feature>>(batch{big}, feature{big}));
  CHECK(fake.stride<batch>() == big);
  auto const last = fake.slice<batch>(big - 1, batch{1});
  CHECK(reinterpret_cast<std::uintptr_t>(last.data()) - reinterpret_cast<std::uintptr_t>(&element) == static_cast<std::uintptr_t>((big - 1) * big) * 4);
  // The stride of an axis of one element cannot overflow.
  std::int64_t const huge = std::int64_t{1} << 62;
  view<axes<batch, feature>, float const> const thin(&element, shape<axes<batch, feature>>(batch{1}, feature{huge}));
  CHECK(thin.size() == huge);
  CHECK_THROWS_AS((tensor<axes<batch, feature>, float>(batch{huge}, feature{huge})), error);
}

TEST_CASE("pitfall 30: a small stack is enough") {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  auto work = [](void* done) -> void* {
    tensor<axes<batch, feature>, double> x(batch{512}, feature{512});   // 2 MB, were it on the stack
    x.fill(1);
    auto const deep = eval([](auto v) {
      auto y = v * 1.0001;
      for (int i = 0; i < 500; ++i) y = tanh(y) + v;   // a thousand nodes, one below the other
      return y;
    }, x.view().slice<batch>(0, batch{2}));
    *static_cast<bool*>(done) = deep.size() == 1024 && eval(sum<batch, feature>(x))() == 512 * 512;
    return nullptr;
  };
  bool done = false;
  REQUIRE(pthread_create(&thread, &attributes, work, &done) == 0);
  pthread_join(thread, nullptr);
  CHECK(done);
}
