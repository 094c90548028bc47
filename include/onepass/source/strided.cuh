// SPDX-License-Identifier: Apache-2.0
// Part of onepass: strided, an array whose rows and columns lie any distance apart, as a source.
#ifndef ONEPASS_SOURCE_STRIDED_CUH
#define ONEPASS_SOURCE_STRIDED_CUH

#include "../convert.cuh"
#include "../leaf.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// N elements `stride` apart, the first at p. Neighbours that are aligned are read by words; others one by one.
template <int N, access A, class T>
ONEPASS_HD pack<T, N> read_apart(const T *p, int64_t stride, const position<N, A> &at) {
#ifdef __CUDA_ARCH__
  if (stride == 1 && at.full() && is_word_aligned<N>(p)) return read_words<N>(p);
#endif
  pack<T, N> v;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) v[i] = at.has(i) ? p[i * stride] : T{};
  return v;
}

template <class T>
struct strided_source {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_PER_ELEMENT;
  static constexpr bool written = false, by_row = true;
  const T *p;
  int64_t row_stride, column_stride;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return row_stride == ONEPASS_DENSE ? ONEPASS_DENSE + 1 : row_stride; }
  ONEPASS_HD void describe(onepass_leaf_t &leaf) const {
    leaf.layout = ONEPASS_STRIDED;
    leaf.column_stride = column_stride;
  }
  template <int N, access A>
  ONEPASS_HD pack<T, N> fetch(const position<N, A> &at) const {
    return read_apart(p + (at.row * row_stride + at.column * column_stride), column_stride, at);
  }
  template <int N, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const pack<T, N> &raw, const position<N, A> &) const {
    return widen_pack(raw);
  }
};

template <class T>
struct strided_flat {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_PER_ELEMENT;
  static constexpr bool written = false;
  const T *p;
  int64_t stride;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  ONEPASS_HD void describe(onepass_leaf_t &leaf) const {
    leaf.layout = ONEPASS_STRIDED;
    leaf.column_stride = stride;
  }
  template <int N, access A>
  ONEPASS_HD pack<T, N> fetch(const position<N, A> &at) const {
    return read_apart(p + at.index * stride, stride, at);
  }
  template <int N, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const pack<T, N> &raw, const position<N, A> &) const {
    return widen_pack(raw);
  }
};

}  // namespace detail

// p[row * row_stride + column * column_stride]. Strides in elements, of any sign, or 0, which repeats the same element;
// p is the element of row 0, column 0. Where columns are not neighbours each element is an access of its own: a
// transposed matrix moves 32 bytes per element unless a cache holds them.
template <class T>
ONEPASS_HD constexpr detail::strided_source<T> strided(const T *p, int64_t row_stride, int64_t column_stride) {
  return {p, row_stride, column_stride};
}

// p[index * stride], index = row * columns + column.
template <class T>
ONEPASS_HD constexpr detail::strided_flat<T> strided(const T *p, int64_t stride) {
  return {p, stride};
}

}  // namespace onepass

#endif
