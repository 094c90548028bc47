// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the types in which statistics accumulate, and sums of a group in them.
#ifndef ONEPASS_STATISTIC_ACCUMULATOR_CUH
#define ONEPASS_STATISTIC_ACCUMULATOR_CUH

#include "../pack.cuh"
#include "../stage/math.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Sums of integers are 64-bit of the same signedness.
template <class T>
using sum_t = cs::conditional_t<!cs::is_integral_v<T>, T,
                                cs::conditional_t<cs::is_signed_v<T> || cs::is_same_v<T, bool>, int64_t, uint64_t>>;

// What is real alone accumulates in f32 or f64; there is no such type of a complex number, a tuple or a struct.
template <class T>
using real_sum_t = cs::enable_if_t<cs::is_arithmetic_v<T>, real_t<T>>;

// Integers are added and multiplied as unsigned words, whose overflow wraps.
template <class S>
using word_t = cs::conditional_t<cs::is_integral_v<S>, uint64_t, S>;
template <class S>
ONEPASS_HD S add_up(S a, S b) {
  return static_cast<S>(plus(static_cast<word_t<S>>(a), static_cast<word_t<S>>(b)));
}
template <class S, class A, class B>
ONEPASS_HD S multiply_up(A a, B b) {
  if constexpr (cs::is_integral_v<S>) return static_cast<S>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else return times(a, b);
}

// The sum of a group, as a tree; N is a power of two.
template <class S, int N>
ONEPASS_HD S total(pack<S, N> v) {
  ONEPASS_UNROLL
  for (int step = 1; step < N; step *= 2)
    for (int i = 0; i < N; i += 2 * step) v[i] = add_up(v[i], v[i + step]);
  return v[0];
}

// The sum of a[i] * b[i], fused where they are floats.
template <class S, class A, class B, int N>
ONEPASS_HD S total_of_products(const pack<A, N> &a, const pack<B, N> &b) {
  S sum = multiply_up<S>(a[0], b[0]);
  ONEPASS_UNROLL
  for (int i = 1; i < N; ++i) {
    if constexpr (cs::is_integral_v<S>) sum = add_up(sum, multiply_up<S>(a[i], b[i]));
    else sum = fused(a[i], b[i], sum);
  }
  return sum;
}

// The same added to a sum.
template <class S, class A, class B, int N>
ONEPASS_HD S add_products(const S &sum, const pack<A, N> &a, const pack<B, N> &b) {
  if constexpr (N == 1 && !cs::is_integral_v<S>) return fused(a[0], b[0], sum);
  else return add_up(sum, total_of_products<S>(a, b));
}

template <class To, class T, int N>
ONEPASS_HD pack<To, N> as_pack_of(const pack<T, N> &v) {
  pack<To, N> x;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) x[i] = static_cast<To>(v[i]);
  return x;
}

// The lanes of a group that exist, and in the place of each other one what stands for nothing.
template <int N, access A, class T>
ONEPASS_HD pack<T, N> existing(const pack<T, N> &v, const position<N, A> &at, const T &nothing_there = T{}) {
  pack<T, N> x;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) x[i] = at.has(i) ? v[i] : nothing_there;
  return x;
}

}  // namespace detail
}  // namespace onepass

#endif
