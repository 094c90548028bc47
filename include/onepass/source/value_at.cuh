// SPDX-License-Identifier: Apache-2.0
// Part of onepass: value_at, a scalar that lies in device memory, such as a scale that an earlier kernel computed.
#ifndef ONEPASS_SOURCE_VALUE_AT_CUH
#define ONEPASS_SOURCE_VALUE_AT_CUH

#include "../convert.cuh"
#include "../leaf.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
struct value_at_source {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_ONCE;
  static constexpr bool written = false;
  const T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  template <int N, access A>
  ONEPASS_HD T fetch(const position<N, A> &at) const {
    return at.has(0) ? *p : T{};
  }
  template <int N, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const T &raw, const position<N, A> &) const {
    return broadcast<N>(detail::widen(raw));
  }
};

}  // namespace detail

// *p everywhere, read when the kernel runs. It has the type of a load of T, and does not take the type that it meets.
template <class T>
ONEPASS_HD constexpr detail::value_at_source<T> value_at(const T *p) {
  return {p};
}

}  // namespace onepass

#endif
