// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the arithmetic ops. Operands promote as in C++; each f32 and f64 result is rounded once.
#ifndef ONEPASS_STAGE_ARITHMETIC_CUH
#define ONEPASS_STAGE_ARITHMETIC_CUH

#include "math.cuh"
#include "pointwise.cuh"

namespace onepass {
namespace detail {

template <class... T>
using common_t = cs::decay_t<decltype((cs::declval<T>() + ...))>;  // promoted

struct add_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    return plus(a, b);
  }
};
struct subtract_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    return minus(a, b);
  }
};
struct multiply_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    return times(a, b);
  }
};
struct divide_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    using T = common_t<A, B>;
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return __fdiv_rn(static_cast<float>(a), static_cast<float>(b));
    else if constexpr (cs::is_same_v<T, double>) return __ddiv_rn(static_cast<double>(a), static_cast<double>(b));
    else return static_cast<T>(a) / static_cast<T>(b);
#else
    return static_cast<T>(a) / static_cast<T>(b);
#endif
  }
  ONEPASS_HD float narrow(float a, float b) const { return fast_divide(a, b); }
};
struct multiply_add_op {
  template <class A, class B, class C>
  ONEPASS_HD auto operator()(A a, B b, C c) const {
    using T = common_t<A, B, C>;
    return fused(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
  }
};
struct minimum_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    using T = common_t<A, B>;
    return lesser(static_cast<T>(a), static_cast<T>(b));
  }
};
struct maximum_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    using T = common_t<A, B>;
    return greater(static_cast<T>(a), static_cast<T>(b));
  }
};
struct clamp_op {
  template <class A, class Low, class High>
  ONEPASS_HD auto operator()(A x, Low low, High high) const {
    using T = common_t<A, Low, High>;
    return lesser(greater(static_cast<T>(x), static_cast<T>(low)), static_cast<T>(high));
  }
};
struct negate_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_floating_point_v<T>) return -x;
    else return minus(promoted_t<T>{0}, x);
  }
};
struct abs_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::fabsf(x);
    else if constexpr (cs::is_same_v<T, double>) return ::fabs(x);
    else if constexpr (cs::is_unsigned_v<T>) return +x;
    else if constexpr (cs::is_same_v<T, int32_t>) return x < 0 ? -static_cast<int64_t>(x) : static_cast<int64_t>(x);
    else if constexpr (sizeof(T) < 4) return x < 0 ? -x : +x;
    else return x < 0 ? static_cast<T>(0u - static_cast<cs::make_unsigned_t<T>>(x)) : x;
  }
};
struct square_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return times(x, x);
  }
};

}  // namespace detail

ONEPASS_OBJECT detail::op_with_operands<detail::add_op> add{};            // add(b): x + b
ONEPASS_OBJECT detail::op_with_operands<detail::subtract_op> subtract{};  // subtract(b): x - b
ONEPASS_OBJECT detail::op_with_operands<detail::multiply_op> multiply{};  // multiply(b): x * b
ONEPASS_OBJECT detail::op_with_operands<detail::divide_op> divide{};      // divide(b): x / b
ONEPASS_OBJECT detail::op_with_operands<detail::multiply_add_op>
    multiply_add{};  // multiply_add(a, b): x * a + b, rounded once
// minimum(b) and maximum(b) are statistics too: their objects stand in statistic.cuh
ONEPASS_OBJECT detail::op_with_operands<detail::clamp_op>
    clamp{};  // clamp(low, high): NaN stays NaN; high where low > high
ONEPASS_OBJECT detail::pointwise<detail::negate_op> negate{};
ONEPASS_OBJECT detail::pointwise<detail::abs_op> abs{};  // of an i32 it is an i64, so that |INT32_MIN| exists
ONEPASS_OBJECT detail::pointwise<detail::square_op> square{};

}  // namespace onepass

#endif
