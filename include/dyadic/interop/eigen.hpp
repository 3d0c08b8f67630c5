// Eigen and dyadic on the same memory: a tensor or view as an Eigen::Map, an Eigen matrix as a view. Nothing is copied.
#pragma once
#include <Eigen/Core>

#include "dyadic/tensor/tensor.hpp"

namespace dyadic {

namespace detail {
template <class A> inline constexpr int eigen_extent = A::static_extent >= 0 ? A::static_extent : Eigen::Dynamic;
template <class R, class C, class T>
using eigen_matrix = Eigen::Matrix<std::remove_const_t<T>, eigen_extent<R>, eigen_extent<C>,
                                   // Eigen wants row vectors row-major and column vectors column-major; strides say the rest
                                   eigen_extent<C> == 1 && eigen_extent<R> != 1 ? Eigen::ColMajor : Eigen::RowMajor>;
template <class M, class T> using like_constness = std::conditional_t<std::is_const_v<T>, M const, M>;
}  // namespace detail

/// A view over <rows, columns> as an Eigen matrix, with the view's strides. The map must not outlive the tensor's memory.
template <class R, class C, class T> auto to_eigen(view<axes<R, C>, T> const& v) {
  using matrix = detail::like_constness<detail::eigen_matrix<R, C, T>, T>;
  using stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  stride const steps = matrix::IsRowMajor ? stride(v.strides()[0], v.strides()[1]) : stride(v.strides()[1], v.strides()[0]);
  return Eigen::Map<matrix, Eigen::Unaligned, stride>(v.data(), v.extents().of[0], v.extents().of[1], steps);
}
/// A view over one axis as an Eigen column vector.
template <class A, class T> auto to_eigen(view<axes<A>, T> const& v) {
  using vector = detail::like_constness<Eigen::Matrix<std::remove_const_t<T>, detail::eigen_extent<A>, 1>, T>;
  return Eigen::Map<vector, Eigen::Unaligned, Eigen::InnerStride<>>(v.data(), v.extents().of[0], Eigen::InnerStride<>(v.strides()[0]));
}
template <class List, class T> auto to_eigen(tensor<List, T>& x DYADIC_LIFETIMEBOUND) { return to_eigen(x.view()); }
template <class List, class T> auto to_eigen(tensor<List, T> const& x DYADIC_LIFETIMEBOUND) { return to_eigen(x.view()); }
template <class List, class T> auto to_eigen(tensor<List, T>&& x) = delete;   // the map would outlive its elements

namespace detail {
template <class A, int Size> constexpr void check_eigen_extent() {
  static_assert(same_extent<A, A::static_extent, (Size < 0 ? -1 : Size)>, "axis extents disagree");
}
template <class List, class T, class M> view<List, T> eigen_view(M& m) {
  using D = std::remove_const_t<M>;
  shape<List> s;
  [&]<class... A>(axes<A...>) {
    static_assert(sizeof...(A) == 1 || sizeof...(A) == 2, "an Eigen matrix has one or two axes");
    static_assert(sizeof...(A) == 2 || D::IsVectorAtCompileTime, "one axis needs an Eigen vector");
    if constexpr (sizeof...(A) == 1) {
      (check_eigen_extent<A, D::SizeAtCompileTime>(), ...);
      (s.template set<A>(m.size()), ...);
    } else {
      [&]<class R, class C>(axes<R, C>) {
        check_eigen_extent<R, D::RowsAtCompileTime>();
        check_eigen_extent<C, D::ColsAtCompileTime>();
        s.template set<R>(m.rows());
        s.template set<C>(m.cols());
      }(axes<A...>{});
    }
  }(List{});
  std::int64_t const strides[2]{shape<List>::rank == 1 ? m.innerStride() : m.rowStride(), m.colStride()};
  return {m.data(), s, strides};
}
}  // namespace detail

/// An Eigen matrix, vector, map or block as a view: `from_eigen<axes<row, column>>(m)`, `from_eigen<axes<row>>(v)`. It must outlive the
/// view. Errors: extents other than static ones (at compile time where Eigen knows them).
template <class List, class D> auto from_eigen(Eigen::DenseBase<D>& m DYADIC_LIFETIMEBOUND) {
  using T = std::remove_reference_t<decltype(*m.derived().data())>;
  return detail::eigen_view<List, T>(m.derived());
}
template <class List, class D> auto from_eigen(Eigen::DenseBase<D> const& m DYADIC_LIFETIMEBOUND) {
  return detail::eigen_view<List, typename D::Scalar const>(m.derived());
}

}  // namespace dyadic
