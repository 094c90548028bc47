// SPDX-License-Identifier: Apache-2.0
// Part of onepass: quotients of floats, of integers without a trap, and of complex values.
#ifndef ONEPASS_STAGE_DIVISION_CUH
#define ONEPASS_STAGE_DIVISION_CUH

#include <cuda/std/limits>  // infinity

#include "../words.cuh"  // bit_copy
#include "math.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The bits of a float, and of them where the exponent stands.
template <class T>
struct float_bits;
template <>
struct float_bits<float> {
  using word = uint32_t;
  static constexpr int fraction = 23, bias = 127;
};
template <>
struct float_bits<double> {
  using word = uint64_t;
  static constexpr int fraction = 52, bias = 1023;
};

// 2^n as T, 0 below the normal numbers; n in [-bias, bias].
template <class T>
ONEPASS_HD T power_of_two(int n) {
  using word = typename float_bits<T>::word;
  return bit_copy<T>(static_cast<word>(n + float_bits<T>::bias) << float_bits<T>::fraction);
}

// The n in [1 - bias, bias] for which 2^n size is near 1: in [1, 4) if size is normal, below 1 if it is less.
template <class T>
ONEPASS_HD int scale_to_one(T size) {
  constexpr int bias = float_bits<T>::bias, most = 2 * bias - 1;
  const int exponent = static_cast<int>(bit_copy<typename float_bits<T>::word>(size) >> float_bits<T>::fraction);
  return bias - (exponent < most ? exponent : most);
}

template <class T>
ONEPASS_HD T complex_quotient(T a, T b);

// a / b, rounded once. Integers: as in C++, but a quotient by 0 is 0, and the least integer over -1 wraps to itself.
template <class A, class B>
ONEPASS_HD auto quotient(A a, B b) {
  using T = common_t<A, B>;
  if constexpr (is_complex<T>) {
    if constexpr (is_complex<B>) return complex_quotient(to_complex<T>(a), to_complex<T>(b));
    else return T(quotient(a.real(), b), quotient(a.imag(), b));
  } else if constexpr (cs::is_integral_v<T>) {
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if (y == T{0}) return T{0};
    if constexpr (cs::is_signed_v<T>) {
      using U = cs::make_unsigned_t<T>;
      if (y == T{-1}) return static_cast<T>(U{0} - static_cast<U>(x));
    }
    return static_cast<T>(x / y);
  } else {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return __fdiv_rn(static_cast<float>(a), static_cast<float>(b));
    else if constexpr (cs::is_same_v<T, double>) return __ddiv_rn(static_cast<double>(a), static_cast<double>(b));
    else return static_cast<T>(a) / static_cast<T>(b);
#else
    return static_cast<T>(static_cast<T>(a) / static_cast<T>(b));
#endif
  }
}

// Complex quotient a conj(b) / |b|^2, a and b first scaled by powers of two to a size near 1: nothing overflows or
// underflows on the way but what is nothing beside the other part, and the error is 1.8 epsilon of the absolute value.
// Of an infinite b only the direction counts, and the quotient is 0; a quotient by 0 is an infinity, or NaN.
template <class T>
ONEPASS_HD T complex_quotient(T a, T b) {
  using V = component_t<T>;
  const V size = greater(magnitude(b.real()), magnitude(b.imag())), infinity = cs::numeric_limits<V>::infinity();
  const bool limit = size == V(0) || size == infinity;
  const auto direction = [&](V x) { return with_sign(magnitude(x) == size ? V(1) : V(0), x); };
  const int up_a = scale_to_one(greater(magnitude(a.real()), magnitude(a.imag()))), up_b = scale_to_one(size);
  const T x = times(a, power_of_two<V>(up_a));
  const T y = limit ? T(direction(b.real()), direction(b.imag())) : times(b, power_of_two<V>(up_b));
  const V square = plus(times(y.real(), y.real()), times(y.imag(), y.imag()));
  const T z = times(x, T(y.real(), -y.imag()));
  const int back = up_b - up_a;
  const V first = !limit ? power_of_two<V>(back / 2) : size == V(0) ? infinity : V(0);
  const V second = limit ? V(1) : power_of_two<V>(back - back / 2);
  const auto part = [&](V p) { return times(times(quotient(p, square), first), second); };
  return T(part(z.real()), part(z.imag()));
}

// a / b for finite a and for b in [2^-126, 2^126], without the branch that a division has for the rest. Rounded once
// where the result is above 2^-100, else within 1 ulp.
template <class T>
ONEPASS_HD T near_quotient(T a, T b) {
#ifdef __CUDA_ARCH__
  if constexpr (cs::is_same_v<T, float>) {
    const float r = fast_reciprocal(b), q = times(a, r);
    return fused(fused(-q, b, a), r, q);
  }
#endif
  return quotient(a, b);
}

}  // namespace detail
}  // namespace onepass

#endif
