// The positive controls: each seeded bug is caught, at its lines, under every schedule and for every architecture; the same kernel without
// the bug is clean and right.
#include <cmath>

#include "../runtime/program.hpp"
#include "scripted.hpp"

using namespace scripted;
using runtime::device;
using runtime::launch_of;
using runtime::launch_shape;
using runtime::pack;

namespace {

std::string const folder = std::string(DYADIC_TEST_DATA) + "/ptx/controls/";

/// "missing_barrier.cu:9" of the line that is marked so in the kernel's source.
std::string marked(std::string const& control, std::string const& mark) {
  std::string const source = runtime::read_text(std::string(DYADIC_TEST_DATA) + "/../ptx_machine/controls/" + control + ".cu");
  std::size_t const at = source.find("// " + mark);
  if (at == std::string::npos) return {};
  return control + ".cu:" + std::to_string(1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Runs `body(program)` for each architecture and schedule on a clean report and checks what was found: nothing, or a violation of the
/// kind that names the marked lines.
template <class Body>
void check(std::string const& control, bool bug, violation_kind kind, Body&& body) {
  std::string const first = marked(control, "FIRST"), second = marked(control, "SECOND");
  REQUIRE(!first.empty());
  options const kept = current_options();
  for (std::string const arch : {"sm_80", "sm_90", "sm_100"}) {
    runtime::program const program(runtime::read_text(folder + control + '.' + arch + ".ptx"), control);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      current_options().seed = seed;
      current_options().preempt = seed < 3 ? 0 : 5;
      reset();
      body(program);
      device::get().synchronize();
      report_data const found = report();
      INFO(control << ", " << arch << ", seed " << seed << '\n' << to_string(found));
      if (!bug) {
        CHECK(found.ok());
      } else {
        bool caught = false;
        for (violation const& v : found.violations)
          caught = caught || (v.kind == kind && v.message.find(first) != std::string::npos && v.message.find(second) != std::string::npos);
        CHECK(caught);
        CHECK(device::get().failed);
      }
      reset();
    }
  }
  current_options() = kept;
}

/// Both kernels of a control, launched in the same way; `after` checks the values of the right one.
template <class Launch, class After>
void both(std::string const& control, violation_kind kind, Launch&& launch, After&& after) {
  check(control, false, kind, [&](runtime::program const& p) {
    launch(p.find("right"));
    device::get().synchronize();
    after();
  });
  check(control, true, kind, [&](runtime::program const& p) { launch(p.find("wrong")); });
}

void enqueue(kernel const& k, unsigned blocks, unsigned threads, std::vector<std::byte> parameters) {
  device::get().enqueue(device::get().legacy(), k.name, launch_of(k, {{blocks, 1, 1}, {threads, 1, 1}, 0, false}, std::move(parameters)));
}

void count_up(buffer<float>& b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) b.set(i, static_cast<float>(i + 1));
}

}  // namespace

TEST_CASE("control: a missing barrier") {
  for (int n : {1, 63, 64, 65, 131}) {
    buffer<float> in(static_cast<std::size_t>(n), "in"), out(static_cast<std::size_t>(n), "out");
    count_up(in, static_cast<std::size_t>(n));
    auto const launch = [&](kernel const& k) { enqueue(k, static_cast<unsigned>(n + 63) / 64, 64, pack(k, in.at(0), out.at(0), n)); };
    auto const values = [&] {
      for (int i = 0; i < n; ++i) {
        int const first = i / 64 * 64, size = std::min(64, n - first);
        CHECK(out.get(static_cast<std::size_t>(i)) == static_cast<float>(first + size - 1 - (i - first) + 1));
      }
    };
    if (n > 1) both("missing_barrier", violation_kind::race, launch, values);
    else   // one thread alone cannot race
      check("missing_barrier", false, violation_kind::race, [&](runtime::program const& p) { launch(p.find("wrong")); });
  }
}

TEST_CASE("control: a missing __syncwarp that values do not show") {
  buffer<float> in(128, "in"), out(128, "out");
  for (std::size_t i = 0; i < 128; ++i) in.set(i, 1.f + static_cast<float>(i % 7) / 7.f);
  auto const launch = [&](kernel const& k) { enqueue(k, 2, 64, pack(k, in.at(0), out.at(0), 10)); };
  std::vector<float> right(128);
  both("missing_syncwarp", violation_kind::race, launch, [&] {
    for (std::size_t i = 0; i < 128; ++i) right[i] = out.get(i);
  });
  float worst = 0;
  check("missing_syncwarp", true, violation_kind::race, [&](runtime::program const& p) {
    launch(p.find("wrong"));
    device::get().synchronize();
    for (std::size_t i = 0; i < 128; ++i) worst = std::max(worst, std::fabs(out.get(i) / right[i] - 1));
  });
  CHECK(worst < 1e-6f);   // a test of the values would have to be this sharp
}

TEST_CASE("control: CUB's temporary storage reused") {
  for (int n : {1, 100, 128}) {
    buffer<float> in(128, "in", 0.5f), out(2, "out");
    both("reused_storage", violation_kind::race, [&](kernel const& k) { enqueue(k, 1, 128, pack(k, in.at(0), out.at(0), n)); }, [&] {
      CHECK(out.get(0) == 0.5f * static_cast<float>(n));
      CHECK(out.get(1) == 0.25f * static_cast<float>(n));
    });
  }
}

TEST_CASE("control: a forgotten cp.async wait") {
  buffer<float> in(512, "in"), out(512, "out");
  count_up(in, 512);
  both("forgotten_wait", violation_kind::pending_copy, [&](kernel const& k) { enqueue(k, 2, 64, pack(k, in.at(0), out.at(0))); }, [&] {
    for (std::size_t i = 0; i < 512; ++i) CHECK(out.get(i) == static_cast<float>(i / 256 * 256 + 255 - i % 256 + 1));
  });
}

TEST_CASE("control: out of bounds") {
  for (int n : {1, 63, 65}) {
    buffer<float> x(static_cast<std::size_t>(n), "x", 1.f);
    both("out_of_bounds", violation_kind::out_of_bounds, [&](kernel const& k) { enqueue(k, 3, 32, pack(k, x.at(0), n)); }, [] {});
    CHECK(x.get(0) > 1.f);
  }
}

TEST_CASE("control: blocks that add with no atomic") {
  int const n = 1000;
  buffer<int> in(n, "in"), bins(16, "bins", 0);
  for (int i = 0; i < n; ++i) in.set(static_cast<std::size_t>(i), i % 16);
  both("plain_add", violation_kind::race, [&](kernel const& k) {
    for (std::size_t b = 0; b < 16; ++b) bins.set(b, 0);
    enqueue(k, 16, 64, pack(k, in.at(0), bins.at(0), n));
  }, [&] {
    for (std::size_t b = 0; b < 16; ++b) CHECK(bins.get(b) == (b < 8 ? 63 : 62));
  });
}

TEST_CASE("control: a divergent barrier") {
  buffer<float> in(64, "in"), out(64, "out");
  count_up(in, 64);
  auto const launch = [&](kernel const& k) { enqueue(k, 1, 64, pack(k, in.at(0), out.at(0))); };
  both("divergent_barrier", violation_kind::divergent_barrier, launch, [&] {
    for (std::size_t i = 0; i < 64; ++i) CHECK(out.get(i) == in.get((i + 1) % 64));
  });
}

TEST_CASE("control: a lane outside the mask") {
  buffer<float> in(32, "in", 2.f), out(32, "out");
  both("outside_mask", violation_kind::outside_mask, [&](kernel const& k) { enqueue(k, 1, 32, pack(k, in.at(0), out.at(0))); }, [&] {
    for (std::size_t i = 0; i < 32; ++i) CHECK(out.get(i) == 64.f);
  });
}

TEST_CASE("control: two streams that no event orders") {
  int const n = 100;
  buffer<float> x(n, "x"), y(n, "y");
  for (bool bug : {false, true}) {
    check("stream_race", bug, violation_kind::stream_race, [&](runtime::program const& p) {
      device& d = device::get();
      runtime::stream *a = d.create_stream(false), *b = d.create_stream(false);
      launch_shape const shape{{4, 1, 1}, {32, 1, 1}, 0, false};
      d.enqueue(*a, "fill", [&](operation const&) { std::memset(device_memory::get().written_at(x.at(0)), 1, n * 4); });
      d.synchronize(*a);
      kernel const &produce = p.find("produce"), &consume = p.find("consume");
      d.enqueue(*a, "produce", launch_of(produce, shape, pack(produce, x.at(0), n)));
      runtime::event e;
      d.record(e, *a);
      if (!bug) d.wait(*b, e);
      d.enqueue(*b, "consume", launch_of(consume, shape, pack(consume, x.at(0), y.at(0), n)));
      d.synchronize();
      d.destroy(a);
      d.destroy(b);
      if (!bug) CHECK(y.get(99) == 198.f);
    });
  }
}
