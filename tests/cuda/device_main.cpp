// Tests on a device. Without one: the executor says so, and the program ends as skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>

#include "dyadic/exec/cuda_stream.hpp"

int main(int arguments, char** argument) {
  if (!dyadic::exec::cuda_stream::available()) {
    try {
      dyadic::exec::cuda_stream const stream;
    } catch (dyadic::error const& e) {
      if (e.kind() != dyadic::error_kind::device || !std::strstr(e.what(), "exec::cuda_stream: ")) {
        std::printf("wrong error without a device: %s\n", e.what());
        return 1;
      }
      std::printf("skipped (no GPU): %s\n", e.what());
      return 77;
    }
    std::printf("exec::cuda_stream was made without a device\n");
    return 1;
  }
  return doctest::Context(arguments, argument).run();
}
