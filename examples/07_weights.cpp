// Learn here: weights as safetensors files. Names in the file are the names of fields. A file of one model can start another: what it
// loaded, what it had to leave as initialised and what it ignored is reported.
#include <cstdio>

#include <dyadic/io/weights.hpp>
#include <dyadic/models/full_bandwidth.hpp>
#include <dyadic/models/transformer.hpp>

using namespace dyadic;

constexpr models::config size{.vocabulary = 16, .width = 8, .layers = 2, .heads = 2, .hidden = 16};
using transformer = models::transformer<size>;
using full_bandwidth = models::full_bandwidth<size>;   // a Transformer whose top state feeds its next input

int main() {
  char const* const path = "course_weights.safetensors";
  auto const w = init<transformer>(seed{1});
  io::save(path, w);

  // The file by itself: names and shapes, layer by layer. The names are Hugging Face's for a Qwen3.
  auto const file = io::safetensors::open(path);
  for (auto const& t : file.tensors()) {
    if (t.name.find("layers.1") != std::string::npos) continue;   // the second layer looks like the first
    std::printf("%-48s", t.name.c_str());
    for (auto const n : t.shape) std::printf(" %lld", static_cast<long long>(n));
    std::printf("\n");
  }

  // load: every parameter must be there. The copy equals what was saved.
  auto const again = io::load<transformer>(path);
  bool const same = again->values == w->values;

  // load_into: what fits.
  auto const start = init<full_bandwidth>(seed{2});
  io::load_report const report = io::load_into(*start, file);
  std::printf("\na warm start of a Full-bandwidth Transformer: %zu tensors loaded, %zu ignored, %zu as initialised:\n",
              report.loaded.size(), report.ignored.size(), report.initialised.size());
  for (auto const& name : report.initialised) std::printf("  %s\n", name.c_str());

  std::remove(path);
  return same && report.loaded.size() == file.tensors().size() ? 0 : 1;
}
