// SPDX-License-Identifier: Apache-2.0
// Part of onepass: comparisons and the classes of floats, whose results are bool. NaN is unequal to everything, and
// less or greater than nothing.
//
// Integers compare as numbers, whatever their signedness: -1 is less than 1u. A bare integer keeps its own type for
// that; any other bare number takes the type that it meets. Complex values are equal or not, and have no order.
#ifndef ONEPASS_STAGE_COMPARISON_CUH
#define ONEPASS_STAGE_COMPARISON_CUH

#include <cuda/std/limits>  // infinity

#include "math.cuh"
#include "pointwise.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class A, class B>
inline constexpr bool are_integers = cs::is_integral_v<A> &&cs::is_integral_v<B>;

template <class A, class B>
ONEPASS_HD bool is_less(A a, B b) {
  using T = common_t<A, B>;
  if constexpr (are_integers<A, B> && cs::is_signed_v<A> != cs::is_signed_v<B>) {
    using U = cs::make_unsigned_t<T>;
    if constexpr (cs::is_signed_v<A>) return a < A{0} || static_cast<U>(a) < static_cast<U>(b);
    else return b > B{0} && static_cast<U>(a) < static_cast<U>(b);
  } else {
    return static_cast<T>(a) < static_cast<T>(b);
  }
}

template <class A, class B>
ONEPASS_HD bool is_equal(A a, B b) {
  using T = common_t<A, B>;
  if constexpr (is_complex<T>) {
    const T x = to_complex<T>(a), y = to_complex<T>(b);
    return x.real() == y.real() && x.imag() == y.imag();
  } else if constexpr (are_integers<A, B>) {
    return !is_less(a, b) && !is_less(b, a);
  } else {
    return static_cast<T>(a) == static_cast<T>(b);
  }
}

struct less_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    if constexpr (check_real<A, B>()) return is_less(a, b);
    else return false;
  }
};
struct greater_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    return less_op{}(b, a);
  }
};
struct less_equal_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    using T = common_t<A, B>;
    if constexpr (!check_real<A, B>()) return false;
    else if constexpr (are_integers<A, B>) return !is_less(b, a);
    else return static_cast<T>(a) <= static_cast<T>(b);
  }
};
struct greater_equal_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    return less_equal_op{}(b, a);
  }
};
struct equal_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    return is_equal(a, b);
  }
};
struct not_equal_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    return !is_equal(a, b);
  }
};

// An op whose bare integers keep their type.
template <class F>
struct comparison {
  template <class Operand>
  ONEPASS_HD constexpr auto operator()(Operand operand) const {
    if constexpr (cs::is_integral_v<Operand>) return op_with_operands<F>{}(value(operand));
    else return op_with_operands<F>{}(operand);
  }
};

// A complex value is NaN or infinite if a part of it is, and finite if both are.
struct is_nan_op {
  template <class T>
  ONEPASS_HD bool operator()(T x) const {
    if constexpr (is_complex<T>) return (*this)(x.real()) || (*this)(x.imag());
    else if constexpr (cs::is_floating_point_v<T>) return x != x;
    else return false;
  }
};
struct is_inf_op {
  template <class T>
  ONEPASS_HD bool operator()(T x) const {
    if constexpr (is_complex<T>) return (*this)(x.real()) || (*this)(x.imag());
    else if constexpr (cs::is_floating_point_v<T>) return magnitude(x) == cs::numeric_limits<T>::infinity();
    else return false;
  }
};
struct is_finite_op {
  template <class T>
  ONEPASS_HD bool operator()(T x) const {
    if constexpr (is_complex<T>) return (*this)(x.real()) && (*this)(x.imag());
    else if constexpr (cs::is_floating_point_v<T>) return magnitude(x) < cs::numeric_limits<T>::infinity();
    else return true;
  }
};

}  // namespace detail

ONEPASS_OBJECT detail::comparison<detail::less_op> less{};                    // less(b): x < b
ONEPASS_OBJECT detail::comparison<detail::less_equal_op> less_equal{};        // x <= b
ONEPASS_OBJECT detail::comparison<detail::greater_op> greater{};              // x > b
ONEPASS_OBJECT detail::comparison<detail::greater_equal_op> greater_equal{};  // x >= b
ONEPASS_OBJECT detail::comparison<detail::equal_op> equal{};                  // x == b
ONEPASS_OBJECT detail::comparison<detail::not_equal_op> not_equal{};          // x != b
ONEPASS_OBJECT detail::pointwise<detail::is_nan_op> is_nan{};
ONEPASS_OBJECT detail::pointwise<detail::is_inf_op> is_inf{};
ONEPASS_OBJECT detail::pointwise<detail::is_finite_op> is_finite{};

}  // namespace onepass

#endif
