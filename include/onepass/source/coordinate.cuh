// SPDX-License-Identifier: Apache-2.0
// Part of onepass: index, row and column, the coordinate as a source of int64.
#ifndef ONEPASS_SOURCE_COORDINATE_CUH
#define ONEPASS_SOURCE_COORDINATE_CUH

#include "../pack.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct index_source {
  static constexpr kind part = kind::source;
  template <int N, access A>
  ONEPASS_HD pack<int64_t, N> get(const position<N, A> &at) const {
    pack<int64_t, N> v;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) v[i] = at.has(i) ? at.index + i : 0;
    return v;
  }
};

struct row_source {
  static constexpr kind part = kind::source;
  static constexpr bool by_row = true;
  template <int N, access A>
  ONEPASS_HD pack<int64_t, N> get(const position<N, A> &at) const {
    return broadcast<N>(at.has(0) ? at.row : int64_t{0});
  }
};

struct column_source {
  static constexpr kind part = kind::source;
  static constexpr bool by_row = true;
  template <int N, access A>
  ONEPASS_HD pack<int64_t, N> get(const position<N, A> &at) const {
    pack<int64_t, N> v;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) v[i] = at.has(i) ? at.column + i : 0;
    return v;
  }
};

}  // namespace detail

// row * columns + column, [0, rows * columns).
ONEPASS_HD constexpr detail::index_source index() { return {}; }
// [0, rows).
ONEPASS_HD constexpr detail::row_source row() { return {}; }
// [0, columns).
ONEPASS_HD constexpr detail::column_source column() { return {}; }

}  // namespace onepass

#endif
