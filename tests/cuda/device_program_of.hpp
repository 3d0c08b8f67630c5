// A program type as a device_program: for .cu files.
#pragma once
#include "cuda/device_program.hpp"
#include "dyadic/cuda.hpp"

namespace dyadic::testing {

template <class Program> class device_run_of final : public device_run {
  using plan = cuda::detail::device_plan<Program>;
  exec::cuda_stream stream_;
  cuda::program<float> program_;

 public:
  explicit device_run_of(extents const& e) : program_(plan::graph, plan::view, e, cuda::group_launches<float, plan>(), stream_.handle()) {}
  void set_leaf(int k, std::vector<float> const& values) override { program_.upload(k, values.data()); }
  void set_random(std::uint64_t seed, std::uint64_t step, bool training) override { program_.set_random(seed, step, training); }
  void run() override { program_.run(); }
  std::vector<float> output(int k) override { return program_.output(k); }
  std::vector<device_region> regions() const override {
    std::vector<device_region> r;
    auto const& where = program_.where();
    for (int i = 0; i < where.g.size; ++i) {
      storage const& s = program_.memory().of.p[i];
      std::size_t elements = s.region == storage::arena ? static_cast<std::size_t>(s.size) : 0;
      for (int l = 0; l < where.g.nleaves; ++l)
        if (where.g.leaves[l].node == i) elements = static_cast<std::size_t>(program_.leaf_elements(l));
      if (elements > 0) r.push_back({i, where.pointer(i), elements * sizeof(float)});
    }
    r.push_back({-1, where.scratch, static_cast<std::size_t>(where.scratch_size) * sizeof(float)});
    return r;
  }
};

template <class Program> device_program device_program_of(char const* name, bool backward, leaf_range const* ranges = nullptr) {
  using plan = cuda::detail::device_plan<Program>;
  static_assert(plan::unsupported < 0);
  return {name, backward, plan::graph, plan::view, [](extents const& e) -> std::unique_ptr<device_run> {
            return std::make_unique<device_run_of<Program>>(e);
          }, ranges};
}

}  // namespace dyadic::testing
