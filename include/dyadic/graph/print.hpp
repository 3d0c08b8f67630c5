// Graphs as text: a table with one node a line, or Graphviz.
#pragma once
#include <cstdio>
#include <string>

#include "dyadic/expr/leaf.hpp"

namespace dyadic {

namespace detail {
inline std::string axis_text(graph_view g, int a) {
  if (a < 0 || a >= g.naxes || !g.axes[a].name) return "axis" + std::to_string(a);
  return std::string(g.axes[a].name, static_cast<std::size_t>(g.axes[a].name_size));
}
inline std::string shape_text(graph_view g, axis_set s) {
  std::string r;
  for (int a = 0; a < g.naxes; ++a) if (s >> a & 1) r += (r.empty() ? "" : " ") + axis_text(g, a);
  if (s & pair_bit) r += r.empty() ? "pair" : " pair";
  return "[" + r + "]";
}
inline std::string number_text(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}
/// "layers.*.mlp": indices of repeat axes are stars.
inline std::string path_text(graph_view g, int path) {
  std::string r;
  for (int p = path; p >= 0 && p < g.npaths; p = g.paths[p].parent) {
    std::string part = g.paths[p].text ? g.paths[p].text : "";
    if (g.paths[p].axis >= 0) part += part.empty() ? "*" : ".*";
    if (!part.empty()) r = r.empty() ? part : part + "." + r;
  }
  return r;
}
inline std::string leaf_text(graph_view g, int i) {
  for (int k = 0; k < g.nleaves; ++k) {
    leaf const& l = g.leaves[k];
    if (l.node != i) continue;
    if (l.path >= 0) return path_text(g, l.path);
    if (l.name) return l.name;
    return l.role == leaf_role::seed ? "seed" : l.role == leaf_role::active ? "active" : "";
  }
  return "";
}
/// What an operation has besides operands: the axes it works along, its immediate, the name of a leaf.
inline std::string detail_text(graph_view g, int i) {
  node const& x = g.nodes[i];
  std::string r;
  auto add = [&](std::string const& t) { if (!t.empty()) r += (r.empty() ? "" : " ") + t; };
  add(leaf_text(g, i));
  bool const along = x.axis >= 0 && x.kind != op::input && x.kind != op::param;
  if (along) add("along " + axis_text(g, x.axis));
  if (x.aux >= 0)
    add((x.kind == op::window ? "from " : x.kind == op::split || x.kind == op::merge ? "outer " : "and ") + axis_text(g, x.aux));
  if (x.inner >= 0) add("inner " + axis_text(g, x.inner));
  if (x.value != 0 || x.kind == op::constant) add("= " + number_text(x.value));
  return r;
}
/// "12", "12-" (at earlier positions), "12+" (at later ones).
inline std::string operand_text(node const& x, int k) {
  if (x.arg[k] < 0) return "_";
  return std::to_string(x.arg[k]) + (x.far[k] > 0 ? "-" : x.far[k] < 0 ? "+" : "");
}
inline void pad(std::string& s, std::size_t width) { while (s.size() < width) s += ' '; }
}  // namespace detail

/// One node a line: number, operation, operands (`-`: read at earlier positions, `+`: at later ones), shape, what else it has, and which
/// results it is.
inline std::string to_table(graph_view g) {
  std::string r;
  for (int i = 0; i < g.size; ++i) {
    node const& x = g.nodes[i];
    std::string line = std::to_string(i);
    detail::pad(line, 5);
    line += op_name(x.kind);
    if (x.type != dtype::f32) line += std::string(":") + dtype_name(x.type);
    detail::pad(line, 24);
    for (int k = 0; k < x.nargs; ++k) line += (k ? " " : "") + detail::operand_text(x, k);
    detail::pad(line, 44);
    line += detail::shape_text(g, x.axes);
    std::string const more = detail::detail_text(g, i);
    if (!more.empty()) { detail::pad(line, 72); line += " " + more; }
    for (int k = 0; k < g.noutputs; ++k) {
      output const& o = g.outputs[k];
      if (o.node != i) continue;
      std::string name = o.name ? o.name : "";
      if (o.role == output_role::gradient && o.leaf >= 0 && o.leaf < g.nleaves) name = detail::leaf_text(g, g.leaves[o.leaf].node);
      char const* const role = o.role == output_role::gradient ? "gradient " : o.role == output_role::probe ? "probe " : "result ";
      line += " -> " + (role + name);
    }
    while (line.back() == ' ') line.pop_back();
    r += line + "\n";
  }
  return r;
}

/// For Graphviz. Far edges are dashed and say their axis, with `-` for earlier and `+` for later positions.
inline std::string to_dot(graph_view g) {
  std::string r = "digraph dyadic {\n  node [shape=box, fontname=monospace];\n";
  for (int i = 0; i < g.size; ++i) {
    node const& x = g.nodes[i];
    std::string const more = detail::detail_text(g, i), id = "  n" + std::to_string(i);
    r += id + " [label=\"" + std::to_string(i) + " " + op_name(x.kind) + (more.empty() ? "" : "\\n" + more) + "\\n" +
         detail::shape_text(g, x.axes) + "\"" + (x.axes & pair_bit ? ", style=dotted" : x.nargs ? "" : ", shape=ellipse") + "];\n";
    for (int k = 0; k < x.nargs; ++k) {
      if (x.arg[k] < 0) continue;
      r += "  n" + std::to_string(x.arg[k]) + " -> n" + std::to_string(i);
      if (x.far[k]) r += " [style=dashed, constraint=false, label=\"" + detail::axis_text(g, x.axis) + (x.far[k] > 0 ? " -" : " +") + "\"]";
      r += ";\n";
    }
  }
  return r + "}\n";
}

}  // namespace dyadic
