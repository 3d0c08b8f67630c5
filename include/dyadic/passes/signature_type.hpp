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
  /// Whether a walk computes step i: what it stores or reduces, and the elements that takes.
  static constexpr bool walks(int phase, int i) {
    bool need[max_group_members]{};
    for (int k = count; k-- > 0;) {
      group_step const s = at(k);
      bool const kept = s.level == member_level::columns || (s.level == member_level::element && s.stored);
      bool const ends = s.phase == phase && (s.reduces() || kept);
      need[k] = need[k] || ends;
      if (!need[k]) continue;
      for (int const a : s.arg) if (a < group_step::operand_zero && at(a).level == member_level::element) need[a] = true;
    }
    return need[i];
  }
  /// Whether a walk reads an operand that has the row axis.
  static constexpr bool loads(int phase, int operand) {
    if (of_row(operand)) return false;
    for (int k = 0; k < count; ++k)
      if (walks(phase, k)) for (int const a : at(k).arg) if (a == group_step::operand_zero + operand) return true;
    return false;
  }
};

}  // namespace dyadic
