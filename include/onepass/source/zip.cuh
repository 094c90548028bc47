// SPDX-License-Identifier: Apache-2.0
// Part of onepass: zip, several sources as one of tuples.
#ifndef ONEPASS_SOURCE_ZIP_CUH
#define ONEPASS_SOURCE_ZIP_CUH

#include <cuda/std/tuple>  // the value per coordinate

#include "../stage/operand.cuh"

namespace onepass {
namespace detail {

template <class... Sources>
struct zip_source {
  static constexpr kind part = kind::source;
  list<Sources...> inner;

  template <int N, access A>
  ONEPASS_HD auto fetch(const position<N, A> &at) const {
    return fetch_all<N>(inner, at);
  }
  template <class Math, int N, class Raw, access A>
  ONEPASS_HD auto view_with(const Raw &raw, const position<N, A> &at) const {
    return view_all<Math, nothing, N>(
        [](const auto &...v) { return each_lane([](const auto &...x) { return cs::make_tuple(x...); }, v...); }, inner,
        raw, at);
  }
};

}  // namespace detail

// A cuda::std::tuple of the sources' values per coordinate. fn(f) behind it calls f(tuple), or f(a, b, ...) if f does
// not take a tuple.
template <class... Sources>
ONEPASS_HD constexpr auto zip(Sources... sources) {
  return detail::zip_source<detail::operand_t<Sources>...>{detail::make_list(detail::as_operand(sources)...)};
}

}  // namespace onepass

#endif
