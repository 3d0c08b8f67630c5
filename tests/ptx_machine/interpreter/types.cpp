// Names of the scalar types.
#include "types.hpp"

namespace ptx_machine {
namespace {
constexpr std::string_view names[] = {"none", "pred", "b8",  "b16",   "b32",  "b64",    "u8",  "u16", "u32",  "u64",   "s8",    "s16",
                                      "s32",  "s64",  "f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "tf32", "f32x2", "u16x2", "s16x2"};
}

scalar scalar_named(std::string_view name) {
  for (unsigned i = 1; i < sizeof names / sizeof *names; ++i)
    if (names[i] == name) return static_cast<scalar>(i);
  return scalar::none;
}

std::string_view name_of(scalar t) { return names[static_cast<unsigned>(t)]; }

}  // namespace ptx_machine
