// call, direct and through a register; functions of the device's library that every module may call: vprintf and __assertfail.
#include <algorithm>

#include "opcodes/handlers.hpp"
#include "opcodes/print.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
constexpr unsigned deepest = 100;   // calls within calls: recursion without an end must not take the machine down

struct link {
  frame& caller;
  call_site const& call;
};

bool same_shape(call_site const& c, function const& f) {
  auto const same = [](std::vector<std::uint32_t> const& sizes, std::vector<parameter> const& declared) {
    return std::equal(sizes.begin(), sizes.end(), declared.begin(), declared.end(),
                      [](std::uint32_t a, parameter const& b) { return a == b.size; });
  };
  return same(c.source_sizes, f.inputs) && same(c.result_sizes, f.results);
}

instruction const* run_call(frame& f, instruction const& i, function const& target) {
  call_site const& c = f.code.calls[i.list];
  f.here.step();
  if (++f.context.depth > deepest) f.here.trap("more than " + std::to_string(deepest) + " calls within calls", i.at);
  link l{f, c};
  run_function(f.context, target, [](frame& callee, void* with) {
    auto const& from = *static_cast<link const*>(with);
    for (std::size_t k = 0; k < from.call.sources.size(); ++k)
      std::memcpy(callee.parameters + callee.code.inputs[k].offset, from.caller.parameters + from.call.sources[k],
                  from.call.source_sizes[k]);
  }, [](frame& callee, void* with) {
    auto const& to = *static_cast<link const*>(with);
    for (std::size_t k = 0; k < to.call.results.size(); ++k)
      std::memcpy(to.caller.parameters + to.call.results[k], callee.parameters + callee.code.results[k].offset, to.call.result_sizes[k]);
  }, &l);
  --f.context.depth;
  return &i + 1;
}

instruction const* direct(frame& f, instruction const& i) { return run_call(f, i, *f.code.calls[i.list].target); }
instruction const* through_register(frame& f, instruction const& i) {
  std::uint64_t const address = f.r[i.a], index = (address - function_addresses) / 16;
  if (address < function_addresses || address % 16 || index >= f.code.table->size()) f.here.trap("a call to what is no function", i.at);
  function const& target = *(*f.code.table)[index];
  if (!target.defined || target.entry) f.here.trap("a call to " + target.name + ", which is not defined here", i.at);
  if (!same_shape(f.code.calls[i.list], target)) f.here.trap("a call to " + target.name + " with other parameters than it has", i.at);
  return run_call(f, i, target);
}

template <class T> T argument(frame const& f, call_site const& c, std::size_t k) {
  T x;
  std::memcpy(&x, f.parameters + c.sources[k], sizeof x);
  return x;
}
instruction const* vprintf_call(frame& f, instruction const& i) {
  call_site const& c = f.code.calls[i.list];
  std::string const text = format_from(f.here, argument<std::uint64_t>(f, c, 0), argument<std::uint64_t>(f, c, 1), i.at);
  f.here.print(text);
  auto const length = static_cast<std::uint32_t>(text.size());
  if (!c.results.empty()) std::memcpy(f.parameters + c.results[0], &length, sizeof length);
  return &i + 1;
}
instruction const* assert_call(frame& f, instruction const& i) {
  call_site const& c = f.code.calls[i.list];
  std::string const message = string_from(f.here, argument<std::uint64_t>(f, c, 0), i.at),
                    file = string_from(f.here, argument<std::uint64_t>(f, c, 1), i.at);
  std::string const where =
      file + ':' + std::to_string(argument<std::uint32_t>(f, c, 2)) + ": " + string_from(f.here, argument<std::uint64_t>(f, c, 3), i.at);
  f.here.trap(where + ": Assertion `" + message + "` failed.", i.at);
}

handler library_function(std::string_view name, call_site const& c) {
  using sizes = std::vector<std::uint32_t>;
  if (name == "vprintf" && c.source_sizes == sizes{8, 8}) return vprintf_call;
  if (name == "__assertfail" && c.source_sizes == sizes{8, 8, 4, 8, 8}) return assert_call;
  return nullptr;
}

void decode_call(decoder& d) {
  d.take("uni");
  call_site c;
  auto const parameters = [&](operand const& list, std::vector<std::uint32_t>& offsets, std::vector<std::uint32_t>& sizes) {
    for (operand const& o : list.parts) {
      symbol const p = o.what == operand::kind::symbol ? d.builder.find(o.name) : symbol{};
      if (p.what != symbol::kind::param || o.offset) d.fail("arguments and results of a call must be .param variables");
      offsets.push_back(static_cast<std::uint32_t>(p.index));
      sizes.push_back(p.size);
    }
  };
  operand const* o = &d.next();
  if (o->what == operand::kind::list) {
    parameters(*o, c.results, c.result_sizes);
    o = &d.next();
  }
  operand const target = *o;
  if (d.has_operand()) {
    operand const& list = d.next();
    if (list.what != operand::kind::list) d.fail("expected a list of arguments");
    parameters(list, c.sources, c.source_sizes);
  }
  d.out.list = static_cast<std::uint32_t>(d.builder.f.calls.size());
  d.needs_site();
  handler h = through_register;
  d.builder.calls_anything = d.builder.calls_anything || target.what == operand::kind::reg;
  if (target.what == operand::kind::reg) {
    d.out.a = d.source_of(target, s::u64);
    if (!d.has_operand()) d.fail("a call through a register needs a prototype");
    operand const& prototype = d.next();
    if (prototype.what != operand::kind::symbol || d.builder.find(prototype.name).what != symbol::kind::prototype)
      d.fail("unknown prototype");
  } else {
    symbol const named = target.what == operand::kind::symbol ? d.builder.find(target.name) : symbol{};
    if (named.what != symbol::kind::function) d.fail("unknown function " + std::string(target.name));
    c.target = d.builder.module_of.table[named.index];
    h = library_function(target.name, c);
    if (!h) {
      if (c.target->entry) d.fail("a kernel cannot be called");
      if (!same_shape(c, *c.target)) d.fail(c.target->name + " has other parameters");
      h = direct;
      d.builder.callees.push_back(c.target);
    }
  }
  d.builder.f.calls.push_back(std::move(c));
  d.emit(h);
}

}  // namespace

void add_calls(opcode_table& t) { t.add("call", opcode_kind::any, decode_call); }

}  // namespace ptx_machine
