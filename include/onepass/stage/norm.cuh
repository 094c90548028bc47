// SPDX-License-Identifier: Apache-2.0
// Part of onepass: norms of a row: layer_norm (Ba, Kiros and Hinton 2016), rms_norm (Zhang and Sennrich 2019) and
// l2_normalize.
#ifndef ONEPASS_STAGE_NORM_CUH
#define ONEPASS_STAGE_NORM_CUH

#include "../source/vector.cuh"
#include "row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// 1 / sqrt(mean + eps) of squares; NaN where the squares have overflowed, not a silent 0.
template <class R>
ONEPASS_HD R inverse_root(R mean, R eps) {
  return rsqrt_op{}(plus(plus(mean, minus(mean, mean)), eps));
}

// (x - base) rstd + offset: the mean is base + shift, where base alone may not be exact enough.
template <class R>
struct layer_norm_row {
  R base, shift, rstd, offset;
  bool constant;  // no value differs from another, as far as squares tell
  ONEPASS_HD cs::tuple<R, R> kept() const { return {plus(base, shift), rstd}; }
};

// The mean, summed as x / n so that it overflows only where it is no number.
template <class R>
struct row_mean : sum_statistic {
  R inverse;
  template <class T>
  ONEPASS_HD R identity() const {
    return R(0);
  }
  template <class T>
  ONEPASS_HD R lift(T x, const coordinate &) const {
    return times(static_cast<R>(x), inverse);
  }
  template <class T, int N, access A>
  ONEPASS_HD R fold(R sum, const pack<T, N> &v, const position<N, A> &at) const {
    if constexpr (N == 1) return at.has(0) ? fused(static_cast<R>(v[0]), inverse, sum) : sum;
    R own[2] = {sum, R(0)};
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) own[i % 2] = at.has(i) ? fused(static_cast<R>(v[i]), inverse, own[i % 2]) : own[i % 2];
    return plus(own[0], own[1]);
  }
};

// The sums of the differences from a rounded mean and of their squares: the first corrects the mean and the second, as
// in Chan, Golub and LeVeque (1983). All values of a constant row become 0.
template <class R>
struct centred {
  R mean, inverse;
  struct sums {
    R first, second;
  };
  static constexpr bool commutative = true;
  template <class T>
  ONEPASS_HD sums identity() const {
    return {0, 0};
  }
  template <class T>
  ONEPASS_HD R map(T x) const {
    return minus(static_cast<R>(x), mean);
  }
  ONEPASS_HD sums lift(R d, const coordinate &) const { return {d, times(d, d)}; }
  ONEPASS_HD sums combine(const sums &a, const sums &b) const {
    return {plus(a.first, b.first), plus(a.second, b.second)};
  }
  template <int N, access A>
  ONEPASS_HD sums fold(sums s, const pack<R, N> &mapped, const position<N, A> &at) const {
    const pack<R, N> d = existing(mapped, at);
    if constexpr (N == 1) return {plus(s.first, d[0]), fused(d[0], d[0], s.second)};
    sums own[2] = {s, {0, 0}};
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) own[i % 2] = {plus(own[i % 2].first, d[i]), fused(d[i], d[i], own[i % 2].second)};
    return combine(own[0], own[1]);
  }
  // About the mean of the part. Where d is the rounding of a mean alone, none of it is left.
  ONEPASS_HD layer_norm_row<R> of_part(const layer_norm_row<R> &row) const {
    if (row.constant) return {row.base, row.shift, 0, times(R(0), row.rstd), true};
    return {row.base, row.shift, row.rstd, fused(minus(mean, row.base), row.rstd, row.offset), false};
  }
  ONEPASS_HD moments::state<R> whole(const sums &s, const row_size &size) const {
    return size.n == 0 ? moments::state<R>{0, 0, 0, 0} : whole_of(s, static_cast<R>(size.n));
  }
  ONEPASS_HD moments::state<R> whole_of(const sums &s, R count) const {
    const R shift = times(s.first, inverse), spread = fused(-shift, s.first, s.second);
    // The differences are all the same, but for the rounding of their sums: the mean has missed the one value.
    if (s.second > R(0) && spread < times(s.second, R(sizeof(R) == 4 ? 0x1p-20 : 0x1p-46)))
      return {plus(mean, shift), 0, 0, count};
    return {mean, shift, spread, count};
  }
};

struct layer_norm_statistic : moments {
  static constexpr bool joins = true;
  double eps;
  template <class T>
  ONEPASS_HD constexpr row_mean<real_t<T>> first(const row_size &size) const {
    return {{}, inverse_of<real_t<T>>(size)};
  }
  template <class R>
  ONEPASS_HD constexpr centred<R> second(R mean, const row_size &size) const {
    return {mean, inverse_of<R>(size)};
  }
  // About the mean of the parts' means, which need not be exact. No product of a mean and its weight overflows.
  template <class R, class Over>
  ONEPASS_HD state<R> across(const state<R> &part, const Over &over) const {
    using sums = typename centred<R>::sums;
    const R weight = times(part.count, R(0x1p-31));
    const sums means = over(centred<R>{}, sums{times(part.origin, weight), weight});
    const R inverse = reciprocal(means.second);
    const centred<R> about{times(means.first, inverse), times(inverse, R(0x1p-31))};
    const R d = part.count > R(0) ? plus(minus(part.origin, about.mean), part.shift) : R(0), nd = times(part.count, d);
    const sums all = over(about, sums{nd, fused(nd, d, part.squares)});
    return means.second == R(0) ? part : about.whole_of(all, times(means.second, R(0x1p31)));
  }
  template <class R>
  ONEPASS_HD layer_norm_row<R> finish(const state<R> &s, const row_size &size) const {
    const R inverse = inverse_of<R>(size), shift = plus(s.shift, times(R(0), inverse));  // of nothing NaN
    const R rstd = inverse_root(times(s.squares, inverse), static_cast<R>(eps));
    return {s.origin, shift, rstd, times(-shift, rstd), s.squares == R(0)};
  }
};

struct layer_norm_op {
  template <class T, class R, class... Weights>
  ONEPASS_HD auto operator()(T x, const layer_norm_row<R> &row, Weights... weights) const {
    return mapped<full_math>(minus(static_cast<R>(x), row.base), row, weights...);
  }
  // Of differences from a mean.
  template <class Math, class R>
  ONEPASS_HD R mapped(R d, const layer_norm_row<R> &row) const {
    return fused(d, row.rstd, row.offset);
  }
  template <class Math, class R, class Gamma>
  ONEPASS_HD auto mapped(R d, const layer_norm_row<R> &row, Gamma gamma) const {
    return times(fused(d, row.rstd, row.offset), gamma);
  }
  template <class Math, class R, class Gamma, class Beta>
  ONEPASS_HD auto mapped(R d, const layer_norm_row<R> &row, Gamma gamma, Beta beta) const {
    return fused(fused(d, row.rstd, row.offset), gamma, beta);
  }
};

// One factor for all values of a row.
template <class R>
struct row_scale {
  R scale, kept_value;
  ONEPASS_HD R kept() const { return kept_value; }
};
struct row_scale_op {
  template <class T, class R>
  ONEPASS_HD R operator()(T x, const row_scale<R> &row) const {
    return times(static_cast<R>(x), row.scale);
  }
  template <class T, class R, class Gamma>
  ONEPASS_HD auto operator()(T x, const row_scale<R> &row, Gamma gamma) const {
    return times((*this)(x, row), gamma);
  }
};

// The squares of integers are summed in f64: 64-bit sums could wrap.
struct rms_norm_statistic : sum_of_squares_statistic {
  double eps;
  template <class T>
  ONEPASS_HD real_sum_t<T> identity() const {
    return 0;
  }
  template <class T>
  ONEPASS_HD real_t<T> lift(T x, const coordinate &at) const {
    return sum_of_squares_statistic::lift(static_cast<real_t<T>>(x), at);
  }
  template <class R, class T, int N, access A>
  ONEPASS_HD R fold(R sum, const pack<T, N> &v, const position<N, A> &at) const {
    return sum_of_squares_statistic::fold(sum, as_pack_of<R>(v), at);
  }
  template <class R>
  ONEPASS_HD row_scale<R> finish(R sum, const row_size &size) const {
    const R rstd = inverse_root(times(sum, inverse_of<R>(size)), static_cast<R>(eps));
    return {rstd, rstd};
  }
};

struct l2_statistic : norm2_statistic {
  double eps;
  template <class R>
  ONEPASS_HD row_scale<R> finish(const state<R> &s, int64_t n) const {
    const R norm = norm2_statistic::finish(s, n), known = plus(norm, minus(norm, norm));  // no silent 0 where it is inf
    return {divide_op{}(R(1), greater(known, static_cast<R>(eps))), norm};
  }
};

// gamma or beta: a vector of `columns`, any operand, or nullptr for none.
template <class T>
ONEPASS_HD constexpr auto weight(const T *p) {
  return per_column(p);
}
template <class T>
ONEPASS_HD constexpr auto weight(T *p) {
  return per_column(static_cast<const T *>(p));
}
template <class T, class = cs::enable_if_t<!cs::is_pointer_v<T>>>
ONEPASS_HD constexpr auto weight(T operand) {
  return as_operand(operand);
}
template <class T>
inline constexpr bool is_weight = !cs::is_arithmetic_v<T> && !is_keep<T>;

// Whether a norm is called with at most `Weights` of these, eps, and at most one keep.
template <int Weights>
ONEPASS_HD constexpr bool is_norm_call(list<> *) {
  return false;
}
template <int Weights, class Head, class... Tail>
ONEPASS_HD constexpr bool is_norm_call(list<Head, Tail...> *) {
  constexpr list<Tail...> *tail = nullptr;
  if constexpr (cs::is_arithmetic_v<Head>)
    return sizeof...(Tail) == 0 || (sizeof...(Tail) == 1 && (is_keep<Tail> && ...));
  else if constexpr (is_weight<Head> && Weights > 0) return is_norm_call<Weights - 1>(tail);
  else return false;
}
template <int Weights, class... T>
using if_no_norm_call = cs::enable_if_t<!is_norm_call<Weights>(static_cast<list<T...> *>(nullptr))>;

struct layer_norm_word {
  template <class... Out>
  ONEPASS_HD constexpr auto operator()(double eps, kept_results<Out...> kept = {}) const {
    return make_row_stage(layer_norm_statistic{{}, eps}, layer_norm_op{}, kept);
  }
  template <class Gamma, class... Out, class = cs::enable_if_t<is_weight<Gamma>>>
  ONEPASS_HD constexpr auto operator()(Gamma gamma, double eps, kept_results<Out...> kept = {}) const {
    if constexpr (cs::is_null_pointer_v<Gamma>) return (*this)(eps, kept);
    else return make_row_stage(layer_norm_statistic{{}, eps}, layer_norm_op{}, kept, weight(gamma));
  }
  template <class Gamma, class Beta, class... Out, class = cs::enable_if_t<is_weight<Gamma> && is_weight<Beta>>>
  ONEPASS_HD constexpr auto operator()(Gamma gamma, Beta beta, double eps, kept_results<Out...> kept = {}) const {
    if constexpr (cs::is_null_pointer_v<Beta>) return (*this)(gamma, eps, kept);
    else if constexpr (cs::is_null_pointer_v<Gamma>)
      return make_row_stage(layer_norm_statistic{{}, eps}, layer_norm_op{}, kept, number<int>{1}, weight(beta));
    else return make_row_stage(layer_norm_statistic{{}, eps}, layer_norm_op{}, kept, weight(gamma), weight(beta));
  }
  template <class... T, class = if_no_norm_call<2, T...>>
  ONEPASS_HD constexpr auto operator()(const T &...) const {
    static_assert(is_norm_call<2>(static_cast<list<T...> *>(nullptr)),
                  "onepass: layer_norm takes gamma and beta or none, eps, and at most one keep: layer_norm(gamma, "
                  "beta, 1e-5, keep(mean, rstd))");
    return (*this)(1.0);
  }
};

struct rms_norm_word {
  template <class... Out>
  ONEPASS_HD constexpr auto operator()(double eps, kept_results<Out...> kept = {}) const {
    return make_row_stage(rms_norm_statistic{{}, eps}, row_scale_op{}, kept);
  }
  template <class Gamma, class... Out, class = cs::enable_if_t<is_weight<Gamma>>>
  ONEPASS_HD constexpr auto operator()(Gamma gamma, double eps, kept_results<Out...> kept = {}) const {
    if constexpr (cs::is_null_pointer_v<Gamma>) return (*this)(eps, kept);
    else return make_row_stage(rms_norm_statistic{{}, eps}, row_scale_op{}, kept, weight(gamma));
  }
  template <class... T, class = if_no_norm_call<1, T...>>
  ONEPASS_HD constexpr auto operator()(const T &...) const {
    static_assert(
        is_norm_call<1>(static_cast<list<T...> *>(nullptr)),
        "onepass: rms_norm takes gamma or none, eps, and at most one keep: rms_norm(gamma, 1e-5, keep(rstd))");
    return (*this)(1.0);
  }
};

// A norm that is not called.
template <class T>
inline constexpr bool wants_eps = cs::is_same_v<T, layer_norm_word> || cs::is_same_v<T, rms_norm_word>;
template <class Part, class Word, class = cs::enable_if_t<is_part<Part> && wants_eps<Word>>>
ONEPASS_HD constexpr Part operator|(const Part &part, const Word &) {
  static_assert(!wants_eps<Word>, "onepass: a norm is called with its eps: layer_norm(1e-5), rms_norm(gamma, 1e-5)");
  return part;
}
template <class Word, class Part, class = cs::enable_if_t<is_part<Part> && wants_eps<Word>>, class = void>
ONEPASS_HD constexpr Part operator|(const Word &word, const Part &part) {
  return part | word;
}

struct l2_normalize_word : row_stage<l2_statistic, row_scale_op, kept_results<>> {
  ONEPASS_HD constexpr l2_normalize_word()
      : row_stage<l2_statistic, row_scale_op, kept_results<>>{{{}, 1e-12}, {}, {}} {}
  template <class... Out>
  ONEPASS_HD constexpr auto operator()(double eps, kept_results<Out...> kept = {}) const {
    return make_row_stage(l2_statistic{{}, eps}, row_scale_op{}, kept);
  }
};

}  // namespace detail

// Stages. gamma and beta are pointers to vectors of `columns` of any type, operands (per_column(gamma) | add(1) for
// weights that are kept as their distance from 1), or nullptr for none; eps >= 0 is not rounded to a storage type.
// Values are f32 (f64 of f64 and integers). Squares of more than the greatest number make a row NaN.
//
// layer_norm([gamma, [beta,]] eps[, keep(mean, rstd)]): (x - mean) rstd gamma + beta, rstd = 1 / sqrt(variance + eps).
ONEPASS_OBJECT detail::layer_norm_word layer_norm{};
// rms_norm([gamma,] eps[, keep(rstd)]): x rstd gamma, rstd = 1 / sqrt(mean of squares + eps).
ONEPASS_OBJECT detail::rms_norm_word rms_norm{};
// l2_normalize, l2_normalize(eps[, keep(norm)]): x / max(norm2, eps), eps = 1e-12 where none is given. The norm neither
// overflows nor underflows on the way; where it is infinite the row is NaN.
ONEPASS_OBJECT detail::l2_normalize_word l2_normalize{};

}  // namespace onepass

#endif
