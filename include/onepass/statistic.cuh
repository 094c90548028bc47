// SPDX-License-Identifier: Apache-2.0
// Part of onepass: statistics, the commutative monoids that a reduction runs.
//
// A statistic is a trivially copyable struct with
//   identity<T>()       the state of nothing, for values of type T
//   lift(x, at)         the state of one value; `at` is its coordinate: its index, and with `static constexpr bool
//                       by_row = true` its row and column (else the array is seen as one row)
//   combine(a, b)       the state of both, associative and commutative up to rounding
//   finish(state, n)    the result, or a cuda::std::tuple of results, of n values
// and may have fold(state, pack, position), a faster or more accurate way to take in a group, and `static constexpr
// bool commutative = true` where combine(a, b) and combine(b, a) are the same bits, which saves instructions.
#ifndef ONEPASS_STATISTIC_CUH
#define ONEPASS_STATISTIC_CUH

#include <cuda/std/tuple>  // several results

#include "statistic/count.cuh"
#include "statistic/extremum.cuh"
#include "statistic/log_sum_exp.cuh"
#include "statistic/moments.cuh"
#include "statistic/norm.cuh"
#include "statistic/sum.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class S, class State, class T, int N, access A, class = void>
struct has_fold : cs::false_type {};
template <class S, class State, class T, int N, access A>
struct has_fold<S, State, T, N, A,
                cs::void_t<decltype(cs::declval<const S &>().fold(cs::declval<State>(), cs::declval<pack<T, N>>(),
                                                                  cs::declval<position<N, A>>()))>> : cs::true_type {};

// A group into a state: by the statistic's own fold, or lane by lane in a tree. The order depends on N alone.
ONEPASS_NO_EXEC_CHECK
template <class S, class State, class T, int N, access A>
ONEPASS_HD State fold(const S &statistic, const State &state, const pack<T, N> &v, const position<N, A> &at) {
  if constexpr (A == access::image)
    if (!at.cut) {
      const State folded = fold(statistic, state, v, at.whole());
      return at.count > 0 ? folded : state;
    }
  if constexpr (is_all_or_none<A>) {
    const State folded = fold(statistic, state, v, at.whole());
    return at.full() ? folded : state;
  } else if constexpr (has_fold<S, State, T, N, A>::value) {
    if constexpr ((is_row<A> && A != access::image) || A == access::held_row) {
      if (at.full()) return statistic.fold(state, v, at.whole());  // all but the last of a row
      if (at.count == 0) return state;
    }
    return statistic.fold(state, v, at);
  } else {
    pack<State, N> s;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) s[i] = at.has(i) ? statistic.lift(v[i], at.lane(i)) : statistic.template identity<T>();
    ONEPASS_UNROLL
    for (int step = 1; step < N; step *= 2)
      for (int i = 0; i < N; i += 2 * step) s[i] = statistic.combine(s[i], s[i + step]);
    return statistic.combine(state, s[0]);
  }
}

template <class T>
ONEPASS_HD cs::tuple<T> as_tuple(const T &x) {
  return {x};
}
template <class... T>
ONEPASS_HD cs::tuple<T...> as_tuple(const cs::tuple<T...> &x) {
  return x;
}

// What several statistics do, each of them. (No generic lambdas: NVRTC takes theirs for host functions.)
template <class T>
struct identity_of_each {
  ONEPASS_NO_EXEC_CHECK
  template <class S>
  ONEPASS_HD auto operator()(const S &s) const {
    return s.template identity<T>();
  }
};
template <class T>
struct lift_of_each {
  const T &x;
  const coordinate &at;
  ONEPASS_NO_EXEC_CHECK
  template <class S>
  ONEPASS_HD auto operator()(const S &s) const {
    return s.lift(x, at);
  }
};
struct combine_of_each {
  ONEPASS_NO_EXEC_CHECK
  template <class S, class State>
  ONEPASS_HD State operator()(const S &s, const State &a, const State &b) const {
    return s.combine(a, b);
  }
};
template <class T, int N, access A>
struct fold_of_each {
  const pack<T, N> &v;
  const position<N, A> &at;
  template <class S, class State>
  ONEPASS_HD State operator()(const S &s, const State &state) const {
    return detail::fold(s, state, v, at);
  }
};

// Several statistics side by side; the state is the list of theirs.
template <class... S>
struct several_statistic {
  static constexpr bool device_only = (own_device_only<S>::value || ...), by_row = (own_by_row<S>::value || ...),
                        commutative = (own_commutative<S>::value && ...);
  list<S...> each;

  template <class T>
  ONEPASS_HD auto identity() const {
    return on_each(identity_of_each<T>{}, each);
  }
  template <class T>
  ONEPASS_HD auto lift(const T &x, const coordinate &at) const {
    return on_each(lift_of_each<T>{x, at}, each);
  }
  template <class State>
  ONEPASS_HD State combine(const State &a, const State &b) const {
    return on_each(combine_of_each{}, each, a, b);
  }
  template <class State, class T, int N, access A>
  ONEPASS_HD State fold(const State &state, const pack<T, N> &v, const position<N, A> &at) const {
    return on_each(fold_of_each<T, N, A>{v, at}, each, state);
  }
  template <class State>
  ONEPASS_HD auto finish(const State &state, int64_t n) const {
    return finish_each(each, state, n);
  }

 private:
  template <class F, class... L>
  ONEPASS_HD static list<> on_each(const F &, const list<> &, const L &...) {
    return {};
  }
  template <class F, class Head, class... Tail, class... L>
  ONEPASS_HD static auto on_each(const F &f, const list<Head, Tail...> &a, const L &...others) {
    return prepend(f(a.head, others.head...), on_each(f, a.tail, others.tail...));
  }
  ONEPASS_HD static cs::tuple<> finish_each(const list<> &, const list<> &, int64_t) { return {}; }
  ONEPASS_NO_EXEC_CHECK
  template <class Head, class... Tail, class State>
  ONEPASS_HD static auto finish_each(const list<Head, Tail...> &a, const State &state, int64_t n) {
    return cs::tuple_cat(as_tuple(a.head.finish(state.head, n)), finish_each(a.tail, state.tail, n));
  }
};

template <class S, class Initial>
struct initial_statistic : S {
  Initial initial;
  template <class State>
  ONEPASS_HD auto finish(const State &state, int64_t n) const {
    static_assert(cs::is_convertible_v<Initial, State>,
                  "onepass: this statistic has no initial value: its state is more than a number");
    static_assert(
        !cs::is_integral_v<State> || !cs::is_floating_point_v<Initial>,
        "onepass: a fractional initial value would be cut to an integer: put cast<float>() before the reduce");
    return S::finish(S::combine(static_cast<State>(initial), state), n);
  }
};

}  // namespace detail

// Several statistics of the same values in one pass; their results follow each other.
template <class... S>
ONEPASS_HD constexpr detail::several_statistic<S...> several(S... statistics) {
  return {detail::make_list(statistics...)};
}

// The statistic continued from an earlier result: with_initial(sum, 5) of nothing is 5. The initial value is combined
// once, whatever the number of partial results.
template <class S, class T>
ONEPASS_HD constexpr detail::initial_statistic<S, T> with_initial(S statistic, T initial) {
  return {statistic, initial};
}

}  // namespace onepass

#endif
