// Variables of a module: their declarations and initial values.
#include "parser.hpp"

#include <algorithm>
#include <cstring>

namespace ptx_machine {

void module_parser::global_variable(bool constant, bool external) {
  declaration const d = read_declaration(text_);
  auto const [at, fresh] = m_->variable_index.try_emplace(std::string(d.name), static_cast<std::uint32_t>(m_->variables.size()));
  if (fresh) m_->variables.emplace_back();
  variable& v = m_->variables[at->second];
  if (!fresh && v.size) text_.fail(at->first + " is defined twice", d.line);
  v.name = at->first;
  v.constant = constant;
  v.alignment = d.alignment;
  symbol s;
  s.what = symbol::kind::variable;
  s.index = at->second;
  s.constant = constant;
  symbols_[v.name] = s;
  if (external) {
    text_.expect(";");
    return;
  }
  v.size = d.size;
  v.initial.resize(d.size);
  if (text_.take_if("=")) {
    std::uint64_t offset = 0;
    bool const unsized = d.array && !d.size;   // name[] = { ... }
    initial_value(v, at->second, d, offset);
    if (unsized) v.size = offset;
  }
  if (!v.size) text_.fail("the size of " + v.name + " is not known", d.line);
  text_.expect(";");
}

void module_parser::initial_value(variable& v, std::uint32_t index, declaration const& d, std::uint64_t& at) {
  if (text_.take_if("{")) {   // rows of a matrix follow one another
    if (!text_.take_if("}")) {
      do initial_value(v, index, d, at);
      while (text_.take_if(","));
      text_.expect("}");
    }
    return;
  }
  unsigned const bytes = bytes_of(d.type);
  if (d.array && !d.size) v.initial.resize(at + bytes);
  if (at + bytes > v.initial.size()) text_.fail(v.name + " has too many initial values");
  std::uint64_t bits = 0;
  bool const negative = text_.take_if("-");
  token const t = text_.take();
  if (t.what == token::kind::number) {
    std::string_view const s = t.text;
    try {
      if (s.starts_with("0f") || s.starts_with("0d")) {
        if (s.size() != 2 + bytes * 2) text_.fail(std::string(s) + " has the wrong number of digits", t.line);
        bits = integer_value(std::string("0x") + std::string(s.substr(2)));
        if (negative) bits ^= std::uint64_t(1) << (bytes * 8 - 1);
      } else {
        bits = integer_value(s);
        if (negative) bits = 0 - bits;
      }
    } catch (std::invalid_argument const&) { text_.fail(std::string(s) + " is no whole number", t.line); }
  } else if (t.what == token::kind::word && !negative) {   // an address: name, generic(name), each with + offset
    std::string name(t.text);
    if (t.is("generic")) {
      text_.expect("(");
      name = std::string(text_.word("a variable").text);
      text_.expect(")");
    }
    relocation r{index, at, bytes, 0, 0};
    if (text_.take_if("+")) r.addend = text_.integer();
    auto const found = symbols_.find(name);
    if (found == symbols_.end()) text_.fail("unknown symbol " + name, t.line);
    auto const target = static_cast<std::int64_t>(found->second.index);
    if (found->second.what == symbol::kind::function) r.target = -1 - target;
    else if (found->second.what == symbol::kind::variable) r.target = target;
    else text_.fail(name + " has no address that is known here", t.line);
    if (bytes != 8) text_.fail("the address of " + name + " does not fit", t.line);
    m_->relocations.push_back(r);
  } else {
    text_.fail("expected an initial value before '" + std::string(t.text) + "'", t.line);
  }
  std::memcpy(v.initial.data() + at, &bits, bytes);
  at += bytes;
}

void module_parser::shared_variable(bool external) {
  declaration const d = read_declaration(text_);
  symbol s;
  if (external) {
    s.what = symbol::kind::dynamic_shared;
    common_alignment_ = std::max(common_alignment_, d.alignment);
  } else {
    if (!d.size) text_.fail("the size of " + std::string(d.name) + " is not known", d.line);
    s.what = symbol::kind::shared;
    s.common = true;
    s.index = (common_shared_ + d.alignment - 1) / d.alignment * d.alignment;
    common_shared_ = static_cast<std::uint32_t>(s.index + d.size);
    common_alignment_ = std::max(common_alignment_, d.alignment);
  }
  if (!symbols_.emplace(std::string(d.name), s).second) text_.fail(std::string(d.name) + " is declared twice", d.line);
  text_.expect(";");
}

}  // namespace ptx_machine
