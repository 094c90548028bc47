// SPDX-License-Identifier: Apache-2.0
// Part of onepass: cast<T>, the rounding that a store to T and a load back would make.
#ifndef ONEPASS_STAGE_CAST_CUH
#define ONEPASS_STAGE_CAST_CUH

#include "pointwise.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
struct cast_op {
  template <class From>
  ONEPASS_HD compute_t<T> operator()(From x) const {
    return widen(detail::narrow<T>(x));
  }
};

// What a part casts to, or void.
template <class Part>
struct cast_target {
  using type = void;
};
template <class T>
struct cast_target<pointwise<cast_op<T>>> {
  using type = T;
};

}  // namespace detail

// The value rounded to T, in the type that T computes in. To an integer: nearest even, saturated, NaN to 0. In front of
// a cast to a float of 16 bits or fewer stages compute as in front of a store of it.
template <class T>
ONEPASS_HD constexpr detail::pointwise<detail::cast_op<T>> cast() {
  return {};
}

}  // namespace onepass

#endif
