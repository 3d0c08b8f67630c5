// libFuzzer: the bytes choose a model, its length and its data; every pass and the engine must keep its values and gradients.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "support/chain_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 3) return 0;
  unsigned const seed = data[0];
  test::choices c(data + 2, size - 2);
  test::chain_report const r = test::check_chain(c, seed, data[1] % 8);
  if (r.wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", r.wrong.c_str());
  std::abort();
}
