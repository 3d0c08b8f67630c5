// What a trace found wrong, as a sentence: for graphs that are traced at run time. (traced<Model> says the same in static_asserts.)
#pragma once
#include "dyadic/expr/builder.hpp"

namespace dyadic {

constexpr char const* fault_text(fault f) {
  switch (f) {
    case fault::none: return "nothing is wrong";
    case fault::memory_never_appended: return "a memory is read but nothing is appended to it";
    case fault::memory_appended_twice: return "a memory takes one append";
    case fault::memory_changes_axes: return "what is appended has an axis that the attention's operands lack";
    case fault::state_never_written: return "a carry is read but never written";
    case fault::state_written_twice: return "a carry takes one write";
    case fault::state_changes_axes: return "the carry's initial value lacks an axis of the written value";
    case fault::score_not_pointwise: return "a score is pointwise: it may not reduce, index or read a key of a key";
    case fault::parameter_outside_its_repeat: return "a stack's parameter is read outside its repeat";
    case fault::parameter_without_a_name: return "a parameter is in no module with DYADIC_FIELDS";
    case fault::no_result: return "there is no result";
    case fault::output_named_twice: return "two results or probes have one name";
    case fault::too_many_axes: return "a graph has at most 30 axes";
    case fault::too_many_nodes: return "a graph has at most 32000 nodes";
    case fault::parameter_in_two_repeats: return "a parameter of its own for every iteration of two repeats: give one of them an axis";
    case fault::no_derivative: return "an op on the way to a wanted gradient has no derivative";
  }
  return "unknown";
}

}  // namespace dyadic
