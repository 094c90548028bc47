// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the arithmetic of the ops. Nothing here is left to contraction, so that every variant of a kernel
// has the same bits; minima and maxima propagate NaN.
#ifndef ONEPASS_STAGE_MATH_CUH
#define ONEPASS_STAGE_MATH_CUH

#ifndef __CUDACC_RTC__
#include <cmath>  // the host's erfc
#endif

#include "../meta.cuh"

namespace onepass {
namespace detail {

template <class A, class B>
ONEPASS_HD auto plus(A a, B b) {
  using T = decltype(a + b);
#ifdef __CUDA_ARCH__
  if constexpr (cs::is_same_v<T, float>) return __fadd_rn(static_cast<float>(a), static_cast<float>(b));
  else if constexpr (cs::is_same_v<T, double>) return __dadd_rn(static_cast<double>(a), static_cast<double>(b));
  else return static_cast<T>(a) + static_cast<T>(b);
#else
  return static_cast<T>(static_cast<T>(a) + static_cast<T>(b));
#endif
}

template <class A, class B>
ONEPASS_HD auto minus(A a, B b) {
  using T = decltype(a - b);
#ifdef __CUDA_ARCH__
  if constexpr (cs::is_same_v<T, float>) return __fsub_rn(static_cast<float>(a), static_cast<float>(b));
  else if constexpr (cs::is_same_v<T, double>) return __dsub_rn(static_cast<double>(a), static_cast<double>(b));
  else return static_cast<T>(a) - static_cast<T>(b);
#else
  return static_cast<T>(static_cast<T>(a) - static_cast<T>(b));
#endif
}

template <class A, class B>
ONEPASS_HD auto times(A a, B b) {
  using T = decltype(a * b);
#ifdef __CUDA_ARCH__
  if constexpr (cs::is_same_v<T, float>) return __fmul_rn(static_cast<float>(a), static_cast<float>(b));
  else if constexpr (cs::is_same_v<T, double>) return __dmul_rn(static_cast<double>(a), static_cast<double>(b));
  else return static_cast<T>(a) * static_cast<T>(b);
#else
  return static_cast<T>(static_cast<T>(a) * static_cast<T>(b));
#endif
}

// a * b + c, rounded once.
template <class T>
ONEPASS_HD T fused(T a, T b, T c) {
  if constexpr (cs::is_same_v<T, float>) return ::fmaf(a, b, c);
  else if constexpr (cs::is_same_v<T, double>) return ::fma(a, b, c);
  else return static_cast<T>(a * b + c);
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

}  // namespace detail
}  // namespace onepass

#endif
