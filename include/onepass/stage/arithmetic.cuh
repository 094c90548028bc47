// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the arithmetic ops. Operands promote as in C++; each f32 and f64 result is rounded once. Values and
// operands may be complex, too: how those are rounded is said in math.cuh and division.cuh.
#ifndef ONEPASS_STAGE_ARITHMETIC_CUH
#define ONEPASS_STAGE_ARITHMETIC_CUH

#include "division.cuh"
#include "math.cuh"
#include "pointwise.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

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
    return quotient(a, b);
  }
  ONEPASS_HD float narrow(float a, float b) const { return fast_divide(a, b); }
};
// C's fmod and %, exact.
struct remainder_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    using T = common_t<A, B>;
    if constexpr (!check_real<A, B>()) {
      return a;
    } else if constexpr (cs::is_same_v<T, float>) {
      return ::fmodf(static_cast<float>(a), static_cast<float>(b));
    } else if constexpr (cs::is_same_v<T, double>) {
      return ::fmod(static_cast<double>(a), static_cast<double>(b));
    } else {
      const T x = static_cast<T>(a), y = static_cast<T>(b);
      if (y == T{0}) return T{0};
      if constexpr (cs::is_signed_v<T>)
        if (y == T{-1}) return T{0};
      return static_cast<T>(x % y);
    }
  }
};
struct reciprocal_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (is_complex<T>) {
      return quotient(component_t<T>(1), x);
    } else {
#ifdef __CUDA_ARCH__
      if constexpr (cs::is_same_v<T, float>) return __frcp_rn(x);
      else return __drcp_rn(static_cast<double>(x));
#else
      return real_t<T>(1) / static_cast<real_t<T>>(x);
#endif
    }
  }
  ONEPASS_HD float narrow(float x) const { return fast_divide(1.0f, x); }
};
struct multiply_add_op {
  template <class A, class B, class C>
  ONEPASS_HD auto operator()(A a, B b, C c) const {
    return fused(a, b, c);
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
    if constexpr (is_complex<T>) return T(-x.real(), -x.imag());
    else if constexpr (cs::is_floating_point_v<T>) return -x;
    else return minus(promoted_t<T>{0}, x);
  }
};
struct abs_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (is_complex<T>) return modulus(x.real(), x.imag());
    else if constexpr (cs::is_floating_point_v<T>) return magnitude(x);
    else if constexpr (cs::is_unsigned_v<T>) return +x;
    else if constexpr (cs::is_same_v<T, int32_t>) return x < 0 ? -static_cast<int64_t>(x) : static_cast<int64_t>(x);
    else if constexpr (sizeof(T) < 4) return x < 0 ? -x : +x;
    else return x < 0 ? static_cast<T>(0u - static_cast<cs::make_unsigned_t<T>>(x)) : x;
  }

 private:
  ONEPASS_HD static float modulus(float a, float b) { return ::hypotf(a, b); }
  ONEPASS_HD static double modulus(double a, double b) { return ::hypot(a, b); }
};
// A zero and NaN stay as they are.
struct sign_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (!check_real<T>()) return x;
    else if constexpr (cs::is_floating_point_v<T>) return x == T(0) || x != x ? x : with_sign(T(1), x);
    else if constexpr (cs::is_unsigned_v<T>) return promoted_t<T>{x != T{0}};
    else return promoted_t<T>{(x > T{0}) - (x < T{0})};
  }
};
struct square_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return times(x, x);
  }
};

struct conjugate_op {
  template <class T>
  ONEPASS_HD T operator()(T x) const {
    if constexpr (is_complex<T>) return T(x.real(), -x.imag());
    else return x;
  }
};
struct real_op {
  template <class T>
  ONEPASS_HD component_t<T> operator()(T x) const {
    if constexpr (is_complex<T>) return x.real();
    else return x;
  }
};
struct imag_op {
  template <class T>
  ONEPASS_HD component_t<T> operator()(T x) const {
    if constexpr (is_complex<T>) return x.imag();
    else return T{};
  }
};

}  // namespace detail

ONEPASS_OBJECT detail::op_with_operands<detail::add_op> add{};            // add(b): x + b
ONEPASS_OBJECT detail::op_with_operands<detail::subtract_op> subtract{};  // subtract(b): x - b
ONEPASS_OBJECT detail::op_with_operands<detail::multiply_op> multiply{};  // multiply(b): x * b
// divide(b): x / b. An integer by 0 is 0, and the least integer by -1 is itself.
ONEPASS_OBJECT detail::op_with_operands<detail::divide_op> divide{};
// remainder(b): x - b trunc(x / b), exact, of the sign of x. An integer's by 0 is 0.
ONEPASS_OBJECT detail::op_with_operands<detail::remainder_op> remainder{};
ONEPASS_OBJECT detail::op_with_operands<detail::multiply_add_op>
    multiply_add{};  // multiply_add(a, b): x * a + b, rounded once
// minimum(b) and maximum(b) are statistics too: their objects stand in statistic.cuh
ONEPASS_OBJECT detail::op_with_operands<detail::clamp_op>
    clamp{};  // clamp(low, high): NaN stays NaN; high where low > high
ONEPASS_OBJECT detail::pointwise<detail::negate_op> negate{};
ONEPASS_OBJECT detail::pointwise<detail::abs_op> abs{};    // of an i32 it is an i64, so that |INT32_MIN| exists
ONEPASS_OBJECT detail::pointwise<detail::sign_op> sign{};  // -1, 0 or 1; -0 stays -0
ONEPASS_OBJECT detail::pointwise<detail::square_op> square{};
ONEPASS_OBJECT detail::pointwise<detail::reciprocal_op> reciprocal{};  // 1 / x, of an integer in f64
// Of a complex value; a real one is its own conjugate and real part.
ONEPASS_OBJECT detail::pointwise<detail::conjugate_op> conjugate{};
ONEPASS_OBJECT detail::pointwise<detail::real_op> real{};
ONEPASS_OBJECT detail::pointwise<detail::imag_op> imag{};

}  // namespace onepass

#endif
