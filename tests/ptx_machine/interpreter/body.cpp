// Declarations, labels and line information in the body of a function.
#include "body.hpp"

#include <algorithm>

namespace ptx_machine {

file_table files_of(std::string_view text) {
  file_table files;
  for (std::size_t at = text.find(".file"); at != std::string_view::npos; at = text.find(".file", at + 1)) {
    std::size_t const line = text.rfind('\n', at) + 1;   // npos + 1 is 0
    if (text.substr(line, at - line).find_first_not_of(" \t") != std::string_view::npos) continue;
    lexer l(text.substr(at), "");
    l.take();
    if (l.peek().what != token::kind::number) continue;
    std::int64_t const number = l.integer();
    if (l.peek().what == token::kind::string) files[number] = std::string(l.take().text);
  }
  return files;
}

declaration read_declaration(lexer& text) {
  declaration d;
  for (;;) {
    token const t = text.word("a type");
    if (t.is(".align")) d.alignment = static_cast<std::uint32_t>(text.integer());
    else if (t.is(".ptr")) text.take_if(".global") || text.take_if(".shared") || text.take_if(".const") || text.take_if(".local");
    else if (t.text[0] == '.') {
      if (d.type != scalar::none) text.fail("unknown attribute " + std::string(t.text), t.line);
      d.type = scalar_named(t.text.substr(1));
      if (d.type == scalar::none || d.type == scalar::pred) text.fail("unknown type or attribute " + std::string(t.text), t.line);
    } else {
      d.name = t.text;
      d.line = t.line;
      break;
    }
    // .param .u64 .ptr .align 1 name: the alignment is of what the pointer points to
    if (t.is(".ptr") && text.take_if(".align")) text.integer();
  }
  if (d.type == scalar::none) text.fail("a declaration has no type", d.line);
  if (d.alignment == 0 || (d.alignment & (d.alignment - 1))) text.fail("an alignment must be a power of two", d.line);
  d.alignment = std::max(d.alignment, bytes_of(d.type));
  d.size = bytes_of(d.type);
  while (text.take_if("[")) {
    d.array = true;
    std::int64_t const extent = text.peek().is("]") ? 0 : text.integer();
    if (extent < 0) text.fail("an array has a negative extent", d.line);
    d.size *= static_cast<std::uint64_t>(extent);
    text.expect("]");
  }
  return d;
}

void body_parser::parse() {
  text_.expect("{");
  for (int depth = 1; depth;) {
    token const t = text_.peek();
    line_ = t.line;
    if (text_.take_if("{")) {
      b_.open();
      ++depth;
    } else if (text_.take_if("}")) {
      if (--depth) b_.close(t.line);
    } else if (text_.take_if(";")) {
    } else if (t.is("@")) {
      instruction_from(t);
    } else if (t.what == token::kind::end) {
      text_.fail("the text ends too early");
    } else if (t.what != token::kind::word) {
      text_.fail("expected an instruction before '" + std::string(t.text) + "'");
    } else if (t.text[0] == '.') {
      directive();
    } else {
      token const word = text_.take();
      if (text_.take_if(":")) after_label(word);
      else instruction_from(word);
    }
  }
  instruction end;
  end.execute = end_of_code;
  end.at = here();
  b_.f.code.push_back(end);
  b_.finish(line_);
}

void body_parser::after_label(token const& name) {
  if (text_.take_if(".branchtargets")) {
    std::vector<std::string_view> labels;
    do labels.push_back(text_.word("a label").text);
    while (text_.take_if(","));
    text_.expect(";");
    b_.fill_table(name.text, labels, name.line);
  } else if (text_.take_if(".callprototype")) {   // what is called through it is checked against its own declaration
    while (!text_.take_if(";")) text_.take();
    b_.declare(name.text, {symbol::kind::prototype}, name.line);
  } else if (text_.peek().is(".calltargets")) {
    text_.fail("unknown directive .calltargets");
  } else {
    b_.label(name.text, name.line);
  }
}

void body_parser::directive() {
  token const t = text_.take();
  if (t.is(".loc")) line_information();
  else if (t.is(".reg")) registers();
  else if (t.is(".local") || t.is(".shared") || t.is(".param")) memory(t.text);
  else if (t.is(".pragma")) {
    while (!text_.take_if(";")) text_.take();
  } else text_.fail("unknown directive " + std::string(t.text), t.line);
}

void body_parser::line_information() {
  auto const read = [&] {
    std::int64_t const file = text_.integer(), line = text_.integer();
    return position{file, line, text_.integer()};
  };
  at_ = read();
  called_from_ = {0, 0, 0};
  while (text_.take_if(",")) {
    if (text_.take_if("function_name")) {
      text_.word("a label");
      if (text_.take_if("+")) text_.integer();
    } else {
      text_.expect("inlined_at");
      called_from_ = read();
      if (called_from_ != at_) call_sites_[at_] = called_from_;  // a template inlined into itself at one line: its first caller stays known
    }
  }
  if (called_from_ == position{0, 0, 0}) call_sites_.erase(at_);
}

site body_parser::here() {
  auto const [file, line, column] = at_;
  source_line s;
  auto const known = files_.find(file);
  if (line > 0 && known != files_.end()) {
    s.file = known->second;
    s.line = static_cast<unsigned>(line);
  }
  s.ptx_line = line_;
  s.function = b_.f.name;
  position caller = called_from_;   // all calls, the innermost first: one of them is a line of the kernel's own source
  for (int steps = 0; steps < 8; ++steps) {
    auto const from = files_.find(std::get<0>(caller));
    if (from == files_.end()) break;
    s.callers +=
        (s.callers.empty() ? "" : ", ") + from->second.substr(from->second.rfind('/') + 1) + ':' + std::to_string(std::get<1>(caller));
    auto const next = call_sites_.find(caller);
    if (next == call_sites_.end()) break;
    caller = next->second;
  }
  return add_site(std::move(s));
}

void body_parser::registers() {
  token const type = text_.word("a type");
  scalar const t = scalar_named(type.text.substr(1));
  if (type.text[0] != '.' || t == scalar::none) text_.fail("unknown type " + std::string(type.text), type.line);
  do {
    token const name = text_.word("a register");
    if (text_.take_if("<")) {
      std::int64_t const count = text_.integer();
      text_.expect(">");
      for (std::int64_t i = 0; i < count; ++i) b_.declare_register(std::string(name.text) + std::to_string(i), t, name.line);
    } else {
      b_.declare_register(name.text, t, name.line);
    }
  } while (text_.take_if(","));
  text_.expect(";");
}

void body_parser::memory(std::string_view space) {
  declaration const d = read_declaration(text_);
  if (text_.peek().is("=")) text_.fail("a variable of this state space has no initial value");
  text_.expect(";");
  if (!d.size) text_.fail("the size of " + std::string(d.name) + " is not known", d.line);
  auto const size = static_cast<std::uint32_t>(d.size);
  if (size != d.size) text_.fail(std::string(d.name) + " is too large", d.line);
  symbol s;
  s.size = size;
  if (space == ".local") s.what = symbol::kind::local, s.index = b_.add_local(size, d.alignment);
  else if (space == ".param") s.what = symbol::kind::param, s.index = b_.add_parameter(size, d.alignment);
  else s.what = symbol::kind::shared, s.index = b_.add_shared(size, d.alignment), s.common = !b_.f.entry;
  b_.declare(d.name, s, d.line);
}

}  // namespace ptx_machine
