// SPDX-License-Identifier: Apache-2.0
// Part of onepass: per_group, one element for each group of columns of a row, such as the scale of a quantised block.
#ifndef ONEPASS_SOURCE_GROUP_CUH
#define ONEPASS_SOURCE_GROUP_CUH

#include "../convert.cuh"
#include "../leaf.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <int Columns>
inline constexpr bool is_group = Columns >= 32 && (Columns & (Columns - 1)) == 0;

// The element of a group, at `pitch` from row to row; dense rows have columns / Columns of them.
template <int Columns, class T>
ONEPASS_HD T *group_address(T *p, int64_t pitch, const coordinate &at) {
  return p + (pitch == ONEPASS_DENSE ? at.index / Columns : at.row * pitch + at.column / Columns);
}

template <class T, int Columns>
struct per_group_source {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_PER_GROUP;
  static constexpr int group = Columns;
  static constexpr bool written = false, by_row = true;
  const T *p;
  int64_t row_pitch;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return row_pitch; }
  // Lanes lie in one group or in two.
  template <int N, access A>
  ONEPASS_HD pack<T, 2> fetch(const position<N, A> &at) const {
    const int last = at.full() ? N - 1 : at.count - 1;
    return at.has(0) ? pack<T, 2>{{*group_address<Columns>(p, row_pitch, at.lane(0)),
                                   *group_address<Columns>(p, row_pitch, at.lane(last))}}
                     : pack<T, 2>{};
  }
  template <int N, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const pack<T, 2> &raw, const position<N, A> &at) const {
    const int64_t first = Columns - at.column % Columns;  // lanes in the first group
    const compute_t<T> one = detail::widen(raw[0]), other = detail::widen(raw[1]);
    pack<compute_t<T>, N> v;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) v[i] = i < first ? one : other;
    return v;
  }
};

}  // namespace detail

// p[row][column / Columns]: a matrix with one element for each group of Columns columns (a power of two, 32 or more),
// rows `pitch` elements apart; without a pitch they have no gap, and the columns are a multiple of Columns.
// load(q) | multiply(per_group<128>(scales)) undoes quantize_groups<128>(store(q), scales).
template <int Columns, class T>
ONEPASS_HD constexpr detail::per_group_source<T, Columns> per_group(const T *p, int64_t pitch = ONEPASS_DENSE) {
  static_assert(detail::is_group<Columns>, "onepass: a group has 32 columns, 64, 128 or any power of two above");
  return {p, pitch};
}

}  // namespace onepass

#endif
