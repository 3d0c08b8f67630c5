// Parameters from files: a tensor is taken in the shape that checkpoints have or in the parameter's own axes, and in no other shape.
#include "dyadic/io/weights.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "dyadic/graph/trace.hpp"
#include "support/paths.hpp"

using namespace dyadic;

namespace {

struct rows : axis<> {};
struct feature : axis<3> {};
struct heads : axis<2> {};
struct dim : axis<4> {};

struct model {
  parameter<heads, dim, feature> query{};          // 8 outputs, 3 inputs
  parameter<heads, dim> offset{constant_init(0)};  // one axis in checkpoints
  DYADIC_FIELDS(query, offset)
  constexpr auto operator()(source in) const {
    auto x = in.input<rows, feature>("x");
    return results(named("y", contract<feature>(x, query(x)) + offset(x)));
  }
};
using extent_list = std::vector<std::int64_t>;
std::vector<float> const query_values = [] { std::vector<float> v(24); std::iota(v.begin(), v.end(), 1.0f); return v; }();
std::vector<float> const offset_values = {8, 7, 6, 5, 4, 3, 2, 1};

io::safetensors file_of(std::string const& path, extent_list const& query, extent_list const& offset) {
  io::write_safetensors(path, {io::stored("offset", offset, std::span(offset_values)), io::stored("query", query, std::span(query_values))});
  return io::safetensors::open(path);
}
std::vector<float> numbers_in(weights<model, float> const& w, std::string const& wanted) {
  std::vector<float> r;
  w->each([&](std::string const& name, leaf const&, float* x, std::int64_t n) { if (name == wanted) r.assign(x, x + n); });
  return r;
}

}  // namespace

TEST_CASE("a tensor of [outputs, inputs], and one of all the parameter's axes, is loaded") {
  test::temporary_folder const folder;
  for (extent_list const& query : {extent_list{8, 3}, extent_list{2, 4, 3}}) {
    for (extent_list const& offset : {extent_list{8}, extent_list{2, 4}}) {
      auto const w = init<model>(seed{1});
      auto const report = io::load_into(*w, file_of(folder / "fits.safetensors", query, offset));
      CHECK(report.loaded.size() == 2);
      CHECK(numbers_in(w, "query") == query_values);
      CHECK(numbers_in(w, "offset") == offset_values);
    }
  }
}

TEST_CASE("a tensor of the right size but another shape is refused, and nothing is written") {
  test::temporary_folder const folder;
  extent_list const others[] = {{3, 8}, {24}, {8, 3, 1}, {1, 8, 3}, {4, 2, 3}, {3, 2, 4}, {2, 12}};
  auto const w = init<model>(seed{1});
  auto const query = numbers_in(w, "query"), offset = numbers_in(w, "offset");
  auto refused = [&](extent_list const& q, extent_list const& o) {
    std::string reason;
    try {
      io::load_into(*w, file_of(folder / "other.safetensors", q, o));
    } catch (error const& e) {
      if (e.kind() == error_kind::shape) reason = e.what();
    }
    CHECK(numbers_in(w, "query") == query);
    CHECK(numbers_in(w, "offset") == offset);
    return reason;
  };
  for (extent_list const& other : others) {
    std::string const reason = refused(other, {8});
    CHECK(reason.find("query is [8, 3]") != std::string::npos);
  }
  for (extent_list const& other : {extent_list{8, 1}, extent_list{1, 8}, extent_list{4, 2}, extent_list{2, 2, 2}}) CHECK_FALSE(refused({8, 3}, other).empty());
}

TEST_CASE("what is saved has the shapes of checkpoints, and is loaded again") {
  test::temporary_folder const folder;
  std::string const path = folder / "saved.safetensors";
  auto const w = init<model>(seed{2});
  io::save(path, w);
  auto const file = io::safetensors::open(path);
  CHECK(file.at("query").shape == extent_list{8, 3});
  CHECK(file.at("offset").shape == extent_list{8});
  auto const again = io::load<model>(path);
  CHECK(numbers_in(again, "query") == numbers_in(w, "query"));
  CHECK(numbers_in(again, "offset") == numbers_in(w, "offset"));
}
