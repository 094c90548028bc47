// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what a stage takes beside the value that flows: a number, or a source with its own stages.
//
// A source is read in two steps, so that an evaluator can issue all loads before any arithmetic: fetch<N>(at) returns
// the raw words, view<N>(raw, at) the values. A source with get<N>(at) alone has nothing to fetch.
#ifndef ONEPASS_STAGE_OPERAND_CUH
#define ONEPASS_STAGE_OPERAND_CUH

#include "../source/value.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// How exactly a stage must compute: full, or such that a 16-bit float behind it is within 1 ulp.
struct full_math {};
struct narrow_math {};

template <class T>
inline constexpr bool is_number = (cs::is_arithmetic_v<T> && !is_long_double<T>) || is_small_float<T>;

template <class T>
struct operand {
  static_assert(
      is_number<T> || is_kind<T, kind::source>(),
      "onepass: an operand is a number, or a source with pointwise stages of its own (no sink, no reduction; a "
      "tee in it stores)");
  using type = cs::conditional_t<is_number<T>, number<T>, T>;
};
template <class T>
using operand_t = typename operand<T>::type;

template <class T>
ONEPASS_HD constexpr operand_t<T> as_operand(const T &x) {
  return operand_t<T>{x};
}

template <class T, class = void>
struct has_fetch : cs::false_type {};
template <class T>
struct has_fetch<T, cs::void_t<decltype(cs::declval<const T &>().template fetch<4>(position<4>{}))>> : cs::true_type {};

// The raw words of a part: issues its loads.
ONEPASS_NO_EXEC_CHECK
template <int N, class Part, access A>
ONEPASS_HD auto fetch(const Part &part, const position<N, A> &at) {
  if constexpr (has_fetch<Part>::value) return part.template fetch<N>(at);
  else return nothing{};
}

template <int N, access A>
ONEPASS_HD list<> fetch_all(const list<> &, const position<N, A> &) {
  return {};
}
template <int N, class Head, class... Tail, access A>
ONEPASS_HD auto fetch_all(const list<Head, Tail...> &parts, const position<N, A> &at) {
  const auto head = fetch<N>(parts.head, at);  // in this order: the source's loads go first
  return prepend(head, fetch_all<N>(parts.tail, at));
}

// The values of an operand; Value is the type that flows, which a number takes.
ONEPASS_NO_EXEC_CHECK
template <class Math, class Value, int N, class T, class Raw, access A>
ONEPASS_HD auto view(const T &source, const Raw &raw, const position<N, A> &at) {
  if constexpr (is_composite<T>::value) return source.template view_with<Math, N>(raw, at);
  else if constexpr (has_fetch<T>::value) return source.template view<N>(raw, at);
  else return source.template get<N>(at);
}
template <class Math, class Value, int N, class T, access A>
ONEPASS_HD auto view(const number<T> &operand, const nothing &, const position<N, A> &) {
  return broadcast<N>(meet<Value>(operand.x));
}

// f(values of each operand...).
template <class Math, class Value, int N, class F, access A, class... V>
ONEPASS_HD auto view_all(const F &f, const list<> &, const list<> &, const position<N, A> &, const V &...v) {
  return f(v...);
}
template <class Math, class Value, int N, class F, class Head, class... Tail, class Raw, access A, class... V>
ONEPASS_HD auto view_all(const F &f, const list<Head, Tail...> &operands, const Raw &raw, const position<N, A> &at,
                         const V &...v) {
  return view_all<Math, Value, N>(f, operands.tail, raw.tail, at, v...,
                                  filled(view<Math, Value, N>(operands.head, raw.head, at), at));
}

}  // namespace detail
}  // namespace onepass

#endif
