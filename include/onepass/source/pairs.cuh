// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a gate and its other projection in one array: halves and pairs, sources of tuples (gate, up).
#ifndef ONEPASS_SOURCE_PAIRS_CUH
#define ONEPASS_SOURCE_PAIRS_CUH

#include <cuda/std/limits>

#include "view.cuh"
#include "zip.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
struct alignas(2 * sizeof(T)) interleaved {
  T gate, up;
};

template <class T>
struct pairs_source : load_dense<interleaved<T>> {
  template <int N, class Raw, access A>
  ONEPASS_HD auto view(const Raw &raw, const position<N, A> &) const {
    return each_lane(
        [](const interleaved<T> &pair) { return cs::make_tuple(detail::widen(pair.gate), detail::widen(pair.up)); },
        settle(raw));
  }
};

}  // namespace detail

// An array of rows x (2 * columns): the first half of a row holds the gates, the second their projections. `columns` is
// that of the extent.
template <class T>
ONEPASS_HD constexpr auto halves(const T *p, int64_t columns) {
  using half_row = detail::sized<detail::load_pitched<T>, 2>;  // an extent of more columns is refused
  const int64_t rows = detail::cs::numeric_limits<int64_t>::max();
  return zip(half_row{load(p, 2 * columns), rows, columns}, half_row{load(p + columns, 2 * columns), rows, columns});
}

// An array of rows x columns pairs: element i is p[2 i] and p[2 i + 1]. p is aligned to a pair, 2 * sizeof(T).
template <class T>
ONEPASS_HD detail::pairs_source<T> pairs(const T *p) {
  return {{reinterpret_cast<const detail::interleaved<T> *>(p)}};
}

}  // namespace onepass

#endif
