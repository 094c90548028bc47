// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the arithmetic of the ops. Nothing here is left to contraction, so that every variant of a kernel
// has the same bits; minima and maxima propagate NaN.
//
// Complex values: a sum is rounded once in each part, a product is (ac - bd, ad + bc) with every step rounded, so that
// it commutes and z times its conjugate is real; it misses by 1.12 epsilon of its absolute value. Infinities are not
// repaired: their products may have parts that are NaN. A real factor or addend is never widened to a complex one.
#ifndef ONEPASS_STAGE_MATH_CUH
#define ONEPASS_STAGE_MATH_CUH

#ifndef __CUDACC_RTC__
#include <cmath>  // the host's erfc
#endif

#include "../meta.cuh"
#include "complex.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Integers are computed as unsigned, whose overflow wraps.
template <class T, bool = cs::is_integral_v<T>>
struct wrapping {
  using type = T;
};
template <class T>
struct wrapping<T, true> {
  using type = cs::make_unsigned_t<T>;
};
template <class T>
using wrapping_t = typename wrapping<T>::type;

template <class A, class B>
ONEPASS_HD auto plus(A a, B b) {
  using T = common_t<A, B>;
  if constexpr (is_complex<T>) {
    using V = component_t<T>;
    if constexpr (!is_complex<B>) return T(plus(a.real(), b), static_cast<V>(a.imag()));
    else if constexpr (!is_complex<A>) return T(plus(a, b.real()), static_cast<V>(b.imag()));
    else return T(plus(a.real(), b.real()), plus(a.imag(), b.imag()));
  } else {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return __fadd_rn(static_cast<float>(a), static_cast<float>(b));
    else if constexpr (cs::is_same_v<T, double>) return __dadd_rn(static_cast<double>(a), static_cast<double>(b));
    else return static_cast<T>(static_cast<wrapping_t<T>>(a) + static_cast<wrapping_t<T>>(b));
#else
    return static_cast<T>(static_cast<wrapping_t<T>>(a) + static_cast<wrapping_t<T>>(b));
#endif
  }
}

template <class A, class B>
ONEPASS_HD auto minus(A a, B b) {
  using T = common_t<A, B>;
  if constexpr (is_complex<T>) {
    using V = component_t<T>;
    if constexpr (!is_complex<B>) return T(minus(a.real(), b), static_cast<V>(a.imag()));
    else if constexpr (!is_complex<A>) return T(minus(a, b.real()), static_cast<V>(-b.imag()));
    else return T(minus(a.real(), b.real()), minus(a.imag(), b.imag()));
  } else {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return __fsub_rn(static_cast<float>(a), static_cast<float>(b));
    else if constexpr (cs::is_same_v<T, double>) return __dsub_rn(static_cast<double>(a), static_cast<double>(b));
    else return static_cast<T>(static_cast<wrapping_t<T>>(a) - static_cast<wrapping_t<T>>(b));
#else
    return static_cast<T>(static_cast<wrapping_t<T>>(a) - static_cast<wrapping_t<T>>(b));
#endif
  }
}

template <class A, class B>
ONEPASS_HD auto times(A a, B b) {
  using T = common_t<A, B>;
  if constexpr (is_complex<T>) {
    if constexpr (!is_complex<B>) return T(times(a.real(), b), times(a.imag(), b));
    else if constexpr (!is_complex<A>) return T(times(a, b.real()), times(a, b.imag()));
    else
      return T(minus(times(a.real(), b.real()), times(a.imag(), b.imag())),
               plus(times(a.real(), b.imag()), times(a.imag(), b.real())));
  } else {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return __fmul_rn(static_cast<float>(a), static_cast<float>(b));
    else if constexpr (cs::is_same_v<T, double>) return __dmul_rn(static_cast<double>(a), static_cast<double>(b));
    else return static_cast<T>(static_cast<wrapping_t<T>>(a) * static_cast<wrapping_t<T>>(b));
#else
    return static_cast<T>(static_cast<wrapping_t<T>>(a) * static_cast<wrapping_t<T>>(b));
#endif
  }
}

// a * b + c, rounded once; a part of a complex one, which adds two products, twice.
template <class A, class B, class C>
ONEPASS_HD auto fused(A a, B b, C c) {
  using T = common_t<A, B, C>;
  if constexpr (is_complex<T>) {
    using V = component_t<T>;
    V real = V(-0.0), imag = V(-0.0);  // what adds nothing, not even to a zero's sign
    if constexpr (is_complex<C>) {
      real = c.real();
      imag = c.imag();
    } else {
      real = static_cast<V>(c);
    }
    if constexpr (is_complex<A> && is_complex<B>) {
      const V ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
      return T(fused(ar, br, fused(-ai, bi, real)), fused(ar, bi, fused(ai, br, imag)));
    } else if constexpr (is_complex<B>) {
      const V s = static_cast<V>(a), br = b.real(), bi = b.imag();
      return T(fused(s, br, real), fused(s, bi, imag));
    } else if constexpr (is_complex<A>) {
      return fused(b, a, c);
    } else {
      return T(fused(static_cast<V>(a), static_cast<V>(b), real), imag);
    }
  } else if constexpr (cs::is_same_v<T, float>) {
    return ::fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
  } else if constexpr (cs::is_same_v<T, double>) {
    return ::fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
  } else {
    using W = wrapping_t<T>;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b) + static_cast<W>(c));
  }
}

// The lesser, NaN if either is, and -0 below +0.
template <class T>
ONEPASS_HD T lesser(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (cs::is_same_v<T, float>) {
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
  }
#endif
  if constexpr (cs::is_floating_point_v<T>)
    if (a == b) return ::signbit(a) ? a : b;
  return a < b || a != a ? a : b;
}

// The greater, NaN if either is, and +0 above -0.
template <class T>
ONEPASS_HD T greater(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (cs::is_same_v<T, float>) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
  }
#endif
  if constexpr (cs::is_floating_point_v<T>)
    if (a == b) return ::signbit(a) ? b : a;
  return a > b || a != a ? a : b;
}

// |x| and the sign of another.
template <class T>
ONEPASS_HD T magnitude(T x) {
  if constexpr (cs::is_same_v<T, float>) return ::fabsf(x);
  else return ::fabs(x);
}
template <class T>
ONEPASS_HD T with_sign(T size, T sign) {
  if constexpr (cs::is_same_v<T, float>) return ::copysignf(size, sign);
  else return ::copysign(size, sign);
}

// 2^x and 1/x in one instruction each; subnormal results and operands count as 0.
ONEPASS_HD float fast_exp2(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return ::exp2f(x);
#endif
}
ONEPASS_HD float fast_reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return 1.0f / x;
#endif
}
// log2(x) to 2^-22: of the value, in [0.5, 2] absolutely.
ONEPASS_HD float fast_log2(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return ::log2f(x);
#endif
}
// a / b to 2 ulp over the whole range.
ONEPASS_HD float fast_divide(float a, float b) {
#ifdef __CUDA_ARCH__
  float r;
  asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return a / b;
#endif
}
ONEPASS_HD float fast_sqrt(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return ::sqrtf(x);
#endif
}

// An integer is computed with in f64, as C's math functions take it.
template <class T>
using real_t = cs::conditional_t<cs::is_same_v<T, float>, float, double>;

// x for a function in f64.
template <class T>
ONEPASS_HD double to_f64(T x) {
  if constexpr (check_real<T>()) return static_cast<double>(x);
  else return 0;
}

template <class T>
ONEPASS_HD real_t<T> to_real(T x) {
  if constexpr (cs::is_same_v<T, float>) return x;
  else return to_f64(x);
}

}  // namespace detail
}  // namespace onepass

#endif
