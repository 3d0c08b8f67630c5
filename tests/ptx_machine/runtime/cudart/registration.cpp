// The calls that nvcc's host code makes before main, and the images they hand over.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "registry.hpp"

namespace ptx_machine::cudart {
namespace {

std::map<void const*, kernel_entry>& kernels() {   // filled before main, by whichever file comes first
  static auto* table = new std::map<void const*, kernel_entry>;
  return *table;
}
std::map<void const*, variable_entry>& variables() {
  static auto* table = new std::map<void const*, variable_entry>;
  return *table;
}

template <class T>
T read_at(char const* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// A fat binary: a header of 16 bytes (magic, version, its own size, size of what follows), then entries: kind (1 is PTX, 2 an ELF file),
/// size of the entry's header, size of its bytes.
void read_images(char const* binary, image& into) {
  if (read_at<std::uint32_t>(binary) != 0xBA55ED50) stop("a fat binary of a format that is not known");
  char const* entry = binary + read_at<std::uint16_t>(binary + 6);
  char const* const end = entry + read_at<std::uint64_t>(binary + 8);
  bool compressed = false;
  while (entry < end) {
    auto const kind = read_at<std::uint16_t>(entry);
    auto const header = read_at<std::uint32_t>(entry + 4);
    auto const size = read_at<std::uint64_t>(entry + 8);
    if (kind == 1) {
      char const* text = entry + header;
      std::string plain(text, strnlen(text, size));
      if (plain.find(".version") != std::string::npos) into.texts.push_back(std::move(plain));
      else compressed = true;
    }
    entry += header + size;
  }
  if (into.texts.empty())
    into.problem = compressed ? "the PTX in this program is compressed: build it with --compress-mode=none"
                              : "this program holds no PTX: build it for a virtual architecture (-arch=compute_90)";
}

int architecture_of(std::string const& ptx) {
  std::size_t const at = ptx.find(".target");
  std::size_t const number = at == std::string::npos ? at : ptx.find("sm_", at);
  return number == std::string::npos ? 0 : std::atoi(ptx.c_str() + number + 3);
}

}  // namespace

runtime::program& image::load() {
  if (loaded) return *loaded;
  if (texts.empty()) stop(problem);
  auto const by_architecture = [](std::string const& a, std::string const& b) { return architecture_of(a) < architecture_of(b); };
  std::string const* chosen = &*std::max_element(texts.begin(), texts.end(), by_architecture);
  if (char const* wanted = std::getenv("DYADIC_PTX_ARCH")) {
    std::string const digits = std::string(wanted).substr(std::string(wanted).find_first_of("0123456789"));
    chosen = nullptr;
    std::string all;
    for (std::string const& t : texts) {
      all += " sm_" + std::to_string(architecture_of(t));
      if (architecture_of(t) == std::atoi(digits.c_str())) chosen = &t;
    }
    if (!chosen) stop("DYADIC_PTX_ARCH asks for " + std::string(wanted) + ", the program has PTX for" + all);
  }
  try {
    loaded = std::make_unique<runtime::program>(*chosen, "the program's PTX");
  } catch (std::exception const& e) {
    stop(e.what());
  }
  return *loaded;
}

kernel_entry* find_kernel(void const* host) {
  auto const found = kernels().find(host);
  if (found == kernels().end()) return nullptr;
  kernel_entry& k = found->second;
  if (!k.code) k.code = k.in->load().module().find(k.name);
  if (!k.code) stop("the PTX has no kernel " + k.name);
  return &k;
}

variable_entry* find_variable(void const* host) {
  auto const found = variables().find(host);
  return found == variables().end() ? nullptr : &found->second;
}

void* variable_entry::address() {
  variable const* v = in->load().module().find_variable(name);
  if (!v) stop("the PTX has no variable " + name);
  return reinterpret_cast<void*>(v->address);
}

}  // namespace ptx_machine::cudart

using namespace ptx_machine::cudart;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  auto* in = new image;   // as long as the program
  read_images(read_at<char const*>(static_cast<char const*>(wrapper) + 8), *in);
  return reinterpret_cast<void**>(in);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** handle, char const* host, char*, char const* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  kernel_entry k;
  k.in = reinterpret_cast<image*>(handle);
  k.name = name;
  kernels()[host] = k;
}
void __cudaRegisterVar(void** handle, char* host, char*, char const* name, int, std::size_t size, int, int) {
  variables()[host] = {reinterpret_cast<image*>(handle), name, size};
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, void const* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, void const* host) { return __cudaGetKernel(kernel, host); }
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, void const* host) {
  *function = reinterpret_cast<cudaFunction_t>(const_cast<void*>(host));
  return cudaSuccess;
}

}  // extern "C"
