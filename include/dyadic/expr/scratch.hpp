// Working memory of the passes, usable in constant expressions. Indexing goes through a raw pointer: clang counts every call as a step.
#pragma once

namespace dyadic::detail {

template <class T> struct scratch {
  T* p;
  constexpr explicit scratch(int n) : p(new T[static_cast<unsigned>(n > 0 ? n : 1)]{}) {}
  constexpr scratch(int n, T value) : scratch(n) { for (int i = 0; i < n; ++i) p[i] = value; }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;
  constexpr ~scratch() { delete[] p; }
  constexpr T& operator[](int i) const { return p[i]; }
};

/// A growing array for constant expressions.
template <class T> struct grown {
  T* p = nullptr;
  int size = 0, capacity = 0;
  constexpr grown() = default;
  constexpr grown(grown const& o) { reserve(o.size); for (int i = 0; i < o.size; ++i) p[i] = o.p[i]; size = o.size; }
  constexpr grown(grown&& o) noexcept : p(o.p), size(o.size), capacity(o.capacity) { o.p = nullptr; o.size = o.capacity = 0; }
  constexpr grown& operator=(grown const& o) {
    if (this == &o) return *this;
    clear();
    reserve(o.size);
    for (int i = 0; i < o.size; ++i) p[i] = o.p[i];
    size = o.size;
    return *this;
  }
  constexpr grown& operator=(grown&& o) noexcept {   // by reference: nvcc's front end forgets to destroy a parameter taken by value
    if (this == &o) return *this;
    clear();
    p = o.p; size = o.size; capacity = o.capacity;
    o.p = nullptr; o.size = o.capacity = 0;
    return *this;
  }
  constexpr void clear() { delete[] p; p = nullptr; size = capacity = 0; }
  constexpr ~grown() { delete[] p; }
  constexpr void reserve(int n) {
    if (n <= capacity) return;
    int c = capacity ? capacity * 2 : 16;
    if (c < n) c = n;
    T* q = new T[static_cast<unsigned>(c)]{};
    for (int i = 0; i < size; ++i) q[i] = p[i];
    delete[] p;
    p = q; capacity = c;
  }
  constexpr int push(T const& x) {
    if (size == capacity) {
      T const copy = x;
      reserve(size + 1);
      p[size] = copy;
    } else p[size] = x;
    return size++;
  }
  constexpr T& operator[](int i) const { return p[i]; }
};

}  // namespace dyadic::detail
