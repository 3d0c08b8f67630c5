// What is bound allocates nothing afterwards: not the first run, not a step of training, not a token of a stream.
#include <doctest/doctest.h>

#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "allocation/count.hpp"
#include "dyadic/decode/decoder.hpp"
#include "dyadic/exec/pool.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/models.hpp"
#include "dyadic/passes/fuse.hpp"
#include "dyadic/train/trainer.hpp"
#include "support/systems.hpp"

using namespace dyadic;
using models::batch;
using models::seq;

namespace {

/// f asks for no memory, on any thread.
template <class F> void asks_for_nothing(F&& f) {
  auto const r = test::requests_of(f);
  CHECK(r.here == 0);
  CHECK(r.everywhere == 0);
}
void* volatile seen;   // what is written here is not optimised away

cpu::options on(cpu::workers w, double least_work = 5000) {
  cpu::options o;
  o.on = w;
  o.least_work = least_work;
  return o;
}

// ---- programs, at every range of rows

void check_runs(graph_view g, plan_view p, test::lengths const& n, cpu::options const& o, bool training) {
  extents const e = test::bound_to(g, n);
  runner<double> run(g, p, e, o);
  auto parameters = shared<parameter_set<double>>::make(g, e);
  initialise(*parameters, seed{1});
  run.bind_parameters(parameters);
  if (n.subsets > 0) run.engine().set_active(n.subsets);
  auto const in = test::sequence_for(g, n);
  std::vector<std::vector<double>> results;
  for (int k = 0; k < g.noutputs; ++k) results.emplace_back(static_cast<std::size_t>(run.engine().output_size(k)));
  auto again = [&] {
    for (auto const& v : in) if (run.has_input(v.first)) run.set(v.first, std::span<double const>(v.second));
    if (training) for (double& w : run.cotangent("loss")) w = 1;
    run.engine().set_random(1, 2, training);
    run.run();
    for (int k = 0; k < g.noutputs; ++k) run.output(k, results[static_cast<std::size_t>(k)]);
  };
  asks_for_nothing(again);
  asks_for_nothing(again);
  int const rows = axis_number<batch>(g);
  if (rows < 0 || training) return;
  asks_for_nothing([&] {
    for (std::int64_t some = n.rows; some-- > 0;) {
      run.engine().set_rows(rows, some, n.rows);
      run.run();
      run.engine().set_rows(rows, 0, some);
      run.run();
    }
    run.engine().reset_rows();
    run.run();
  });
}

// ---- streams

struct stream {
  builder graph;
  plan step, prefill;
  shared<parameter_set<double>> parameters;
  decode::streamer<double> of;

  stream(graph_view traced, test::lengths const& n, bool fused, cpu::workers w)
      : graph(simplify(keep_outputs(traced, without_loss(traced)).view())), step(planned(graph.view(), axis_number<seq>(graph.view()), fused)),
        prefill(planned(graph.view(), -1, fused)),
        parameters(shared<parameter_set<double>>::make(graph.view(), test::bound_to(graph.view(), n))),
        of(decode::stream_programs<double>{graph.view(), {step.view()}, {prefill.view()}}, started(parameters),
           test::bound_to(graph.view(), n), axis_number<seq>(graph.view()), axis_number<batch>(graph.view()), options(), w) {}

 private:
  static std::uint32_t without_loss(graph_view g) {
    std::uint32_t keep = 0;
    for (int i = 0; i < g.noutputs; ++i) if (std::string(g.outputs[i].name) != "loss") keep |= std::uint32_t{1} << i;
    return keep;
  }
  static plan planned(graph_view g, int forced, bool fused) {
    order o;
    o.force = forced;
    plan p = forced >= 0 ? arrange(g, o) : arrange(g);
    return fused ? fuse(g, p.view()) : p;
  }
  static shared<parameter_set<double>> const& started(shared<parameter_set<double>> const& p) {
    initialise(*p, seed{1});
    return p;
  }
  static decode::decoder_options options() {
    decode::decoder_options o;
    o.prefill_rows = 5;
    return o;
  }
};

void check_stream(graph_view traced, bool fused, cpu::workers w) {
  test::lengths const n{3, 23};
  stream s(traced, n, fused, w);
  auto& d = s.of;
  std::vector<double> const seven(3 * 7, 1.0), three = {2, 0, 1};
  std::span<double const> const ragged[3] = {std::span(seven).first(1), std::span(seven).first(1), std::span(seven).first(4)};
  asks_for_nothing([&] { d.prefill(std::span<double const>(seven)); });   // a piece of 5, and one of 2
  if (d.room() < 23) return;
  asks_for_nothing([&] { d.step(std::span<double const>(three)); });
  for (int i = 0; i < 6; ++i) asks_for_nothing([&] { d.step(std::span<double const>(three)); });   // past chunks and rings
  bool apart = true;
  asks_for_nothing([&] {   // rows at positions of their own, where no state is shared by all
#if defined(__cpp_exceptions)
    try {
      d.prefill(std::span<std::span<double const> const>(ragged));
    } catch (error const&) { apart = false; }
#endif
  });
  if (apart) CHECK(d.position(2) == d.position(0) + 3);
  for (int i = 0; i < 3; ++i) asks_for_nothing([&] { d.step(std::span<double const>(three)); });
  asks_for_nothing([&] { d.reset(); });
  asks_for_nothing([&] { d.step(std::span<double const>(three)); });
}

// ---- trainers

template <class Model, class Solver = exact, class... A> void check_trainer(cpu::workers w, train::trainer_options const& options, A... axes) {
  auto weights = init<Model>(seed{1});
  train::trainer<Model, float, Solver> trainer(weights, w, train::adamw{.rate = 1e-3}, options, axes...);
  auto const in = test::sequence_for(trainer.inputs().graph, {2, 11});
  std::vector<int> tokens, targets;
  for (double v : in.at("tokens")) tokens.push_back(static_cast<int>(v));
  if (in.count("targets")) for (double v : in.at("targets")) targets.push_back(static_cast<int>(v));
  double before = 0;
  for (int i = 0; i < 4; ++i) {
    train::report r;
    asks_for_nothing([&] { r = trainer.step(train::example(std::span<int const>(tokens), std::span<int const>(targets))); });
    if (i) CHECK(r.loss != before);
    before = r.loss;
  }
}
template <class Model, class Solver = exact, class... A> void check_trainers(train::trainer_options const& options, A... axes) {
  exec::pool three(3, 3);
  check_trainer<Model, Solver>(exec::serial{}, options, axes...);
  check_trainer<Model, Solver>(three, options, axes...);
}

constexpr models::config sizes{.vocabulary = 37, .width = 48, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 12, .hidden = 80};
constexpr models::symbol_config symbols{.inputs = 5, .hidden = 16, .classes = 3};
constexpr models::gru_memory_options in_chunks{.scope = models::memory_scope::chunked, .heads = 3, .steps = 2, .chunk = 4};

}  // namespace

TEST_CASE("allocation: what is asked for is seen") {
  if (!test::counts_requests()) return;
  auto one = [](auto f) {
    auto const r = test::requests_of(f);
    CHECK(r.here == 1);
    CHECK(r.everywhere == 1);
  };
  void* p = nullptr;
  auto drop = [&] { std::free(p); };
  one([&] { seen = p = std::malloc(24); });
  one([&] { seen = p = std::realloc(p, 4000); });
  one(drop);
  one([&] { seen = p = std::calloc(3, 8); });
  one(drop);
  one([&] { seen = p = std::aligned_alloc(64, 128); });
  one(drop);
  one([&] { seen = p = memalign(64, 100); });
  one(drop);
  one([&] { CHECK(posix_memalign(&p, 64, 100) == 0); seen = p; });
  one(drop);
  one([&] { seen = p = ::operator new(9); });
  one([&] { ::operator delete(p); });
  one([&] { seen = p = ::operator new(9, std::align_val_t{64}); });
  one([&] { ::operator delete(p, std::align_val_t{64}); });
  one([&] { seen = p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); });
  REQUIRE(p != MAP_FAILED);
  munmap(p, 4096);
  CHECK(test::requests_of([&] { std::vector<double> const v(5); seen = const_cast<double*>(v.data()); }).here == 2);
  // On another thread: one of a pool's workers that has something to do.
  exec::pool two(2, 2);
  for (int i = 0;; ++i) {
    std::thread::id const caller = std::this_thread::get_id();
    bool other = false;
    auto const r = test::requests_of([&] {
      two.run(2, [&](std::int64_t chunk, int) {
        if (std::this_thread::get_id() != caller) { seen = std::malloc(10); std::free(seen); other = true; }
        else for (int k = 0; k < 2000 && chunk == 0; ++k) std::this_thread::yield();
      });
    });
    CHECK(r.here == 0);
    CHECK(r.everywhere == (other ? 2 : 0));
    if (other) break;
    REQUIRE(i < 10000);
  }
}

TEST_CASE("allocation: none in a run of any system, by statements or in groups, here or on threads") {
  if (!test::counts_requests()) { MESSAGE("skipped: requests are not counted"); return; }
  exec::pool three(3, 3);
  for (auto const& s : test::systems())
    for (bool fused : {false, true}) {
      CAPTURE(s.name);
      CAPTURE(fused);
      builder const graph = test::evaluated(s.traced);
      plan const p = test::planned(graph.view(), fused);
      check_runs(graph.view(), p.view(), {3, 11}, on(exec::serial{}), false);
      check_runs(graph.view(), p.view(), {3, 11}, on(three, 1), false);
    }
  for (auto const& t : test::trainings())
    for (bool fused : {false, true}) {
      std::string const name = t.name();
      CAPTURE(name);
      CAPTURE(fused);
      builder const graph = test::trained(t.of->traced, t.solver);
      plan const p = test::planned(graph.view(), fused);
      check_runs(graph.view(), p.view(), t.bound(2, 11), on(exec::serial{}), true);
      check_runs(graph.view(), p.view(), t.bound(2, 11), on(three, 1), true);
    }
}

TEST_CASE("allocation: none in a stream of any causal system") {
  if (!test::counts_requests()) return;
  exec::pool three(3, 3);
  for (auto const& s : test::systems()) {
    if (!s.causal) continue;
    CAPTURE(s.name);
    for (bool fused : {false, true}) check_stream(s.traced, fused, exec::serial{});
    check_stream(s.traced, true, three);
  }
}

TEST_CASE("allocation: none in a decoder, from its first token on") {
  if (!test::counts_requests()) return;
  using model = models::recurrent_transformer<sizes>;
  exec::pool three(3, 3);
  auto const w = init<model>(seed{1});
  for (cpu::workers workers : {cpu::workers(exec::serial{}), cpu::workers(three)}) {
    decode::decoder<model> decoder(w, workers, batch{2}, decode::capacity{80});
    std::vector<int> const prompt(2 * 67, 3), next = {1, 2};
    asks_for_nothing([&] { decoder.step(std::span<int const>(next)); });
    asks_for_nothing([&] { decoder.prefill(std::span<int const>(prompt)); });
    for (int i = 0; i < 4; ++i) asks_for_nothing([&] { decoder.step(std::span<int const>(next)); });
    CHECK(decoder.position() == 72);
  }
}

TEST_CASE("allocation: none in a step of training, from the first on") {
  if (!test::counts_requests()) return;
  train::trainer_options const usual;
  SUBCASE("transformer") { check_trainers<models::transformer<sizes>>(usual, batch{2}, seq{11}); }
  SUBCASE("recurrent transformer") { check_trainers<models::recurrent_transformer<sizes>>(usual, batch{2}, seq{11}); }
  SUBCASE("lstm") { check_trainers<models::lstm<symbols>>(usual, batch{2}, seq{11}); }
  SUBCASE("gru memory") { check_trainers<models::gru_memory<sizes, in_chunks>>(usual, batch{2}, seq{11}); }
  SUBCASE("parallel recursive lstm") { check_trainers<models::parallel_recursive_lstm<symbols>>(usual, batch{2}, seq{11}); }
  SUBCASE("latent recurrent, interleaved") {
    train::trainer_options subsets;
    subsets.subsets = 2;
    check_trainers<models::latent_recurrent<sizes>, interleaved<>>(subsets, batch{2}, seq{11}, pass{3});
  }
}

TEST_CASE("allocation: a result where it lies is what its copy holds") {
  using model = models::transformer<sizes>;
  bound<evaluation<model>> run(bind(batch{2}, seq{5}));
  run.bind_parameters(init<model>(seed{1}).shared());
  std::vector<int> const tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  run.set("tokens", std::span<int const>(tokens));
  run.run();
  auto const copy = run.output("logits");
  using shown = axes<models::vocab, batch, seq>;
  view<shown, float const> logits;
  asks_for_nothing([&] { logits = run.output_view<shown>("logits"); });
  REQUIRE(logits.size() == std::ssize(copy));
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t t = 0; t < 5; ++t)
      for (std::int64_t v = 0; v < 37; ++v) CHECK(logits(v, b, t) == copy[static_cast<std::size_t>((b * 5 + t) * 37 + v)]);
  auto kind = [](auto f) {
    try {
      f();
    } catch (error const& e) { return e.kind(); }
    return error_kind::file;
  };
  std::vector<float> room(copy.size() - 1);
  CHECK(kind([&] { run.output_view<axes<batch, seq>>("logits"); }) == error_kind::shape);
  CHECK(kind([&] { run.output_view<axes<batch, seq, models::feature>>("logits"); }) == error_kind::shape);
  CHECK(kind([&] { run.output_view<shown>("probabilities"); }) == error_kind::argument);
  CHECK(kind([&] { run.output("logits", room); }) == error_kind::shape);
  CHECK(kind([&] { run.output(99, room); }) == error_kind::argument);
  run.engine().set_rows(axis_number<seq>(run.graph), 3, 5);
  run.run();
  auto const part = run.output_view<shown>("logits");
  CHECK(part.extent<seq>() == 2);
  CHECK(part(7, 1, 0) == run.output("logits")[2 * 37 + 7]);
}
