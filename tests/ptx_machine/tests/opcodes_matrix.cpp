// ldmatrix, stmatrix, movmatrix and mma: where elements go, against the figures of the ISA, and products against plain ones.
#include <bit>
#include <cmath>
#include <set>

#include "../interpreter/formats.hpp"
#include "../opcodes/fragments.hpp"
#include "fragment_tables.hpp"
#include "snippet.hpp"

using namespace scripted;

namespace {

template <int rows, int columns, class Place> void compare(figures::owners<rows, columns> const& m, Place place) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      figures::owner const o = m[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      CAPTURE(r); CAPTURE(c); CAPTURE(o.lane); CAPTURE(o.element);
      REQUIRE(o.lane >= 0);
      CHECK(place(o.lane, o.element).row == r);
      CHECK(place(o.lane, o.element).column == c);
    }
}

/// A warp's mma: fragments are filled by the figures, the result is read by them and compared with the plain product.
template <class In, class Out, int m, int n, int k> struct product {
  figures::owners<m, k> a_owners;
  figures::owners<k, n> b_owners;
  figures::owners<m, n> c_owners;

  static constexpr bool in_packed = sizeof(In) == 2, out_packed = sizeof(Out) == 2;
  static constexpr std::size_t a_count = m * k / 32, b_count = k * n / 32, c_count = m * n / 32;
  static constexpr std::size_t a_regs = a_count / (in_packed ? 2 : 1), b_regs = b_count / (in_packed ? 2 : 1),
                               c_regs = c_count / (out_packed ? 2 : 1);

  template <class T> static u64 bits(T x) {
    u64 b = 0;
    std::memcpy(&b, &x, sizeof x);
    return b;
  }

  void check(std::string const& opcode, auto to_in, auto from_in, auto to_out, auto from_out, double tolerance) const {
    random_source r(9);
    std::vector<In> a(m * k), b(k * n);
    std::vector<Out> c(m * n);
    auto const number = [&] { return r.below(2001) / 1000.0 - 1; };
    for (auto& x : a) x = to_in(number());
    for (auto& x : b) x = to_in(number());
    for (auto& x : c) x = to_out(number());
    // Registers of each lane: a, b, c, each 8 bytes in memory.
    std::size_t const per_lane = a_regs + b_regs + c_regs;
    std::vector<u64> regs(32 * per_lane, 0);
    auto const give = [&](auto const& owners, auto const& values, std::size_t first, bool packed, int rows, int columns) {
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          auto const o = owners[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
          auto const e = static_cast<std::size_t>(o.element);
          u64& reg = regs[static_cast<std::size_t>(o.lane) * per_lane + first + e / (packed ? 2 : 1)];
          reg |= bits(values[static_cast<std::size_t>(i * columns + j)]) << (packed ? e % 2 * 16 : 0);
        }
    };
    give(a_owners, a, 0, in_packed, m, k);
    give(b_owners, b, a_regs, in_packed, k, n);
    give(c_owners, c, a_regs + b_regs, out_packed, m, n);
    bool const wide = sizeof(In) == 8;
    std::string const reg = wide ? "d" : "r", type = wide ? "b64" : "b32";
    std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry warp_mma(.param .u64 in, .param .u64 out) {\n.reg .b64 %in, %out;\n"
        ".reg .b32 %t;\n.reg ." +
        type + " %" + reg + "<32>;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %in, %t, " +
        std::to_string(per_lane * 8) + ", %in;\nmad.wide.u32 %out, %t, " + std::to_string(c_regs * 8) + ", %out;\n";
    auto const list = [&](std::size_t first, std::size_t count) {
      std::string s = "{";
      for (std::size_t i = 0; i < count; ++i) s += (i ? ", %" : "%") + reg + std::to_string(first + i);
      return s + "}";
    };
    for (std::size_t i = 0; i < per_lane; ++i)
      text += "ld.global." + type + " %" + reg + std::to_string(i) + ", [%in+" + std::to_string(8 * i) + "];\n";
    text += opcode + " " + list(20, c_regs) + ", " + list(0, a_regs) + ", " + list(a_regs, b_regs) + ", " + list(a_regs + b_regs, c_regs) +
            ";\n";
    for (std::size_t i = 0; i < c_regs; ++i)
      text += "st.global." + type + " [%out+" + std::to_string(8 * i) + "], %" + reg + std::to_string(20 + i) + ";\n";
    program p(text + "ret;\n}\n", "mma");
    buffer<u64> in(regs.size(), "in"), out(32 * c_regs, "out", u64(0));
    for (std::size_t i = 0; i < regs.size(); ++i) in.set(i, regs[i]);
    expect_clean(p.request("warp_mma", {}, {32, 1, 1}, 0, in.at(0), out.at(0)));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = from_out(c[static_cast<std::size_t>(i * n + j)]);
        for (int l = 0; l < k; ++l)
          sum += from_in(a[static_cast<std::size_t>(i * k + l)]) * from_in(b[static_cast<std::size_t>(l * n + j)]);
        auto const o = c_owners[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        auto const e = static_cast<std::size_t>(o.element);
        u64 const raw = out.get(static_cast<std::size_t>(o.lane) * c_regs + e / (out_packed ? 2 : 1)) >> (out_packed ? e % 2 * 16 : 0);
        Out got;
        std::memcpy(&got, &raw, sizeof got);
        CAPTURE(opcode); CAPTURE(i); CAPTURE(j);
        CHECK(std::fabs(from_out(got) - sum) <= tolerance);
      }
  }
};
auto const to_half = [](double x) { return from_double<half>(x); };
auto const to_brain = [](double x) { return from_double<bfloat>(x); };
auto const to_float = [](double x) { return static_cast<float>(x); };
auto const same = [](double x) { return x; };
auto const value = [](auto x) { return to_double(x); };

}  // namespace

TEST_CASE("fragments lie where the figures of the ISA show them") {
  using namespace fragments;
  compare(figures::a_16x16(), a_16);
  compare(figures::a_16x8(), a_16);
  compare(figures::b_16x8(), b_16);
  compare(figures::b_8x8(), b_16);
  compare(figures::c_16x8(), fragments::c_16x8);
  compare(figures::a_tf32_16x8(), a_32);
  compare(figures::a_tf32_16x4(), a_32);
  compare(figures::b_tf32_8x8(), b_32);
  compare(figures::b_tf32_4x8(), b_32);
  compare(figures::a_f64_8x4(), a_64);
  compare(figures::b_f64_4x8(), b_64);
  compare(figures::c_f64_8x8(), c_64);
  compare(figures::ldmatrix_8x8(), of_8x8);
}

TEST_CASE("products of fragments are products of matrices") {
  std::string const mma = "mma.sync.aligned.";
  product<bfloat, float, 16, 8, 16>{figures::a_16x16(), figures::b_16x8(), figures::c_16x8()}.check(
      mma + "m16n8k16.row.col.f32.bf16.bf16.f32", to_brain, value, to_float, same, 1e-6);
  product<bfloat, float, 16, 8, 8>{figures::a_16x8(), figures::b_8x8(), figures::c_16x8()}.check(mma + "m16n8k8.row.col.f32.bf16.bf16.f32",
                                                                                                 to_brain, value, to_float, same, 1e-6);
  product<half, float, 16, 8, 16>{figures::a_16x16(), figures::b_16x8(), figures::c_16x8()}.check(mma + "m16n8k16.row.col.f32.f16.f16.f32",
                                                                                                  to_half, value, to_float, same, 1e-6);
  product<half, float, 16, 8, 8>{figures::a_16x8(), figures::b_8x8(), figures::c_16x8()}.check(mma + "m16n8k8.row.col.f32.f16.f16.f32",
                                                                                               to_half, value, to_float, same, 1e-6);
  product<half, half, 16, 8, 16>{figures::a_16x16(), figures::b_16x8(), figures::c_16x8()}.check(mma + "m16n8k16.row.col.f16.f16.f16.f16",
                                                                                                 to_half, value, to_half, value, 4e-3);
  product<half, half, 16, 8, 8>{figures::a_16x8(), figures::b_8x8(), figures::c_16x8()}.check(mma + "m16n8k8.row.col.f16.f16.f16.f16",
                                                                                              to_half, value, to_half, value, 4e-3);
  auto const to_tf32_bits = [](double x) { return to_tf32(x, rounding::nearest); };
  auto const tf32_value = [](u32 x) { return double(std::bit_cast<float>(x)); };
  product<u32, float, 16, 8, 8>{figures::a_tf32_16x8(), figures::b_tf32_8x8(), figures::c_16x8()}.check(
      mma + "m16n8k8.row.col.f32.tf32.tf32.f32", to_tf32_bits, tf32_value, to_float, same, 1e-6);
  product<u32, float, 16, 8, 4>{figures::a_tf32_16x4(), figures::b_tf32_4x8(), figures::c_16x8()}.check(
      mma + "m16n8k4.row.col.f32.tf32.tf32.f32", to_tf32_bits, tf32_value, to_float, same, 1e-6);
  product<double, double, 8, 8, 4>{figures::a_f64_8x4(), figures::b_f64_4x8(), figures::c_f64_8x8()}.check(
      mma + "m8n8k4.row.col.f64.f64.f64.f64", same, same, same, same, 1e-15);
}

TEST_CASE("ldmatrix gives each lane its elements, stmatrix puts them back") {
  // Element e of row r of matrix m is 64 m + 8 r + e; rows lie 16 bytes apart, the lanes' addresses in reverse to be told apart.
  std::string const fill = "mul.lo.u32 w0, %lane, 16; mov.u32 w1, scratch; sub.u32 w2, 496, w0; add.u32 w3, w1, w2;"   // this lane's row
      "mul.lo.u32 w4, %lane, 8; mad.lo.u32 w5, w4, 65537, 65536;"                                                        // elements 0 and 1
      "add.u32 w6, w5, 131074; add.u32 w7, w6, 131074; add.u32 w8, w7, 131074; st.shared.v4.b32 [w3], {w5, w6, w7, w8}; bar.warp.sync -1;";
  std::vector<std::tuple<>> const lanes(32);
  for (int count : {1, 2, 4})
    for (bool trans : {false, true}) {
      std::string const x = ".x" + std::to_string(count) + (trans ? ".trans" : "");
      std::string const registers = count == 1 ? "{w10}" : count == 2 ? "{w10, w11}" : "{w10, w11, w12, w13}";
      for (int m = 0; m < count; ++m) {
        snippet<u32()> const load(fill + "ldmatrix.sync.aligned.m8n8" + x + ".shared.b16 " + registers + ", [w3]; mov.b32 %0, w" +
                                  std::to_string(10 + m) + ";");
        auto const out = load.all(lanes);
        auto const table = figures::ldmatrix_8x8();
        for (unsigned r = 0; r < 8; ++r)
          for (unsigned c = 0; c < 8; ++c) {
            figures::owner const o = trans ? table[c][r] : table[r][c];
            CAPTURE(x); CAPTURE(m); CAPTURE(r); CAPTURE(c);
            CHECK((out[static_cast<std::size_t>(o.lane)] >> (16 * o.element) & 0xffff) == 64u * static_cast<unsigned>(m) + 8 * r + c);
          }
      }
      // Loaded, cleared, stored the same way: memory is as it was.
      snippet<u64()> const back(fill + "ldmatrix.sync.aligned.m8n8" + x + ".shared.b16 " + registers +
                                ", [w3]; bar.warp.sync -1; mov.u32 w14, 0;"
                                "st.shared.v4.b32 [w3], {w14, w14, w14, w14}; bar.warp.sync -1; stmatrix.sync.aligned.m8n8" +
                                x + ".shared.b16 [w3], " + registers + "; bar.warp.sync -1; ld.shared.b64 %0, [w3+8];");
      auto const out = back.all(lanes);
      for (unsigned l = 0; l < 32; ++l) {
        u64 expected = 0;
        for (unsigned e = 0; e < 4 && l < 8u * static_cast<unsigned>(count); ++e) expected |= u64(8 * l + 4 + e) << (16 * e);
        CAPTURE(x); CAPTURE(l);
        CHECK(out[l] == expected);
      }
    }
}

TEST_CASE("movmatrix transposes") {
  std::vector<std::tuple<u32>> in;
  for (u32 l = 0; l < 32; ++l) in.push_back({2 * l | (2 * l + 1) << 16});   // element (r, c) is 8 r + c
  auto const out = snippet<u32(u32)>("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;").all(in);
  auto const table = figures::ldmatrix_8x8();
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned c = 0; c < 8; ++c)
      CHECK((out[static_cast<std::size_t>(table[r][c].lane)] >> (16 * table[r][c].element) & 0xffff) == 8 * c + r);
}
