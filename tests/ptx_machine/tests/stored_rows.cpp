// Stored kernels over rows and warps: softmax with CUB, sums, scans, votes and matches, histograms by atomics.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "stored.hpp"

using namespace scripted;

TEST_CASE("softmax by CUB's block reductions") {
  on_architectures("softmax", [](program& p) {
    for (int n : {1, 127, 128, 129, 401}) {
      CAPTURE(n);
      unsigned const rows = 3;
      std::size_t const width = static_cast<std::size_t>(n);
      auto in = numbers(rows * width, static_cast<unsigned>(n));
      for (float& x : in) x *= 20;
      buffer<float> from(in.size(), "in"), to(in.size(), "out");
      fill(from, in);
      expect_clean(p.request("softmax_row", {rows, 1, 1}, {128, 1, 1}, 0, from.at(0), to.at(0), n));
      double worst = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        double largest = -INFINITY, sum = 0;
        for (std::size_t i = 0; i < width; ++i) largest = std::fmax(largest, in[r * width + i]);
        for (std::size_t i = 0; i < width; ++i) sum += std::exp(in[r * width + i] - largest);
        for (std::size_t i = 0; i < width; ++i)
          worst = std::fmax(worst, std::fabs(std::exp(in[r * width + i] - largest) / sum - to.get(r * width + i)));
      }
      CHECK(worst < 1e-6);
    }
  });
}

TEST_CASE("what warps compute together") {
  on_architectures("warp", [](program& p) {
    for (int n : {1, 32, 77}) {
      CAPTURE(n);
      auto in = numbers(96, 7);
      for (float& x : in) x *= 4;
      buffer<float> from(96, "in"), sums(3, "sums");
      buffer<int> scans(96, "scans"), votes(96 * 7, "votes");
      fill(from, in);
      unsigned const blocks = static_cast<unsigned>(n + 31) / 32;
      expect_clean(p.request("warp_sums", {blocks, 1, 1}, {32, 1, 1}, 0, from.at(0), sums.at(0), scans.at(0), votes.at(0), n));
      for (unsigned w = 0; w < blocks; ++w) {
        float value[32];
        int key[32], scan = 0, most = -1000, mixed = 0, positive = 0, half = 0, third = 0;
        bool every = true, one = false;
        double sum = 0;
        for (unsigned l = 0; l < 32; ++l) {
          value[l] = w * 32 + l < unsigned(n) ? in[w * 32 + l] : 0.0f;
          key[l] = static_cast<int>(value[l]);
          sum += value[l];
          most = std::max(most, key[l]);
          mixed ^= key[l];
          positive += value[l] > 0;
          every = every && value[l] > -100;
          one = one || value[l] > 2;
          if (l < 16) half += key[l];
        }
        CHECK(std::fabs(sums.get(w) - sum) < 1e-4);
        for (unsigned l = 0; l < 32 && w * 32 + l < unsigned(n); ++l) {
          scan += key[l];
          CHECK(scans.get(w * 32 + l) == scan);
          unsigned alike = 0;
          for (unsigned m = 0; m < 32; ++m) alike |= unsigned(key[m] == key[l]) << m;
          third = l < 16 ? 2 * half : 0;   // its own and that of lane 3 of its group of eight
          int const expected[] = {positive, static_cast<int>(alike), most, mixed, every, one, third};
          for (unsigned e = 0; e < 7; ++e) CHECK(votes.get((w * 32 + l) * 7 + e) == expected[e]);
        }
      }
    }
  });
}

TEST_CASE("a histogram by atomics") {
  on_architectures("histogram", [](program& p) {
    for (int n : {0, 1, 500, 1031}) {
      CAPTURE(n);
      constexpr int n_bins = 13;
      auto const values = numbers(1031, 5);
      buffer<int> bins(1031, "bins");
      buffer<float> in(1031, "values"), largest(1, "largest");
      fill(in, values);
      for (int i = 0; i < 1031; ++i) bins.set(static_cast<std::size_t>(i), i * i % n_bins);
      unsigned expected[n_bins] = {};
      double sum[n_bins] = {};
      float most = 0;
      for (int i = 0; i < n; ++i) {
        ++expected[i * i % n_bins];
        sum[i * i % n_bins] += values[static_cast<std::size_t>(i)];
        most = std::max(most, values[static_cast<std::size_t>(i)]);
      }
      unsigned runs = 0;
      buffer<unsigned> counts(n_bins, "counts", 0u), tickets(1, "tickets", 0u);
      buffer<double> sums(n_bins, "sums", 0.0);
      largest.set(0, 0.0f);
      on_schedules(p.request("histogram", {3, 1, 1}, {96, 1, 1}, n_bins * 4, bins.at(0), in.at(0), n, n_bins, counts.at(0), sums.at(0),
                             largest.at(0), tickets.at(0)),
                   [&](report_data const& r) {
                     CHECK(r.ok());
                     ++runs;
                   });
      for (std::size_t b = 0; b < n_bins; ++b) {
        CHECK(counts.get(b) == runs * expected[b]);
        CHECK(sums.get(b) == doctest::Approx(runs * sum[b]));
      }
      CHECK(largest.get(0) == most);
      CHECK(tickets.get(0) == 0);   // three blocks wrap the ticket from 2 to 0
    }
  });
}
