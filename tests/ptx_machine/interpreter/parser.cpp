// Kernels and functions of a module, and the directives around them.
#include "parser.hpp"

#include <algorithm>
#include <set>

namespace ptx_machine {

module_parser::module_parser(std::string_view text, std::string_view name)
    : name_(name), text_(text, name_), files_(files_of(text)), m_(std::make_unique<module_contents>()) {
  m_->name = name_;
}

std::unique_ptr<module_contents> module_parser::parse() {
  while (text_.peek().what != token::kind::end) {
    token const t = text_.peek();
    if (t.what != token::kind::word || t.text[0] != '.') text_.fail("expected a directive before '" + std::string(t.text) + "'");
    text_.take();
    if (t.is(".version")) text_.take();
    else if (t.is(".target")) target();
    else if (t.is(".address_size")) {
      if (text_.integer() != 64) text_.fail("addresses must have 64 bits", t.line);
    } else if (t.is(".file")) {   // read before
      text_.integer();
      text_.take();
      while (text_.take_if(",")) text_.integer();
    } else if (t.is(".section")) {
      text_.word("a section");
      text_.skip_braces();
    } else if (t.is(".pragma")) {
      while (!text_.take_if(";")) text_.take();
    } else if (t.is(".visible") || t.is(".weak")) {
      token const what = text_.word("a directive");
      if (what.is(".entry") || what.is(".func")) kernel_or_function(what.is(".entry"));
      else if (what.is(".global") || what.is(".const")) global_variable(what.is(".const"), false);
      else if (what.is(".shared")) shared_variable(false);
      else text_.fail("unknown directive " + std::string(what.text), what.line);
    } else if (t.is(".extern")) {
      token const what = text_.word("a directive");
      if (what.is(".func")) kernel_or_function(false);
      else if (what.is(".global") || what.is(".const")) global_variable(what.is(".const"), true);
      else if (what.is(".shared")) shared_variable(true);
      else text_.fail("unknown directive " + std::string(what.text), what.line);
    } else if (t.is(".entry") || t.is(".func")) kernel_or_function(t.is(".entry"));
    else if (t.is(".global") || t.is(".const")) global_variable(t.is(".const"), false);
    else if (t.is(".shared")) shared_variable(false);
    else text_.fail("unknown directive " + std::string(t.text), t.line);
  }
  place_shared();
  for (function& f : m_->functions) f.table = &m_->table;
  return std::move(m_);
}

void module_parser::target() {
  m_->target = std::string(text_.word("an architecture").text);
  while (text_.take_if(",")) text_.word("a target option");
}

function& module_parser::function_named(std::string_view name, bool& fresh) {
  auto const [at, is_new] = m_->function_index.try_emplace(std::string(name), static_cast<std::uint32_t>(m_->functions.size()));
  fresh = is_new;
  if (is_new) {
    m_->functions.emplace_back().name = std::string(name);
    m_->table.push_back(&m_->functions.back());
  }
  return m_->functions[at->second];
}

void module_parser::parameters(function_builder& b, std::vector<parameter>& out, char const* end) {
  if (text_.take_if(end)) return;
  do {
    token const space = text_.word(".param");
    if (!space.is(".param")) text_.fail("a parameter must be in .param space", space.line);
    declaration const d = read_declaration(text_);
    auto const size = static_cast<std::uint32_t>(d.size);
    if (!size || size != d.size) text_.fail("the size of " + std::string(d.name) + " is not known", d.line);
    std::uint32_t const offset = b.add_parameter(size, d.alignment);
    out.push_back({std::string(d.name), size, d.alignment, offset});
    if (d.name != "_") b.declare(d.name, {symbol::kind::param, offset, size}, d.line);
  } while (text_.take_if(","));
  text_.expect(end);
}

void module_parser::kernel_or_function(bool entry) {
  function f;
  f.entry = entry;
  function_builder b(f, symbols_, *m_, text_);
  if (!entry) b.shared_bytes = common_shared_;   // functions share what is theirs with all kernels that call them
  std::vector<parameter> results, inputs;
  if (!entry && text_.take_if("(")) parameters(b, results, ")");
  token const name = text_.word("a name");
  if (text_.take_if("(")) parameters(b, inputs, ")");
  f.name = std::string(name.text);
  f.results = results;
  f.inputs = inputs;
  kernel* k = nullptr;
  kernel described;
  performance_directives(&described);
  bool fresh = false;
  function& known = function_named(name.text, fresh);
  if (!fresh) check_declaration(known, f, name.line);
  auto const index = m_->function_index.find(name.text)->second;
  symbols_[f.name] = {symbol::kind::function, index};
  if (fresh) {   // calls in the body, of itself too, look there
    known.entry = entry;
    known.inputs = f.inputs;
    known.results = f.results;
  }
  if (text_.take_if(";")) return;
  if (known.defined) text_.fail(f.name + " is defined twice", name.line);
  f.defined = true;
  std::uint32_t const parameter_bytes = f.parameter_bytes;
  body_parser(text_, b, files_, name_).parse();
  known = std::move(f);
  if (entry) {
    described.name = known.name;
    described.parameters = known.inputs;
    described.parameter_bytes = parameter_bytes;
    described.code = &known;
    m_->kernels.push_back(std::move(described));
    k = &m_->kernels.back();
    m_->kernel_index[k->name] = static_cast<std::uint32_t>(m_->kernels.size() - 1);
  } else {
    common_shared_ = b.shared_bytes;
    common_alignment_ = std::max(common_alignment_, b.shared_alignment);
  }
  built_.push_back({&known, k, std::move(b.shared_patches), entry ? b.shared_bytes : 0, b.shared_alignment, b.uses_common_shared,
                    b.calls_anything, std::move(b.callees)});
}

void module_parser::check_declaration(function const& before, function const& now, unsigned line) {
  auto const same = [](std::vector<parameter> const& a, std::vector<parameter> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](parameter const& x, parameter const& y) { return x.size == y.size && x.offset == y.offset; });
  };
  if (before.entry != now.entry || !same(before.results, now.results) || !same(before.inputs, now.inputs))
    text_.fail(now.name + " was declared with other parameters", line);
}

void module_parser::performance_directives(kernel* k) {
  auto const product = [&] {
    std::int64_t p = text_.integer();
    while (text_.take_if(",")) p *= text_.integer();
    return static_cast<std::uint32_t>(p);
  };
  for (;;) {
    token const t = text_.peek();
    if (t.is("{") || t.is(";")) return;
    text_.take();
    if (t.is(".maxntid")) k->max_threads = product();
    else if (t.is(".reqntid")) k->required_threads = product();
    else if (t.is(".minnctapersm")) k->min_blocks = product();
    else if (t.is(".maxnreg") || t.is(".maxnctapersm")) product();   // of ptxas
    else if (t.is(".noreturn")) {
    } else if (t.is(".pragma")) {
      while (!text_.take_if(";")) text_.take();
    } else text_.fail("unknown directive " + std::string(t.text), t.line);
  }
}

void module_parser::place_shared() {
  std::set<function const*> common;   // functions that reach the module's shared variables
  bool address_taken = false;
  for (bool grew = true; grew;) {
    grew = false;
    for (built const& x : built_) {
      if (common.count(x.f)) continue;
      bool uses = x.uses_common || (x.indirect && address_taken);
      for (function const* callee : x.callees) uses = uses || common.count(callee);
      if (!uses) continue;
      common.insert(x.f);
      address_taken = address_taken || !x.f->entry;   // a call through a register may reach it
      grew = true;
    }
  }
  for (built& x : built_) {
    std::uint32_t base = shared_start;
    if (x.k) {
      std::uint32_t const alignment = std::max(x.shared_alignment, common_alignment_);
      if (common.count(x.f)) base += (common_shared_ + alignment - 1) / alignment * alignment;
      x.k->static_shared_bytes = (base - shared_start + x.shared_bytes + alignment - 1) / alignment * alignment;
    }
    for (shared_patch const& p : x.patches)
      x.f->image[p.slot] = static_cast<std::uint32_t>((p.common ? shared_start : base) + p.offset);
  }
}

}  // namespace ptx_machine
