// SPDX-License-Identifier: Apache-2.0
// Part of onepass: cross_entropy, the loss of each row of logits against its label, with the row read once.
#ifndef ONEPASS_SINK_CROSS_ENTROPY_CUH
#define ONEPASS_SINK_CROSS_ENTROPY_CUH

#include "../source/vector.cuh"    // labels
#include "../stage/pointwise.cuh"  // a logit meets its label
#include "../statistic/log_sum_exp.cuh"
#include "reduce_rows.cuh"

namespace ONEPASS_LOCAL onepass {

// All of them as they are when none is given.
struct cross_entropy_options {
  int64_t ignore_index = -100;  // rows of this label have loss 0
  double smoothing = 0;         // [0, 1]: the weight of all columns alike, beside that of the label
  double z_loss = 0;            // the factor of lse^2, which is added to the loss
  int64_t columns = cuda::std::numeric_limits<int64_t>::max();  // those that count, where the rest of a row is padding
};

namespace detail {

struct no_cross_entropy_options {
  static constexpr int64_t ignore_index = -100, columns = cs::numeric_limits<int64_t>::max();
  static constexpr double smoothing = 0, z_loss = 0;
};

struct with_label {
  template <class T, class Label>
  ONEPASS_HD constexpr cs::tuple<T, int64_t> operator()(T x, Label label) const {
    static_assert(cs::is_integral_v<Label>, "onepass: the labels of cross_entropy are integers");
    if constexpr (cs::is_integral_v<Label>) return {x, saturate<int64_t>(label)};
    else return {x, 0};
  }
};

// log_sum_exp of the row, the logit at the label, and where all columns count a little, the sum of all.
template <class Options, bool WithLse>
struct cross_entropy_statistic {
  static constexpr bool by_row = true;
  Options options;

  template <class R>
  struct state {
    log_sum_exp_statistic::state<R> powers;
    R at_label, total;
    int32_t label;  // bits: 1, a column has it; 2, it is ignored
  };
  template <class Logit>
  ONEPASS_HD state<real_sum_t<cs::tuple_element_t<0, Logit>>> identity() const {
    return {log_sum_exp_statistic{}.identity<cs::tuple_element_t<0, Logit>>(), 0, 0, 0};
  }
  template <class T>
  ONEPASS_HD state<real_t<T>> lift(const cs::tuple<T, int64_t> &x, const coordinate &at) const {
    const position<1> one{at.row, at.column, at.index, 1, true, true};
    return fold(identity<cs::tuple<T, int64_t>>(), pack<cs::tuple<T, int64_t>, 1>{{x}}, one);
  }
  template <class R>
  ONEPASS_HD state<R> combine(const state<R> &a, const state<R> &b) const {
    return {log_sum_exp_statistic{}.combine(a.powers, b.powers), plus(a.at_label, b.at_label), plus(a.total, b.total),
            a.label | b.label};
  }
  template <class R, class T, int N, access A>
  ONEPASS_HD state<R> fold(const state<R> &s, const pack<cs::tuple<T, int64_t>, N> &v, const position<N, A> &at) const {
    constexpr bool all_count = cs::is_same_v<Options, no_cross_entropy_options>;
    if (all_count || at.column <= options.columns - N) return fold_counted(s, v, at);
    const int64_t left = at.column < options.columns ? options.columns - at.column : 0;
    const auto some = static_cast<int32_t>(left < N ? left : N);
    return fold_counted(s, v, position<N>{at.row, at.column, at.index, some < at.count ? some : at.count, true, true});
  }
  template <class R>
  ONEPASS_HD auto finish(const state<R> &s, int64_t n) const {
    const int64_t columns = n < options.columns ? n : options.columns;
    const R lse = log_sum_exp_statistic{}.finish(s.powers, n), logarithm = log_op{}(s.powers.sum),
            apart = minus(s.powers.base, s.at_label), smoothing = static_cast<R>(options.smoothing);
    R loss = plus(logarithm, apart);  // lse - logit
    if (options.smoothing != 0) {
      const R from_mean = minus(s.powers.base, divide_op{}(s.total, static_cast<R>(columns)));
      loss = plus(logarithm, fused(smoothing, from_mean, times(minus(R(1), smoothing), apart)));
    }
    if (options.z_loss != 0) loss = fused(times(static_cast<R>(options.z_loss), lse), lse, loss);
    if (s.label != 1) loss = s.label == 0 ? cs::numeric_limits<R>::quiet_NaN() : R(0);
    if constexpr (WithLse) return cs::tuple<R, R>{loss, lse};
    else return loss;
  }

 private:
  template <class R, class T, int N, access A>
  ONEPASS_HD state<R> fold_counted(state<R> s, const pack<cs::tuple<T, int64_t>, N> &v,
                                   const position<N, A> &at) const {
    pack<R, N> x;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) x[i] = static_cast<R>(cs::get<0>(v[i]));
    const int64_t label = cs::get<1>(v[0]);
    const auto own = static_cast<uint64_t>(label) - static_cast<uint64_t>(at.column);  // the lane, if it is one
    s.powers = log_sum_exp_statistic{}.fold(s.powers, x, at);
    if (options.smoothing != 0) s.total = plus(s.total, total(existing(x, at)));
    if (label == options.ignore_index) s.label |= 2;
    if (own < static_cast<uint64_t>(N)) {
      const int lane = static_cast<int>(own);
      ONEPASS_UNROLL
      for (int i = 0; i < N; ++i)
        if (i == lane && at.has(i)) {
          s.at_label = x[i];
          s.label |= 1;
        }
    }
    return s;
  }
};

template <class T>
ONEPASS_HD constexpr auto labels_of(const T *p) {
  return per_row(p);
}
template <class T>
ONEPASS_HD constexpr auto labels_of(T *p) {
  return per_row(static_cast<const T *>(p));
}
template <class T, class = cs::enable_if_t<is_part<T>>>
ONEPASS_HD constexpr T labels_of(const T &operand) {
  return operand;
}

}  // namespace detail

// Sinks. The loss of each row, lse - logit[label], into a vector of `rows`, and lse = log_sum_exp of the row into a
// second: all that the gradient (e^(logit - lse) - (column == label)) needs. `labels` is a vector of `rows` integers in
// [0, columns), or an operand. A row of the ignored label has loss 0; one of a label that no column has, and a row of
// nothing, NaN; no label is used as an address. With smoothing e the loss is (1 - e) (lse - logit[label]) + e (lse -
// mean of the logits).
template <class Labels, class... Out>
ONEPASS_HD constexpr auto cross_entropy(Labels labels, cross_entropy_options options, Out *...out) {
  static_assert(
      sizeof...(Out) == 1 || sizeof...(Out) == 2,
      "onepass: cross_entropy writes the loss, or the loss and log_sum_exp: cross_entropy(labels, loss, lse)");
  return fn(detail::with_label{}, detail::labels_of(labels)) |
         reduce_rows(detail::cross_entropy_statistic<cross_entropy_options, sizeof...(Out) == 2>{options}, out...);
}
template <class Labels, class... Out>
ONEPASS_HD constexpr auto cross_entropy(Labels labels, Out *...out) {
  static_assert(
      sizeof...(Out) == 1 || sizeof...(Out) == 2,
      "onepass: cross_entropy writes the loss, or the loss and log_sum_exp: cross_entropy(labels, loss, lse)");
  return fn(detail::with_label{}, detail::labels_of(labels)) |
         reduce_rows(detail::cross_entropy_statistic<detail::no_cross_entropy_options, sizeof...(Out) == 2>{}, out...);
}

}  // namespace onepass

#endif
