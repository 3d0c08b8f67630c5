// A model's parameters as a safetensors file: the names are the modules' keys, one tensor a layer.
#pragma once
#include <string>
#include <vector>

#include "dyadic/exec/parameters.hpp"
#include "dyadic/io/safetensors.hpp"
#include "dyadic/io/safetensors_writer.hpp"

namespace dyadic::io {

/// What became of a file's tensors and of the model's.
struct load_report {
  std::vector<std::string> loaded;        ///< in both
  std::vector<std::string> initialised;   ///< in the model only: left as they were
  std::vector<std::string> ignored;       ///< in the file only
};

namespace detail {
inline std::string spelled(std::vector<std::int64_t> const& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + "]";
}
}  // namespace detail

/// Copies into p what the file holds under `prefix` + name. Errors (nothing is written then): error_kind::shape where a tensor's shape
/// differs from the parameter's.
template <class T> load_report load_into(parameter_set<T>& p, safetensors const& file, std::string const& prefix = "") {
  load_report r;
  std::vector<std::string> wanted;
  p.each([&](std::string const& name, leaf const& l, T*, std::int64_t) {
    auto const* t = file.find(prefix + name);
    if (!t) return;
    std::vector<std::int64_t> const flat = checkpoint_shape(l, p.ext);
    std::vector<std::int64_t> axes;
    for (int k = 0; k < l.rank; ++k) axes.push_back(p.ext.of[l.order[k]]);
    if (t->shape != flat && t->shape != axes)
      raise(error_kind::shape, message() << "parameter " << name.c_str() << " is " << detail::spelled(flat).c_str()
                                         << ", the file's tensor " << detail::spelled(t->shape).c_str());
  });
  p.each([&](std::string const& name, leaf const&, T* x, std::int64_t n) {
    auto const* t = file.find(prefix + name);
    if (!t) { r.initialised.push_back(name); return; }
    t->copy_to(std::span<T>(x, static_cast<std::size_t>(n)));
    wanted.push_back(prefix + name);
    r.loaded.push_back(name);
  });
  for (auto const& t : file.tensors()) {
    bool used = false;
    for (auto const& w : wanted) used |= w == t.name;
    if (!used) r.ignored.push_back(t.name);
  }
  return r;
}

/// load<model>("model.safetensors"): every parameter must be in the file. Errors: error_kind::file naming the first that is missing.
template <class Model, class T = float> weights<Model, T> load(std::string const& path) {
  weights<Model, T> w;
  load_report const r = load_into(*w, safetensors::open(path));
  if (!r.initialised.empty()) raise(error_kind::file, message() << path.c_str() << " has no tensor " << r.initialised.front().c_str());
  return w;
}

/// Writes every parameter, a tensor a layer, in the shapes that checkpoints have: [outputs, inputs], or one axis.
template <class T> void save(std::string const& path, parameter_set<T>& p) {
  std::vector<tensor_entry> list;
  p.each([&](std::string const& name, leaf const& l, T* x, std::int64_t n) {
    list.push_back(stored<T>(name, checkpoint_shape(l, p.ext), std::span<T const>(x, static_cast<std::size_t>(n))));
  });
  write_safetensors(path, list);
}
template <class Model, class T> void save(std::string const& path, weights<Model, T> const& w) { save(path, *w); }

}  // namespace dyadic::io
