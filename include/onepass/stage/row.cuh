// SPDX-License-Identifier: Apache-2.0
// Part of onepass: row stages: a statistic of the whole row, and what each value of the row becomes with its result.
//
// The statistic of a row stage may have a second form for values that are held on the chip, a row or a part of one, in
// two phases over the same values, the second of which knows the result of the first:
//   first<T>(size)      the statistic of the first phase, of values of type T
//   second(state, size) the statistic of the second; its whole(state, size) is the state that the statistic itself has
//                       of these values: parts of a row combine that, and finish it. The second may have map(x), what
//                       is held of a value from then on: it folds that, in the place of the functor's call operator
//                       stands mapped<Math>(map(x), result, operand...), and of_part(result) makes the result of a row
//                       that of the part whose values it has mapped
//   across(state, over) if it joins: the states of parts combined at once, where combine step by step would take longer.
//                       Each lane of a warp has one, and over(statistic, x) is the combination of all that lanes have
// and a form for each kind of math, as<Math>(). What finish returns may have kept(), the results that keep() writes;
// else they are what finish returns. `size` is the number of columns, an int64 with its reciprocal.
#ifndef ONEPASS_STAGE_ROW_CUH
#define ONEPASS_STAGE_ROW_CUH

#include "../leaf.h"
#include "../statistic.cuh"
#include "pointwise.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// How many values a row has.
struct row_size {
  int64_t n;
  float inverse;  // 1 / n
  ONEPASS_HD operator int64_t() const { return n; }
};
ONEPASS_HD row_size size_of_row(int64_t n) { return {n, 1.0f / static_cast<float>(n)}; }
template <class R>
ONEPASS_HD R inverse_of(const row_size &size) {
  if constexpr (cs::is_same_v<R, float>) return size.inverse;
  else return R(1) / static_cast<R>(size.n);
}

// One result per row, of any type that it converts to.
template <class T>
struct row_result {
  using element = T;
  static constexpr onepass_span_t span = ONEPASS_PER_ROW;
  static constexpr bool written = true;
  T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
};
template <int I, class Results>
ONEPASS_HD void put_row_results(const list<> &, int64_t, const Results &) {}
template <int I, class Head, class... Tail, class Results>
ONEPASS_HD void put_row_results(const list<Head, Tail...> &out, int64_t row, const Results &results) {
  out.head.p[row] = narrow<typename Head::element>(cs::get<I>(results));
  put_row_results<I + 1>(out.tail, row, results);
}

template <class T, class = void>
struct has_kept : cs::false_type {};
template <class T>
struct has_kept<T, cs::void_t<decltype(cs::declval<const T &>().kept())>> : cs::true_type {};
template <class Result>
ONEPASS_HD auto kept_of(const Result &result) {
  if constexpr (has_kept<Result>::value) return as_tuple(result.kept());
  else return as_tuple(result);
}

template <class S, class = void>
struct has_phases : cs::false_type {};
template <class S>
struct has_phases<S, cs::void_t<decltype(cs::declval<const S &>().template first<float>(row_size{}))>> : cs::true_type {
};

template <class S, class = void>
struct has_math_forms : cs::false_type {};
template <class S>
struct has_math_forms<S, cs::void_t<decltype(cs::declval<const S &>().template as<full_math>())>> : cs::true_type {};

template <class S, class T, class = void>
struct has_map : cs::false_type {};
template <class S, class T>
struct has_map<S, T, cs::void_t<decltype(cs::declval<const S &>().map(cs::declval<T>()))>> : cs::true_type {};

// A statistic's map, and a functor of what it makes.
template <class S>
struct map_of {
  const S &statistic;
  template <class T>
  ONEPASS_HD auto operator()(const T &x) const {
    return statistic.map(x);
  }
};
template <class Math, class F>
struct functor_of_mapped {
  const F &f;
  template <class... T>
  ONEPASS_HD auto operator()(const T &...x) const {
    return f.template mapped<Math>(x...);
  }
};

template <class Void, class F, class... T>
struct takes_narrow_in : cs::false_type {};
template <class F, class... T>
struct takes_narrow_in<cs::void_t<decltype(cs::declval<const F &>().narrow(cs::declval<T>()...))>, F, T...>
    : cs::true_type {};

// f(value, result..., operand...) of one lane.
template <class Math, class F, class Result>
struct row_lane_call {
  const F &f;
  const Result &result;

  template <class V, class... U>
  ONEPASS_HD auto operator()(const V &v, const U &...u) const {
    if constexpr (is_tuple<Result>::value)
      return spread(cs::make_index_sequence<cs::tuple_size<Result>::value>{}, v, u...);
    else return call(v, result, u...);
  }

 private:
  template <cs::size_t... I, class V, class... U>
  ONEPASS_HD auto spread(cs::index_sequence<I...>, const V &v, const U &...u) const {
    return call(v, cs::get<I>(result)..., u...);
  }
  ONEPASS_NO_EXEC_CHECK
  template <class V, class... T>
  ONEPASS_HD auto call(const V &v, const T &...t) const {
    constexpr bool narrowed =
        cs::is_same_v<Math, narrow_math> && cs::is_same_v<V, float> && takes_narrow_in<void, F, V, T...>::value;
    if constexpr (narrowed) return f.narrow(v, t...);
    else return lane_call<full_math, F>{f}(v, t...);
  }
};
template <class Math, class F, class Result, class V>
struct row_pack_call {
  const F &f;
  const Result &result;
  const V &v;
  template <class... U>
  ONEPASS_HD auto operator()(const U &...u) const {
    return each_lane(row_lane_call<Math, F, Result>{f, result}, v, u...);
  }
};

// What a row stage reads beside its value, and what it writes.
template <class... Operands>
struct row_operands {
  list<Operands...> inner;
};
template <class... Out>
struct kept_results {
  list<row_result<Out>...> inner;
};

template <class T>
inline constexpr bool is_keep = false;
template <class... Out>
inline constexpr bool is_keep<kept_results<Out...>> = true;

template <class S, class F, class Kept, class... Operands>
struct row_stage {
  static constexpr kind part = kind::row;
  static constexpr bool by_row = own_by_row<S>::value || true, needs_row = true,
                        device_only = own_device_only<S>::value || own_device_only<F>::value || is_device_lambda<F>();
  S statistic;
  F f;
  list<row_operands<Operands...>, Kept> inner;

  // The statistic, as exact as Math asks.
  template <class Math>
  ONEPASS_HD auto statistic_in() const {
    if constexpr (has_math_forms<S>::value) return statistic.template as<Math>();
    else return statistic;
  }
  template <class Value, class Of = S>
  using state = cs::decay_t<decltype(cs::declval<const Of &>().template identity<Value>())>;
  template <class Value, class Of = S>
  using result = cs::decay_t<decltype(cs::declval<const Of &>().finish(cs::declval<state<Value, Of>>(), row_size{}))>;

  template <int N, access A>
  ONEPASS_HD auto fetch(const position<N, A> &at) const {
    return fetch_all<N>(inner.head.inner, at);
  }
  // The values behind; Mapped where they have been through the statistic's map.
  template <class Math, bool Mapped = false, int N, class V, class Raw, access A, class Result>
  ONEPASS_HD auto finish(const pack<V, N> &v, const Raw &raw, const position<N, A> &at, const Result &row) const {
    if constexpr (Mapped) {
      using G = functor_of_mapped<Math, F>;
      const G g{f};
      return view_all<Math, V, N>(row_pack_call<full_math, G, Result, pack<V, N>>{g, row, v}, inner.head.inner, raw,
                                  at);
    } else
      return view_all<Math, V, N>(row_pack_call<Math, F, Result, pack<V, N>>{f, row, v}, inner.head.inner, raw, at);
  }
  template <class Result>
  ONEPASS_HD void keep(const Result &of_row, int64_t row) const {
    if constexpr (!cs::is_same_v<Kept, kept_results<>>) put_row_results<0>(inner.tail.head.inner, row, kept_of(of_row));
  }
};

template <class S, class F, class Kept, class... Operands>
ONEPASS_HD constexpr row_stage<S, F, Kept, Operands...> make_row_stage(S statistic, F f, Kept kept,
                                                                       Operands... operands) {
  return {statistic, f, {{make_list(operands...)}, {kept, {}}}};
}

}  // namespace detail

// Vectors of `rows` into which a row stage writes what it computed of each row, as its word says.
template <class... Out>
ONEPASS_HD constexpr detail::kept_results<Out...> keep(Out *...out) {
  return {detail::make_list(detail::row_result<Out>{out}...)};
}

// A row stage of one's own: each value becomes f(value, result...) of the statistic's results for its row, which
// keep(out, ...) writes: by_row(mean, f, keep(means)).
template <class S, class F, class... Kept>
ONEPASS_HD constexpr auto by_row(S statistic, F f, Kept... kept) {
  constexpr bool one_keep = sizeof...(Kept) == 0 || (sizeof...(Kept) == 1 && (detail::is_keep<Kept> && ...));
  static_assert(one_keep, "onepass: by_row takes a statistic, a functor and at most one keep(out, ...)");
  static_assert(detail::cs::is_class_v<F>,
                "onepass: by_row takes a functor, an object of a class with a const call operator: a pointer to a "
                "function of the host has no meaning on the device");
  if constexpr (one_keep && sizeof...(Kept) == 1) return detail::make_row_stage(statistic, f, kept...);
  else return detail::make_row_stage(statistic, f, keep());
}

}  // namespace onepass

#endif
