// A few PTX instructions as a function: %0 is its result, %1, %2, ... its operands, each in a register of its type's width.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "../interpreter/formats.hpp"
#include "program.hpp"

namespace scripted {

// The widths of registers, as the ISA's types are called.
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

template <class Signature>
class snippet;

/// Also at hand: predicates p0..p3, registers h0..h7 (16 bits), w0..w31 (32 bits), q0..q15 (64 bits), %lane, and 4096 bytes of shared
/// memory at `scratch`. bool stands for a predicate.
template <class R, class... A>
class snippet<R(A...)> {
 public:
  explicit snippet(std::string body, std::string target = "sm_90") {
    for (std::size_t at = body.find('%'); at != body.npos; at = body.find('%', at + 1))
      if (at + 1 < body.size() && body[at + 1] >= '0' && body[at + 1] <= '9') body.insert(at + 1, "v");
    constexpr std::size_t n = sizeof...(A);
    std::string text = ".version 9.0\n.target " + target +
                       "\n.address_size 64\n.visible .entry snippet(.param .u64 in, .param .u64 out) {\n"
                       ".shared .align 16 .b8 scratch[4096];\n.reg .pred p<4>;\n.reg .b16 h<8>;\n.reg .b32 w<32>;\n.reg .b64 q<16>;\n"
                       ".reg .b32 %lane, %index;\n.reg .b64 %in, %out;\n";
    int k = 0;
    text += declared<R>(k);
    ((text += declared<A>(++k)), ...);
    text += "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %index, %tid.x;\nand.b32 %lane, %index, 31;\n"
            "mad.wide.u32 %in, %index, " + std::to_string(8 * n) + ", %in;\nmad.wide.u32 %out, %index, 8, %out;\n";
    k = 0;
    ((text += loaded<A>(++k)), ...);
    text += body + "\n" + stored<R>() + "ret;\n}\n";
    program_ = std::make_unique<program>(text, "snippet");
  }

  R operator()(A... a) const { return all({{a...}}).front(); }

  /// Thread i gets the i-th operands and gives the i-th result; all are one block.
  std::vector<R> all(std::vector<std::tuple<A...>> const& operands) const {
    buffer<std::uint64_t> in(operands.size() * sizeof...(A) + 1, "in", 0), out(operands.size(), "out");
    std::size_t at = 0;
    for (auto const& one : operands) std::apply([&](auto const&... x) { (in.set(at++, bits(x)), ...); }, one);
    reset();
    launch_request const r = program_->request("snippet", {}, {static_cast<unsigned>(operands.size()), 1, 1}, 0, in.at(0), out.at(0));
    run_launch(r);
    INFO(to_string(report()));
    CHECK(report().ok());
    std::vector<R> results;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      std::uint64_t const raw = out.get(i);
      R x{};
      if constexpr (std::is_same_v<R, bool>) x = raw & 1;
      else std::memcpy(&x, &raw, sizeof x);
      results.push_back(x);
    }
    return results;
  }

 private:
  template <class T> static std::uint64_t bits(T const& x) {
    std::uint64_t b = 0;
    std::memcpy(&b, &x, sizeof x);
    return b;
  }
  template <class T> static std::string width() { return std::to_string(sizeof(T) == 1 ? 16 : sizeof(T) * 8); }
  template <class T> static std::string declared(int k) {
    std::string const name = "%v" + std::to_string(k);
    if constexpr (std::is_same_v<T, bool>) return ".reg .pred " + name + ";\n";
    else return ".reg .b" + width<T>() + " " + name + ";\n";
  }
  template <class T> static std::string loaded(int k) {
    std::string const name = "%v" + std::to_string(k), from = "[%in+" + std::to_string(8 * (k - 1)) + "];\n";
    if constexpr (std::is_same_v<T, bool>) return "ld.global.b32 w31, " + from + "setp.ne.u32 " + name + ", w31, 0;\n";
    else return "ld.global.b" + width<T>() + " " + name + ", " + from;
  }
  template <class T> static std::string stored() {
    if constexpr (std::is_same_v<T, bool>) return "selp.u32 w31, 1, 0, %v0;\nst.global.b32 [%out], w31;\n";
    else return "st.global.b" + width<T>() + " [%out], %v0;\n";
  }

  std::unique_ptr<program> program_;
};

}  // namespace scripted
