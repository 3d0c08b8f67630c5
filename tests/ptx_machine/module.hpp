// A PTX module: parsed and decoded once, then run thread by thread on the lanes of the machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptx_machine {

class lane;

/// What is wrong with a PTX text, with the number and the text of its line.
struct ptx_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A parameter of a kernel: where its bytes lie in the block of parameters that run() reads.
struct parameter {
  std::string name;
  std::uint32_t size = 0, alignment = 1, offset = 0;
};

struct function;   // decoded instructions (interpreter/instruction.hpp)

struct kernel {
  std::string name;
  std::vector<parameter> parameters;
  std::uint32_t parameter_bytes = 0;      ///< of all parameters with their padding
  std::uint32_t static_shared_bytes = 0;  ///< dynamic shared memory begins here: a multiple of 16 (or of a larger alignment it asks for)
  std::uint32_t max_threads = 0;          ///< the product of .maxntid; 0 where the kernel states none
  std::uint32_t required_threads = 0;     ///< the product of .reqntid; 0 where the kernel states none
  std::uint32_t min_blocks = 0;           ///< .minnctapersm; 0 where the kernel states none
  function const* code = nullptr;
};

/// A variable of the module in global or constant memory.
struct variable {
  std::string name;
  bool constant = false;           ///< .const, which no instruction may write
  std::uint64_t size = 0;          ///< bytes; 0 where it is only declared (.extern)
  std::uint64_t alignment = 1;
  std::vector<std::byte> initial;  ///< size bytes; addresses in it are right once the module is placed
  std::uint64_t address = 0;       ///< the generic address that place() was given
};

struct module_contents;

/// A parsed module. Its functions, kernels and variables stay where they are as long as it lives; it can be moved.
class ptx_module {
 public:
  explicit ptx_module(std::unique_ptr<module_contents>);
  ptx_module(ptx_module&&) noexcept;
  ptx_module& operator=(ptx_module&&) noexcept;
  ~ptx_module();

  kernel const* find(std::string_view name) const;             ///< nullptr where there is none of that name
  variable const* find_variable(std::string_view name) const;  ///< nullptr where there is none of that name
  std::vector<kernel const*> kernels() const;
  std::vector<variable const*> variables() const;
  std::string const& target() const;                           ///< "sm_90"

  /// Gives every variable its address, then its initial bytes: `allocate` returns the generic address of a variable's memory (a multiple of
  /// its alignment), `write` stores bytes there. Call it once, before any thread runs.
  void place(std::function<std::uint64_t(variable const&)> const& allocate,
             std::function<void(std::uint64_t, std::span<std::byte const>)> const& write);

 private:
  std::unique_ptr<module_contents> contents_;
};

/// Parses and decodes the PTX that nvcc emits. Throws ptx_error for whatever it does not know: instructions, modifiers, directives,
/// symbols. `name` stands in messages and sites where the text has no .loc.
ptx_module parse(std::string_view text, std::string_view name = "module.ptx");

/// Executes one thread of a kernel on a lane, to its end. `parameters`: kernel.parameter_bytes bytes.
void run(lane&, kernel const&, void const* parameters);

}  // namespace ptx_machine
