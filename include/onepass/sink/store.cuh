// SPDX-License-Identifier: Apache-2.0
// Part of onepass: store, an array as a sink, dense or with a pitch.
#ifndef ONEPASS_SINK_STORE_CUH
#define ONEPASS_SINK_STORE_CUH

#include "../source/load.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
struct store_dense {
  using element = T;
  static constexpr kind part = kind::sink;
  static constexpr onepass_span_t span = ONEPASS_PER_ELEMENT;
  static constexpr bool written = true, reduces = false;
  T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  ONEPASS_HD T *row_start(int64_t, int64_t first) const { return dense_address(p, first); }  // of index `first`
  template <int N, class V, access A>
  ONEPASS_HD void put(const pack<V, N> &v, const position<N, A> &at) const {
    write(dense_address(p, at.index), narrow_pack<T>(v), at);
  }
};

template <class T>
struct store_pitched {
  using element = T;
  static constexpr kind part = kind::sink;
  static constexpr onepass_span_t span = ONEPASS_PER_ELEMENT;
  static constexpr bool written = true, reduces = false, by_row = true;
  T *p;
  int64_t row_pitch;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return row_pitch == ONEPASS_DENSE ? -1 : row_pitch; }
  ONEPASS_HD T *row_start(int64_t row, int64_t) const { return pitched_address(p, row_pitch, row, int64_t{0}); }
  template <int N, class V, access A>
  ONEPASS_HD void put(const pack<V, N> &v, const position<N, A> &at) const {
    write(pitched_address(p, row_pitch, at.row, at.column), narrow_pack<T>(v), at);
  }
};

}  // namespace detail

// To rows x columns elements at p, dense: rounded to nearest even, integers saturated. p may be the p of a load of the
// same type (in place); it may not overlap an input in any other way.
template <class T>
ONEPASS_HD constexpr detail::store_dense<T> store(T *p) {
  return {p};
}

// The same with rows `pitch` elements apart, pitch >= columns; what lies between the rows is left alone.
template <class T>
ONEPASS_HD constexpr detail::store_pitched<T> store(T *p, int64_t pitch) {
  return {p, pitch};
}

}  // namespace onepass

#endif
