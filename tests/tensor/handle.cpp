// Owners and shares: every object ends once, when its last owner does.
#include "dyadic/tensor/handle.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {
struct counted_object {
  int* alive;
  std::string name;
  counted_object(int& count, std::string text) : alive(&count), name(std::move(text)) { ++*alive; }
  counted_object(counted_object&& o) noexcept : alive(o.alive), name(std::move(o.name)) { ++*alive; }
  ~counted_object() { --*alive; }
};
}  // namespace

TEST_CASE("an owner") {
  int alive = 0;
  {
    auto a = dyadic::owned<counted_object>::make(alive, "a");
    CHECK(alive == 1);
    CHECK(a->name == "a");
    dyadic::owned<counted_object> b = std::move(a);
    CHECK_FALSE(static_cast<bool>(a));
    CHECK((*b).name == "a");
    b = dyadic::owned<counted_object>::make(alive, "b");
    CHECK(alive == 1);
    CHECK(b.get()->name == "b");
    b = dyadic::owned<counted_object>();
    CHECK(alive == 0);
    CHECK(b.get() == nullptr);
  }
  CHECK(alive == 0);
}
TEST_CASE("shares") {
  int alive = 0;
  {
    auto a = dyadic::shared<counted_object>::make(alive, "a");
    CHECK(alive == 1);
    dyadic::shared<counted_object> b = a, c;
    CHECK(a == b);
    CHECK_FALSE(static_cast<bool>(c));
    c = b;
    auto& same = b;
    b = same;
    a = dyadic::shared<counted_object>();
    CHECK(alive == 1);
    b = std::move(c);
    CHECK(b->name == "a");
    CHECK(c.get() == nullptr);
    b = dyadic::shared<counted_object>::make(alive, "b");
    CHECK(alive == 1);
    CHECK((*b).name == "b");
  }
  CHECK(alive == 0);
}
