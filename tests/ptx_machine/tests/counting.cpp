// Bytes, sectors, bank conflicts; names; options.
#include "../warp_groups.hpp"
#include "scripted.hpp"

using namespace scripted;

namespace {

report_data counted(launch_request const& r) {
  options const kept = current_options();
  current_options().sectors = true;
  reset();
  run_launch(r);
  report_data const found = report();
  reset();
  current_options() = kept;
  return found;
}

}  // namespace

TEST_CASE("bytes and requests by name") {
  buffer<float> in(64, "in", 1.f), out(64, "out");
  report_data const r = counted(request(2, 32, 0, [&](lane& l) {
    std::size_t const i = l.block_index().x * 32 + index(l);
    store(l, space::global, out.at(i), load<float>(l, space::global, in.at(i), HERE) + load<float>(l, space::global, in.at(0), HERE), HERE);
  }));
  REQUIRE_MESSAGE(r.ok(), to_string(r));
  traffic const& read = r.total.buffers.at("in");
  CHECK(read.read_bytes == 64 * 8);
  CHECK(read.reads == 128);
  CHECK(read.written_bytes == 0);
  CHECK(read.read_sectors == 2 * (4 + 1));
  CHECK(r.total.buffers.at("out").written_bytes == 64 * 4);
  CHECK(r.total.buffers.at("out").written_sectors == 2 * 4 );
  CHECK(r.launches.size() == 1);
  CHECK(r.launches[0].kernel == "scripted");
}

TEST_CASE("sectors of strided and ragged warps") {
  buffer<float> in(32 * 33, "in", 1.f);
  auto const strided = request(1, 32, 0, [&](lane& l) { load<float>(l, space::global, in.at(index(l) * 33), HERE); });
  CHECK(counted(strided).total.buffers.at("in").read_sectors == 32);
  auto const few = request(1, 7, 0, [&](lane& l) { load<float>(l, space::global, in.at(index(l)), HERE); });
  CHECK(counted(few).total.buffers.at("in").read_sectors == 1);
  // A loop of differing length: the n-th trips of the lanes are one instruction.
  CHECK(counted(request(1, 32, 0, [&](lane& l) {
    for (unsigned i = 0; i <= index(l); ++i) load<float>(l, space::global, in.at(i * 32 + index(l)), HERE);
  })).total.buffers.at("in").read_sectors == [] {
    std::uint64_t sum = 0;   // trip i: lanes i..31
    for (unsigned i = 0; i < 32; ++i) sum += 4 - i / 8;
    return sum;
  }());
}

TEST_CASE("bank conflicts") {
  auto passes = [](unsigned bytes, auto address) {
    std::uint64_t addresses[32];
    for (unsigned i = 0; i < 32; ++i) addresses[i] = address(i);
    bank_passes const p = count_bank_passes(0xffffffff, addresses, bytes);
    return std::pair(p.needed, p.ideal);
  };
  CHECK(passes(4, [](unsigned i) { return i * 4; }) == std::pair(1u, 1u));
  CHECK(passes(4, [](unsigned) { return 64u; }) == std::pair(1u, 1u));            // one word for all
  CHECK(passes(4, [](unsigned i) { return i * 8; }) == std::pair(2u, 1u));
  CHECK(passes(4, [](unsigned i) { return i * 128; }) == std::pair(32u, 1u));
  CHECK(passes(4, [](unsigned i) { return i * 132; }) == std::pair(1u, 1u));      // a padded column
  CHECK(passes(2, [](unsigned i) { return i * 2; }) == std::pair(1u, 1u));
  CHECK(passes(8, [](unsigned i) { return i * 8; }) == std::pair(2u, 2u));
  CHECK(passes(16, [](unsigned i) { return i * 16; }) == std::pair(4u, 4u));
  CHECK(passes(16, [](unsigned i) { return i * 128; }) == std::pair(32u, 4u));    // rows of 128 bytes: eight ways
  report_data const r = counted(request(1, 32, 64, [](lane& l) { store(l, space::shared, shared_at(index(l) * 2), 1, HERE); }));
  CHECK(r.total.shared.wavefronts == 2);
  CHECK(r.total.shared.ideal_wavefronts == 1);
  CHECK(r.total.shared.written_bytes == 128);
}

TEST_CASE("parts of an arena have their own names") {
  buffer<int> arena(32, "arena", 0);
  name(reinterpret_cast<void*>(arena.at(8)), "first", 16);
  name(reinterpret_cast<void*>(arena.at(12)), "second", 16);
  report_data r = counted(request(1, 32, 0, [&](lane& l) { load<int>(l, space::global, arena.at(index(l)), HERE); }));
  CHECK(r.total.buffers.at("first").read_bytes == 16);
  CHECK(r.total.buffers.at("second").read_bytes == 16);
  CHECK(r.total.buffers.at("arena").read_bytes == 96);
  name(reinterpret_cast<void*>(arena.at(6)), "tenant", 16);   // over "first"
  r = counted(request(1, 32, 0, [&](lane& l) { load<int>(l, space::global, arena.at(index(l)), HERE); }));
  CHECK(r.total.buffers.count("first") == 0);
  CHECK(r.total.buffers.at("tenant").read_bytes == 16);
  CHECK_THROWS(name(reinterpret_cast<void*>(arena.at(31)), "beyond", 16));
}

TEST_CASE("atomics read and write") {
  buffer<int> x(1, "x", 0);
  traffic const t = counted(request(1, 32, 0, [&](lane& l) { atomic_add(l, space::global, x.at(0), 1, HERE); })).total.buffers.at("x");
  CHECK(t.atomics == 32);
  CHECK(t.read_bytes == 128);
  CHECK(t.written_bytes == 128);
}

TEST_CASE("a schedule repeats from its seed, and differs between seeds") {
  auto trace = [](std::uint64_t seed) {
    std::string order;
    options const kept = current_options();
    current_options().seed = seed;
    current_options().races = false;
    run_launch(request(3, 16, 1, [&](lane& l) {
      order += char('a' + index(l));
      l.barrier(0, 0, HERE);
      order += char('A' + index(l));
    }));
    current_options() = kept;
    reset();
    return order;
  };
  CHECK(trace(0).substr(0, 16) == "abcdefghijklmnop");
  CHECK(trace(5).size() == 96);
  CHECK(trace(5) != trace(6));
  CHECK(trace(5) != trace(0));
}

TEST_CASE("violations are counted, and reset forgets them") {
  reset();
  buffer<int> x(1, "x");
  auto const r = request(1, 32, 0, [&](lane& l) { load<int>(l, space::global, x.at(0), HERE); });
  CHECK(!run_launch(r));
  CHECK(report().violations.size() == 1);
  CHECK(report().violations[0].count == 32);
  CHECK(report().launches[0].violations == 32);
  reset();
  CHECK(report().ok());
  CHECK(report().launches.empty());
}
