// Where a program's time goes: how long every statement of its plan took, beside what passes/cost.hpp predicts for it; as a table, and as a
// trace for chrome://tracing and Perfetto.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "dyadic/exec/runner.hpp"
#include "dyadic/graph/print.hpp"
#include "dyadic/passes/cost.hpp"
#include "dyadic/passes/fuse.hpp"

namespace dyadic::exec {

/// A statement of a plan, or the group that begins with it.
struct profile_row {
  int statement = -1;               ///< in the plan
  std::string name;                 ///< its operations, the parameters they read, the results and gradients they make
  int line = 0;                     ///< of the model's source; 0: not known
  std::int64_t executions = 0;      ///< in all runs; every tile of a fold counts
  std::int64_t nanoseconds = 0;     ///< of the calling thread
  int threads = 1;                  ///< the most that its parts were for
  program_cost predicted;           ///< of one run: flops, bytes, kernels
};

/// Looks on at a runner from its construction to its end: `exec::profile p(program); program.run(); std::puts(p.table().c_str());`, or of a
/// trainer, `exec::profile p(trainer.inputs())`. The runner must live as long. Runs allocate nothing on its account. A runner that nobody
/// looks on at reads no clock. Predictions are for the ranges of rows at construction, without what a stream reads of earlier positions.
class profile : cpu::observer {
 public:
  /// The trace has the first `most_events` executions; the table has all.
  template <class T> explicit profile(runner<T>& r, std::int64_t most_events = 1 << 16) : most_events_(most_events < 0 ? 0 : most_events) {
    events_.reserve(static_cast<std::size_t>(most_events_));
    extents e = r.ext;
    for (int a = 0; a < r.graph.naxes; ++a) if (e.of[a] >= 0) e.of[a] = r.engine().rows(a);
    cost_request q;
    q.element_size = static_cast<int>(sizeof(T));
    make_rows(r.graph, r.plan, e, q);
    threads_ = r.engine().threads();
    before = [](cpu::observer& o, int statement) { static_cast<profile&>(o).begin(statement); };
    after = [](cpu::observer& o, int statement, int executions) { static_cast<profile&>(o).end(statement, executions); };
    engine_ = &r.engine();
    leave_ = [](void* engine) { static_cast<cpu::interpreter<T>*>(engine)->observe(nullptr); };
    r.engine().observe(this);
  }
  ~profile() { leave_(engine_); }
  profile(profile const&) = delete;
  profile& operator=(profile const&) = delete;

  std::int64_t runs() const { return runs_; }
  std::int64_t nanoseconds() const { return nanoseconds_; }   ///< in runs
  std::vector<profile_row> const& rows() const { return rows_; }
  /// The row that statement s of the plan is counted in, or -1 for the ends of loops.
  int row_of(int s) const { return row_[static_cast<std::size_t>(s)]; }
  /// Executions that came too late for the trace.
  std::int64_t left_out() const { return left_out_; }
  /// Starts anew.
  void clear() {
    for (auto& r : rows_) { r.executions = r.nanoseconds = 0; r.threads = 1; }
    events_.clear();
    runs_ = nanoseconds_ = left_out_ = 0;
  }

  /// One row a statement, the longest first: milliseconds and executions a run, predicted work, and what that makes a second.
  std::string table() const {
    std::string t = "  ms/run     %   times/run   Mflop      MB   GF/s   GB/s  threads  line  statement\n";
    std::vector<profile_row const*> order;
    for (auto const& r : rows_) order.push_back(&r);
    std::sort(order.begin(), order.end(), [](auto const* x, auto const* y) {
      return x->nanoseconds != y->nanoseconds ? x->nanoseconds > y->nanoseconds : x->statement < y->statement;
    });
    profile_row all;
    all.name = "all statements";
    for (auto const* r : order) {
      if (r->executions == 0) continue;
      t += line_of(*r);
      all.executions += r->executions;
      all.nanoseconds += r->nanoseconds;
      all.threads = (std::max)(all.threads, r->threads);
      all.predicted.flops += r->predicted.flops;
      all.predicted.bytes += r->predicted.bytes;
    }
    t += line_of(all);
    char text[96];
    std::snprintf(text, sizeof text, "%lld runs of %.3f ms\n", static_cast<long long>(runs_),
                  runs_ ? 1e-6 * static_cast<double>(nanoseconds_) / static_cast<double>(runs_) : 0.0);
    return t + text;
  }
  /// The trace, in Chrome's JSON: an event for every run and every execution, times in microseconds since the profile began.
  std::string trace() const {
    std::string t = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"executions left out\":" + std::to_string(left_out_);
    t += "},\"traceEvents\":[\n";
    t += "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"dyadic\"}}";
    char text[160];
    for (auto const& e : events_) {
      t += ",\n{\"name\":\"";
      t += e.row < 0 ? std::string("run") : escaped(rows_[static_cast<std::size_t>(e.row)].name);
      std::snprintf(text, sizeof text, "\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,\"args\":{",
                    e.row < 0 ? "run" : "statement", 1e-3 * static_cast<double>(e.begin), 1e-3 * static_cast<double>(e.length));
      t += text;
      if (e.row >= 0) {
        profile_row const& r = rows_[static_cast<std::size_t>(e.row)];
        std::snprintf(text, sizeof text, "\"statement\":%d,\"line\":%d,\"threads\":%d", r.statement, r.line, e.threads);
        t += text;
      }
      t += "}}";
    }
    return t + "\n]}\n";
  }
  /// Errors: error_kind::file.
  void write_trace(char const* path) const {
    std::string const t = trace();
    std::FILE* const f = std::fopen(path, "wb");
    if (!f) raise(error_kind::file, message() << "cannot write " << path);
    bool const written = std::fwrite(t.data(), 1, t.size(), f) == t.size();
    if (std::fclose(f) != 0 || !written) raise(error_kind::file, message() << "cannot write all of " << path);
  }

 private:
  using clock = std::chrono::steady_clock;
  struct event { int row, threads; std::int64_t begin, length; };   // nanoseconds since the profile began
  std::vector<profile_row> rows_;
  std::vector<int> row_;
  std::vector<event> events_;
  std::int64_t most_events_ = 0, runs_ = 0, nanoseconds_ = 0, left_out_ = 0;
  int threads_ = 1;
  clock::time_point const start_ = clock::now();
  clock::time_point run_at_{}, at_{};
  void* engine_ = nullptr;
  void (*leave_)(void*) = nullptr;

  void begin(int statement) {
    parts = 1;
    (statement < 0 ? run_at_ : at_) = clock::now();
  }
  void end(int statement, int executions) {
    clock::time_point const now = clock::now(), from = statement < 0 ? run_at_ : at_;
    std::int64_t const n = std::chrono::duration_cast<std::chrono::nanoseconds>(now - from).count();
    int const used = static_cast<int>((std::min)(parts, static_cast<std::int64_t>(threads_))), row = statement < 0 ? -1 : row_of(statement);
    if (statement < 0) {
      ++runs_;
      nanoseconds_ += n;
    } else {
      profile_row& r = rows_[static_cast<std::size_t>(row)];
      r.executions += executions;
      r.nanoseconds += n;
      r.threads = (std::max)(r.threads, used);
    }
    if (static_cast<std::int64_t>(events_.size()) < most_events_)
      events_.push_back({row, used, std::chrono::duration_cast<std::chrono::nanoseconds>(from - start_).count(), n});
    else ++left_out_;
  }

  void make_rows(graph_view g, plan_view p, extents const& e, cost_request const& q) {
    row_.assign(static_cast<std::size_t>(p.size), -1);
    statement_meter meter(g, p, e, q);
    for (int s = 0; s < p.size; ++s) {
      stmt const& x = p[s];
      if (x.kind != stmt::run) continue;
      bool const follows = s > 0 && x.group >= 0 && p[s - 1].kind == stmt::run && p[s - 1].group == x.group;
      if (!follows) {
        rows_.emplace_back();
        rows_.back().statement = s;
      }
      profile_row& r = rows_.back();
      row_[static_cast<std::size_t>(s)] = static_cast<int>(rows_.size()) - 1;
      describe(g, x.id, r);
      program_cost const c = meter(s);
      r.predicted.flops += c.flops;
      r.predicted.bytes += c.bytes;
      r.predicted.statements += c.statements;
      r.predicted.kernels += c.kernels;
    }
  }
  // Adds node i to a row's name: "contract layers.*.mlp.up_proj.weight", "mul add tanh -> logits".
  static void describe(graph_view g, int i, profile_row& r) {
    node const& x = g[i];
    if (r.line == 0) r.line = x.line;
    std::size_t const result = r.name.find(" ->");
    std::string tail = result == std::string::npos ? std::string() : r.name.substr(result);
    r.name.resize(r.name.size() - tail.size());
    if (!r.name.empty()) r.name += ' ';
    r.name += op_name(x.kind);
    for (int k = 0; k < x.nargs; ++k)
      if (x.arg[k] >= 0 && g[x.arg[k]].kind == op::param) r.name += ' ' + dyadic::detail::leaf_text(g, x.arg[k]);
    for (int o = 0; o < g.noutputs; ++o) {
      output const& y = g.outputs[o];
      if (y.node != i) continue;
      if (tail.empty()) tail = " ->";
      bool const gradient = y.role == output_role::gradient;
      if (gradient) tail += " gradient of " + leaf_name(g, y.leaf);
      else if (y.name) tail += std::string(" ") + y.name;
    }
    r.name += tail;
  }
  static std::string leaf_name(graph_view g, int k) {
    leaf const& l = g.leaves[k];
    return l.path >= 0 ? dyadic::detail::path_text(g, l.path) : l.name ? std::string(l.name) : std::string("a leaf");
  }
  std::string line_of(profile_row const& r) const {
    double const ns = static_cast<double>(r.nanoseconds), n = runs_ ? static_cast<double>(runs_) : 1.0, each = ns > 0 ? n / ns : 0.0;
    char text[160];
    std::snprintf(text, sizeof text, "%8.3f %5.1f %11.1f %7.2f %7.2f %6.1f %6.1f %8d %5d  ", 1e-6 * ns / n,
                  nanoseconds_ ? 100 * ns / static_cast<double>(nanoseconds_) : 0.0, static_cast<double>(r.executions) / n,
                  1e-6 * r.predicted.flops, 1e-6 * r.predicted.bytes, r.predicted.flops * each, r.predicted.bytes * each, r.threads,
                  r.line);
    return text + r.name + "\n";
  }
  static std::string escaped(std::string_view s) {
    std::string r;
    for (char const c : s) {
      char text[8];
      if (c == '"' || c == '\\') (r += '\\') += c;
      else if (static_cast<unsigned char>(c) < 0x20) {
        std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        r += text;
      } else r += c;
    }
    return r;
  }
};

}  // namespace dyadic::exec
