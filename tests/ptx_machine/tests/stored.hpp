// The stored PTX of kernels/, for each architecture.
#pragma once
#include <fstream>
#include <sstream>
#include <string>

#include "program.hpp"

namespace scripted {

inline std::string stored_ptx(std::string const& kernel, std::string const& arch) {
  std::string path = DYADIC_TEST_DATA "/ptx/";   // in steps: g++ 12 warns of a chain of sums
  path.append(kernel).append(".").append(arch).append(".ptx");
  std::ifstream in(path);
  REQUIRE_MESSAGE(in.good(), path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// check(program&) for the PTX of every architecture.
template <class Check>
void on_architectures(std::string const& kernel, Check&& check) {
  for (std::string const arch : {"sm_80", "sm_90", "sm_100"}) {
    INFO(kernel << ", " << arch);
    program p(stored_ptx(kernel, arch), kernel + '.' + arch + ".ptx");
    CHECK(p.contents().target() == arch);
    check(p);
  }
}

/// Numbers between -1 and 1 from a seed: the same everywhere.
inline std::vector<float> numbers(std::size_t n, unsigned seed) {
  std::vector<float> v(n);
  random_source r(seed + 1);
  for (float& x : v) x = static_cast<float>(r.below(1 << 24)) / (1 << 23) - 1;
  return v;
}

template <class T>
void fill(buffer<T>& b, std::vector<T> const& v) {
  for (std::size_t i = 0; i < v.size(); ++i) b.set(i, v[i]);
}

}  // namespace scripted
