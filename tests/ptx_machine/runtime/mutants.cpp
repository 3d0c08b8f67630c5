// Mutants made from the text of PTX, one changed line each.
#include "mutants.hpp"

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>

namespace ptx_machine::runtime {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(std::string const& s) {
  std::size_t const a = s.find_first_not_of(" \t");
  return a == std::string::npos ? "" : s.substr(a, s.find_last_not_of(" \t") - a + 1);
}

/// The opcode with its modifiers, after a guard.
std::string opcode_of(std::string const& statement) {
  std::size_t at = 0;
  if (statement[0] == '@') at = statement.find_first_not_of(" \t", statement.find_first_of(" \t"));
  return at == std::string::npos ? "" : statement.substr(at, statement.find_first_of(" \t;", at) - at);
}
bool starts_with(std::string const& s, char const* with) { return s.rfind(with, 0) == 0; }

/// Bytes of an access from its modifiers: the type, times the vector.
unsigned access_bytes(std::string const& opcode) {
  unsigned bytes = 4, vector = 1;
  std::istringstream in(opcode);
  for (std::string part; std::getline(in, part, '.');) {
    if (part == "v2") vector = 2;
    else if (part == "v4") vector = 4;
    else if (part.size() > 1 && std::string("bsuf").find(part[0]) != std::string::npos &&
        part.find_first_not_of("0123456789", 1) == std::string::npos)
      bytes = static_cast<unsigned>(std::stoul(part.substr(1))) / 8;
  }
  return std::max(1u, bytes) * vector;
}

/// The first [address] moved up.
std::optional<std::string> moved(std::string const& line, unsigned by) {
  std::size_t const open = line.find('['), close = line.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  std::string const inside = line.substr(open + 1, close - open - 1);
  std::size_t const plus = inside.find('+');
  long long offset = 0;
  if (plus != std::string::npos && std::from_chars(inside.data() + plus + 1, inside.data() + inside.size(), offset).ec != std::errc())
    return {};
  std::string const base = inside.substr(0, plus);
  return line.substr(0, open + 1) + base + '+' + std::to_string(offset + by) + line.substr(close);
}

std::optional<std::string> relation_changed(std::string const& line) {
  static constexpr std::array<std::array<char const*, 2>, 8> neighbours{{
      {".lt.", ".le."}, {".le.", ".lt."}, {".gt.", ".ge."}, {".ge.", ".gt."}, {".lo.", ".ls."}, {".ls.", ".lo."}, {".hi.", ".hs."},
      {".hs.", ".hi."}}};
  std::size_t const from = line.find("setp");
  for (auto const& [relation, neighbour] : neighbours)
    if (std::size_t const at = line.find(relation, from); at != std::string::npos)
      return line.substr(0, at) + neighbour + line.substr(at + 4);
  return {};
}

struct change {
  char const* kind;
  std::string line;
};
std::vector<change> changes_of(std::string const& line) {
  std::string const statement = trimmed(line), opcode = opcode_of(statement);
  if (starts_with(opcode, "bar.") || starts_with(opcode, "barrier.") || starts_with(opcode, "cp.async.wait"))
    return {{"without", "// " + line}};
  if (starts_with(opcode, "setp.")) {
    std::string const type = opcode.substr(opcode.rfind('.') + 1);
    if (type[0] == 's' || type[0] == 'u')
      if (auto changed = relation_changed(line)) return {{"bound off by one", *changed}};
    return {};
  }
  bool const copies = starts_with(opcode, "cp.async.") && opcode.find("group") == std::string::npos;
  bool const memory = copies || starts_with(opcode, "ld.") || starts_with(opcode, "st.") || starts_with(opcode, "atom.") ||
                      starts_with(opcode, "red.");
  if (memory && opcode.find(".param") == std::string::npos) {
    unsigned const by = starts_with(opcode, "cp.async") ? 16 : access_bytes(opcode);
    if (auto changed = moved(line, by)) return {{"address moved", *changed}};
  }
  return {};
}

}  // namespace

std::vector<mutant> mutants_of(std::string_view ptx, std::string_view kernel_name) {
  std::vector<std::string> const lines = lines_of(ptx);
  std::map<int, std::string> files;
  for (std::string const& line : lines)
    if (std::string const s = trimmed(line); starts_with(s, ".file")) {
      std::istringstream in(s.substr(5));
      int number = 0;
      std::string name;
      in >> number >> name;
      name = name.substr(0, name.find('"', 1));
      files[number] = name.substr(name.find_last_of("/\"") + 1);
    }
  std::vector<mutant> all;
  std::map<std::string, int> seen;
  std::string place = "?";
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string const s = trimmed(lines[i]);
    if (std::size_t const e = s.find(".entry "); e != std::string::npos)
      inside = s.compare(e + 7, kernel_name.size() + 1, std::string(kernel_name) + '(') == 0;
    if (!inside || s.empty()) continue;
    if (starts_with(s, ".loc")) {
      std::istringstream in(s.substr(4));
      int file = 0, line = 0;
      in >> file >> line;
      if (line) place = files[file] + ':' + std::to_string(line);
      continue;
    }
    for (change const& c : changes_of(lines[i])) {
      std::string const opcode = opcode_of(s), kind = std::string(c.kind) + ' ' + opcode + ' ' + place;
      mutant m{c.kind, s, place, kind + " #" + std::to_string(++seen[kind]), {}};
      for (std::size_t k = 0; k < lines.size(); ++k) m.ptx += (k == i ? c.line : lines[k]) + '\n';
      all.push_back(std::move(m));
    }
  }
  return all;
}

}  // namespace ptx_machine::runtime
