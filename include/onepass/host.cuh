// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the host executor: the same pipeline on the calling thread, group by group. Pointers are host
// pointers; nothing is allocated.
#ifndef ONEPASS_HOST_CUH
#define ONEPASS_HOST_CUH

#include "describe.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// f(position) for every group, row by row; what is left of a row one by one, so that no functor sees a lane that does
// not exist.
template <int N, class F>
void each_group(onepass_extent_t shape, const F &f) {
  if (shape.columns == 0) return;
  const int64_t whole = shape.columns - shape.columns % N;
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t column = 0; column < whole; column += N) f(place<N>(row, column, shape.rows, shape.columns));
    for (int64_t i = 0; i < shape.columns % N; ++i) f(place<1>(row, whole + i, shape.rows, shape.columns));
  }
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

template <class P>
void run_on_host(const P &p, onepass_extent_t extent) {
  constexpr int N = lanes_v<P>;
  const onepass_extent_t shape = any_by_row<P>::value ? extent : onepass_extent_1d(onepass_elements(extent));
  const auto consume = [&](const auto &at, auto &states) { p.consume(fetch_at(p, at), at, states); };
  if constexpr (any_reduces<P>::value) {
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
