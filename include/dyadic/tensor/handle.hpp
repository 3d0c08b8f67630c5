// Ownership of one object: alone, or in shares that are counted. What the standard's <memory> has, without it: that header costs 0.2 s of
// compile time in every program.
#pragma once
#include <utility>

namespace dyadic {

/// The one owner of a T.
template <class T> class owned {
 public:
  owned() = default;
  template <class... A> static owned make(A&&... a) {
    owned r;
    r.p_ = new T(std::forward<A>(a)...);
    return r;
  }
  owned(owned&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  owned& operator=(owned&& o) noexcept {
    owned moved(std::move(o));
    std::swap(p_, moved.p_);
    return *this;
  }
  ~owned() { delete p_; }
  T& operator*() const { return *p_; }
  T* operator->() const { return p_; }
  T* get() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  T* p_ = nullptr;
};

/// A share of a T, which ends with its last share. Shares may be copied and dropped on several threads at once.
template <class T> class shared {
 public:
  shared() = default;
  template <class... A> static shared make(A&&... a) {
    shared r;
    r.p_ = new counted{T(std::forward<A>(a)...), 1};
    return r;
  }
  shared(shared const& o) noexcept : p_(o.p_) { if (p_) __atomic_fetch_add(&p_->shares, 1, __ATOMIC_RELAXED); }
  shared(shared&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  shared& operator=(shared o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~shared() { if (p_ && __atomic_sub_fetch(&p_->shares, 1, __ATOMIC_ACQ_REL) == 0) delete p_; }
  T& operator*() const { return p_->value; }
  T* operator->() const { return &p_->value; }
  T* get() const { return p_ ? &p_->value : nullptr; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(shared const& o) const { return p_ == o.p_; }

 private:
  struct counted { T value; long shares; };
  counted* p_ = nullptr;
};

}  // namespace dyadic
