// SPDX-License-Identifier: Apache-2.0
// Part of onepass: mean, variance, standard_deviation, and mean_variance, both in one pass.
#ifndef ONEPASS_STATISTIC_MOMENTS_CUH
#define ONEPASS_STATISTIC_MOMENTS_CUH

#include <cuda/std/tuple>  // mean and variance

#include "../stage/elementary.cuh"  // the root
#include "sum.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The sum, divided once. The state is no number, so that with_initial does not take it for a mean.
struct mean_statistic {
  template <class S>
  struct state {
    S sum;
  };
  template <class T>
  ONEPASS_HD state<sum_t<T>> identity() const {
    return {sum_t<T>{}};
  }
  template <class T>
  ONEPASS_HD state<sum_t<T>> lift(T x, const coordinate &) const {
    return {static_cast<sum_t<T>>(x)};
  }
  template <class S>
  ONEPASS_HD state<S> combine(const state<S> &a, const state<S> &b) const {
    return {add_up(a.sum, b.sum)};
  }
  template <class S, class T, int N, access A>
  ONEPASS_HD state<S> fold(const state<S> &s, const pack<T, N> &v, const position<N, A> &at) const {
    return {sum_statistic{}.fold(s.sum, v, at)};
  }
  template <class S>
  ONEPASS_HD auto finish(const state<S> &s, int64_t n) const {
    using R = real_t<component_t<S>>;
    if constexpr (cs::is_integral_v<S>) return divide_op{}(static_cast<R>(s.sum), static_cast<R>(n));
    else return divide_op{}(s.sum, static_cast<R>(n));
  }
};

// A mean is kept as a value of the array plus a small shift, so that neither a large offset nor its rounding reaches
// the squares: a group takes the shift from its first value and then the squared differences, and groups merge with
// the formula of Chan, Golub and LeVeque (1979). The variance of equal values is 0.
struct moments {
  template <class R>
  struct state {
    R origin, shift;   // mean = origin + shift
    R squares, count;  // squares: the sum of squared differences from the mean
  };
  template <class T>
  ONEPASS_HD state<real_sum_t<T>> identity() const {
    return {0, 0, 0, 0};
  }
  template <class T>
  ONEPASS_HD state<real_t<T>> lift(T x, const coordinate &) const {
    const auto y = static_cast<real_t<T>>(x);
    return {y, 0, minus(y, y), 1};  // NaN for an infinity, as in a group
  }
  template <class R>
  ONEPASS_HD state<R> combine(const state<R> &a, const state<R> &b) const {
    const R count = plus(a.count, b.count), origin = a.count == R(0) ? b.origin : a.origin;
    const R weight = count == R(0) ? R(0) : times(b.count, reciprocal(count));
    const R delta = plus(minus(b.origin, origin), minus(b.shift, a.shift));
    // In this order 0 times an overflow cannot arise where a or b is empty.
    const R squares = fused(times(delta, times(a.count, weight)), delta, plus(a.squares, b.squares));
    const R shift = fused(delta, weight, a.shift);
    const state<R> both{origin, shift, squares, count};
    if (is_finite(mean_of(both))) return both;
    const R rest = times(a.count, reciprocal(count));  // an infinity, or values further apart than the greatest number
    return {fused(mean_of(b), weight, times(mean_of(a), rest)), 0, squares, count};
  }
  template <class R, class T, int N, access A>
  ONEPASS_HD state<R> fold(const state<R> &s, const pack<T, N> &v, const position<N, A> &at) const {
    const R origin = static_cast<R>(v[0]), count = at.full() ? R(N) : static_cast<R>(at.count);
    pack<R, N> d;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) d[i] = at.has(i) ? minus(static_cast<R>(v[i]), origin) : R(0);
    const R each = at.full() ? R(1) / R(N) : reciprocal(count), shift = times(total(d), each);
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) {
      const R e = at.has(i) ? minus(d[i], shift) : R(0);
      d[i] = times(e, e);
    }
    if (!is_finite(plus(origin, shift))) return combine(s, state<R>{mean_of(v, at, each), 0, total(d), count});
    return combine(s, state<R>{origin, shift, total(d), count});
  }

 protected:
  template <class R>
  ONEPASS_HD static R mean_of(const state<R> &s) {
    return plus(s.origin, s.shift);
  }
  template <class R>
  ONEPASS_HD static R reciprocal(R x) {
    if constexpr (cs::is_same_v<R, float>) return fast_reciprocal(x);
    else return R(1) / x;
  }

 private:
  template <class R>
  ONEPASS_HD static bool is_finite(R x) {
    return minus(x, x) == R(0);
  }
  // Of a group with an infinity, NaN, or values further apart than the greatest number; each = 1 / count.
  template <class T, int N, access A>
  ONEPASS_HD static real_t<T> mean_of(const pack<T, N> &v, const position<N, A> &at, real_t<T> each) {
    real_t<T> mean = times(static_cast<real_t<T>>(v[0]), each);
    for (int i = 1; i < N; ++i)
      if (at.has(i)) mean = fused(static_cast<real_t<T>>(v[i]), each, mean);
    return mean;
  }
};

// What is wanted of the mean and the variance.
struct both_moments {
  template <class R>
  ONEPASS_HD cs::tuple<R, R> operator()(R mean, R variance) const {
    return {mean, variance};
  }
};
struct second_moment {
  template <class R>
  ONEPASS_HD R operator()(R, R variance) const {
    return variance;
  }
};
struct second_root {
  template <class R>
  ONEPASS_HD R operator()(R, R variance) const {
    return sqrt_op{}(variance);
  }
};

template <class Wanted>
struct moments_statistic : moments {
  double correction;

  // The statistic with a denominator of n - correction, or 0 if that is negative.
  template <class T>
  ONEPASS_HD constexpr moments_statistic operator()(T less) const {
    static_assert(is_number<T>, "onepass: the correction of a variance is a number");
    return {{}, static_cast<double>(less)};
  }
  template <class R>
  ONEPASS_HD auto finish(const state<R> &s, int64_t n) const {
    const double left = minus(static_cast<double>(n), correction);
    const R squares = divide_op{}(s.squares, static_cast<R>(left > 0 ? left : 0.0));
    return Wanted{}(n == 0 ? squares : mean_of(s), squares);  // of nothing 0 / 0
  }
};

}  // namespace detail

// f32 of f16, bf16 and f32, f64 of f64 and of integers. Of nothing: NaN. NaN if any value is.
//
// mean: one result, the sum divided by n, so as exact as the sum; of integers the sum is exact. It is infinite where
// the sum is, which that of mean_variance need not be. Of complex numbers too.
ONEPASS_OBJECT detail::mean_statistic mean{};
// One result, of the population; variance(c) divides the sum of squared differences from the mean by n - c, or by 0 if
// that is negative: then it is inf, or NaN where all values are equal. An infinity makes it NaN, and differences beyond
// the root of the greatest number make it inf. The error is below 3e-7 of the variance in f32, whatever the offset.
ONEPASS_OBJECT detail::moments_statistic<detail::second_moment> variance{};
ONEPASS_OBJECT detail::moments_statistic<detail::second_root> standard_deviation{};  // its root, with c too
// Two results, the mean and the variance, with c too.
ONEPASS_OBJECT detail::moments_statistic<detail::both_moments> mean_variance{};

}  // namespace onepass

#endif
