// Writing safetensors: the same tensors give the same bytes, and the file appears whole or not at all.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dyadic/io/safetensors.hpp"

namespace dyadic::io {

namespace detail {
inline std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char const c : s) {
    constexpr char const* hex = "0123456789abcdef";
    auto const u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') { out += '\\'; out += c; }
    else if (u < 0x20) { out += "\\u00"; out += hex[u >> 4]; out += hex[u & 15]; }
    else out += c;
  }
  return out + '"';
}
}  // namespace detail

/// A tensor to be written, seen where it lies: stored("w", {2, 3}, std::span<float const>(data)).
/// Errors: shape, when the extents' product is not the number of elements.
template <class T> tensor_entry stored(std::string name, std::vector<std::int64_t> shape, std::span<T const> data) {
  std::int64_t size = 1;
  for (std::int64_t const n : shape) size *= n;
  if (size != static_cast<std::int64_t>(data.size())) raise(error_kind::shape, name + ": the shape does not fit the data");
  return {std::move(name), element_of<T>(), std::move(shape), std::as_bytes(data)};
}

/// The bytes before the data: length and header, padded so that the data begins at a multiple of 8. `tensors` in file order.
inline std::string safetensors_header(std::vector<tensor_entry const*> const& tensors, std::map<std::string, std::string> const& metadata) {
  std::string json = "{";
  auto comma = [&] { if (json.size() > 1) json += ','; };
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    bool first = true;
    for (auto const& [key, value] : metadata) {
      if (!first) json += ',';
      first = false;
      json += detail::quoted(key) + ':' + detail::quoted(value);
    }
    json += '}';
  }
  std::size_t at = 0;
  for (tensor_entry const* t : tensors) {
    comma();
    json += detail::quoted(t->name) + ":{\"dtype\":\"" + element_name(t->type) + "\",\"shape\":[";
    for (std::size_t i = 0; i < t->shape.size(); ++i) json += (i ? "," : "") + std::to_string(t->shape[i]);
    json += "],\"data_offsets\":[" + std::to_string(at) + ',' + std::to_string(at + t->bytes.size()) + "]}";
    at += t->bytes.size();
  }
  json += '}';
  while (json.size() % 8 != 0) json += ' ';
  std::uint64_t const length = json.size();
  std::string head(8, '\0');
  std::memcpy(head.data(), &length, 8);
  return head + json;
}

/// Writes path anew, atomically. Wider elements come first, so that aligned data stays aligned; within one width by name.
/// Errors: argument, for a name given twice; file, when it cannot be written (an older file is then untouched).
inline void write_safetensors(std::string const& path, std::vector<tensor_entry> const& tensors,
                              std::map<std::string, std::string> const& metadata = {}) {
  std::vector<tensor_entry const*> order;
  std::set<std::string_view> names;
  for (tensor_entry const& t : tensors) {
    if (t.name == "__metadata__" || !names.insert(t.name).second) raise(error_kind::argument, t.name + ": a name taken already");
    order.push_back(&t);
  }
  std::sort(order.begin(), order.end(), [](tensor_entry const* a, tensor_entry const* b) {
    int const x = element_bytes(a->type), y = element_bytes(b->type);
    return x != y ? x > y : a->name < b->name;
  });
  pending_file file(path);
  file.write(safetensors_header(order, metadata));
  for (tensor_entry const* t : order) file.write(t->bytes);
  file.commit();
}

}  // namespace dyadic::io
