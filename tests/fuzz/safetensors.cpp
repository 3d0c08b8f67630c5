// libFuzzer: no bytes make the reader crash, and whatever it accepts can be read in full and written back.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dyadic/io/safetensors_writer.hpp"

using namespace dyadic;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const* begin = reinterpret_cast<std::byte const*>(data);
  try {
    io::safetensors const file(std::vector<std::byte>(begin, begin + size));
    std::vector<io::tensor_entry const*> order;
    std::string body;
    for (auto const& t : file.tensors()) {
      if (t.values<double>().size() != static_cast<std::size_t>(t.size())) std::abort();
      order.push_back(&t);
      body.append(reinterpret_cast<char const*>(t.bytes.data()), t.bytes.size());
    }
    std::string const again = io::safetensors_header(order, file.metadata()) + body;
    auto const bytes = std::as_bytes(std::span<char const>(again.data(), again.size()));
    io::safetensors const copy(std::vector<std::byte>(bytes.begin(), bytes.end()));
    if (copy.tensors().size() != file.tensors().size() || copy.metadata() != file.metadata()) std::abort();
  } catch (error const&) {
  }
  return 0;
}
