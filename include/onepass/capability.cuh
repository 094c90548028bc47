// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the least compute capability that a pipeline's parts ask for, major * 10 + minor.
#ifndef ONEPASS_CAPABILITY_CUH
#define ONEPASS_CAPABILITY_CUH

#include "check.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The least compute capability of a part: a functor may have `static constexpr int capability`, major * 10 + minor.
template <class T, class = void>
struct own_capability : cs::integral_constant<int, 75> {};
template <class T>
struct own_capability<T, cs::void_t<decltype(T::capability)>> : cs::integral_constant<int, T::capability> {};
template <class... S>
struct own_capability<several_statistic<S...>, void> {
  static constexpr int value = [] {
    int most = 75;
    for (const int each : {0, own_capability<S>::value...}) most = each > most ? each : most;
    return most;
  }();
};
template <class... Own>
constexpr int most_capable(int inner) {
  for (const int own : {0, own_capability<Own>::value...}) inner = own > inner ? own : inner;
  return inner;
}
template <class T>
struct capability_of {
  static constexpr int value = most_capable<T>(capability_of<typename inner_of<T>::type>::value);
};
template <class... T>
struct capability_of<list<T...>> {
  static constexpr int value = [] {
    int most = 75;
    for (const int part : {0, capability_of<T>::value...}) most = part > most ? part : most;
    return most;
  }();
};
template <class F, class... Operands>
struct capability_of<pointwise<F, Operands...>> {
  static constexpr int value = most_capable<F>(capability_of<list<Operands...>>::value);
};
template <class S, class... Out>
struct capability_of<reduce_sink<S, Out...>> : own_capability<S> {};
template <class S, class... Out>
struct capability_of<reduce_rows_sink<S, Out...>> : own_capability<S> {};
template <class S, class F, class Kept, class... Operands>
struct capability_of<row_stage<S, F, Kept, Operands...>> {
  static constexpr int value = most_capable<S, F>(capability_of<list<Operands...>>::value);
};

}  // namespace detail
}  // namespace onepass

#endif
