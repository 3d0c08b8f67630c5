// The engine's interface as a user meets it.
#include "cuda/bound_model.hpp"
#include "cuda/machine.hpp"
#include "dyadic/cuda.hpp"

namespace dyadic::testing {

device_training train_on_device(std::map<std::string, std::vector<float>> const& parameters, std::vector<float> const& x,
                                std::vector<int> const& targets) {
  weights<classified_rows> w;
  w->each([&](std::string const& name, leaf const&, float* to, std::int64_t n) {
    std::vector<float> const& from = parameters.at(name);
    for (std::int64_t i = 0; i < n; ++i) to[i] = from.at(static_cast<std::size_t>(i));
  });
  exec::cuda_stream const stream;
  cuda_bound<training<classified_rows>> run(stream, bind(rows{static_cast<std::int64_t>(targets.size())}, width{37}));
  watch({}, run.graph());
  run.bind_parameters(*w);
  run.set("x", std::span<float const>(x));
  run.set("target", std::span<int const>(targets));
  run.set_cotangent("loss", std::span<float const>(std::vector<float>(targets.size(), 1)));
  run.set_random(5, 2, true);
  run.run();
  device_training r{run.output("y"), run.output("loss"), {}, {}};
  for (auto const& [name, values] : parameters) r.gradients[name] = run.gradient(name);
  r.violations = violations();
  return r;
}

std::vector<std::string> errors_of_wrong_calls() {
  std::vector<std::string> told;
  auto const note = [&](auto&& call) {
    try {
      call();
      told.push_back("nothing");
    } catch (error const& e) {
      told.push_back(e.what());
    }
  };
  exec::cuda_stream const stream;
  cuda_bound<training<classified_rows>> run(stream, bind(rows{2}, width{37}));
  std::vector<float> const few(3);
  std::vector<int> const far{1, 37};
  note([&] { run.set("z", std::span<float const>(few)); });
  note([&] { run.set("x", std::span<float const>(few)); });
  note([&] { run.set("target", std::span<int const>(far)); });
  note([&] { run.set_cotangent("y", std::span<float const>(few)); });
  note([&] { run.output("z"); });
  note([&] { run.gradient("norm.scale"); });
  note([&] { cuda_bound<training<classified_rows>> wrong(stream, bind(rows{2}, width{36})); });
  return told;
}

}  // namespace dyadic::testing
