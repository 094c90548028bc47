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

// e^(x - most) for the greatest number of the row, as in log_sum_exp, and the sum of them.
template <class R>
struct powers_of_row : sum_statistic {
  R most;
  ONEPASS_HD explicit constexpr powers_of_row(R greatest) : most(greatest) {}
  template <class T>
  ONEPASS_HD R map(T x) const {
    return exp_op{}(minus(static_cast<R>(x), most));
  }
  template <int N, access A>
  ONEPASS_HD R fold(R sum, const pack<R, N> &mapped, const position<N, A> &at) const {
    return plus(sum, total(existing(mapped, at)));
  }
  ONEPASS_HD log_sum_exp_statistic::state<R> whole(R sum, int64_t) const { return {most, sum}; }
  ONEPASS_HD softmax_row<R> of_part(const softmax_row<R> &row) const {
    return {row.base, row.sum, times(row.inverse, exp_op{}(minus(most, row.base)))};
  }
};

// In narrow math the roots of e^(x - most) are held, as in exp_op::narrow: 2^(x scale + offset). The offset is rounded,
// so all of them are too large by the one factor that the root of e^0 has, and of that neither the sum nor a value is
// left. Beyond 2^31 any other number than the greatest is so far from it that its power is 0: there the scale falls,
// lest that factor overflow.
struct roots_of_row : sum_statistic {
  float most, scale, offset;
  ONEPASS_HD explicit roots_of_row(float greatest)
      : most(greatest),
        scale(::fabsf(most) <= 0x1p31f ? 0.72134752f : fast_divide(0.72134752f * 0x1p31f, ::fabsf(most))),
        offset(times(-most, scale)) {}
  template <class T>
  ONEPASS_HD float map(T x) const {
    return fast_exp2(fused(static_cast<float>(x), scale, offset));
  }
  template <int N, access A>
  ONEPASS_HD float fold(float sum, const pack<float, N> &mapped, const position<N, A> &at) const {
    const pack<float, N> x = existing(mapped, at);
    return add_products(sum, x, x);
  }
  ONEPASS_HD log_sum_exp_statistic::state<float> whole(float sum, int64_t) const {
    return {most, times(sum, excess())};
  }
  ONEPASS_HD softmax_row<float> of_part(const softmax_row<float> &row) const {
    return {row.base, row.sum, times(row.inverse, times(excess(), exp_op{}(minus(most, row.base))))};
  }

 private:
  // 1 over the square of that factor.
  ONEPASS_HD float excess() const { return fast_exp2(times(-2.0f, fused(most, scale, offset))); }
};
template <class Math, class R>
using powers_in =
    cs::conditional_t<cs::is_same_v<Math, narrow_math> && cs::is_same_v<R, float>, roots_of_row, powers_of_row<R>>;

// One phase: that of log_sum_exp. Two: the greatest value, then the sum.
template <class Math>
struct softmax_statistic : log_sum_exp_statistic {
  static constexpr bool joins = true;
  template <class M>
  ONEPASS_HD constexpr softmax_statistic<M> as() const {
    return {};
  }
  template <class T>
  ONEPASS_HD constexpr auto first(const row_size &) const {
    return extremum_word<greatest_value, maximum_op>{};
  }
  template <class T>
  ONEPASS_HD powers_in<Math, real_t<T>> second(T most, const row_size &) const {
    using R = real_t<T>;
    constexpr R end = cs::numeric_limits<R>::max();  // so that no infinity meets another
    return powers_in<Math, R>(lesser(greater(static_cast<R>(most), -end), end));
  }
  template <class R, class Over>
  ONEPASS_HD state<R> across(const state<R> &part, const Over &over) const {
    const R most = over(extremum_word<greatest_value, maximum_op>{}, part.base);
    return {most, over(sum_statistic{}, times(part.sum, exp_op{}(minus(part.base, most))))};
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
  ONEPASS_HD float narrow(float x, const softmax_row<float> &row) const {
    return mapped<narrow_math>(fast_exp2(times(minus(x, row.base), 0.72134752f)), row);
  }
  // Of what the statistic's second phase made of x.
  template <class Math, class R>
  ONEPASS_HD R mapped(R power, const softmax_row<R> &row) const {
    if constexpr (cs::is_same_v<Math, narrow_math> && cs::is_same_v<R, float>)
      return times(power, times(power, row.inverse));
    else return times(power, row.inverse);
  }
};
// The logarithm is of x itself.
template <class Math, class R>
struct sum_of_powers : sum_statistic {
  powers_in<Math, R> powers;
  template <class T>
  ONEPASS_HD R identity() const {  // of integers too
    return R(0);
  }
  template <class T, int N, access A>
  ONEPASS_HD R fold(R sum, const pack<T, N> &v, const position<N, A> &at) const {
    pack<R, N> x;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) x[i] = powers.map(v[i]);
    return powers.fold(sum, x, at);
  }
  ONEPASS_HD log_sum_exp_statistic::state<R> whole(R sum, int64_t n) const { return powers.whole(sum, n); }
};
template <class Math>
struct log_softmax_statistic : softmax_statistic<Math> {
  template <class M>
  ONEPASS_HD constexpr log_softmax_statistic<M> as() const {
    return {};
  }
  template <class T>
  ONEPASS_HD sum_of_powers<Math, real_t<T>> second(T most, const row_size &size) const {
    return {{}, softmax_statistic<Math>::second(most, size)};
  }
};
struct log_softmax_op {
  template <class T, class R>
  ONEPASS_HD R operator()(T x, const softmax_row<R> &row) const {
    const R known = row.inverse == row.inverse ? row.sum : row.inverse;
    return minus(minus(static_cast<R>(x), row.base), log_op{}(known));
  }
};

template <class S, class F>
struct softmax_word : row_stage<S, F, kept_results<>> {
  template <class... Kept>
  ONEPASS_HD constexpr auto operator()(Kept... kept) const {
    constexpr bool one_keep = sizeof...(Kept) == 1 && (is_keep<Kept> && ...);
    static_assert(one_keep, "onepass: softmax and log_softmax take nothing but one keep: softmax(keep(lse))");
    if constexpr (one_keep) return make_row_stage(S{}, F{}, kept...);
    else return make_row_stage(S{}, F{}, kept_results<>{});
  }
};

}  // namespace detail

// Stages. softmax(keep(lse)) and log_softmax(keep(lse)) also write log_sum_exp of each row. Scale, temperature and
// masks are stages in front: multiply(scale), add(load(mask)), where(load(mask), -INFINITY). A row of -inf alone, or
// with +inf or NaN in it, becomes NaN.
ONEPASS_OBJECT detail::softmax_word<detail::softmax_statistic<detail::full_math>, detail::softmax_op> softmax{};
ONEPASS_OBJECT detail::softmax_word<detail::log_softmax_statistic<detail::full_math>, detail::log_softmax_op>
    log_softmax{};

}  // namespace onepass

#endif
