// SPDX-License-Identifier: Apache-2.0
// Part of onepass: load, an array as a source, dense or with a pitch.
#ifndef ONEPASS_SOURCE_LOAD_CUH
#define ONEPASS_SOURCE_LOAD_CUH

#include "../convert.cuh"
#include "../leaf.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The element of a row-major array at a position.
template <class T>
ONEPASS_HD T *dense_address(T *p, int64_t index) {
  return p + index;
}
template <class T>
ONEPASS_HD T *pitched_address(T *p, int64_t pitch, int64_t row, int64_t column) {
  return p + row * pitch + column;
}

template <class T>
struct load_dense {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_PER_ELEMENT;
  static constexpr bool written = false, by_rows = true;
  const T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  template <int N, access A>
  ONEPASS_HD auto fetch(const position<N, A> &at) const {
    return read<N>(dense_address(p, at.index), at);
  }
  template <int N, class Raw, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const Raw &raw, const position<N, A> &) const {
    return widen_pack(settle(raw));
  }
};

template <class T>
struct load_pitched {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_PER_ELEMENT;
  static constexpr bool written = false, by_row = true, by_rows = true;
  const T *p;
  int64_t row_pitch;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return row_pitch == ONEPASS_DENSE ? -1 : row_pitch; }
  template <int N, access A>
  ONEPASS_HD auto fetch(const position<N, A> &at) const {
    return read<N>(pitched_address(p, row_pitch, at.row, at.column), at);
  }
  template <int N, class Raw, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const Raw &raw, const position<N, A> &) const {
    return widen_pack(settle(raw));
  }
};

}  // namespace detail

// rows x columns elements at p, dense. p: aligned to T; may be null if the extent is empty.
template <class T>
ONEPASS_HD constexpr detail::load_dense<T> load(const T *p) {
  return {p};
}

// The same with rows `pitch` elements apart, pitch >= columns.
template <class T>
ONEPASS_HD constexpr detail::load_pitched<T> load(const T *p, int64_t pitch) {
  return {p, pitch};
}

}  // namespace onepass

#endif
