// SPDX-License-Identifier: Apache-2.0
// Part of onepass: reduce_rows, a statistic of each row as a sink.
#ifndef ONEPASS_SINK_REDUCE_ROWS_CUH
#define ONEPASS_SINK_REDUCE_ROWS_CUH

#include "../stage/row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class S, class... Out>
struct reduce_rows_sink {
  static constexpr kind part = kind::sink;
  static constexpr bool reduces = true, needs_row = true, device_only = own_device_only<S>::value,
                        by_row = own_by_row<S>::value || true;  // so that a statistic's own is never unused
  S statistic;
  list<row_result<Out>...> inner;

  template <class T, class Of = S>
  using state = cs::decay_t<decltype(cs::declval<const Of &>().template identity<T>())>;
  template <class T>
  ONEPASS_HD static constexpr bool fits() {
    using results = decltype(as_tuple(cs::declval<const S &>().finish(cs::declval<state<T>>(), int64_t{})));
    return cs::tuple_size<results>::value == sizeof...(Out);
  }

  // Writes the results of a row of n values.
  ONEPASS_NO_EXEC_CHECK
  template <class State>
  ONEPASS_HD void put_results(const State &s, int64_t row, int64_t n) const {
    put_row_results<0>(inner, row, as_tuple(statistic.finish(s, n)));
  }
};

}  // namespace detail

// The statistic of each row into vectors of `rows`, one pointer per result, in order; each of any type that the result
// converts to. Rows of nothing write the statistic of nothing. In tee(reduce_rows(...)) on the way as well.
template <class S, class... Out>
ONEPASS_HD constexpr detail::reduce_rows_sink<S, Out...> reduce_rows(S statistic, Out *...out) {
  static_assert(sizeof...(Out) > 0, "onepass: reduce_rows(statistic, out, ...) takes a pointer for each result");
  return {statistic, detail::make_list(detail::row_result<Out>{out}...)};
}

}  // namespace onepass

#endif
