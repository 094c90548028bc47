// SPDX-License-Identifier: Apache-2.0
// Part of onepass: zip, several sources as one of tuples.
#ifndef ONEPASS_SOURCE_ZIP_CUH
#define ONEPASS_SOURCE_ZIP_CUH

#include <cuda/std/tuple>  // the value per coordinate

#include "../stage/operand.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// (Assigned member by member: libcu++ 3.0 cannot construct a tuple of a complex value.)
struct tuple_of_lanes {
  template <class... T>
  ONEPASS_HD cs::tuple<T...> operator()(const T &...x) const {
    cs::tuple<T...> all;
    assign<0>(all, x...);
    return all;
  }

 private:
  template <int I, class Tuple>
  ONEPASS_HD static void assign(Tuple &) {}
  template <int I, class Tuple, class Head, class... Tail>
  ONEPASS_HD static void assign(Tuple &all, const Head &head, const Tail &...tail) {
    cs::get<I>(all) = head;
    assign<I + 1>(all, tail...);
  }
};
struct pack_of_tuples {
  template <class... V>
  ONEPASS_HD auto operator()(const V &...v) const {
    return each_lane(tuple_of_lanes{}, v...);
  }
};

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
    return view_all<Math, nothing, N>(pack_of_tuples{}, inner, raw, at);
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
