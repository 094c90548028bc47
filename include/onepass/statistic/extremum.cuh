// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the least and the greatest value, alone (minimum, maximum) or with its place (argmin, argmax).
//
// Values are compared in their own type, before any conversion. NaN beats every number, in either order; of equal
// values the one of the lowest index is taken, and the zeros are equal there.
#ifndef ONEPASS_STATISTIC_EXTREMUM_CUH
#define ONEPASS_STATISTIC_EXTREMUM_CUH

#include <cuda/std/limits>
#include <cuda/std/tuple>  // value and index

#include "../stage/arithmetic.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

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

// What is sought: the value that any other beats, the better of two, and whether a is no better than b.
struct least_value {
  template <class T>
  ONEPASS_HD static constexpr T worst() {
    return highest<T>();
  }
  template <class T>
  ONEPASS_HD static T better(T a, T b) {
    return lesser(a, b);
  }
  template <class T>
  ONEPASS_HD static bool is_no_better(T a, T b) {  // false if one is NaN
    return a >= b;
  }
};
struct greatest_value {
  template <class T>
  ONEPASS_HD static constexpr T worst() {
    return lowest<T>();
  }
  template <class T>
  ONEPASS_HD static T better(T a, T b) {
    return greater(a, b);
  }
  template <class T>
  ONEPASS_HD static bool is_no_better(T a, T b) {
    return a <= b;
  }
};

// As a statistic, and with an operand as an op.
template <class Sought, class Op>
struct extremum_word : op_with_operands<Op> {
  static constexpr bool commutative = true;
  template <class T>
  ONEPASS_HD T identity() const {
    return Sought::template worst<T>();
  }
  template <class T>
  ONEPASS_HD T lift(T x, const coordinate &) const {
    return x;
  }
  template <class S>
  ONEPASS_HD S combine(S a, S b) const {
    return Sought::better(a, b);
  }
  template <class S>
  ONEPASS_HD S finish(S best, int64_t) const {
    return best;
  }
};

template <class Sought>
struct place_statistic {
  static constexpr int64_t none = cs::numeric_limits<int64_t>::max();
  template <class T>
  struct state {
    T value;
    int64_t index;
  };
  template <class T>
  ONEPASS_HD state<T> identity() const {
    return {Sought::template worst<T>(), none};
  }
  template <class T>
  ONEPASS_HD state<T> lift(T x, const coordinate &at) const {
    return {x, at.index};
  }
  template <class T>
  ONEPASS_HD state<T> combine(const state<T> &a, const state<T> &b) const {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool tie = a_nan ? b_nan : a.value == b.value;
    const bool second = tie ? b.index < a.index : !a_nan && !Sought::is_no_better(b.value, a.value);
    return second ? b : a;
  }
  // Indices rise within a thread, so a group matters only if its best value beats the state's.
  template <class T, int N, access A>
  ONEPASS_HD state<T> fold(const state<T> &s, const pack<T, N> &v, const position<N, A> &at) const {
    T best = v[0];
    ONEPASS_UNROLL
    for (int i = 1; i < N; ++i)
      if (at.has(i)) best = Sought::better(best, v[i]);
    const bool beats = s.index == none || (s.value == s.value && !Sought::is_no_better(best, s.value));
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

}  // namespace detail

// minimum and maximum: a statistic of one result, of nothing +inf or the greatest integer, -inf or the least one; or,
// with an operand, an op: minimum(b). NaN if any value is; -0 is below +0.
ONEPASS_OBJECT detail::extremum_word<detail::least_value, detail::minimum_op> minimum{};
ONEPASS_OBJECT detail::extremum_word<detail::greatest_value, detail::maximum_op> maximum{};
// argmin and argmax: two results, the value and the lowest index (int64; row * columns + column) that has it. Of
// nothing: that of minimum or maximum, and -1.
ONEPASS_OBJECT detail::place_statistic<detail::least_value> argmin{};
ONEPASS_OBJECT detail::place_statistic<detail::greatest_value> argmax{};

}  // namespace onepass

#endif
