// Shared memory blocks: reference-counted, always aligned to 64 bytes whatever the translation unit's -march, so that two units that
// were compiled for different processors agree on every address and every destructor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "dyadic/axes/error.hpp"

namespace dyadic::detail {

inline constexpr std::size_t block_alignment = 64;

/// A share of a block of bytes. Copying a share never copies the bytes.
class block {
 public:
  block() = default;
  /// Errors: more bytes than an object can have.
  explicit block(std::int64_t bytes) {
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) > PTRDIFF_MAX - 2 * block_alignment) {
      raise(error_kind::shape, message() << "a tensor of " << bytes << " bytes");
    }
    auto const total = static_cast<std::size_t>(bytes) + block_alignment;
    void* p = ::operator new(total, std::align_val_t{block_alignment});
    head_ = ::new (p) head{};
  }
  block(block const& o) noexcept : head_(o.head_) { if (head_) __atomic_fetch_add(&head_->shares, 1, __ATOMIC_RELAXED); }
  block(block&& o) noexcept : head_(std::exchange(o.head_, nullptr)) {}
  block& operator=(block const& o) noexcept { block copy(o); std::swap(head_, copy.head_); return *this; }
  block& operator=(block&& o) noexcept { block moved(std::move(o)); std::swap(head_, moved.head_); return *this; }
  ~block() {
    if (head_ && __atomic_fetch_sub(&head_->shares, 1, __ATOMIC_ACQ_REL) == 1) {
      ::operator delete(static_cast<void*>(head_), std::align_val_t{block_alignment});
    }
  }
  void* data() const noexcept { return head_ ? reinterpret_cast<unsigned char*>(head_) + block_alignment : nullptr; }
  std::int64_t shares() const noexcept { return head_ ? __atomic_load_n(&head_->shares, __ATOMIC_RELAXED) : 0; }

 private:
  struct head { std::int64_t shares = 1; };   // <atomic> would cost 0.2 s of compile time
  static_assert(sizeof(head) <= block_alignment);
  head* head_ = nullptr;
};

}  // namespace dyadic::detail
