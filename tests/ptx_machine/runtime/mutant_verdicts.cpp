// Mutants run and judged; survivors compared with the reasons that are written down.
#include <algorithm>
#include <fstream>

#include "../report.hpp"
#include "mutants.hpp"

namespace ptx_machine::runtime {
namespace {

struct schedule {
  std::uint64_t seed;
  std::uint32_t preempt;
};

/// Why the program is wrong, or nothing.
std::string failure(std::string_view ptx, std::function<bool(program const&)> const& right, std::uint64_t& most_steps) {
  for (schedule const s : {schedule{0, 0}, {1, 0}, {2, 7}}) {
    current_options().seed = s.seed;
    current_options().preempt = s.preempt;
    reset();
    bool good = false;
    try {
      good = right(program(ptx, "mutant"));
    } catch (std::exception const&) {
      return "refused";
    }
    report_data const& found = report();
    most_steps = std::max(most_steps, found.total.steps);
    if (!found.ok()) return name_of(found.violations[0].kind);
    if (!good) return "values";
  }
  return {};
}

}  // namespace

std::vector<verdict> judge_mutants(std::string_view ptx, std::string_view kernel_name, std::function<bool(program const&)> const& right) {
  options const kept = current_options();
  std::vector<verdict> verdicts;
  std::uint64_t steps = 0;
  if (std::string const wrong = failure(ptx, right, steps); !wrong.empty())
    throw std::logic_error(std::string(kernel_name) + " fails as it is: " + wrong + '\n' + to_string(report()));
  for (mutant& m : mutants_of(ptx, kernel_name)) {
    current_options().most_steps = 20 * steps + 1'000'000;   // a bound moved may make a loop endless
    std::uint64_t ignored = 0;
    std::string killer = failure(m.ptx, right, ignored);
    verdicts.push_back({std::move(m), std::move(killer)});
  }
  reset();
  current_options() = kept;
  return verdicts;
}

std::vector<known_survivor> read_survivors(std::string const& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<known_survivor> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::size_t const a = line.find(" | "), b = line.find(" | ", a + 3);
    if (a == std::string::npos || b == std::string::npos || b + 3 >= line.size())
      throw std::runtime_error(path + ": not 'kernel | key | reason': " + line);
    all.push_back({line.substr(0, a), line.substr(a + 3, b - a - 3), line.substr(b + 3)});
  }
  return all;
}

std::vector<std::string> unexplained(std::string const& kernel, std::vector<verdict> const& verdicts,
    std::vector<known_survivor> const& known) {
  auto const speaks_of = [](known_survivor const& k, verdict const& v) {
    bool const many = k.key.ends_with('*');
    return many ? v.what.key.starts_with(k.key.substr(0, k.key.size() - 1)) : v.what.key == k.key;
  };
  std::vector<std::string> wrong;
  for (verdict const& v : verdicts) {
    if (!v.killed_by.empty()) continue;
    auto const explains = [&](known_survivor const& k) { return k.kernel == kernel && speaks_of(k, v); };
    bool const explained = std::any_of(known.begin(), known.end(), explains);
    if (!explained) wrong.push_back("survives with no reason: " + kernel + " | " + v.what.key + " | (" + v.what.instruction + ")");
  }
  for (known_survivor const& k : known) {
    auto const needs_it = [&](verdict const& v) { return speaks_of(k, v) && v.killed_by.empty(); };
    if (k.kernel == kernel && std::none_of(verdicts.begin(), verdicts.end(), needs_it))
      wrong.push_back("a reason for mutants that are killed or gone: " + kernel + " | " + k.key);
  }
  return wrong;
}

std::string to_string(std::string const& kernel, std::vector<verdict> const& verdicts) {
  std::size_t killed = 0;
  std::string text;
  for (verdict const& v : verdicts) {
    killed += !v.killed_by.empty();
    text += "  " + (v.killed_by.empty() ? std::string("SURVIVES") : "killed: " + v.killed_by) + " | " + v.what.key + " | " +
        v.what.instruction + '\n';
  }
  return kernel + ": " + std::to_string(verdicts.size()) + " mutants, " + std::to_string(killed) + " killed, " +
         std::to_string(verdicts.size() - killed) + " survive\n" + text;
}

}  // namespace ptx_machine::runtime
