// SPDX-License-Identifier: Apache-2.0
// Part of onepass: per_column and per_row, a vector broadcast down the rows or along the columns.
#ifndef ONEPASS_SOURCE_VECTOR_CUH
#define ONEPASS_SOURCE_VECTOR_CUH

#include "../convert.cuh"
#include "../leaf.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
struct per_column_source {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_PER_COLUMN;
  static constexpr bool written = false, by_row = true;
  const T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  template <int N, access A>
  ONEPASS_HD auto fetch(const position<N, A> &at) const {
    return read<N, true>(p + at.column, at);
  }
  template <int N, class Raw, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const Raw &raw, const position<N, A> &) const {
    return widen_pack(settle(raw));
  }
};

template <class T>
struct per_row_source {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_PER_ROW;
  static constexpr bool written = false, by_row = true;
  const T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  template <int N, access A>
  ONEPASS_HD T fetch(const position<N, A> &at) const {
    return at.has(0) ? p[at.row] : T{};
  }
  template <int N, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const T &raw, const position<N, A> &) const {
    return broadcast<N>(detail::widen(raw));
  }
};

}  // namespace detail

// p[column]: a vector of `columns`, such as a bias.
template <class T>
ONEPASS_HD constexpr detail::per_column_source<T> per_column(const T *p) {
  return {p};
}

// p[row]: a vector of `rows`, such as a scale per row.
template <class T>
ONEPASS_HD constexpr detail::per_row_source<T> per_row(const T *p) {
  return {p};
}

}  // namespace onepass

#endif
