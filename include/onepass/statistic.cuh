// SPDX-License-Identifier: Apache-2.0
// Part of onepass: statistics, the commutative monoids that a reduction runs.
//
// A statistic is a trivially copyable struct with
//   identity<T>()       the state of nothing, for values of type T
//   lift(x, at)         the state of one value; `at` is its coordinate
//   combine(a, b)       the state of both, associative and commutative up to rounding
//   finish(state, n)    the result, or a cuda::std::tuple of results, of n values
// and may have fold(state, pack, position), a faster or more accurate way to take in a group.
#ifndef ONEPASS_STATISTIC_CUH
#define ONEPASS_STATISTIC_CUH

#include <cuda/std/limits>
#include <cuda/std/tuple>  // several results

#include "stage/arithmetic.cuh"

namespace onepass {
namespace detail {

// Sums of integers are 64-bit of the same signedness.
template <class T>
using sum_t = cs::conditional_t<!cs::is_integral_v<T>, T,
                                cs::conditional_t<cs::is_signed_v<T> || cs::is_same_v<T, bool>, int64_t, uint64_t>>;

struct sum_statistic {
  template <class T>
  ONEPASS_HD sum_t<T> identity() const {
    return sum_t<T>{};
  }
  template <class T>
  ONEPASS_HD sum_t<T> lift(T x, const coordinate &) const {
    return static_cast<sum_t<T>>(x);
  }
  template <class S>
  ONEPASS_HD S combine(S a, S b) const {
    return plus(a, b);
  }
  template <class S>
  ONEPASS_HD S finish(S state, int64_t) const {
    return state;
  }
};

struct sum_of_squares_statistic : sum_statistic {
  template <class T>
  ONEPASS_HD sum_t<T> lift(T x, const coordinate &) const {
    const auto y = static_cast<sum_t<T>>(x);
    return times(y, y);
  }
};

// The least and the greatest value of T, infinities included.
template <class T>
ONEPASS_HD constexpr T lowest() {
  using limits = cs::numeric_limits<T>;
  static_assert(limits::is_specialized,
                "onepass: a minimum or maximum over a type that has no least or greatest value");
  if constexpr (limits::has_infinity) return -limits::infinity();
  else return limits::lowest();
}
template <class T>
ONEPASS_HD constexpr T highest() {
  using limits = cs::numeric_limits<T>;
  static_assert(limits::is_specialized,
                "onepass: a minimum or maximum over a type that has no least or greatest value");
  if constexpr (limits::has_infinity) return limits::infinity();
  else return limits::max();
}

// minimum and maximum are a statistic, and with an operand an op.
struct minimum_word : op_with_operands<minimum_op> {
  template <class T>
  ONEPASS_HD T identity() const {
    return highest<T>();
  }
  template <class T>
  ONEPASS_HD T lift(T x, const coordinate &) const {
    return x;
  }
  template <class S>
  ONEPASS_HD S combine(S a, S b) const {
    return lesser(a, b);
  }
  template <class S>
  ONEPASS_HD S finish(S state, int64_t) const {
    return state;
  }
};
struct maximum_word : op_with_operands<maximum_op> {
  template <class T>
  ONEPASS_HD T identity() const {
    return lowest<T>();
  }
  template <class T>
  ONEPASS_HD T lift(T x, const coordinate &) const {
    return x;
  }
  template <class S>
  ONEPASS_HD S combine(S a, S b) const {
    return greater(a, b);
  }
  template <class S>
  ONEPASS_HD S finish(S state, int64_t) const {
    return state;
  }
};

// The greatest value and the lowest index that has it; NaN is greater than any number.
struct argmax_statistic {
  static constexpr int64_t none = cs::numeric_limits<int64_t>::max();
  template <class T>
  struct state {
    T value;
    int64_t index;
  };
  template <class T>
  ONEPASS_HD state<T> identity() const {
    return {lowest<T>(), none};
  }
  template <class T>
  ONEPASS_HD state<T> lift(T x, const coordinate &at) const {
    return {x, at.index};
  }
  template <class T>
  ONEPASS_HD state<T> combine(const state<T> &a, const state<T> &b) const {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool tie = a_nan ? b_nan : a.value == b.value;
    const bool second = tie ? b.index < a.index : !a_nan && (b_nan || b.value > a.value);
    return second ? b : a;
  }
  // Indices rise within a thread, so a group matters only if its greatest value beats the state's.
  template <class T, int N, access A>
  ONEPASS_HD state<T> fold(const state<T> &s, const pack<T, N> &v, const position<N, A> &at) const {
    T best = v[0];
    ONEPASS_UNROLL
    for (int i = 1; i < N; ++i)
      if (at.has(i)) best = greater(best, v[i]);
    const bool beats = s.index == none || (s.value == s.value && !(best <= s.value));
    if (!beats) return s;
    state<T> first{};
    ONEPASS_UNROLL
    for (int i = N - 1; i >= 0; --i)
      if (at.has(i) && (v[i] == best || v[i] != v[i])) first = {v[i], at.index + i};
    return first;
  }
  template <class T>
  ONEPASS_HD cs::tuple<T, int64_t> finish(const state<T> &s, int64_t) const {
    return {s.value, s.index == none ? int64_t{-1} : s.index};
  }
};

// Mean and population variance. A mean is kept as a value of the array plus a small shift, so that neither a large
// offset nor its rounding reaches the squares: a group takes the shift from its first value and then the squared
// differences, and groups merge with the formula of Chan, Golub and LeVeque (1979). The variance of equal values is 0.
struct mean_variance_statistic {
  template <class R>
  struct state {
    R origin, shift;   // mean = origin + shift
    R squares, count;  // squares: the sum of squared differences from the mean
  };
  template <class T>
  ONEPASS_HD state<real_t<T>> identity() const {
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
    if (is_finite(mean(both))) return both;
    const R rest = times(a.count, reciprocal(count));  // an infinity, or values further apart than the greatest number
    return {fused(mean(b), weight, times(mean(a), rest)), 0, squares, count};
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
  template <class R>
  ONEPASS_HD cs::tuple<R, R> finish(const state<R> &s, int64_t n) const {
    const R count = static_cast<R>(n);  // 0 / 0: the mean and variance of nothing are NaN
    return {n == 0 ? R(0) / count : mean(s), s.squares / count};
  }

 private:
  template <class R>
  ONEPASS_HD static R mean(const state<R> &s) {
    return plus(s.origin, s.shift);
  }
  template <class R>
  ONEPASS_HD static bool is_finite(R x) {
    return minus(x, x) == R(0);
  }
  template <class R>
  ONEPASS_HD static R reciprocal(R x) {
    if constexpr (cs::is_same_v<R, float>) return fast_reciprocal(x);
    else return R(1) / x;
  }
  template <class R, int N>
  ONEPASS_HD static R total(pack<R, N> v) {
    ONEPASS_UNROLL
    for (int step = 1; step < N; step *= 2)
      for (int i = 0; i < N; i += 2 * step) v[i] = plus(v[i], v[i + step]);
    return v[0];
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
  if constexpr (has_fold<S, State, T, N, A>::value) {
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

// Several statistics side by side; the state is the list of theirs.
template <class... S>
struct several_statistic {
  static constexpr bool device_only = (own_device_only<S>::value || ...);
  list<S...> each;

  template <class T>
  ONEPASS_HD auto identity() const {
    return on_each([](const auto &s) { return s.template identity<T>(); }, each);
  }
  template <class T>
  ONEPASS_HD auto lift(const T &x, const coordinate &at) const {
    return on_each([&](const auto &s) { return s.lift(x, at); }, each);
  }
  template <class State>
  ONEPASS_HD State combine(const State &a, const State &b) const {
    return on_each([](const auto &s, const auto &x, const auto &y) { return s.combine(x, y); }, each, a, b);
  }
  template <class State, class T, int N, access A>
  ONEPASS_HD State fold(const State &state, const pack<T, N> &v, const position<N, A> &at) const {
    return on_each([&](const auto &s, const auto &x) { return detail::fold(s, x, v, at); }, each, state);
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

ONEPASS_OBJECT detail::sum_statistic sum{};  // integers: 64 bits of the same signedness. Of nothing: 0
ONEPASS_OBJECT detail::sum_of_squares_statistic sum_of_squares{};
ONEPASS_OBJECT detail::minimum_word minimum{};     // statistic, of nothing the greatest value (+inf); or minimum(b)
ONEPASS_OBJECT detail::maximum_word maximum{};     // statistic, of nothing the least value (-inf); or maximum(b)
ONEPASS_OBJECT detail::argmax_statistic argmax{};  // two results: value, int64 index; of nothing: least value, -1
ONEPASS_OBJECT detail::mean_variance_statistic
    mean_variance{};  // two results: mean, population variance; NaN of nothing

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
