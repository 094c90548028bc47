// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the list of parts that everything composite is made of, and traits over it.
#ifndef ONEPASS_META_CUH
#define ONEPASS_META_CUH

#include <cuda/std/cstdint>      // int64_t, also under NVRTC
#include <cuda/std/type_traits>  // decay, is_same, void_t
#include <cuda/std/utility>      // declval

#include "config.cuh"

namespace ONEPASS_LOCAL onepass {

using cuda::std::int32_t;
using cuda::std::int64_t;
using cuda::std::uint32_t;
using cuda::std::uint64_t;

// What a part of a pipeline is. Each part, the user's own too, says it as `static constexpr kind part = kind::...`. A
// pipeline that begins with a source and has pointwise stages only is itself a source; any other is a list.
enum class kind { source, pointwise, row, tee, sink, list };

namespace detail {

namespace cs = cuda::std;

// A trivially copyable list of values of different types.
template <class... T>
struct list;
template <>
struct list<> {};
template <class Head, class... Tail>
struct list<Head, Tail...> {
  Head head;
  list<Tail...> tail;
};

ONEPASS_HD constexpr list<> make_list() { return {}; }
template <class Head, class... Tail>
ONEPASS_HD constexpr list<Head, Tail...> make_list(Head head, Tail... tail) {
  return {head, make_list(tail...)};
}

template <class Head, class... Tail>
ONEPASS_HD constexpr list<Head, Tail...> prepend(const Head &head, const list<Tail...> &tail) {
  return {head, tail};
}

template <class... B>
ONEPASS_HD constexpr list<B...> concatenate(list<>, list<B...> b) {
  return b;
}
template <class Head, class... Tail, class... B>
ONEPASS_HD constexpr list<Head, Tail..., B...> concatenate(list<Head, Tail...> a, list<B...> b) {
  return {a.head, concatenate(a.tail, b)};
}

struct nothing {};  // the raw value of a part that reads no memory

// The type of a value that a __device__ lambda computed: its result type does not exist in the host pass.
struct unknown {};

template <class T, class = void>
struct has_kind : cs::false_type {};
template <class T>
struct has_kind<T, cs::void_t<decltype(T::part)>> : cs::true_type {};
template <class T>
inline constexpr bool is_part = has_kind<T>::value;

template <class T, kind K>
ONEPASS_HD constexpr bool is_kind() {
  if constexpr (is_part<T>) return T::part == K;
  else return false;
}

// A leaf touches one array: it has an `element` type, a `span`, `pointer()` and `pitch()`. A composite part holds a
// list named `inner`. Everything known about a pipeline's memory follows from these two.
template <class T, class = void>
struct is_leaf : cs::false_type {};
template <class T>
struct is_leaf<T, cs::void_t<typename T::element>> : cs::true_type {};

template <class T, class = void>
struct inner_of {
  using type = list<>;
};
template <class T>
struct inner_of<T, cs::void_t<decltype(T::inner)>> {
  using type = decltype(T::inner);
};
template <class T, class = void>
struct is_composite : cs::false_type {};
template <class T>
struct is_composite<T, cs::void_t<decltype(T::inner)>> : cs::true_type {};

template <class L>
struct leaves_of;  // the types of all leaves of a list of parts
template <class Part>
struct leaves_of_part {
  using type =
      cs::conditional_t<is_leaf<Part>::value, list<Part>, typename leaves_of<typename inner_of<Part>::type>::type>;
};
template <>
struct leaves_of<list<>> {
  using type = list<>;
};
template <class Head, class... Tail>
struct leaves_of<list<Head, Tail...>> {
  using type = decltype(concatenate(cs::declval<typename leaves_of_part<Head>::type>(),
                                    cs::declval<typename leaves_of<list<Tail...>>::type>()));
};
template <class Part>
using leaves_t = typename leaves_of_part<Part>::type;

// A flag that a part may have as `static constexpr bool`; absent is false.
#define ONEPASS_DETAIL_FLAG(name)                                                      \
  template <class T, class = void>                                                     \
  struct own_##name : cs::false_type {};                                               \
  template <class T>                                                                   \
  struct own_##name<T, cs::void_t<decltype(T::name)>> : cs::bool_constant<T::name> {}; \
  template <class T>                                                                   \
  struct any_##name;                                                                   \
  template <class... T>                                                                \
  struct any_##name<list<T...>> : cs::bool_constant<(any_##name<T>::value || ...)> {}; \
  template <class T>                                                                   \
  struct any_##name : cs::bool_constant<own_##name<T>::value || any_##name<typename inner_of<T>::type>::value> {};
ONEPASS_DETAIL_FLAG(by_row)         // needs the row, the column or a pitch
ONEPASS_DETAIL_FLAG(device_only)    // has no host body
ONEPASS_DETAIL_FLAG(scattered)      // reads where another source says
ONEPASS_DETAIL_FLAG(tees)           // gives its value to a sink on the way
ONEPASS_DETAIL_FLAG(reduces)        // keeps a state
ONEPASS_DETAIL_FLAG(reduces_array)  // over all elements
ONEPASS_DETAIL_FLAG(needs_row)      // sees or reduces a whole row
ONEPASS_DETAIL_FLAG(by_rows)        // an array of the extent's own shape that is read group by group of a row
ONEPASS_DETAIL_FLAG(commutative)    // a statistic: combine(a, b) and combine(b, a) are the same bits
ONEPASS_DETAIL_FLAG(joins)          // a statistic: it has across(state, over), as in row.cuh
ONEPASS_DETAIL_FLAG(refused)        // has no kernel, and has said why
ONEPASS_DETAIL_FLAG(written)        // an array that a sink writes
ONEPASS_DETAIL_FLAG(shares_group)   // sees the values of a whole group of columns
ONEPASS_DETAIL_FLAG(draws)          // makes several lanes at once of what one costs
#undef ONEPASS_DETAIL_FLAG

// Columns that share an element of an array, 0 for none, -1 where arrays differ in it.
template <class T, class = void>
struct own_group : cs::integral_constant<int, 0> {};
template <class T>
struct own_group<T, cs::void_t<decltype(T::group)>> : cs::integral_constant<int, T::group> {};
template <int... Parts>
ONEPASS_HD constexpr int one_group() {
  int all = 0;
  for (const int part : {0, Parts...}) all = part == 0 || part == all ? all : all == 0 ? part : -1;
  return all;
}
template <class T>
struct any_group;
template <class... T>
struct any_group<list<T...>> {
  static constexpr int value = one_group<any_group<T>::value...>();
};
template <class T>
struct any_group {
  static constexpr int value =
      own_group<T>::value > 0 ? own_group<T>::value : any_group<typename inner_of<T>::type>::value;
};

}  // namespace detail
}  // namespace onepass

#endif
