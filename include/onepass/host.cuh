// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the host executor: the same pipeline on the calling thread, group by group. Pointers are host
// pointers; nothing is allocated.
#ifndef ONEPASS_HOST_CUH
#define ONEPASS_HOST_CUH

#include "describe.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A row: its number, its first element's index, and how many there are.
struct host_row {
  int64_t row, first, columns;
  template <int N>
  position<N> at(int64_t column) const {
    position<N> where = place<N>(row, column, row + 1, columns);
    where.index = first + column;
    return where;
  }
};
inline host_row row_of(onepass_extent_t shape, int64_t row) {
  if (shape.offsets == nullptr) return {row, row * shape.columns, shape.columns};
  const int64_t first = onepass_offset(shape.offsets, shape.offset_bytes, row),
                length = onepass_offset(shape.offsets, shape.offset_bytes, row + 1) - first;
  return {row, first, length < 0 ? 0 : length < shape.columns ? length : shape.columns};
}

// f(position) for every group of a row; what is left one by one, so that no functor sees a lane that does not exist.
// Where a stage sees a group of columns, that is what is handled at once.
template <int N, int Together = 0, class F>
void each_in_row(const host_row &row, const F &f) {
  if constexpr (Together > N) {
    for (int64_t column = 0; column < row.columns; column += Together) f(row.at<Together>(column));
  } else {
    const int64_t whole = row.columns - row.columns % N;
    for (int64_t column = 0; column < whole; column += N) f(row.at<N>(column));
    for (int64_t i = whole; i < row.columns; ++i) f(row.at<1>(i));
  }
}
// The same for every row.
template <int N, class F>
void each_group(onepass_extent_t shape, const F &f) {
  if (shape.columns == 0) return;
  for (int64_t row = 0; row < shape.rows; ++row) each_in_row<N>(row_of(shape, row), f);
}

// States added one by one and combined pairwise, as the carries of a binary counter: the error grows with the
// logarithm of their number.
template <class S, class State>
struct pairwise {
  explicit pairwise(const S &s) : statistic(s) {}

  void add(State state) {
    int i = 0;
    for (uint64_t carry = count; carry & 1; carry >>= 1, ++i) state = statistic.combine(level[i], state);
    level[i] = state;
    ++count;
  }
  State total(State state) const {
    for (int i = 0; i < 64; ++i)
      if (count >> i & 1) state = statistic.combine(level[i], state);
    return state;
  }

 private:
  const S &statistic;
  State level[64];
  uint64_t count = 0;
};

template <class P, int N>
auto fetch_at(const P &p, const position<N> &at) {
  return p.template fetch<N>(at);
}

// The row stages of a row, one pass over it for each, and a last one that writes. A pass begins anew at the source, so
// that no row is held; sources have not changed, since all stores are in the last pass, each behind the reads of its
// group.
template <class P, class... Done>
void run_row_on_host(const P &p, const host_row &row, const list<Done...> &results) {
  const row_size size{row.columns, 1 / static_cast<float>(row.columns)};
  constexpr int pass = sizeof...(Done);
  if constexpr (pass < row_stages_in<decltype(p.inner)>) {
    const auto &rest = nth_row<pass>(p.inner);
    const auto statistic = rest.head.template statistic_in<typename math_of_row<cs::decay_t<decltype(rest)>>::type>();
    using value = typename row_value<pass, P>::type;
    const auto none = statistic.template identity<value>();
    pairwise<decltype(statistic), cs::decay_t<decltype(none)>> total(statistic);
    each_in_row<lanes_v<P>>(row, [&](const auto &at) {
      list<> nowhere;
      const auto v = p.template run_with<full_math, false>(fetch_at(p, at), at, nowhere, results);
      total.add(fold(statistic, none, v, at));
    });
    const auto result = statistic.finish(total.total(none), size);
    rest.head.keep(result, row.row);
    run_row_on_host(p, row, concatenate(results, make_list(result)));
  } else {
    const auto sinks = reducers_of<true>(p.inner);
    if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) {
      list<> none;
      each_in_row<lanes_v<P>, shared_group_v<P>>(
          row, [&](const auto &at) { p.template run_with<full_math, true>(fetch_at(p, at), at, none, results); });
    } else {
      const side_by_side<cs::decay_t<decltype(sinks)>, reduced_values_t<P, true>> all{sinks};
      const auto none = all.identity();
      pairwise<decltype(all), cs::decay_t<decltype(none)>> total(all);
      each_in_row<lanes_v<P>, shared_group_v<P>>(row, [&](const auto &at) {
        auto states = none;
        p.template run_with<full_math, true>(fetch_at(p, at), at, states, results);
        total.add(states);
      });
      put_row(sinks, total.total(none), row.row, row.columns);
    }
  }
}

template <class P>
void run_on_host(const P &p, onepass_extent_t extent) {
  constexpr int N = lanes_v<P>;
  const onepass_extent_t shape = any_by_row<P>::value ? extent : onepass_extent_1d(onepass_elements(extent));
  const auto consume = [&](const auto &at, auto &states) { p.consume(fetch_at(p, at), at, states); };
  if constexpr (any_needs_row<P>::value) {
    for (int64_t row = 0; row < shape.rows; ++row) run_row_on_host(p, row_of(shape, row), list<>{});
  } else if constexpr (any_reduces_array<P>::value) {
    const reductions<P> all(p);
    pairwise<reductions<P>, states_t<P>> sum(all);
    each_group<N>(shape, [&](const auto &at) {
      states_t<P> states = all.identity();
      consume(at, states);
      sum.add(states);
    });
    all.put_results(sum.total(all.identity()), onepass_elements(extent));
  } else {
    list<> none;
    each_group<N>(shape, [&](const auto &at) { consume(at, none); });
  }
}

}  // namespace detail
}  // namespace onepass

#endif
