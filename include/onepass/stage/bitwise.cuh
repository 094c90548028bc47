// SPDX-License-Identifier: Apache-2.0
// Part of onepass: bit ops and shifts of integers, which promote as in C++.
#ifndef ONEPASS_STAGE_BITWISE_CUH
#define ONEPASS_STAGE_BITWISE_CUH

#include "comparison.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Whether all are integers; another value ends the compilation with this sentence.
template <class... T>
ONEPASS_HD constexpr bool check_integers() {
  constexpr bool integers = (cs::is_integral_v<T> && ...);
  static_assert(integers,
                "onepass: a value that is no integer reaches a bit op or a shift: put a cast to an integer type before "
                "it, or compute with multiply and divide");
  return integers;
}

struct bit_and_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    if constexpr (check_integers<A, B>()) return static_cast<common_t<A, B>>(a) & static_cast<common_t<A, B>>(b);
    else return a;
  }
};
struct bit_or_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    if constexpr (check_integers<A, B>()) return static_cast<common_t<A, B>>(a) | static_cast<common_t<A, B>>(b);
    else return a;
  }
};
struct bit_xor_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    if constexpr (check_integers<A, B>()) return static_cast<common_t<A, B>>(a) ^ static_cast<common_t<A, B>>(b);
    else return a;
  }
};
struct bit_not_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (check_integers<T>()) return static_cast<promoted_t<T>>(~static_cast<promoted_t<T>>(x));
    else return x;
  }
};

// The bits of an integer as it is shifted.
template <class T>
inline constexpr int shift_width = static_cast<int>(8 * sizeof(promoted_t<T>));

struct shift_left_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    if constexpr (check_integers<A, B>()) {
      using T = promoted_t<A>;
      const auto bits = static_cast<cs::make_unsigned_t<T>>(static_cast<T>(a));
      if (is_less(b, 0)) return static_cast<T>(a);
      return is_less(b, shift_width<A>) ? static_cast<T>(bits << static_cast<unsigned>(b)) : T{0};
    } else {
      return a;
    }
  }
};
struct shift_right_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A a, B b) const {
    if constexpr (check_integers<A, B>()) {
      const promoted_t<A> x = a;
      if (is_less(b, 0)) return x;
      if (is_less(b, shift_width<A>)) return x >> static_cast<unsigned>(b);
      return is_less(x, 0) ? ~promoted_t<A>{0} : promoted_t<A>{0};
    } else {
      return a;
    }
  }
};

}  // namespace detail

ONEPASS_OBJECT detail::op_with_operands<detail::bit_and_op> bit_and{};  // bit_and(b): x & b
ONEPASS_OBJECT detail::op_with_operands<detail::bit_or_op> bit_or{};    // x | b
ONEPASS_OBJECT detail::op_with_operands<detail::bit_xor_op> bit_xor{};  // x ^ b
ONEPASS_OBJECT detail::pointwise<detail::bit_not_op> bit_not{};         // ~x
// By b >= 0 bits of the promoted value: all of them or more leave 0, or -1 of a negative one shifted to the right. A
// negative b shifts by nothing.
ONEPASS_OBJECT detail::op_with_operands<detail::shift_left_op> shift_left{};    // x << b
ONEPASS_OBJECT detail::op_with_operands<detail::shift_right_op> shift_right{};  // x >> b

}  // namespace onepass

#endif
