// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the type that a value has in memory, and the type that it is computed in.
//
// f8, f16 and bf16 compute in f32. Stores round to nearest even; stores to f8 saturate at the greatest finite number,
// NaN stays NaN; integer stores saturate, and NaN stores as 0. Scales of UE8M0 round up to a power of two.
#ifndef ONEPASS_CONVERT_CUH
#define ONEPASS_CONVERT_CUH

#include <cuda_bf16.h>  // __nv_bfloat16
#include <cuda_fp16.h>  // __half
#include <cuda_fp8.h>   // __nv_fp8_e4m3, __nv_fp8_e5m2, __nv_fp8_e8m0

#include <cuda/std/limits>  // the range of integers

#include "memory.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
inline constexpr bool is_half = cs::is_same_v<T, __half>;
template <class T>
inline constexpr bool is_bfloat = cs::is_same_v<T, __nv_bfloat16>;
template <class T>
inline constexpr bool is_float16 = is_half<T> || is_bfloat<T>;  // a float of 16 bits

template <class T>
inline constexpr bool is_float8 = cs::is_same_v<T, __nv_fp8_e4m3> || cs::is_same_v<T, __nv_fp8_e5m2>;
template <class T>
inline constexpr bool is_scale8 =
    cs::is_same_v<T, __nv_fp8_e8m0>;  // UE8M0: a power of two from 2^-127 to 2^127, or NaN
template <class T>
inline constexpr bool is_small_float = is_float16<T> || is_float8<T> || is_scale8<T>;  // computed in f32
template <class T>
inline constexpr __nv_fp8_interpretation_t format8 = cs::is_same_v<T, __nv_fp8_e4m3> ? __NV_E4M3 : __NV_E5M2;

// A long double, which a device does not have (and device code may not name).
template <class T>
inline constexpr bool is_long_double =
    cs::is_floating_point_v<T> && !is_small_float<T> && !cs::is_same_v<T, float> && !cs::is_same_v<T, double>;

template <class T>
struct compute {
  using type = cs::conditional_t<is_small_float<T>, float, T>;
};
template <class T>
using compute_t = typename compute<T>::type;  // what load<T> yields

// A small integer promotes as in C++.
template <class T>
using promoted_t = decltype(+cs::declval<T>());

// Memory to value: exact.
template <class T>
ONEPASS_HD compute_t<T> widen(T x) {
  if constexpr (is_half<T>) return __half2float(x);
  else if constexpr (is_bfloat<T>) return __bfloat162float(x);
  else if constexpr (is_float8<T>) return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.__x, format8<T>)));
  else if constexpr (is_scale8<T>) return __bfloat162float(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(x.__x)));
  else return x;
}

// An integer to an integer: saturated.
template <class To, class From>
ONEPASS_HD To saturate(From x) {
  using limits = cs::numeric_limits<To>;
  if constexpr (cs::is_signed_v<From> && cs::is_signed_v<To>) {
    if constexpr (sizeof(To) < sizeof(From)) {
      if (x < static_cast<From>(limits::min())) return limits::min();
      if (x > static_cast<From>(limits::max())) return limits::max();
    }
  } else if constexpr (cs::is_signed_v<From>) {
    if (x < From{0}) return To{0};
    if constexpr (sizeof(To) < sizeof(From))
      if (x > static_cast<From>(limits::max())) return limits::max();
  } else {
    if constexpr (sizeof(To) < sizeof(From) || (cs::is_signed_v<To> && sizeof(To) == sizeof(From)))
      if (x > static_cast<From>(limits::max())) return limits::max();
  }
  return static_cast<To>(x);
}

// A float to an integer: nearest even, saturated, NaN to 0.
template <class To, class From>
ONEPASS_HD To round_to_integer(From x) {
  using limits = cs::numeric_limits<To>;
#ifdef __CUDA_ARCH__
  if constexpr (cs::is_same_v<From, float> && sizeof(To) < 4) return saturate<To>(__float2int_rn(x));
  else if constexpr (cs::is_same_v<From, float> && cs::is_same_v<To, int32_t>) return __float2int_rn(x);
  else if constexpr (cs::is_same_v<From, float> && cs::is_same_v<To, uint32_t>) return __float2uint_rn(x);
#endif
  // The limits as From, rounded outward by at most one step: compared before the conversion, they keep it in range.
  constexpr From low = static_cast<From>(limits::min()), high = static_cast<From>(limits::max());
  if (x != x) return To{0};
  if (x <= low) return limits::min();
  if (x >= high) return limits::max();
  if constexpr (sizeof(From) == 4) return static_cast<To>(::rintf(x));
  else return static_cast<To>(::rint(x));
}

// An integer as a double that rounds to any smaller float as the integer itself does: beyond 53 bits, what is cut off
// leaves its trace in the last bit.
template <class From>
ONEPASS_HD double sticky_double(From x) {
  if constexpr (sizeof(From) == 8) {
    bool negative = false;
    if constexpr (cs::is_signed_v<From>) negative = x < 0;
    const uint64_t size = negative ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
    if (size >> 53 != 0) {
      const auto cut = static_cast<double>(size >> 11 | ((size & 0x7ff) != 0 ? 1u : 0u));
      return negative ? cut * -2048.0 : cut * 2048.0;
    }
  }
  return static_cast<double>(x);
}

// An integer of 8 or 16 bits as a float, by the bits of 2^23 + x: the conversion of bytes is slow (on an H200 it kept a
// map from i8 at 0.85 of its roof).
template <class From>
ONEPASS_HD float small_to_float(From x) {
  constexpr uint32_t bits = 8 * sizeof(From), offset = cs::is_signed_v<From> ? 1u << (bits - 1) : 0u;
  const uint32_t shifted = (static_cast<uint32_t>(x) ^ offset) & ((1u << bits) - 1);
  const float both = bit_copy<float>(0x4b000000u | shifted), base = 8388608.0f + static_cast<float>(offset);
#ifdef __CUDA_ARCH__
  return __fsub_rn(both, base);
#else
  return both - base;
#endif
}

template <class To, class From>
ONEPASS_HD To narrow_to_float8(From x) {
  To result;
  if constexpr (cs::is_same_v<From, float>) result.__x = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, format8<To>);
  else if constexpr (cs::is_integral_v<From>) result = narrow_to_float8<To>(sticky_double(x));
  else result.__x = __nv_cvt_double_to_fp8(static_cast<double>(x), __NV_SATFINITE, format8<To>);
  return result;
}

// To the next power of two above.
template <class From>
ONEPASS_HD __nv_fp8_e8m0 narrow_to_scale8(From x) {
  __nv_fp8_e8m0 result;
  if constexpr (cs::is_same_v<From, float>) result.__x = __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
  else result.__x = __nv_cvt_double_to_e8m0(static_cast<double>(x), __NV_SATFINITE, cudaRoundPosInf);
  return result;
}

// Value to memory.
template <class To, class From>
ONEPASS_HD To narrow(From x) {
  if constexpr (cs::is_same_v<To, From>) return x;
  else if constexpr (cs::is_same_v<To, bool>) return x != From{0};
  else if constexpr (is_small_float<From>) return narrow<To>(widen(x));
  else if constexpr (is_float8<To>) return narrow_to_float8<To>(x);
  else if constexpr (is_scale8<To>) return narrow_to_scale8(x);
  else if constexpr (is_half<To> && cs::is_same_v<From, double>) return __double2half(x);
  else if constexpr (is_bfloat<To> && cs::is_same_v<From, double>) return __double2bfloat16(x);
  else if constexpr (is_half<To> && cs::is_floating_point_v<From>) return __float2half_rn(x);
  else if constexpr (is_bfloat<To> && cs::is_floating_point_v<From>) return __float2bfloat16_rn(x);
  else if constexpr (is_float16<To>) return narrow<To>(sticky_double(x));
  else if constexpr (cs::is_integral_v<To> && cs::is_floating_point_v<From>) return round_to_integer<To>(x);
  else if constexpr (cs::is_same_v<From, bool>) return static_cast<To>(x);
  else if constexpr (cs::is_same_v<To, float> && cs::is_integral_v<From> && sizeof(From) <= 2) return small_to_float(x);
  else if constexpr (cs::is_integral_v<To> && cs::is_integral_v<From>) return saturate<To>(x);
#ifndef __CUDA_ARCH__
  else if constexpr (cs::is_same_v<To, float> && cs::is_same_v<From, double>) {
    volatile float rounded = static_cast<float>(x);  // GCC 12 drops a rounding that is followed by a widening
    return rounded;
  }
#endif
  else
    return static_cast<To>(x);
}

// A word of two halves.
ONEPASS_HD uint32_t word_of_halves(uint16_t low, uint16_t high) {
#ifdef __CUDA_ARCH__
  uint32_t word;  // or the halves would be masked first
  asm("mov.b32 %0, {%1, %2};" : "=r"(word) : "h"(low), "h"(high));
  return word;
#else
  return low | static_cast<uint32_t>(high) << 16;
#endif
}

// Two floats convert to f8 in one instruction (sm_89), and back as a pair of f16.
template <class To>
ONEPASS_HD __nv_fp8x2_storage_t narrow_pair8(float low, float high) {
  return __nv_cvt_float2_to_fp8x2(float2{low, high}, __NV_SATFINITE, format8<To>);
}
template <class To, int N>
ONEPASS_HD pack<To, N> narrow_pairs8(const pack<float, N> &v) {
  if constexpr (N % 4 == 0) {  // whole words are never taken apart into bytes
    pack<uint32_t, N / 4> words;
    ONEPASS_UNROLL
    for (int i = 0; i < N; i += 4)
      words[i / 4] = word_of_halves(narrow_pair8<To>(v[i], v[i + 1]), narrow_pair8<To>(v[i + 2], v[i + 3]));
    return bit_copy<pack<To, N>>(words);
  } else {
    pack<__nv_fp8x2_storage_t, N / 2> pairs;
    ONEPASS_UNROLL
    for (int i = 0; i < N; i += 2) pairs[i / 2] = narrow_pair8<To>(v[i], v[i + 1]);
    return bit_copy<pack<To, N>>(pairs);
  }
}
template <class T, int N>
ONEPASS_HD pack<float, N> widen_pairs8(const pack<T, N> &v) {
  const auto pairs = bit_copy<pack<__nv_fp8x2_storage_t, N / 2>>(v);
  pack<float, N> result;
  ONEPASS_UNROLL
  for (int i = 0; i < N / 2; ++i) {
    const __half2_raw both = __nv_cvt_fp8x2_to_halfraw2(pairs[i], format8<T>);
    result[2 * i] = __half2float(bit_copy<__half>(both.x));
    result[2 * i + 1] = __half2float(bit_copy<__half>(both.y));
  }
  return result;
}

// Two floats pack into 16-bit halves of a word in one instruction.
template <class To, int N>
ONEPASS_HD pack<To, N> narrow_pairs(const pack<float, N> &v) {
  struct alignas(4) pair {
    To low, high;
  };
  pack<pair, N / 2> all;
  ONEPASS_UNROLL
  for (int i = 0; i < N / 2; ++i) {
    if constexpr (is_half<To>) all[i] = bit_copy<pair>(__floats2half2_rn(v[2 * i], v[2 * i + 1]));
    else all[i] = bit_copy<pair>(__floats2bfloat162_rn(v[2 * i], v[2 * i + 1]));
  }
  return bit_copy<pack<To, N>>(all);
}

// A bf16 is the upper half of a float: two of them unpack by a shift and a mask.
template <int N>
ONEPASS_HD pack<float, N> widen_pairs(const pack<__nv_bfloat16, N> &v) {
  const auto words = bit_copy<pack<uint32_t, N / 2>>(v);
  pack<float, N> result;
  ONEPASS_UNROLL
  for (int i = 0; i < N / 2; ++i) {
    result[2 * i] = bit_copy<float>(words[i] << 16);
    result[2 * i + 1] = bit_copy<float>(words[i] & 0xffff0000u);
  }
  return result;
}

template <class T, int N>
ONEPASS_HD pack<compute_t<T>, N> widen_pack(const pack<T, N> &v) {
  if constexpr (cs::is_same_v<T, compute_t<T>>) {
    return v;
  } else if constexpr (is_bfloat<T> && N % 2 == 0) {
    return widen_pairs(v);
  } else if constexpr (is_float8<T> && N % 2 == 0) {
    return widen_pairs8(v);
  } else {
    pack<compute_t<T>, N> result;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) result[i] = widen(v[i]);
    return result;
  }
}

template <class To, class From, int N>
ONEPASS_HD pack<To, N> narrow_pack(const pack<From, N> &v) {
  if constexpr (is_float16<To> && cs::is_same_v<From, float> && N % 2 == 0) {
    return narrow_pairs<To>(v);
  } else if constexpr (is_float8<To> && cs::is_same_v<From, float> && N % 2 == 0) {
    return narrow_pairs8<To>(v);
  } else {
    pack<To, N> result;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) result[i] = narrow<To>(v[i]);
    return result;
  }
}

}  // namespace detail
}  // namespace onepass

#endif
