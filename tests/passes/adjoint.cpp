// The shape of adjoint graphs: states and memories that are read only where nothing has a derivative.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "dyadic/passes/adjoint.hpp"
#include "dyadic/passes/simplify.hpp"
#include "support/hand_made.hpp"

namespace {

using dyadic::op;

/// Every far edge that the reverse sweep opened is linked.
bool is_linked(dyadic::builder const& b) {
  for (int i = 0; i < b.size(); ++i)
    for (int k = 0; k < b[i].nargs; ++k)
      if (b[i].arg[k] < 0 && !(b[i].kind == op::attend && (k == 1 || k == 2))) return false;
  return b.error == dyadic::fault::none;
}
enum class reader { condition, stopped, sign };
bool links(bool memory, reader how) {
  test::hand_made m;
  int const x = m.input(m.row()), w = m.param(dyadic::bit_of(m.feature));
  int z = -1;
  if (memory) {
    int const q = m.mul(x, w), r = m.attend(m.seq, q, m.contract(q, q, m.feature), q, m.score(q));
    z = m.mul(m.tanh(r), w);
    m.append(r, z, z);
    z = r;
  } else {
    z = m.prev(m.seq, m.row());
    m.write(z, m.mul(m.tanh(m.add(z, x)), w));
  }
  int y = m.mul(x, w);
  switch (how) {
    case reader::condition: {
      int const c = m.b.make(op::less, m.b.shape(z), dyadic::dtype::boolean, 0, z, x);
      y = m.b.make(op::select, m.b.shape(z), dyadic::dtype::f32, 0, c, y, x);
      break;
    }
    case reader::stopped: y = m.add(y, m.b.map(op::stop_gradient, z)); break;
    case reader::sign: y = m.add(y, m.b.map(op::sign, z)); break;
  }
  m.result(y);
  return is_linked(dyadic::adjoint(m.b.view()));
}

}  // namespace

TEST_CASE("adjoint: states and memories behind conditions, stops and steps leave no open edges") {
  for (bool memory : {false, true})
    for (reader how : {reader::condition, reader::stopped, reader::sign}) {
      CAPTURE(memory);
      CAPTURE(static_cast<int>(how));
      CHECK(links(memory, how));
    }
}

namespace {
/// The adjoint of a model with 40 results and its loss at `place` among them; results other than the loss depend on the parameter too.
dyadic::builder of_many_results(int place) {
  test::hand_made m;
  int const x = m.input(m.row()), w = m.param(dyadic::bit_of(m.feature));
  int const y = m.mul(x, w), loss = m.sum(m.mul(y, y), m.feature);
  for (int k = 0; k <= 40; ++k) m.result(k == place ? loss : m.tanh(m.mul(y, m.b.constant(k))), k == place ? "loss" : "other");
  return dyadic::simplify(dyadic::adjoint(m.b.view()).view());
}
}  // namespace

TEST_CASE("adjoint: a loss behind 32 and more results is the one that is differentiated") {
  dyadic::builder const first = of_many_results(0);
  for (int place : {31, 32, 40}) {
    CAPTURE(place);
    dyadic::builder const b = of_many_results(place);
    CHECK(b.error == dyadic::fault::none);
    CHECK(b.size() == first.size());
    CHECK(b.outputs.size == 42);
    CHECK(b.outputs[place].name == std::string("loss"));
    int seeds = 0, gradients = 0;
    for (int k = 0; k < b.leaves.size; ++k) {
      if (b.leaves[k].role != dyadic::leaf_role::seed) continue;
      ++seeds;
      CHECK(b.leaves[k].of == place);
    }
    for (int k = 0; k < b.outputs.size; ++k) gradients += b.outputs[k].role == dyadic::output_role::gradient && b.outputs[k].node >= 0;
    CHECK(seeds == 1);
    CHECK(gradients == 1);
  }
}
