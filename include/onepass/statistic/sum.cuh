// SPDX-License-Identifier: Apache-2.0
// Part of onepass: sums and products: sum, sum_of_squares, product, and dot, of pairs.
//
// Floats accumulate in their type (f16, bf16 and f8 in f32), integers in 64 bits of the same signedness, modulo 2^64;
// complex numbers in their type, in which dot conjugates nothing.
#ifndef ONEPASS_STATISTIC_SUM_CUH
#define ONEPASS_STATISTIC_SUM_CUH

#include <cuda/std/tuple>  // the pairs of dot

#include "accumulator.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct sum_statistic {
  static constexpr bool commutative = true;
  template <class T>
  ONEPASS_HD sum_t<T> identity() const {
    return sum_t<T>{};
  }
  template <class T>
  ONEPASS_HD sum_t<T> lift(T x, const coordinate &) const {
    return static_cast<sum_t<T>>(x);
  }
  template <class S>
  ONEPASS_HD S combine(S a, S b) const {
    return add_up(a, b);
  }
  // Of integers below 32 bits a group fits into 32.
  template <class S, class T, int N, access A>
  ONEPASS_HD S fold(S sum, const pack<T, N> &v, const position<N, A> &at) const {
    using term = cs::conditional_t<cs::is_integral_v<T> && sizeof(T) < 4, int32_t, S>;
    return add_up(sum, static_cast<S>(total(as_pack_of<term>(existing(v, at)))));
  }
  template <class S>
  ONEPASS_HD S finish(S sum, int64_t) const {
    return sum;
  }
};

struct sum_of_squares_statistic : sum_statistic {
  template <class T>
  ONEPASS_HD sum_t<T> lift(T x, const coordinate &) const {
    return multiply_up<sum_t<T>>(x, x);
  }
  template <class S, class T, int N, access A>
  ONEPASS_HD S fold(S sum, const pack<T, N> &v, const position<N, A> &at) const {
    const pack<T, N> x = existing(v, at);
    return add_products(sum, x, x);
  }
};

// The accumulator of the products of a pair; there is none of any other value.
template <class T>
struct pair_sum {};
template <class A, class B>
struct pair_sum<cs::tuple<A, B>> {
  using type = sum_t<decltype(times(cs::declval<A>(), cs::declval<B>()))>;
};

struct dot_statistic : sum_statistic {
  template <class T>
  ONEPASS_HD typename pair_sum<T>::type identity() const {
    return typename pair_sum<T>::type{};
  }
  template <class T>
  ONEPASS_HD typename pair_sum<T>::type lift(const T &x, const coordinate &) const {
    return multiply_up<typename pair_sum<T>::type>(cs::get<0>(x), cs::get<1>(x));
  }
  template <class S, class T, int N, access A>
  ONEPASS_HD S fold(S sum, const pack<T, N> &v, const position<N, A> &at) const {
    pack<cs::tuple_element_t<0, T>, N> first;
    pack<cs::tuple_element_t<1, T>, N> second;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) {
      first[i] = cs::get<0>(v[i]);
      second[i] = cs::get<1>(v[i]);
    }
    return add_products(sum, existing(first, at), existing(second, at));
  }
};

struct product_statistic {
  template <class T>
  ONEPASS_HD sum_t<T> identity() const {
    using S = sum_t<T>;
    if constexpr (is_complex<S>) return to_complex<S>(1);
    else return S{1};
  }
  template <class T>
  ONEPASS_HD sum_t<T> lift(T x, const coordinate &) const {
    return static_cast<sum_t<T>>(x);
  }
  template <class S>
  ONEPASS_HD S combine(S a, S b) const {
    return multiply_up<S>(a, b);
  }
  template <class S>
  ONEPASS_HD S finish(S product, int64_t) const {
    return product;
  }
};

}  // namespace detail

// One result each. Of nothing: 0, of a product 1. NaN gives NaN, and so do inf with -inf, and inf times 0.
//
// The error of a sum is at most n / 2^19 + 60 roundings (2^-24 in f32) of the sum of absolute values on a device,
// log2(n) on the host; rounding errors being of either sign, it is below one of them in tests of up to 10^6 values.
// That of a product is at most n roundings of the product, and what overflows or underflows on the way does so as a
// whole.
ONEPASS_OBJECT detail::sum_statistic sum{};
ONEPASS_OBJECT detail::sum_of_squares_statistic sum_of_squares{};
ONEPASS_OBJECT detail::product_statistic product{};
// The sum of a b over pairs, as in zip(load(a), load(b)) | reduce(dot, out), which accumulates in the type of a b; an
// integer a b in 64 bits of its own signedness.
ONEPASS_OBJECT detail::dot_statistic dot{};

}  // namespace onepass

#endif
