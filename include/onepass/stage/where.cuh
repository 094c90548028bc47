// SPDX-License-Identifier: Apache-2.0
// Part of onepass: where, a choice of two values by a mask.
#ifndef ONEPASS_STAGE_WHERE_CUH
#define ONEPASS_STAGE_WHERE_CUH

#include "logical.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct where_op {
  template <class A, class Mask, class B>
  ONEPASS_HD auto operator()(A a, Mask mask, B b) const {
    if constexpr (cs::is_same_v<A, B>) {
      return is_true(mask) ? a : b;
    } else {
      using T = common_t<A, B>;
      if constexpr (is_complex<T>) return is_true(mask) ? to_complex<T>(a) : to_complex<T>(b);
      else return is_true(mask) ? static_cast<T>(a) : static_cast<T>(b);
    }
  }
};

}  // namespace detail

// The value where `mask` is not zero (NaN is not), and `other` elsewhere: load(x) | where(load(mask), 0). Both are
// operands: a number, or a source with stages of its own. The result promotes as in C++ unless both have one type.
template <class Mask, class Operand>
ONEPASS_HD constexpr auto where(Mask mask, Operand other) {
  if constexpr (detail::is_number<Mask>) return detail::op_with_operands<detail::where_op>{}(value(mask), other);
  else return detail::op_with_operands<detail::where_op>{}(mask, other);
}

}  // namespace onepass

#endif
