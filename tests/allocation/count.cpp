#include "allocation/count.hpp"

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DYADIC_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define DYADIC_TEST_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(DYADIC_TEST_SANITIZED)
#include <cerrno>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
thread_local std::int64_t here = 0;   // of the program itself: no call is needed to find it
std::int64_t everywhere = 0;
void note() {
  ++here;
  __atomic_fetch_add(&everywhere, 1, __ATOMIC_RELAXED);
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void __libc_free(void*) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;

void* malloc(std::size_t n) noexcept { note(); return __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) noexcept { note(); return __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) noexcept { note(); return __libc_realloc(p, n); }
void free(void* p) noexcept { note(); __libc_free(p); }
void* memalign(std::size_t alignment, std::size_t n) noexcept { note(); return __libc_memalign(alignment, n); }
void* aligned_alloc(std::size_t alignment, std::size_t n) noexcept { note(); return __libc_memalign(alignment, n); }
int posix_memalign(void** p, std::size_t alignment, std::size_t n) noexcept {
  note();
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void* const r = __libc_memalign(alignment, n);
  if (!r) return ENOMEM;
  *p = r;
  return 0;
}
void* mmap(void* at, std::size_t n, int protection, int flags, int file, off_t offset) noexcept {
  note();
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, n, protection, flags, file, offset));
}
void* mmap64(void* at, std::size_t n, int protection, int flags, int file, off64_t offset) noexcept {
  return mmap(at, n, protection, flags, file, offset);
}
}

// Through the malloc above; defined here so that no other definition takes another way.
void* operator new(std::size_t n) {
  if (void* const p = malloc(n ? n : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { free(p); }
void operator delete(void* p, std::size_t) noexcept { free(p); }

namespace test {
bool counts_requests() { return true; }
requests requests_so_far() { return {here, __atomic_load_n(&everywhere, __ATOMIC_RELAXED)}; }
}  // namespace test

#else

namespace test {
bool counts_requests() { return false; }
requests requests_so_far() { return {}; }
}  // namespace test

#endif
