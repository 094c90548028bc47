// SPDX-License-Identifier: Apache-2.0
// Part of onepass: reduce, a statistic of the whole array as a sink.
#ifndef ONEPASS_SINK_REDUCE_CUH
#define ONEPASS_SINK_REDUCE_CUH

#include "../convert.cuh"
#include "../leaf.h"
#include "../statistic.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// One result, of any type that it converts to.
template <class T>
struct result_leaf {
  using element = T;
  static constexpr onepass_span_t span = ONEPASS_ONCE;
  static constexpr bool written = true;
  T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
};

template <class S, class... Out>
struct reduce_sink {
  static constexpr kind part = kind::sink;
  static constexpr bool reduces = true, reduces_array = true, device_only = own_device_only<S>::value, by_row = own_by_row<S>::value;
  S statistic;
  list<result_leaf<Out>...> inner;

  template <class T, class Of = S>
  using state = cs::decay_t<decltype(cs::declval<const Of &>().template identity<T>())>;
  template <class T>
  ONEPASS_HD static constexpr bool fits() {
    using results = decltype(as_tuple(cs::declval<const S &>().finish(cs::declval<state<T>>(), int64_t{})));
    return cs::tuple_size<results>::value == sizeof...(Out);
  }

  // Writes the results of n values.
  ONEPASS_NO_EXEC_CHECK
  template <class State>
  ONEPASS_HD void put_results(const State &s, int64_t n) const {
    put_each<0>(inner, as_tuple(statistic.finish(s, n)));
  }

 private:
  template <int I, class Results>
  ONEPASS_HD static void put_each(const list<> &, const Results &) {}
  template <int I, class Head, class... Tail, class Results>
  ONEPASS_HD static void put_each(const list<Head, Tail...> &out, const Results &results) {
    *out.head.p = narrow<typename Head::element>(cs::get<I>(results));
    put_each<I + 1>(out.tail, results);
  }
};

}  // namespace detail

// The statistic of all values into device memory (host memory for a host launch), one pointer per result, in order;
// each of any type that the result converts to. A reduction of nothing writes the statistic of nothing.
template <class S, class... Out>
ONEPASS_HD constexpr detail::reduce_sink<S, Out...> reduce(S statistic, Out *...out) {
  static_assert(sizeof...(Out) > 0, "onepass: reduce(statistic, out, ...) takes a pointer for each result");
  return {statistic, detail::make_list(detail::result_leaf<Out>{out}...)};
}

}  // namespace onepass

#endif
