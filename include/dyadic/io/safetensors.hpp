// Reading safetensors: the whole file is checked once, when it is opened; what is handed out afterwards lies inside it.
// Format: 8 bytes little-endian header length; that many bytes of JSON, name -> {dtype, shape, data_offsets}; then the data.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyadic/io/element.hpp"
#include "dyadic/io/file.hpp"
#include "dyadic/io/header_reader.hpp"

namespace dyadic::io {

/// One tensor of a file: row-major, its bytes at any alignment.
struct tensor_entry {
  std::string name;
  element type = element::f32;
  std::vector<std::int64_t> shape;
  std::span<std::byte const> bytes;

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()) / element_bytes(type); }

  /// All elements as float, double or an integer type. Errors: argument, when integers are asked from stored reals.
  template <class T> std::vector<T> values() const {
    std::vector<T> out(static_cast<std::size_t>(size()));
    convert<T>(type, bytes.data(), out);
    return out;
  }
  /// Into a buffer of exactly size() elements. Errors: shape; argument as above.
  template <class T> void copy_to(std::span<T> out) const {
    if (static_cast<std::int64_t>(out.size()) != size())
      raise(error_kind::shape, name + " holds " + std::to_string(size()) + " elements, not " + std::to_string(out.size()));
    convert<T>(type, bytes.data(), out);
  }
};

/// An opened file: its tensors in the order of their data, and its metadata. Copies share the bytes.
class safetensors {
 public:
  static constexpr std::uint64_t longest_header = 100'000'000;   // the format's own limit

  /// Errors: file, with the reason, for anything that is not a well-formed file.
  static safetensors open(std::string const& path) { return safetensors(read_file(path), path); }

  /// From bytes in memory; `name` appears in errors.
  explicit safetensors(std::vector<std::byte> bytes, std::string const& name = "safetensors")
      : bytes_(std::make_shared<std::vector<std::byte> const>(std::move(bytes))) {
    std::uint64_t const size = bytes_->size();
    if (size < 8) fail(name, "shorter than its 8 bytes of header length");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_->data(), 8);
    if (length > longest_header) fail(name, "a header of " + std::to_string(length) + " bytes, over the limit of 100000000");
    if (length > size - 8) fail(name, "a header of " + std::to_string(length) + " bytes in a file of " + std::to_string(size));
    auto const* text = reinterpret_cast<char const*>(bytes_->data()) + 8;
    if (length == 0 || text[0] != '{') fail(name, "a header that does not begin with '{'");
    read_header({text, static_cast<std::size_t>(length)}, name, std::span(*bytes_).subspan(static_cast<std::size_t>(8 + length)));
  }

  std::vector<tensor_entry> const& tensors() const { return tensors_; }
  std::map<std::string, std::string> const& metadata() const { return metadata_; }

  /// nullptr when the file has no such tensor.
  tensor_entry const* find(std::string_view name) const {
    auto const i = by_name_.find(name);
    return i == by_name_.end() ? nullptr : &tensors_[i->second];
  }
  /// Errors: file, when it has no such tensor.
  tensor_entry const& at(std::string_view name) const {
    if (auto const* t = find(name)) return *t;
    raise(error_kind::file, "no tensor named " + std::string(name));
  }

 private:
  [[noreturn]] static void fail(std::string const& file, std::string const& why) { raise(error_kind::file, file + ": " + why); }

  struct row { tensor_entry entry; std::uint64_t begin = 0, end = 0; };

  void read_header(std::string_view text, std::string const& file, std::span<std::byte const> data) {
    detail::header_reader json(text, file);
    std::vector<row> rows;
    bool has_metadata = false;
    json.object([&](std::string const& key) {
      if (key == "__metadata__") {
        if (has_metadata) json.fail("metadata given twice");
        has_metadata = true;
        json.object([&](std::string const& k) {
          if (!metadata_.emplace(k, json.string()).second) json.fail("metadata '" + k + "' given twice");
        });
      } else {
        rows.push_back(read_row(json, key));
      }
    });
    json.expect_end();

    // Empty tensors first among those that begin at one place, so that the next begin is this end.
    std::sort(rows.begin(), rows.end(), [](row const& a, row const& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end < b.end : a.entry.name < b.entry.name;
    });
    std::uint64_t at = 0;
    for (row& r : rows) {
      if (r.end > data.size()) fail(file, "'" + r.entry.name + "' ends beyond the file");
      if (r.begin < at) fail(file, "'" + r.entry.name + "' overlaps the tensor before it");
      if (r.begin > at) fail(file, "a gap before '" + r.entry.name + "'");
      r.entry.bytes = data.subspan(static_cast<std::size_t>(r.begin), static_cast<std::size_t>(r.end - r.begin));
      at = r.end;
      tensors_.push_back(std::move(r.entry));
    }
    if (at != data.size()) fail(file, "bytes after the last tensor");
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!by_name_.emplace(tensors_[i].name, i).second) fail(file, "'" + tensors_[i].name + "' given twice");
    }
  }

  static row read_row(detail::header_reader& json, std::string const& name) {
    row r;
    r.entry.name = name;
    bool has_type = false, has_shape = false, has_offsets = false;
    auto once = [&](bool& has, std::string const& key) {
      if (has) json.fail("'" + key + "' of '" + name + "' given twice");
      has = true;
    };
    json.object([&](std::string const& key) {
      if (key == "dtype") {
        once(has_type, key);
        std::string const type = json.string();
        if (!element_named(type, r.entry.type)) json.fail("'" + name + "' has the unknown dtype '" + type + "'");
      } else if (key == "shape") {
        once(has_shape, key);
        json.array([&] {
          std::uint64_t const n = json.number();
          if (n > INT64_MAX) json.fail("an extent of '" + name + "' beyond 63 bits");
          r.entry.shape.push_back(static_cast<std::int64_t>(n));
        });
      } else if (key == "data_offsets") {
        once(has_offsets, key);
        json.expect('[');
        r.begin = json.number();
        json.expect(',');
        r.end = json.number();
        json.expect(']');
      } else {
        json.fail("'" + name + "' has the unknown field '" + key + "'");
      }
    });
    if (!has_type || !has_shape || !has_offsets) json.fail("'" + name + "' lacks dtype, shape or data_offsets");
    if (r.begin > r.end) json.fail("'" + name + "' ends before it begins");
    // Checked before every multiplication, also where a zero extent would hide an overflow.
    std::uint64_t bytes = static_cast<std::uint64_t>(element_bytes(r.entry.type));
    bool empty = false;
    for (std::int64_t const n : r.entry.shape) {
      auto const extent = static_cast<std::uint64_t>(n);
      if (extent == 0) { empty = true; continue; }
      if (bytes > static_cast<std::uint64_t>(INT64_MAX) / extent) json.fail("the size of '" + name + "' is beyond 63 bits");
      bytes *= extent;
    }
    if (empty) bytes = 0;
    if (r.end - r.begin != bytes)
      json.fail("'" + name + "' needs " + std::to_string(bytes) + " bytes but has " + std::to_string(r.end - r.begin));
    return r;
  }

  std::shared_ptr<std::vector<std::byte> const> bytes_;
  std::vector<tensor_entry> tensors_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace dyadic::io
