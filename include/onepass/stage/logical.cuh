// SPDX-License-Identifier: Apache-2.0
// Part of onepass: logical ops, whose results are bool. What is not zero is true, NaN too.
#ifndef ONEPASS_STAGE_LOGICAL_CUH
#define ONEPASS_STAGE_LOGICAL_CUH

#include "comparison.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
ONEPASS_HD bool is_true(T x) {
  return !is_equal(x, component_t<T>(0));
}

struct logical_and_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    return is_true(a) && is_true(b);
  }
};
struct logical_or_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    return is_true(a) || is_true(b);
  }
};
struct logical_xor_op {
  template <class A, class B>
  ONEPASS_HD bool operator()(A a, B b) const {
    return is_true(a) != is_true(b);
  }
};
struct logical_not_op {
  template <class T>
  ONEPASS_HD bool operator()(T x) const {
    return !is_true(x);
  }
};

}  // namespace detail

ONEPASS_OBJECT detail::comparison<detail::logical_and_op> logical_and{};  // logical_and(b): x && b
ONEPASS_OBJECT detail::comparison<detail::logical_or_op> logical_or{};    // x || b
ONEPASS_OBJECT detail::comparison<detail::logical_xor_op> logical_xor{};  // one of both
ONEPASS_OBJECT detail::pointwise<detail::logical_not_op> logical_not{};   // !x

}  // namespace onepass

#endif
