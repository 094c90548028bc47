// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what counts as a complex value, and the type in which two values meet.
//
// A complex type is any class with a value_type of float or double, real(), imag() and a constructor from two parts,
// such as cuda::std::complex and thrust::complex: no header of either is needed here.
#ifndef ONEPASS_STAGE_COMPLEX_CUH
#define ONEPASS_STAGE_COMPLEX_CUH

#include "../meta.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T, class = void>
struct complex_like : cs::false_type {};
template <class T>
struct complex_like<T, cs::void_t<typename T::value_type, decltype(cs::declval<const T &>().real()),
                                  decltype(cs::declval<const T &>().imag())>> {
  using V = typename T::value_type;
  static constexpr bool real = cs::is_same_v<V, float> || cs::is_same_v<V, double>;
  static constexpr bool value = real && cs::is_constructible_v<T, V, V>;
};
template <class T>
inline constexpr bool is_complex = complex_like<T>::value;

// The real type that a value is made of.
template <class T, bool = is_complex<T>>
struct component {
  using type = T;
};
template <class T>
struct component<T, true> {
  using type = typename T::value_type;
};
template <class T>
using component_t = typename component<T>::type;

// A complex type like C over V; C itself if it is no template of its value_type.
template <class C, class V, bool = cs::is_same_v<component_t<C>, V>>
struct complex_over {
  using type = C;
};
template <template <class...> class C, class From, class V>
struct complex_over<C<From>, V, false> {
  using type = C<V>;
};

// The type of a + b: promoted as in C++; of a complex and a real value complex.
template <class A, class B, bool = is_complex<A> || is_complex<B>>
struct meeting {
  using type = decltype(cs::declval<A>() + cs::declval<B>());
};
template <class A, class B>
struct meeting<A, B, true> {
  using type = typename complex_over<cs::conditional_t<is_complex<A>, A, B>,
                                     typename meeting<component_t<A>, component_t<B>>::type>::type;
};

template <class... T>
struct common;
template <class A>
struct common<A> : meeting<A, component_t<A>> {};
template <class A, class B, class... More>
struct common<A, B, More...> : common<typename meeting<A, B>::type, More...> {};
template <class... T>
using common_t = cs::decay_t<typename common<T...>::type>;  // promoted

// x in the complex type T.
template <class T, class A>
ONEPASS_HD T to_complex(A x) {
  using V = component_t<T>;
  if constexpr (is_complex<A>) return T(static_cast<V>(x.real()), static_cast<V>(x.imag()));
  else return T(static_cast<V>(x), V(0));
}

// Whether all are real; a complex value ends the compilation with this sentence.
template <class... T>
ONEPASS_HD constexpr bool check_real() {
  constexpr bool real = !(is_complex<T> || ...);
  static_assert(real,
                "onepass: a complex value reaches an op that is defined for real values alone: put abs, real or imag "
                "before it");
  return real;
}

}  // namespace detail
}  // namespace onepass

#endif
