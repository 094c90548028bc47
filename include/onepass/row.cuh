// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a pipeline as its row stages cut it: the parts up to a row stage, what is read early and what late,
// and what is reduced over a row together.
#ifndef ONEPASS_ROW_CUH
#define ONEPASS_ROW_CUH

#include "reduction.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class... Parts>
ONEPASS_HD constexpr int count_rows(list<Parts...> *) {
  return (0 + ... + (Parts::part == kind::row));
}
template <class L>
inline constexpr int row_stages_in = count_rows(static_cast<L *>(nullptr));

// The parts from the first row stage on, and their raw words.
template <class Head, class... Tail>
ONEPASS_HD constexpr const auto &from_row(const list<Head, Tail...> &parts) {
  if constexpr (Head::part == kind::row) return parts;
  else return from_row(parts.tail);
}
template <class Head, class... Tail, class Raw>
ONEPASS_HD constexpr const auto &raw_from_row(const list<Head, Tail...> &parts, const Raw &raw) {
  if constexpr (Head::part == kind::row) return raw;
  else return raw_from_row(parts.tail, raw.tail);
}

// The same from row stage I on, counted from 0.
template <int I, class Head, class... Tail>
ONEPASS_HD constexpr const auto &nth_row(const list<Head, Tail...> &parts) {
  const auto &rest = from_row(parts);
  if constexpr (I == 0) return rest;
  else return nth_row<I - 1>(rest.tail);
}

// The type of the value in front of row stage I, where Value reaches the parts.
template <int I, class Value, class L>
struct value_before_row;
template <int I, class Value, class Head, class... Tail>
struct value_before_row<I, Value, list<Head, Tail...>> {
  ONEPASS_HD static auto find() {
    if constexpr (Head::part == kind::row && I == 0) return cs::type_identity<Value>{};
    else if constexpr (Head::part == kind::row)
      return cs::type_identity<
          typename value_before_row<I - 1, typename stage_value<Value, Head>::type, list<Tail...>>::type>{};
    else if constexpr (Head::part == kind::pointwise)
      return cs::type_identity<
          typename value_before_row<I, typename stage_value<Value, Head>::type, list<Tail...>>::type>{};
    else return cs::type_identity<typename value_before_row<I, Value, list<Tail...>>::type>{};
  }
  using type = typename decltype(find())::type;
};
template <class P>
struct first_value;
template <class Source, class... Parts>
struct first_value<pipeline<Source, Parts...>> : source_value<Source> {};
template <class P>
using source_value_t = typename first_value<P>::type;

template <int I, class P>
struct row_value;
template <int I, class Source, class... Parts>
struct row_value<I, pipeline<Source, Parts...>>
    : value_before_row<I, typename source_value<Source>::type, list<Parts...>> {};

// What is read late: behind a row stage, parts that read no array of the extent's own shape. Vectors such as gamma come
// from a cache, and would hold registers while the row is reduced.
struct late {};
template <class... Leaf>
ONEPASS_HD constexpr bool streams(list<Leaf...> *) {
  return ((!Leaf::written && Leaf::span == ONEPASS_PER_ELEMENT) || ...);
}
template <class Part>
inline constexpr bool reads_late = !streams(static_cast<leaves_t<Part> *>(nullptr));

template <class... Leaf>
ONEPASS_HD constexpr int read_bytes(list<Leaf...> *) {
  return (0 + ... + (Leaf::written ? 0 : static_cast<int>(sizeof(typename Leaf::element))));
}
template <class... Parts>
ONEPASS_HD constexpr int count_late_bytes(list<Parts...> *) {
  return (0 + ... + (reads_late<Parts> ? read_bytes(static_cast<leaves_t<Parts> *>(nullptr)) : 0));
}
template <class L>
inline constexpr int late_bytes_of = count_late_bytes(static_cast<L *>(nullptr));  // of a lane

template <int N, bool Behind, access A>
ONEPASS_HD list<> fetch_early(const list<> &, const position<N, A> &) {
  return {};
}
template <int N, bool Behind, class Head, class... Tail, access A>
ONEPASS_HD auto fetch_early(const list<Head, Tail...> &parts, const position<N, A> &at) {
  constexpr bool behind = Behind || Head::part == kind::row;
  if constexpr (behind && reads_late<Head>) {
    return prepend(late{}, fetch_early<N, behind>(parts.tail, at));
  } else {
    const auto head = fetch<N>(parts.head, at);
    return prepend(head, fetch_early<N, behind>(parts.tail, at));
  }
}
// The rest, of the row stage at the head and the parts up to the next.
template <int N, bool First, access A>
ONEPASS_HD list<> fetch_late(const list<> &, const list<> &, const position<N, A> &) {
  return {};
}
template <int N, bool First, class Head, class... Tail, class Raw, class... Raws, access A>
ONEPASS_HD auto fetch_late(const list<Head, Tail...> &parts, const list<Raw, Raws...> &raw, const position<N, A> &at) {
  if constexpr (!First && Head::part == kind::row) {
    return raw;
  } else if constexpr (cs::is_same_v<Raw, late>) {
    const auto head = fetch<N>(parts.head, at);
    return prepend(head, fetch_late<N, false>(parts.tail, raw.tail, at));
  } else {
    return prepend(raw.head, fetch_late<N, false>(parts.tail, raw.tail, at));
  }
}

// A statistic among the reductions of a row, whose result goes to a row stage.
template <class S>
struct inner_reduction {
  S statistic;
  template <class T, class Of = S>
  using state = cs::decay_t<decltype(cs::declval<const Of &>().template identity<T>())>;
  template <class State>
  ONEPASS_HD void put_results(const State &, int64_t, int64_t) const {}
};

template <class Sink, class State>
ONEPASS_HD void put_row(const list<Sink> &sinks, const states<State> &s, int64_t row, int64_t n) {
  sinks.head.put_results(s.head, row, n);
}
template <class Sink, class Next, class... Sinks, class States>
ONEPASS_HD void put_row(const list<Sink, Next, Sinks...> &sinks, const States &s, int64_t row, int64_t n) {
  sinks.head.put_results(s.head, row, n);
  put_row(sinks.tail, s.tail, row, n);
}

// The math of a row stage: that of its parts behind.
template <class L>
struct math_of_row;
template <class Row, class... Behind>
struct math_of_row<list<Row, Behind...>> {
  using type = math_before<full_math, Behind...>;
};

// The state behind the last reduction of a list, and the states with another in its place.
template <class State>
ONEPASS_HD constexpr State &last_state(states<State> &s) {
  return s.head;
}
template <class State>
ONEPASS_HD constexpr const State &last_state(const states<State> &s) {
  return s.head;
}
template <class State, class Next, class... More>
ONEPASS_HD constexpr auto &last_state(states<State, Next, More...> &s) {
  return last_state(s.tail);
}
template <class State, class Next, class... More>
ONEPASS_HD constexpr const auto &last_state(const states<State, Next, More...> &s) {
  return last_state(s.tail);
}
template <class State, class... More>
ONEPASS_HD constexpr states<State, More...> before_states(const State &head, const states<More...> &tail) {
  return {head, tail};
}
template <class State, class Last>
ONEPASS_HD constexpr states<Last> with_last(const states<State> &, const Last &last) {
  return {last};
}
template <class State, class Next, class... More, class Last>
ONEPASS_HD constexpr auto with_last(const states<State, Next, More...> &s, const Last &last) {
  return before_states(s.head, with_last(s.tail, last));
}

}  // namespace detail
}  // namespace onepass

#endif
