// Plans as text: loops indented, runs of statements on one line; or Graphviz, loops as boxes around them.
#pragma once
#include <string>

#include "dyadic/graph/print.hpp"
#include "dyadic/plan/plan.hpp"

namespace dyadic {

namespace detail {
inline std::string loop_text(graph_view g, stmt const& s) {
  return "for " + axis_text(g, s.id) + (s.dir > 0 ? " up" : " down") + (s.tiled ? ", tiled" : "") + (s.levelled ? ", by level" : "") +
         (s.streamed ? ", streamed" : "");
}
inline std::string run_text(graph_view g, stmt const& s) {
  std::string r = std::string(op_name(g.nodes[s.id].kind)) + "." + std::to_string(s.id);
  if (s.tiled) r += "(tiles)";
  if (s.active_rows) r += "(active)";
  if (s.guard != stmt::always) r += s.guard == stmt::chunk_begin ? "(chunk begin)" : "(chunk end)";
  return r;
}
}  // namespace detail

/// Loops with their bodies indented; consecutive statements share a line.
inline std::string to_table(graph_view g, plan_view p) {
  std::string r, line;
  std::size_t indent = 0;
  auto flush = [&] {
    if (!line.empty()) r += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  if (p.stuck >= 0) r += "stuck at " + std::string(op_name(g.nodes[p.stuck].kind)) + "." + std::to_string(p.stuck) + "\n";
  for (int k = 0; k < p.size; ++k) {
    stmt const& s = p.s[k];
    if (s.kind == stmt::run) { line += (line.empty() ? "" : " ") + detail::run_text(g, s); continue; }
    flush();
    if (s.kind == stmt::end) { indent -= 2; continue; }
    r += std::string(indent, ' ') + detail::loop_text(g, s) + "\n";
    indent += 2;
  }
  flush();
  return r;
}

/// For Graphviz: statements in a chain, each loop a cluster.
inline std::string to_dot(graph_view g, plan_view p) {
  std::string r = "digraph plan {\n  node [shape=box, fontname=monospace];\n";
  std::string indent = "  ";
  int last = -1;
  for (int k = 0; k < p.size; ++k) {
    stmt const& s = p.s[k];
    if (s.kind == stmt::begin) {
      r += indent + "subgraph cluster" + std::to_string(k) + " {\n";
      indent += "  ";
      r += indent + "label=\"" + detail::loop_text(g, s) + "\";\n";
    } else if (s.kind == stmt::end) {
      indent.resize(indent.size() - 2);
      r += indent + "}\n";
    } else {
      r += indent + "s" + std::to_string(k) + " [label=\"" + detail::run_text(g, s) + "\"];\n";
    }
  }
  for (int k = 0; k < p.size; ++k) {
    if (p.s[k].kind != stmt::run) continue;
    if (last >= 0) r += "  s" + std::to_string(last) + " -> s" + std::to_string(k) + ";\n";
    last = k;
  }
  return r + "}\n";
}

}  // namespace dyadic
