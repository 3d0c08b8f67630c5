// The switch of stacks: x86-64, System V.
#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define PTX_MACHINE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTX_MACHINE_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef PTX_MACHINE_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(__x86_64__)
#error "the PTX machine switches stacks on x86-64 only"
#endif

// Saves what the ABI asks a function to keep, the floating-point control words too (a kernel may run under another rounding).
extern "C" void ptx_machine_switch(void** save, void* resume);
asm(R"(
  .text
  .globl ptx_machine_switch
  .hidden ptx_machine_switch
  .type ptx_machine_switch, @function
ptx_machine_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size ptx_machine_switch, .-ptx_machine_switch
  .globl ptx_machine_first
  .hidden ptx_machine_first
  .type ptx_machine_first, @function
ptx_machine_first:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  callq *%r13
  ud2
  .cfi_endproc
  .size ptx_machine_first, .-ptx_machine_first
)");
extern "C" void ptx_machine_first();

namespace ptx_machine {

void fiber_begin(fiber* self) {
#ifdef PTX_MACHINE_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &self->scheduler_stack_, &self->scheduler_stack_bytes_);
#endif
  self->entry_(self->argument_);
  std::abort();
}

void fiber::prepare(std::byte* stack, entry_function entry, void* argument) {
  entry_ = entry;
  argument_ = argument;
  stack_ = stack;
  fake_ = nullptr;
  // Tops differ from stack to stack, or all of them would fall into the same few sets of the cache.
  std::uintptr_t const number = reinterpret_cast<std::uintptr_t>(stack) / fiber_stacks::bytes;
  auto* top = reinterpret_cast<std::uint64_t*>(stack + fiber_stacks::bytes - (number % 16) * 192 - 64);
  top -= 8;   // the ret leaves the stack aligned as before a call
  unsigned control = 0;
  unsigned short x87 = 0;
  asm volatile("stmxcsr %0" : "=m"(control));
  asm volatile("fnstcw %0" : "=m"(x87));
  top[0] = control | std::uint64_t(x87) << 32;
  top[1] = 0;                                               // r15
  top[2] = 0;                                               // r14
  top[3] = reinterpret_cast<std::uint64_t>(&fiber_begin);   // r13
  top[4] = reinterpret_cast<std::uint64_t>(this);           // r12
  top[5] = 0;                                               // rbx
  top[6] = 0;                                               // rbp
  top[7] = reinterpret_cast<std::uint64_t>(&ptx_machine_first);
  stack_pointer_ = top;
}

void fiber::enter() {
#ifdef PTX_MACHINE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&scheduler_fake_, stack_, fiber_stacks::bytes);
#endif
  ptx_machine_switch(&scheduler_, stack_pointer_);
#ifdef PTX_MACHINE_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(scheduler_fake_, nullptr, nullptr);
#endif
}

void fiber::leave() {
#ifdef PTX_MACHINE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&fake_, scheduler_stack_, scheduler_stack_bytes_);
#endif
  ptx_machine_switch(&stack_pointer_, scheduler_);
#ifdef PTX_MACHINE_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake_, &scheduler_stack_, &scheduler_stack_bytes_);
#endif
}

void fiber::leave_for_good() {
#ifdef PTX_MACHINE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(nullptr, scheduler_stack_, scheduler_stack_bytes_);
#endif
  ptx_machine_switch(&stack_pointer_, scheduler_);
  std::abort();
}

fiber_stacks& fiber_stacks::get() {
  static auto* stacks = new fiber_stacks;
  return *stacks;
}

std::byte* fiber_stacks::take() {
  if (free_.empty()) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || mprotect(p, 4096, PROT_NONE)) {
      std::fputs("ptx_machine: no memory for the stack of a CUDA thread\n", stderr);
      std::_Exit(3);
    }
    return static_cast<std::byte*>(p);
  }
  std::byte* stack = free_.back();
  free_.pop_back();
  return stack;
}

}  // namespace ptx_machine
