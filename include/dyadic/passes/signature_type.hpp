// A group's code as a type: what engines make its kernel from.
#pragma once
#include "dyadic/passes/signature.hpp"

namespace dyadic {

/// A group's code as a type: what its kernel is made from.
template <std::uint64_t... Words> struct signature {
  static constexpr int count = static_cast<int>(sizeof...(Words)) - 1;
  static constexpr std::uint64_t words[sizeof...(Words)] = {Words...};
  static constexpr int operands = static_cast<int>(words[count] >> 16 & 15), phases = static_cast<int>(words[count] >> 20 & 15);
  static constexpr group_step at(int i) { return group_step::of(words[i]); }
  static constexpr bool of_row(int operand) { return words[count] >> operand & 1; }
  /// Where step i's result is among the pointers.
  static constexpr int place(int i) {
    int n = 0;
    for (int k = 0; k < i; ++k) n += at(k).stored;
    return n;
  }
  static constexpr int results = [] {
    int n = 0;
    for (int k = 0; k < count; ++k) n += at(k).stored;
    return n;
  }();
  static constexpr group_code code = [] {
    group_code c;
    c.count = count;
    c.operands = operands;
    for (int i = 0; i < count; ++i) c.s[i] = at(i);
    for (int j = 0; j < operands; ++j) c.of_row[j] = of_row(j);
    return c;
  }();
  static constexpr bool walks(int phase, int i) { return code.walks(phase, i); }
  static constexpr bool loads(int phase, int operand) { return code.loads(phase, operand); }

  // The same as constants: a device may not call functions of the host, even where the compiler knows what they return.
  template <int Step> static constexpr group_step step = at(Step);
  template <int Step> static constexpr bool is_reduction = at(Step).reduces();
  template <int Step> static constexpr int place_of = place(Step);
  template <int Operand> static constexpr bool is_of_row = of_row(Operand);
  template <int Phase, int Step> static constexpr bool is_walked = walks(Phase, Step);
  template <int Phase, int Operand> static constexpr bool is_loaded = loads(Phase, Operand);
};

}  // namespace dyadic
