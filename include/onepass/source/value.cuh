// SPDX-License-Identifier: Apache-2.0
// Part of onepass: value, a host scalar as a source of its own type, and the bare number, which takes the type it
// meets.
#ifndef ONEPASS_SOURCE_VALUE_CUH
#define ONEPASS_SOURCE_VALUE_CUH

#include "../convert.cuh"
#include "../stage/complex.cuh"  // is_complex

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
struct value_source {
  static constexpr kind part = kind::source;
  T x;

  template <int N, access A>
  ONEPASS_HD pack<compute_t<T>, N> get(const position<N, A> &) const {
    return broadcast<N>(detail::widen(x));
  }
};

// An operand written as a number.
template <class T>
struct number {
  T x;
};

// The type in which a number meets a value of type Value; a complex value meets it as a real one.
template <class Value, class T>
ONEPASS_HD auto meet(T x) {
  if constexpr (is_complex<Value>) {
    return static_cast<component_t<Value>>(detail::widen(x));
  } else if constexpr (!cs::is_arithmetic_v<Value>) {
    return detail::widen(x);
  } else {
    static_assert(!cs::is_integral_v<Value> || cs::is_integral_v<T>,
                  "onepass: a fractional number meets a value of integer type and would be cut to an integer: put "
                  "cast<float>() before, or give the operand its type with value(x)");
    return static_cast<promoted_t<Value>>(detail::widen(x));
  }
}

}  // namespace detail

// x everywhere, with the type of x: value(2.0) is f64.
template <class T>
ONEPASS_HD constexpr detail::value_source<T> value(T x) {
  static_assert(!detail::is_long_double<T>, "onepass: a device has no long double: use a double");
  return {x};
}

}  // namespace onepass

#endif
