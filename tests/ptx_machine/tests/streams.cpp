// Streams, events and graphs: what is ordered runs in order, what is not is a race and shows in values.
#include <set>

#include "../runtime/device.hpp"
#include "../runtime/transfers.hpp"
#include "scripted.hpp"

using namespace scripted;
using namespace ptx_machine::runtime;

namespace {

device& dev() { return device::get(); }

action writes(buffer<int> const& x, int value) {
  return [&x, value](operation const& by) {
    run_launch(request(1, 1, 0, [&](lane& l) { store(l, space::global, x.at(0), value, HERE); }), by);
  };
}
action reads(buffer<int> const& x) {
  return [&x](operation const& by) { run_launch(request(1, 1, 0, [&](lane& l) { load<int>(l, space::global, x.at(0), HERE); }), by); };
}

struct two_streams {
  stream* a = dev().create_stream(false);
  stream* b = dev().create_stream(false);
  ~two_streams() {
    dev().destroy(a);
    dev().destroy(b);
  }
};

/// The kinds of violations that some seed finds, over several seeds.
template <class Body>
std::set<violation_kind> found(Body&& body) {
  std::set<violation_kind> kinds;
  options const kept = current_options();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    current_options().seed = seed;
    reset();
    body();
    dev().synchronize();
    for (violation const& v : report().violations) kinds.insert(v.kind);
    reset();
  }
  current_options() = kept;
  return kinds;
}

using kinds = std::set<violation_kind>;

}  // namespace

TEST_CASE("streams are unordered unless an event orders them") {
  buffer<int> x(1, "x", 0);
  auto run = [&](bool event_between) {
    two_streams s;
    dev().enqueue(*s.a, "write", writes(x, 1));
    if (event_between) {
      event e;
      dev().record(e, *s.a);
      dev().wait(*s.b, e);
    }
    dev().enqueue(*s.b, "read", reads(x));
  };
  CHECK(found([&] { run(true); }) == kinds{});
  CHECK(found([&] { run(false); }) == kinds{violation_kind::stream_race});
}

TEST_CASE("one stream keeps its order, whatever the seed") {
  buffer<int> x(1, "x", 0);
  CHECK(found([&] {
    two_streams s;
    for (int i = 1; i <= 20; ++i) dev().enqueue(*s.a, "write", writes(x, i));
    CHECK(dev().synchronize(*s.a) == outcome::done);
    CHECK(x.get(0) == 20);
  }) == kinds{});
}

TEST_CASE("the host waits: for a stream, for an event, not at all") {
  buffer<int> x(1, "x", 0);
  for (int how = 0; how < 3; ++how) {
    CAPTURE(how);
    kinds const k = found([&] {
      two_streams s;
      dev().enqueue(*s.a, "write", writes(x, 1));
      event e;
      dev().record(e, *s.a);
      if (how == 0) dev().synchronize(*s.a);
      if (how == 1) dev().synchronize(e);
      dev().enqueue(*s.b, "read", reads(x));
    });
    CHECK((k == kinds{}) == (how < 2));
  }
}

TEST_CASE("the legacy default stream orders blocking streams, not the others") {
  buffer<int> x(1, "x", 0);
  for (bool blocking : {true, false}) {
    CAPTURE(blocking);
    CHECK(found([&] {
      stream* s = dev().create_stream(blocking);
      dev().enqueue(*s, "write", writes(x, 1));
      dev().enqueue(dev().legacy(), "write", writes(x, 2));
      dev().enqueue(*s, "read", reads(x));
      dev().destroy(s);
    }) == (blocking ? kinds{} : kinds{violation_kind::stream_race}));
  }
}

TEST_CASE("two blocking streams are not ordered with one another") {
  buffer<int> x(1, "x", 0);
  CHECK(found([&] {
    stream *s = dev().create_stream(true), *t = dev().create_stream(true);
    dev().enqueue(*s, "write", writes(x, 1));
    dev().enqueue(*t, "write", writes(x, 2));
    dev().destroy(s);
    dev().destroy(t);
  }) == kinds{violation_kind::stream_race});
}

TEST_CASE("nothing runs before the host waits, and an order nobody asked for shows in values") {
  buffer<int> x(1, "x", 0);
  std::set<int> seen;
  found([&] {
    two_streams s;
    x.set(0, 0);
    dev().enqueue(*s.a, "write", writes(x, 1));
    CHECK(x.get(0) == 0);
    dev().enqueue(*s.b, "write", writes(x, 2));
    dev().synchronize();
    seen.insert(x.get(0));
  });
  CHECK(seen == std::set<int>{1, 2});
}

TEST_CASE("a host that polls gets on") {
  buffer<int> x(1, "x", 0);
  CHECK(found([&] {
    two_streams s;
    for (int i = 0; i < 5; ++i) dev().enqueue(*s.a, "write", writes(x, 9));
    int polls = 0;
    while (dev().query(*s.a) == outcome::not_ready) ++polls;
    CHECK(polls < 10);
    dev().enqueue(*s.b, "read", reads(x));   // the answer orders
  }) == kinds{});
}

TEST_CASE("copies race like kernels, and carry what was written") {
  buffer<int> x(4, "x"), y(4, "y");
  int const host[4] = {1, 2, 3, 4};
  auto const at = [](buffer<int> const& b, std::size_t i) { return reinterpret_cast<void*>(b.at(i)); };
  auto run = [&](bool same_stream) {
    forget(at(x, 0), 16);
    two_streams s;
    dev().enqueue(*s.a, "copy in", [&](operation const& by) { copy(by, at(x, 0), host, 16); });
    dev().enqueue(same_stream ? *s.a : *s.b, "copy on", [&](operation const& by) { copy(by, at(y, 0), at(x, 0), 16); });
  };
  CHECK(found([&] { run(true); }) == kinds{});
  CHECK(y.get(3) == 4);
  CHECK(found([&] { run(false); }) == kinds{violation_kind::stream_race});
  // Unwritten bytes stay unwritten when they are copied.
  CHECK(found([&] {
    forget(at(x, 1), 4);
    dev().enqueue(dev().legacy(), "copy on", [&](operation const& by) { copy(by, at(y, 0), at(x, 0), 16); });
    dev().enqueue(dev().legacy(), "read", [&](operation const& by) {
      run_launch(request(1, 1, 0, [&](lane& l) { load<int>(l, space::global, y.at(1), HERE); }), by);
    });
  }) == kinds{violation_kind::read_of_unwritten});
  CHECK(found([&] {
    dev().enqueue(dev().legacy(), "too much", [&](operation const& by) { fill(by, at(x, 2), 0, 12); });
  }) == kinds{violation_kind::out_of_bounds});
}

TEST_CASE("memory of a stream: used before it is made, freed while in use") {
  device_memory& memory = device_memory::get();
  auto run = [&](int what) {
    two_streams s;
    allocation* a = memory.allocate(4, memory_kind::device, "of a stream");
    a->made_by = allocation::not_yet;
    dev().enqueue(*s.a, "make", [a](operation const& by) { begin_life(*a, by); });
    auto use = [a](operation const& by) { fill(by, reinterpret_cast<void*>(a->start), 0, 4); };
    event made, used;
    if (what != 1) {
      dev().record(made, *s.a);
      dev().wait(*s.b, made);
    }
    dev().enqueue(*s.b, "use", use);
    if (what != 2) {
      dev().record(used, *s.b);
      dev().wait(*s.a, used);
    }
    dev().enqueue(*s.a, "free", [a](operation const& by) { end_life(*a, by); });
    if (what == 3) dev().enqueue(*s.a, "use", use);
  };
  CHECK(found([&] { run(0); }) == kinds{});
  CHECK(found([&] { run(1); }).count(violation_kind::stream_race));
  CHECK(!found([&] { run(2); }).empty());
  CHECK(found([&] { run(3); }) == kinds{violation_kind::use_after_free});
}

namespace {

/// a writes x; b, forked off it, writes y; a, joined with b or not, reads y.
outcome capture(stream& a, stream& b, buffer<int> const& x, buffer<int> const& y, bool join, executable_graph& made) {
  CHECK(dev().begin_capture(a, true) == outcome::done);
  CHECK(dev().enqueue(a, "x", writes(x, 1)) == outcome::done);
  event fork, back;
  dev().record(fork, a);
  dev().wait(b, fork);
  dev().enqueue(b, "y", writes(y, 2));
  if (join) {
    dev().record(back, b);
    dev().wait(a, back);
  }
  dev().enqueue(a, "y again", reads(y));
  std::shared_ptr<graph> g;
  outcome const o = dev().end_capture(a, g);
  if (o == outcome::done) made.nodes = g->nodes;
  return o;
}

}  // namespace

TEST_CASE("a captured graph runs as often as it is launched, in its order") {
  buffer<int> x(1, "x", 0), y(1, "y", 0);
  CHECK(found([&] {
    two_streams s;
    x.set(0, 0);
    y.set(0, 0);
    executable_graph g;
    REQUIRE(capture(*s.a, *s.b, x, y, true, g) == outcome::done);
    CHECK(g.nodes.size() == 3);
    CHECK(x.get(0) == 0);   // captured, not run
    dev().synchronize();
    CHECK(x.get(0) == 0);
    for (int i = 0; i < 3; ++i) CHECK(dev().launch(g, *s.a) == outcome::done);
    dev().synchronize(*s.a);
    CHECK(x.get(0) == 1);
    CHECK(y.get(0) == 2);
    dev().enqueue(*s.a, "after", writes(x, 5));
  }) == kinds{});
}

TEST_CASE("nodes of a graph that nothing orders race") {
  buffer<int> x(1, "x", 0);
  CHECK(found([&] {
    two_streams s;
    dev().begin_capture(*s.a, true);
    event fork, back;
    dev().record(fork, *s.a);
    dev().wait(*s.b, fork);
    dev().enqueue(*s.b, "b", writes(x, 1));
    dev().enqueue(*s.a, "a", writes(x, 2));
    dev().record(back, *s.b);
    dev().wait(*s.a, back);
    std::shared_ptr<graph> g;
    REQUIRE(dev().end_capture(*s.a, g) == outcome::done);
    executable_graph made;
    made.nodes = g->nodes;
    dev().launch(made, *s.a);
  }) == kinds{violation_kind::stream_race});
}

TEST_CASE("what a capture does not allow") {
  buffer<int> x(1, "x", 0), y(1, "y", 0);
  found([&] {
    two_streams s;
    executable_graph g;
    CHECK(capture(*s.a, *s.b, x, y, false, g) == outcome::capture_unjoined);
    std::shared_ptr<graph> made;
    CHECK(dev().end_capture(*s.a, made) == outcome::capture_unmatched);
    CHECK(dev().begin_capture(dev().legacy(), true) == outcome::capture_unsupported);

    dev().begin_capture(*s.a, true);
    CHECK(dev().synchronize(*s.a) == outcome::capture_unsupported);
    CHECK(dev().enqueue(*s.a, "x", writes(x, 1)) == outcome::capture_invalidated);
    CHECK(dev().end_capture(*s.a, made) == outcome::capture_invalidated);

    dev().begin_capture(*s.a, true);
    CHECK(dev().synchronize() == outcome::capture_unsupported);
    CHECK(dev().end_capture(*s.a, made) == outcome::capture_invalidated);

    stream* blocking = dev().create_stream(true);
    dev().begin_capture(*blocking, false);
    CHECK(dev().enqueue(dev().legacy(), "x", writes(x, 1)) == outcome::capture_implicit);
    CHECK(dev().end_capture(*blocking, made) == outcome::capture_invalidated);
    dev().destroy(blocking);
  });
}
