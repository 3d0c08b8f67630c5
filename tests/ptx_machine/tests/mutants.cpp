// Mutants of kernels: each is noticed, by the machine or by the values, or survives for a reason that is written down.
#include "../runtime/mutants.hpp"

#include <cmath>
#include <fstream>

#include "../interpreter/formats.hpp"
#include "stored.hpp"

using namespace scripted;
using runtime::device;
using runtime::pack;

namespace {

template <class... A>
void run_on(runtime::program const& p, char const* kernel_name, extent grid, extent block, std::uint32_t shared, A const&... arguments) {
  kernel const& k = p.find(kernel_name);
  device::get().enqueue(device::get().legacy(), k.name, runtime::launch_of(k, {grid, block, shared, false}, pack(k, arguments...)));
  device::get().synchronize();
}

void judge(char const* file, char const* kernel_name, std::function<bool(runtime::program const&)> const& right, std::size_t at_least) {
  auto const verdicts = runtime::judge_mutants(stored_ptx(file, "sm_90"), kernel_name, right);
  std::string const all = runtime::to_string(kernel_name, verdicts);
  std::ofstream("mutants." + std::string(kernel_name) + ".txt") << all;
  MESSAGE(all.substr(0, all.find('\n')));
  CHECK(verdicts.size() >= at_least);
  auto const known = runtime::read_survivors(std::string(DYADIC_TEST_DATA) + "/../ptx_machine/surviving_mutants.txt");
  for (std::string const& wrong : runtime::unexplained(kernel_name, verdicts, known)) FAIL_CHECK(wrong);
}

unsigned tiles(int n, int of) { return static_cast<unsigned>((n + of - 1) / of); }
std::size_t area(int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }

template <class T, class Of>
void set_all(buffer<T>& b, std::vector<float> const& v, Of&& of) {
  for (std::size_t i = 0; i < v.size(); ++i) b.set(i, of(v[i]));
}

/// |C - A B| of what the buffers hold, at worst.
double product_error(buffer<float> const& c, std::vector<float> const& a, std::vector<float> const& b, int m, int n, int k) {
  double worst = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += double(a[area(i, k) + std::size_t(l)]) * b[area(l, n) + std::size_t(j)];
      double const error = std::fabs(sum - c.get(area(i, n) + std::size_t(j)));
      worst = std::isnan(worst) || error <= worst ? worst : error;   // a NaN is worse than anything, and stays
    }
  return worst;
}

}  // namespace

TEST_CASE("mutants of a tiled product") {
  judge("matmul", "matmul", [](runtime::program const& p) {
    struct sizes { int m, n, k; };
    for (sizes const s : {sizes{17, 19, 33}, {5, 16, 32}, {2, 3, 1}, {3, 4, 0}}) {
      auto const a = numbers(area(s.m, s.k), 1), b = numbers(area(s.k, s.n), 2);
      buffer<float> of_a(a.size(), "a"), of_b(b.size(), "b"), c(area(s.m, s.n), "c");
      fill(of_a, a);
      fill(of_b, b);
      run_on(p, "matmul", {tiles(s.n, 16), tiles(s.m, 16), 1}, {16, 16, 1}, 0, of_a.at(0), of_b.at(0), c.at(0), s.m, s.n, s.k);
      if (!(product_error(c, a, b, s.m, s.n, s.k) < 1e-5)) return false;
    }
    return true;
  }, 30);
}

TEST_CASE("mutants of a tile of mma with asynchronous copies") {
  judge("mma_tile", "mma_tile", [](runtime::program const& p) {
    struct sizes { int m, n, k; };
    // The loop over k is unrolled four times: every number of steps modulo 4, the last one whole and half, and a last row at the end of A.
    for (sizes const s : {sizes{17, 16, 136}, {24, 8, 72}, {17, 8, 56}, {17, 8, 40}, {17, 8, 24}, {16, 8, 8}, {1, 8, 16}, {2, 8, 0}}) {
      auto a = numbers(area(s.m, s.k), 3), b = numbers(area(s.k, s.n), 4);
      auto const rounded = [](std::vector<float>& v) { for (float& x : v) x = static_cast<float>(to_double(from_double<bfloat>(x))); };
      rounded(a);
      rounded(b);
      auto const bits = [](float x) { return from_double<bfloat>(x).bits; };
      buffer<std::uint16_t> of_a(a.size(), "a"), of_b(b.size(), "b");
      set_all(of_a, a, bits);
      set_all(of_b, b, bits);
      buffer<float> c(area(s.m, s.n), "c");
      run_on(p, "mma_tile", {tiles(s.n, 8), tiles(s.m, 16), 1}, {32, 1, 1}, 0, of_a.at(0), of_b.at(0), c.at(0), s.m, s.n, s.k);
      if (!(product_error(c, a, b, s.m, s.n, s.k) < 1e-5)) return false;
    }
    return true;
  }, 20);
}

TEST_CASE("mutants of softmax with CUB's reductions") {
  judge("softmax", "softmax_row", [](runtime::program const& p) {
    for (int n : {100, 300}) {
      int const rows = 4;
      auto in = numbers(area(rows, n), 5);
      for (float& x : in) x *= 20;
      // whoever misses this warp's largest gets an infinity
      for (int r = 0; r < rows; ++r) in[area(r, n) + std::size_t(32 * r + 3)] = 300;
      buffer<float> from(in.size(), "in"), to(in.size(), "out");
      fill(from, in);
      run_on(p, "softmax_row", {unsigned(rows), 1, 1}, {128, 1, 1}, 0, from.at(0), to.at(0), n);
      for (int r = 0; r < rows; ++r) {
        double largest = -INFINITY, sum = 0;
        for (int i = 0; i < n; ++i) largest = std::fmax(largest, in[area(r, n) + std::size_t(i)]);
        for (int i = 0; i < n; ++i) sum += std::exp(in[area(r, n) + std::size_t(i)] - largest);
        for (int i = 0; i < n; ++i) {
          std::size_t const at = area(r, n) + std::size_t(i);
          if (!(std::fabs(std::exp(in[at] - largest) / sum - to.get(at)) < 1e-6)) return false;
        }
      }
    }
    return true;
  }, 30);
}

TEST_CASE("survivors and reasons that do not fit are told") {
  runtime::verdict const alive{{"without", "bar.sync 0;", "k.cu:4", "without bar.sync k.cu:4 #1", {}}, {}};
  runtime::verdict const dead{{"without", "bar.sync 0;", "k.cu:7", "without bar.sync k.cu:7 #1", {}}, "race"};
  CHECK(runtime::unexplained("k", {alive, dead}, {{"k", alive.what.key, "why"}}).empty());
  CHECK(runtime::unexplained("k", {alive, dead}, {{"k", "without bar.sync k.cu:*", "why"}}).empty());
  CHECK(runtime::unexplained("k", {dead}, {{"k", "without bar.sync k.cu:*", "why"}}).size() == 1);
  CHECK(runtime::unexplained("k", {alive, dead}, {}).size() == 1);
  CHECK(runtime::unexplained("k", {alive, dead}, {{"other", alive.what.key, "why"}}).size() == 1);
  CHECK(runtime::unexplained("k", {dead}, {{"k", dead.what.key, "why"}}).size() == 1);
  CHECK(runtime::unexplained("k", {dead}, {{"k", "nothing like it", "why"}}).size() == 1);
}
