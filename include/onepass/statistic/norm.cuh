// SPDX-License-Identifier: Apache-2.0
// Part of onepass: norm2, the square root of the sum of squares, which neither overflows nor underflows on the way.
#ifndef ONEPASS_STATISTIC_NORM_CUH
#define ONEPASS_STATISTIC_NORM_CUH

#include "../stage/elementary.cuh"  // the root
#include "accumulator.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A group's sum of squares q is as good as exact if it lies in [least, greatest]: no square has overflowed, and what
// underflowed is below its rounding. A group beyond is taken with its values times `down`, one below with its values
// times `up`: then the squares of all numbers are normal, and so are their sums, as long as the norm is a number.
template <class R>
struct norm_range;
template <>
struct norm_range<float> {
  static constexpr float least = 0x1p-100f, greatest = 0x1p80f, up = 0x1p86f, down = 0x1p-66f;
};
template <>
struct norm_range<double> {
  static constexpr double least = 0x1p-900, greatest = 0x1p900, up = 0x1p570, down = 0x1p-514;
};

// Three accumulators, as in J. Blue, A portable Fortran program to find the Euclidean norm of a vector (1978), and
// E. Anderson, Safe scaling in the level 1 BLAS (2017); but a group, not a value, goes into one of them.
struct norm2_statistic {
  static constexpr bool commutative = true;
  template <class R>
  struct state {
    R small, middle, big;  // sums of squares: times up^2, as they are, times down^2
  };
  template <class T>
  ONEPASS_HD state<real_sum_t<T>> identity() const {
    return {0, 0, 0};
  }
  template <class T>
  ONEPASS_HD state<real_t<T>> lift(T x, const coordinate &) const {
    state<real_t<T>> s{0, 0, 0};
    take(s, pack<T, 1>{{x}});
    return s;
  }
  template <class R>
  ONEPASS_HD state<R> combine(const state<R> &a, const state<R> &b) const {
    return {plus(a.small, b.small), plus(a.middle, b.middle), plus(a.big, b.big)};
  }
  template <class R, class T, int N, access A>
  ONEPASS_HD state<R> fold(state<R> s, const pack<T, N> &v, const position<N, A> &at) const {
    take(s, existing(v, at));
    return s;
  }
  template <class R>
  ONEPASS_HD R finish(const state<R> &s, int64_t) const {
    constexpr R up = norm_range<R>::up, down = norm_range<R>::down;
    const sqrt_op root{};
    if (s.big != R(0)) return times(root(fused(times(s.middle, down), down, s.big)), R(1) / down);
    if (s.middle != R(0)) return root(fused(times(s.small, R(1) / up), R(1) / up, s.middle));
    return times(root(s.small), R(1) / up);
  }

 private:
  template <class R, class T, int N>
  ONEPASS_HD static void take(state<R> &s, const pack<T, N> &x) {
    if constexpr (cs::is_integral_v<T>) {  // in f64 they need no scale, and the squares of small ones are exact
      s.middle = plus(s.middle, static_cast<R>(squares<cs::conditional_t<sizeof(T) < 4, sum_t<T>, R>>(x)));
    } else {
      using range = norm_range<R>;
      const R q = squares<R>(x);
      if (q >= range::least && q <= range::greatest) s.middle = plus(s.middle, q);
      else if (q < range::least) s.small = plus(s.small, squares<R>(scaled(x, range::up)));
      else s.big = plus(s.big, squares<R>(scaled(x, range::down)));  // NaN and infinities too
    }
  }
  template <class S, class T, int N>
  ONEPASS_HD static S squares(const pack<T, N> &x) {
    const pack<S, N> y = as_pack_of<S>(x);
    return total_of_products<S>(y, y);
  }
  template <class R, int N>
  ONEPASS_HD static pack<R, N> scaled(pack<R, N> x, R scale) {
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) x[i] = times(x[i], scale);
    return x;
  }
};

}  // namespace detail

// One result: f32 of f16, bf16 and f32, f64 of f64 and of integers. Of nothing: 0. NaN if any value is, else inf if any
// is infinite. The error is below 0.95 ulp in tests of up to 10^6 values over the whole range; the bound is half the
// number of roundings of sum_of_squares, and one.
ONEPASS_OBJECT detail::norm2_statistic norm2{};

}  // namespace onepass

#endif
