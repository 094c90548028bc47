// SPDX-License-Identifier: Apache-2.0
// Part of onepass: softmax and log_softmax of a row: e^x / sum(e^x), and its logarithm.
#ifndef ONEPASS_STAGE_SOFTMAX_CUH
#define ONEPASS_STAGE_SOFTMAX_CUH

#include "elementary.cuh"
#include "row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// What a row's values need: the greatest, or a number near it, and the sum of e^(x - base). A row of numbers and -inf
// that has a number has a finite sum, of 1 or more; all values of any other are NaN, and its inverse is.
template <class R>
struct softmax_row {
  R base, sum, inverse;
  ONEPASS_HD R kept() const { return plus(base, log_op{}(sum)); }
};
template <class R>
ONEPASS_HD softmax_row<R> softmax_row_of(R base, R sum) {
  const R known = minus(sum, sum) == R(0) && sum > R(0) ? sum : cs::numeric_limits<R>::quiet_NaN();
  return {base, sum, divide_op{}(R(1), known)};
}

// The sum of e^(x - most) for the greatest number of the row, as in log_sum_exp.
template <class Math, class R>
struct sum_of_powers : sum_statistic {
  R most;
  template <class T>
  ONEPASS_HD R identity() const {
    return R(0);
  }
  template <class T>
  ONEPASS_HD R lift(T x, const coordinate &) const {
    return power(static_cast<R>(x));
  }
  template <class T, int N, access A>
  ONEPASS_HD R fold(R sum, const pack<T, N> &v, const position<N, A> &at) const {
    pack<R, N> x;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) x[i] = at.has(i) ? power(static_cast<R>(v[i])) : R(0);
    return plus(sum, total(x));
  }
  ONEPASS_HD softmax_row<R> finish(R sum, int64_t) const { return softmax_row_of(most, sum); }

 private:
  ONEPASS_HD R power(R x) const {
    if constexpr (cs::is_same_v<Math, narrow_math>) return fast_exp2(times(minus(x, most), 1.44269504f));
    else return exp_op{}(minus(x, most));
  }
};

// One phase: that of log_sum_exp. Two: the greatest value, then the sum.
template <class Math>
struct softmax_statistic : log_sum_exp_statistic {
  template <class M>
  ONEPASS_HD constexpr softmax_statistic<M> as() const {
    return {};
  }
  template <class T>
  ONEPASS_HD constexpr auto first(const row_size &) const {
    return extremum_word<greatest_value, maximum_op>{};
  }
  template <class T>
  ONEPASS_HD sum_of_powers<Math, real_t<T>> second(T most, const row_size &) const {
    using R = real_t<T>;
    constexpr R end = cs::numeric_limits<R>::max();  // so that no infinity meets another
    return {{}, lesser(greater(static_cast<R>(most), -end), end)};
  }
  template <class R>
  ONEPASS_HD softmax_row<R> finish(const state<R> &s, int64_t) const {
    return softmax_row_of(s.base, s.sum);
  }
};

struct softmax_op {
  template <class T, class R>
  ONEPASS_HD R operator()(T x, const softmax_row<R> &row) const {
    return times(exp_op{}(minus(static_cast<R>(x), row.base)), row.inverse);
  }
  ONEPASS_HD float narrow(float x, const softmax_row<float> &row) const {  // as exp_op::narrow
    const float half = fast_exp2(times(minus(x, row.base), 0.72134752f));
    return times(half, times(half, row.inverse));
  }
};
struct log_softmax_op {
  template <class T, class R>
  ONEPASS_HD R operator()(T x, const softmax_row<R> &row) const {
    const R known = row.inverse == row.inverse ? row.sum : row.inverse;
    return minus(minus(static_cast<R>(x), row.base), log_op{}(known));
  }
};

template <class F>
struct softmax_word : row_stage<softmax_statistic<full_math>, F, kept_results<>> {
  template <class... Out>
  ONEPASS_HD constexpr auto operator()(kept_results<Out...> kept) const {
    return make_row_stage(softmax_statistic<full_math>{}, F{}, kept);
  }
};

}  // namespace detail

// Stages. softmax(keep(lse)) and log_softmax(keep(lse)) also write log_sum_exp of each row. Scale, temperature and
// masks are stages in front: multiply(scale), add(load(mask)), where(load(mask), -INFINITY). A row of -inf alone, or
// with +inf or NaN in it, becomes NaN.
ONEPASS_OBJECT detail::softmax_word<detail::softmax_op> softmax{};
ONEPASS_OBJECT detail::softmax_word<detail::log_softmax_op> log_softmax{};

}  // namespace onepass

#endif
