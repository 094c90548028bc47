// SPDX-License-Identifier: Apache-2.0
// Part of onepass: rounding to a whole number of the same type: exact, with infinities, NaN and the zeros' signs kept.
// Integers pass unchanged.
#ifndef ONEPASS_STAGE_ROUNDING_CUH
#define ONEPASS_STAGE_ROUNDING_CUH

#include "math.cuh"
#include "pointwise.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct floor_op {
  template <class T>
  ONEPASS_HD T operator()(T x) const {
    if constexpr (!check_real<T>() || cs::is_integral_v<T>) return x;
    else if constexpr (cs::is_same_v<T, float>) return ::floorf(x);
    else return ::floor(x);
  }
};
struct ceil_op {
  template <class T>
  ONEPASS_HD T operator()(T x) const {
    if constexpr (!check_real<T>() || cs::is_integral_v<T>) return x;
    else if constexpr (cs::is_same_v<T, float>) return ::ceilf(x);
    else return ::ceil(x);
  }
};
struct trunc_op {
  template <class T>
  ONEPASS_HD T operator()(T x) const {
    if constexpr (!check_real<T>() || cs::is_integral_v<T>) return x;
    else if constexpr (cs::is_same_v<T, float>) return ::truncf(x);
    else return ::trunc(x);
  }
};
struct round_op {
  template <class T>
  ONEPASS_HD T operator()(T x) const {
    if constexpr (!check_real<T>() || cs::is_integral_v<T>) return x;
    else if constexpr (cs::is_same_v<T, float>) return ::rintf(x);
    else return ::rint(x);
  }
};

}  // namespace detail

ONEPASS_OBJECT detail::pointwise<detail::floor_op> floor{};  // towards -inf
ONEPASS_OBJECT detail::pointwise<detail::ceil_op> ceil{};    // towards +inf
ONEPASS_OBJECT detail::pointwise<detail::trunc_op> trunc{};  // towards 0
ONEPASS_OBJECT detail::pointwise<detail::round_op> round{};  // to the nearest, halves to the even one, as C's rint

}  // namespace onepass

#endif
