// Whole files: read into memory, and written so that a reader sees the old content or the new, never a part.
#pragma once
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include "dyadic/axes/error.hpp"

namespace dyadic::io {

/// All bytes of a file. Errors: file, when it cannot be opened or read.
inline std::vector<std::byte> read_file(std::string const& path) {
  std::FILE* f = std::fopen(path.c_str(), "rb");
  if (!f) raise(error_kind::file, path + ": cannot be opened");
  std::vector<std::byte> bytes;
  std::size_t used = 0;
  // Not by asking for the size: pipes have none, and a file may grow meanwhile.
  for (std::size_t step = std::size_t{1} << 16;; step *= 2) {
    bytes.resize(used + step);
    std::size_t const got = std::fread(bytes.data() + used, 1, step, f);
    used += got;
    if (got < step) break;
  }
  bool const failed = std::ferror(f) != 0;
  std::fclose(f);
  if (failed) raise(error_kind::file, path + ": cannot be read");
  bytes.resize(used);
  return bytes;
}

/// A file that is written beside its final name and takes that name only in commit(). Dropped without commit, it leaves nothing.
class pending_file {
 public:
  explicit pending_file(std::string path) : path_(std::move(path)), partial_(path_ + ".partial"), f_(std::fopen(partial_.c_str(), "wb")) {
    if (!f_) raise(error_kind::file, partial_ + ": cannot be opened for writing");
  }
  pending_file(pending_file const&) = delete;
  pending_file& operator=(pending_file const&) = delete;
  ~pending_file() {
    if (f_) { std::fclose(f_); std::remove(partial_.c_str()); }
  }

  /// Errors: file, when the disk is full or fails.
  void write(std::span<std::byte const> bytes) {
    if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), f_) != bytes.size())
      raise(error_kind::file, partial_ + ": cannot be written");
  }
  void write(std::string const& text) { write(std::as_bytes(std::span<char const>(text.data(), text.size()))); }

  /// The content is on disk before the name changes, so that a crash leaves one of the two files whole.
  void commit() {
    bool good = std::fflush(f_) == 0;
#if defined(__unix__) || defined(__APPLE__)
    good = good && ::fsync(::fileno(f_)) == 0;
#endif
    good = std::fclose(f_) == 0 && good;
    f_ = nullptr;
    good = good && std::rename(partial_.c_str(), path_.c_str()) == 0;
    if (!good) {
      std::remove(partial_.c_str());
      raise(error_kind::file, path_ + ": cannot be written");
    }
  }

 private:
  std::string path_, partial_;
  std::FILE* f_;
};

}  // namespace dyadic::io
