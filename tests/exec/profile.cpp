// Timing by statement: every statement of a plan is in the table and in the trace, as often as the cost pass says; off, nothing is timed.
#include "dyadic/exec/profile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "dyadic/exec/pool.hpp"
#include "dyadic/models/transformer.hpp"
#include "dyadic/train/trainer.hpp"
#include "support/systems.hpp"

using namespace dyadic;

namespace {

/// JSON, parsed for its shape alone: counts objects, and the strings that follow "name" and "ph".
class json {
 public:
  explicit json(std::string const& text) : p_(text.c_str()), end_(p_ + text.size()) { ok = value() && (space(), p_ == end_); }
  bool ok = false;
  std::vector<std::string> names, phases;

 private:
  char const *p_, *end_;
  void space() { while (p_ < end_ && std::isspace(static_cast<unsigned char>(*p_))) ++p_; }
  bool take(char c) { space(); if (p_ == end_ || *p_ != c) return false; ++p_; return true; }
  bool string(std::string& s) {
    if (!take('"')) return false;
    for (; p_ < end_ && *p_ != '"'; ++p_) {
      if (static_cast<unsigned char>(*p_) < 0x20) return false;
      if (*p_ == '\\') {
        ++p_;
        if (p_ == end_ || std::string("\"\\/bfnrtu").find(*p_) == std::string::npos) return false;
      }
      s += *p_;
    }
    return take('"');
  }
  bool number() {
    char* after = nullptr;
    double const v = std::strtod(p_, &after);
    if (after == p_ || !std::isfinite(v)) return false;
    p_ = after;
    return true;
  }
  bool value() {
    space();
    if (p_ == end_) return false;
    if (*p_ == '{') return members('{', '}', true);
    if (*p_ == '[') return members('[', ']', false);
    std::string s;
    return *p_ == '"' ? string(s) : number();
  }
  bool members(char open, char close, bool keys) {
    take(open);
    if (take(close)) return true;
    do {
      std::string key;
      if (keys && !(string(key) && take(':'))) return false;
      space();
      if (p_ < end_ && *p_ == '"') {
        std::string s;
        if (!string(s)) return false;
        if (key == "name") names.push_back(s);
        if (key == "ph") phases.push_back(s);
      } else if (!value()) return false;
    } while (take(','));
    return take(close);
  }
};

std::int64_t count_of(std::vector<std::string> const& v, std::string const& s) { return std::count(v.begin(), v.end(), s); }

struct subject {
  builder graph;
  plan order;
  extents ext;
  shared<parameter_set<double>> parameters;
  runner<double> run;
  subject(test::training_of const& t, bool fused, cpu::workers on)
      : graph(test::trained(t.of->traced, t.solver)), order(test::planned(graph.view(), fused)),
        ext(test::bound_to(graph.view(), t.bound(2, 11))), parameters(shared<parameter_set<double>>::make(graph.view(), ext)),
        run(graph.view(), order.view(), ext, options(on)) {
    initialise(*parameters, seed{1});
    run.bind_parameters(parameters);
    auto const n = t.bound(2, 11);
    if (n.subsets > 0) run.engine().set_active(n.subsets);
    for (auto const& v : test::sequence_for(graph.view(), n)) if (run.has_input(v.first)) run.set(v.first, std::span<double const>(v.second));
    for (double& w : run.cotangent("loss")) w = 1;
  }
  static cpu::options options(cpu::workers on) {
    cpu::options o;
    o.on = on;
    o.least_work = 1;
    return o;
  }
};

/// Chunks and levels run less often than the cost pass counts, which says "at most"; and the engine takes tiles only of folds that stand in
/// the loop over their axis themselves, not in another loop in it.
bool exact_count(graph_view g, plan_view p, int statement) {
  stmt const& x = p[statement];
  for (int s = 0; s < p.size; ++s) if (p[s].levelled || p[s].streamed || p[s].guard != stmt::always) return false;
  if (!x.tiled) return true;
  return p[nesting(g, p).up.p[statement]].id == g[x.id].axis;
}

}  // namespace

TEST_CASE("profile: every statement of every system, as often as predicted, and in the trace") {
  exec::pool three(3, 3);
  int exact = 0, tiles = 0;
  for (auto const& t : test::trainings())
    for (bool fused : {false, true}) {
      std::string const name = t.name();
      CAPTURE(name);
      CAPTURE(fused);
      subject s(t, fused, three);
      plan_view const p = s.order.view();
      s.run.run();
      auto const before = s.run.output("loss");
      exec::profile profile(s.run, 1 << 20);
      for (int k = 0; k < 3; ++k) s.run.run();
      CHECK(s.run.output("loss") == before);
      CHECK(profile.runs() == 3);
      CHECK(profile.left_out() == 0);
      json const trace(profile.trace());
      CHECK(trace.ok);
      CHECK(trace.names.size() == trace.phases.size() + 1);   // the process's name is an argument
      CHECK(count_of(trace.names, "run") == 3);
      std::int64_t inside = 0, events = 0;
      double flops = 0, bytes = 0;
      bool counted = true;
      for (auto const& r : profile.rows()) {
        inside += r.nanoseconds;
        events += r.executions;
        flops += r.predicted.flops;
        bytes += r.predicted.bytes;
        CHECK(r.executions % 3 == 0);
        double const once = static_cast<double>(r.executions) / 3;
        if (r.predicted.kernels == 0 || s.graph[p[r.statement].id].axes & pair_bit) { CHECK(r.executions == 0); continue; }
        CHECK(r.executions > 0);
        CHECK(!r.name.empty());
        CHECK(profile.table().find(r.name) != std::string::npos);
        CHECK(count_of(trace.names, r.name) > 0);
        tiles += p[r.statement].tiled;
        double const each = fused ? statement_meter(s.graph.view(), p, s.ext)(r.statement).kernels : r.predicted.kernels;
        bool const as_predicted = exact_count(s.graph.view(), p, r.statement);
        counted = counted && (as_predicted ? once == each : once <= each);
        exact += as_predicted;
      }
      CHECK(counted);
      CHECK(inside <= profile.nanoseconds());
      CHECK(count_of(trace.phases, "X") >= events + 3);   // with the clearing of folds before tiles
      cost_request q;
      q.element_size = sizeof(double);
      auto const whole = measure_cost(s.graph.view(), p, s.ext, q);
      CHECK(flops == doctest::Approx(whole.flops));
      CHECK(bytes == doctest::Approx(whole.bytes));
      for (int i = 0; i < p.size; ++i) CHECK((profile.row_of(i) >= 0) == (p[i].kind == stmt::run));
      profile.clear();
      CHECK(profile.runs() == 0);
      s.run.run();
      CHECK(profile.runs() == 1);
    }
  CHECK(exact > 1000);
  CHECK(tiles > 4);
}

TEST_CASE("profile: statements without groups add up to the cost pass's kernels") {
  for (auto const& t : test::trainings()) {
    std::string const name = t.name();
    if (name != "transformer" && name != "recurrent, modern" && name != "lstm") continue;
    CAPTURE(name);
    subject s(t, false, {});
    exec::profile profile(s.run);
    s.run.run();
    double n = 0, pairs = 0;
    for (auto const& r : profile.rows()) {
      n += static_cast<double>(r.executions);
      if (s.graph[s.order.view()[r.statement].id].axes & pair_bit) pairs += r.predicted.kernels;
    }
    CHECK(n == measure_cost(s.graph.view(), s.order.view(), s.ext).kernels - pairs);
  }
}

TEST_CASE("profile: of a trainer; names, threads, what is left out, and an end") {
  using model = models::transformer<models::config{.vocabulary = 300, .width = 64, .layers = 2, .heads = 2, .hidden = 200}>;
  exec::pool two(2, 2);
  train::trainer<model> trainer(init<model>(seed{1}), two, train::adamw{}, models::batch{4}, models::seq{32});
  std::vector<int> const tokens(4 * 32, 7);
  auto const step = [&] { trainer.step(train::example(std::span<int const>(tokens), std::span<int const>(tokens))); };
  {
    exec::profile profile(trainer.inputs(), 10);
    step();
    step();
    CHECK(profile.runs() == 2);
    CHECK(profile.left_out() > 10);
    CHECK(json(profile.trace()).ok);
    auto const table = profile.table();
    CHECK(table.find("lm_head.weight") != std::string::npos);
    CHECK(table.find("-> gradient of model.layers.*.mlp.down_proj.weight") != std::string::npos);
    CHECK(table.find("2 runs of ") != std::string::npos);
    int threads = 0, lines = 0;
    for (auto const& r : profile.rows()) { threads = (std::max)(threads, r.threads); lines += r.line > 0; }
    CHECK(threads == 2);
    CHECK(lines > 5);
    std::string const path = "profile_test_trace.json";
    profile.write_trace(path.c_str());
    std::string written;
    std::FILE* const f = std::fopen(path.c_str(), "rb");
    REQUIRE(f != nullptr);
    for (int c; (c = std::fgetc(f)) != EOF;) written += static_cast<char>(c);
    std::fclose(f);
    std::remove(path.c_str());
    CHECK(written == profile.trace());
    bool refused = false;
    try {
      profile.write_trace("no/such/folder/trace.json");
    } catch (error const& e) { refused = e.kind() == error_kind::file; }
    CHECK(refused);
  }
  step();   // nobody looks on any more
  exec::profile later(trainer.inputs());
  step();
  CHECK(later.runs() == 1);
}
