// SPDX-License-Identifier: Apache-2.0
// Part of onepass: log_sum_exp, the logarithm of the sum of e^x, for any x.
#ifndef ONEPASS_STATISTIC_LOG_SUM_EXP_CUH
#define ONEPASS_STATISTIC_LOG_SUM_EXP_CUH

#include <cuda/std/limits>

#include "../stage/elementary.cuh"  // exp, log
#include "accumulator.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The sum of e^(x - base) for a base near the maximum: it follows when a group exceeds it by more than 1, so that it
// moves rarely, and each time the sum, with its error, shrinks by e or more. The base is a number even where x is not,
// so that no infinity meets another: e^(-inf - base) = 0, and e^(inf - base) = inf.
struct log_sum_exp_statistic {
  template <class R>
  struct state {
    R base, sum;
  };
  template <class T>
  ONEPASS_HD state<real_sum_t<T>> identity() const {
    return {-cs::numeric_limits<real_t<T>>::max(), 0};
  }
  template <class T>
  ONEPASS_HD state<real_t<T>> lift(T x, const coordinate &) const {
    state<real_t<T>> s = identity<T>();
    take(s, pack<real_t<T>, 1>{{static_cast<real_t<T>>(x)}});
    return s;
  }
  template <class R>
  ONEPASS_HD state<R> combine(const state<R> &a, const state<R> &b) const {
    const bool second = b.base > a.base;
    const R high = second ? b.base : a.base, low = second ? a.base : b.base;
    return {high, fused(second ? a.sum : b.sum, power(minus(low, high)), second ? b.sum : a.sum)};
  }
  template <class R, class T, int N, access A>
  ONEPASS_HD state<R> fold(state<R> s, const pack<T, N> &v, const position<N, A> &at) const {
    take(s, existing(as_pack_of<R>(v), at, -cs::numeric_limits<R>::infinity()));
    return s;
  }
  template <class R>
  ONEPASS_HD R finish(const state<R> &s, int64_t) const {
    return plus(s.base, log_op{}(s.sum));
  }

 private:
  template <class R, int N>
  ONEPASS_HD static void take(state<R> &s, pack<R, N> x) {
    pack<R, N> high = x;
    ONEPASS_UNROLL
    for (int step = 1; step < N; step *= 2)
      for (int i = 0; i < N; i += 2 * step) high[i] = greater(high[i], high[i + step]);
    const R most = high[0];
    if (most > plus(s.base, R(1))) {  // never with a NaN, which reaches the sum
      const R base = lesser(most, cs::numeric_limits<R>::max());
      s = {base, times(s.sum, power(minus(s.base, base)))};
    }
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) x[i] = power(minus(x[i], s.base));
    s.sum = plus(s.sum, total(x));
  }
  // e^x; in f32 of 2 ulp and a rounding of the exponent, and below 2^-126 it may be 0.
  ONEPASS_HD static float power(float x) { return fast_exp2(times(x, 1.44269504f)); }
  ONEPASS_HD static double power(double x) { return ::exp(x); }
};

}  // namespace detail

// One result: f32 of f16, bf16 and f32, f64 of f64 and of integers. Of nothing, and of -inf alone: -inf. NaN if any
// value is, else +inf if any is. The error in f32 is below 1e-6, and half an ulp of the result; in f64 below 1e-15,
// likewise.
ONEPASS_OBJECT detail::log_sum_exp_statistic log_sum_exp{};

}  // namespace onepass

#endif
