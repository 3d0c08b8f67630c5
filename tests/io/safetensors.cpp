// Reading and writing safetensors: what goes in comes out, and a crafted file is refused for the right reason (pitfall 36).
#include "dyadic/io/safetensors.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "dyadic/io/safetensors_writer.hpp"
#include "support/paths.hpp"

using namespace dyadic;

namespace {
std::vector<std::byte> bytes_of(std::string const& s) {
  auto const view = std::as_bytes(std::span<char const>(s.data(), s.size()));
  return {view.begin(), view.end()};
}
std::string with_length(std::uint64_t length, std::string const& rest) {
  std::string s(8, '\0');
  std::memcpy(s.data(), &length, 8);
  return s + rest;
}
std::string file(std::string const& header, std::size_t data_bytes) { return with_length(header.size(), header + std::string(data_bytes, 'x')); }
std::string one(std::string const& dtype, std::string const& shape, std::string const& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}
std::string refusal(std::string const& content) {
  try {
    io::safetensors const opened(bytes_of(content), "crafted");
  } catch (error const& e) {
    CHECK(e.kind() == error_kind::file);
    return e.what();
  }
  return "accepted";
}
bool contains(std::string const& s, char const* part) { return s.find(part) != std::string::npos; }
}  // namespace

#define REFUSED(content, reason)                                     \
  do {                                                               \
    std::string const why = refusal(content);                        \
    CHECK_MESSAGE(contains(why, reason), "expected '", reason, "', got '", why, "'"); \
  } while (false)

TEST_CASE("pitfall 36: lengths that wrap, or reach beyond the file") {
  REFUSED("", "shorter than");
  REFUSED("1234567", "shorter than");
  REFUSED(with_length(0, ""), "does not begin");
  REFUSED(with_length(UINT64_MAX, "{}"), "over the limit");
  REFUSED(with_length(UINT64_MAX - 7, "{}"), "over the limit");       // + 8 wraps to 0
  REFUSED(with_length(100'000'001, "{}"), "over the limit");
  REFUSED(with_length(100'000'000, "{}"), "in a file of");
  REFUSED(with_length(3, "{}"), "in a file of");
  REFUSED(with_length(1, "{}"), "expected");
}

TEST_CASE("pitfall 36: sizes that overflow, and offsets that lie") {
  REFUSED(file(one("F32", "[4294967296,4294967296]", "[0,0]"), 0), "beyond 63 bits");       // the product wraps to 0
  REFUSED(file(one("F32", "[4294967296,4294967296,0]", "[0,0]"), 0), "beyond 63 bits");     // hidden behind an empty axis
  REFUSED(file(one("F32", "[0,4294967296,4294967296]", "[0,0]"), 0), "beyond 63 bits");
  REFUSED(file(one("F64", "[2305843009213693952]", "[0,0]"), 0), "beyond 63 bits");         // 2^61 x 8
  REFUSED(file(one("U8", "[18446744073709551615]", "[0,0]"), 0), "beyond 63 bits");
  REFUSED(file(one("U8", "[18446744073709551616]", "[0,0]"), 0), "beyond 64 bits");
  REFUSED(file(one("F32", "[2]", "[0,4]"), 8), "needs 8 bytes but has 4");
  REFUSED(file(one("F32", "[2]", "[8,0]"), 8), "ends before it begins");
  REFUSED(file(one("F32", "[2]", "[0,8]"), 7), "ends beyond the file");
  REFUSED(file(one("F32", "[2]", "[0,8]"), 9), "bytes after the last tensor");
  REFUSED(file(one("F32", "[2]", "[1,9]"), 9), "a gap before 'a'");
  REFUSED(file(one("F32", "[]", "[18446744073709551612,18446744073709551616]"), 4), "beyond 64 bits");
  REFUSED(file(one("F32", "[1]", "[18446744073709551608,18446744073709551612]"), 4), "ends beyond the file");
}

TEST_CASE("pitfall 36: overlaps, gaps and names given twice") {
  auto two = [](std::string const& name, std::string const& first, std::string const& second) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first + R"(},")" + name + R"(":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
  };
  CHECK(refusal(file(two("b", "[0,4]", "[4,8]"), 8)) == "accepted");
  CHECK(refusal(file(two("b", "[4,8]", "[0,4]"), 8)) == "accepted");
  REFUSED(file(two("b", "[0,4]", "[3,7]"), 7), "overlaps");
  REFUSED(file(two("b", "[0,4]", "[0,4]"), 4), "overlaps");
  REFUSED(file(two("b", "[0,4]", "[5,9]"), 9), "a gap");
  REFUSED(file(two("a", "[0,4]", "[4,8]"), 8), "'a' given twice");
  REFUSED(file(two("\\u0061", "[0,4]", "[4,8]"), 8), "'a' given twice");
  REFUSED(file(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0), "given twice");
  REFUSED(file(R"({"a":{"dtype":"U8","shape":[0],"shape":[0],"data_offsets":[0,0]}})", 0), "given twice");
  REFUSED(file(R"({"__metadata__":{"k":"1","k":"2"}})", 0), "given twice");
  REFUSED(file(R"({"__metadata__":{},"__metadata__":{}})", 0), "given twice");
}

TEST_CASE("pitfall 36: text that is not such a header") {
  for (char const* header : {"{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":{", "{\"a\":1}", "{\"a\":[]}", "{\"a\":null}", "{a:{}}", "{}}", "{},", "{,}",
                             "{\"a\":{},}", "{\"a\":{}}", "{'a':{}}", "{\"\\x\":{}}", "{\"\\u12g4\":{}}", "{\"\\ud800\":{}}", "{\"\\udc00\":{}}",
                             "{\"\\ud800\\u0041\":{}}", "{\"\x80\":{}}", "{\"\xc0\x80\":{}}", "{\"\xed\xa0\x80\":{}}", "{\"\xf5\x80\x80\x80\":{}}",
                             "{\"\xe2\x82\":{}}", "{\"\n\":{}}", "{\"__metadata__\":{\"k\":1}}", "{\"__metadata__\":{\"k\":{}}}", "{\"__metadata__\":[]}"}) {
    std::string const why = refusal(file(header, 0));
    CHECK_MESSAGE(contains(why, "header byte"), header, ": ", why);
  }
  REFUSED(file(one("F32", "[01]", "[0,4]"), 4), "leading zero");
  REFUSED(file(one("F32", "[-1]", "[0,4]"), 4), "non-negative integer");
  REFUSED(file(one("F32", "[1.0]", "[0,4]"), 4), "non-negative integer");
  REFUSED(file(one("F32", "[1e0]", "[0,4]"), 4), "non-negative integer");
  REFUSED(file(one("F32", "[1,]", "[0,4]"), 4), "non-negative integer");
  REFUSED(file(one("F32", "[1]", "[0]"), 4), "',' expected");
  REFUSED(file(one("F32", "[1]", "[0,4,4]"), 4), "']' expected");
  REFUSED(file(one("F33", "[1]", "[0,4]"), 4), "unknown dtype 'F33'");
  REFUSED(file(one("f32", "[1]", "[0,4]"), 4), "unknown dtype");
  REFUSED(file(R"({"a":{"shape":[0],"data_offsets":[0,0]}})", 0), "lacks");
  REFUSED(file(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"more":1}})", 0), "unknown field 'more'");
  std::string deep = "{\"a\":{\"shape\":";
  deep.append(1'000'000, '[');
  REFUSED(file(deep, 0), "non-negative integer");   // nothing recurses, so nothing overflows the stack
  REFUSED(file("{\"a\":" + std::string(1'000'000, '{'), 0), "expected");
  REFUSED(file(std::string("{}\0", 3), 0), "more text");
}

TEST_CASE("what the format allows is accepted") {
  CHECK(refusal(file("{}", 0)) == "accepted");
  CHECK(refusal(file("{}     ", 0)) == "accepted");
  CHECK(refusal(file("{ \"__metadata__\" : { \"k\" : \"v\" } \n}", 0)) == "accepted");
  io::safetensors const scalar(bytes_of(file(one("F32", "[]", "[0,4]"), 4)));
  CHECK(scalar.at("a").size() == 1);
  io::safetensors const empty(bytes_of(file(one("F32", "[3,0,2]", "[0,0]"), 0)));
  CHECK(empty.at("a").size() == 0);
  CHECK(empty.at("a").values<double>().empty());
  // Empty tensors between others, all at the boundary; a width-8 tensor at an odd offset.
  io::safetensors const mixed(bytes_of(file(R"({"z":{"dtype":"F64","shape":[1],"data_offsets":[1,9]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                            R"("e":{"dtype":"F32","shape":[0],"data_offsets":[1,1]},"f":{"dtype":"F32","shape":[0],"data_offsets":[9,9]}})", 9)));
  CHECK(mixed.tensors().size() == 4);
  CHECK(mixed.at("z").values<double>().size() == 1);
  CHECK(mixed.find("y") == nullptr);
  CHECK_THROWS_AS(mixed.at("y"), error);
  io::safetensors const named(bytes_of(file(R"({"__metadata__":{"\u20ac\ud83d\ude00\n":"\"\\\/"}})", 0)));
  CHECK(named.metadata().at("\xe2\x82\xac\xf0\x9f\x98\x80\n") == "\"\\/");
}

TEST_CASE("what is written is read back, and the same tensors give the same bytes") {
  test::temporary_folder const folder;
  std::string const path = folder / "t.safetensors";
  std::vector<float> const w{1, 2, 3, 4, 5, 6};
  std::vector<double> const d{0.1, -1e300};
  std::vector<std::int32_t> const i{7, -8};
  auto all = [&](bool reversed) {
    std::vector<io::tensor_entry> t{io::stored("w\"\n", {2, 3}, std::span(w)), io::stored("d", {2}, std::span(d)), io::stored("i", {1, 2}, std::span(i)),
                                    io::stored("none", {0, 4}, std::span<float const>())};
    if (reversed) std::reverse(t.begin(), t.end());
    return t;
  };
  io::write_safetensors(path, all(false), {{"a", "1"}, {"b", "two"}});
  auto const first = io::read_file(path);
  io::write_safetensors(path, all(true), {{"b", "two"}, {"a", "1"}});
  CHECK(io::read_file(path) == first);
  auto const f = io::safetensors::open(path);
  CHECK(f.at("w\"\n").values<float>() == w);
  CHECK(f.at("w\"\n").shape == std::vector<std::int64_t>{2, 3});
  CHECK(f.at("d").values<double>() == d);
  CHECK(f.at("i").values<std::int64_t>() == std::vector<std::int64_t>{7, -8});
  CHECK(f.at("none").size() == 0);
  CHECK(f.metadata().at("b") == "two");
  CHECK(f.tensors()[0].name == "d");   // the widest first: every tensor is aligned
  std::vector<float> five(5);
  CHECK_THROWS_AS(f.at("w\"\n").copy_to(std::span(five)), error);
}

TEST_CASE("a failed write leaves the older file and no litter") {
  test::temporary_folder const folder;
  std::string const path = folder / "t.safetensors";
  std::vector<float> const w{1, 2};
  io::write_safetensors(path, {io::stored("w", {2}, std::span(w))});
  auto const before = io::read_file(path);
  CHECK_THROWS_AS(io::write_safetensors(path, {io::stored("w", {2}, std::span(w)), io::stored("w", {2}, std::span(w))}), error);
  { io::pending_file dropped(path); dropped.write(std::string("half")); }
  CHECK(io::read_file(path) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()) == 1);
  CHECK_THROWS_AS(io::pending_file("no/such/folder/x"), error);
  CHECK_THROWS_AS(io::safetensors::open(folder / "missing"), error);
  CHECK_THROWS_AS(io::stored("w", {3}, std::span(w)), error);
}

TEST_CASE("every truncation of a good file, and every flipped bit of its header, is refused or still consistent") {
  std::string const good = file(R"({"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"b":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]}})", 11);
  REQUIRE(refusal(good) == "accepted");
  for (std::size_t n = 0; n < good.size(); ++n) CHECK(refusal(good.substr(0, n)) != "accepted");
  for (std::size_t n = 0; n + 11 < good.size(); ++n) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[n] = static_cast<char>(bad[n] ^ (1 << bit));
      try {
        io::safetensors const f(bytes_of(bad));
        std::int64_t bytes = 0;
        for (auto const& t : f.tensors()) bytes += static_cast<std::int64_t>(t.bytes.size());
        CHECK(bytes == 11);
      } catch (error const&) {
      }
    }
  }
}
