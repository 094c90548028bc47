// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the reductions of a pipeline, its sink's and its tees', side by side as one statistic.
#ifndef ONEPASS_REDUCTION_CUH
#define ONEPASS_REDUCTION_CUH

#include "check.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The reducing sinks among parts, in order: up to the first row stage, or Through all of them.
template <bool Through = false>
ONEPASS_HD constexpr list<> reducers_of(const list<> &) {
  return {};
}
template <bool Through = false, class Head, class... Tail>
ONEPASS_HD constexpr auto reducers_of(const list<Head, Tail...> &parts) {
  if constexpr (Head::part == kind::row && !Through) return list<>{};
  else if constexpr (own_reduces<Head>::value) return prepend(parts.head, reducers_of<Through>(parts.tail));
  else if constexpr (Head::part == kind::tee)
    return concatenate(reducers_of<Through>(parts.head.inner), reducers_of<Through>(parts.tail));
  else return reducers_of<Through>(parts.tail);
}

// The type of the value that reaches each of them, as a list that is never made.
template <class Value, bool Through = false>
ONEPASS_HD list<> reduced_values(list<> *) {
  return {};
}
template <class Value, bool Through = false, class Head, class... Tail>
ONEPASS_HD auto reduced_values(list<Head, Tail...> *) {
  constexpr list<Tail...> *tail = nullptr;
  if constexpr (Head::part == kind::row && !Through) return list<>{};
  else if constexpr (Head::part == kind::pointwise || Head::part == kind::row)
    return reduced_values<typename stage_value<Value, Head>::type, Through>(tail);
  else if constexpr (any_reduces<Head>::value)
    return concatenate(list<Value>{}, decltype(reduced_values<Value, Through>(tail)){});
  else return reduced_values<Value, Through>(tail);
}
template <bool Through, class Source, class... Parts>
ONEPASS_HD auto reduced_values_of(pipeline<Source, Parts...> *) {
  return reduced_values<typename source_value<Source>::type, Through>(static_cast<list<Parts...> *>(nullptr));
}
template <class P, bool Through = false>
using reduced_values_t = decltype(reduced_values_of<Through>(static_cast<P *>(nullptr)));

// Their states. (No list: its empty end takes a byte, which would be exchanged with the rest.)
template <class State, class... More>
struct states {
  State head;
  states<More...> tail;
};
template <class State>
struct states<State> {
  State head;
};

template <class Sink, class Value>
using state_of_t = typename Sink::template state<Value>;

// The states of nothing, of two parts together, and the results of all.
ONEPASS_NO_EXEC_CHECK
template <class Sink, class Value>
ONEPASS_HD states<state_of_t<Sink, Value>> identities(const list<Sink> &sinks, list<Value> *) {
  return {sinks.head.statistic.template identity<Value>()};
}
ONEPASS_NO_EXEC_CHECK
template <class Sink, class Next, class... Sinks, class Value, class NextValue, class... Values>
ONEPASS_HD states<state_of_t<Sink, Value>, state_of_t<Next, NextValue>, state_of_t<Sinks, Values>...> identities(
    const list<Sink, Next, Sinks...> &sinks, list<Value, NextValue, Values...> *) {
  return {sinks.head.statistic.template identity<Value>(),
          identities(sinks.tail, static_cast<list<NextValue, Values...> *>(nullptr))};
}

ONEPASS_NO_EXEC_CHECK
template <class Sink, class State>
ONEPASS_HD states<State> combine_all(const list<Sink> &sinks, const states<State> &a, const states<State> &b) {
  return {sinks.head.statistic.combine(a.head, b.head)};
}
ONEPASS_NO_EXEC_CHECK
template <class Sink, class Next, class... Sinks, class States>
ONEPASS_HD States combine_all(const list<Sink, Next, Sinks...> &sinks, const States &a, const States &b) {
  return {sinks.head.statistic.combine(a.head, b.head), combine_all(sinks.tail, a.tail, b.tail)};
}

// The states that the lanes of a warp have, combined by over(statistic, x) or as the statistic says, see stage/row.cuh.
template <class S, class State, class Over>
ONEPASS_HD State across(const S &statistic, const State &s, const Over &over) {
  if constexpr (own_joins<S>::value) return statistic.across(s, over);
  else return over(statistic, s);
}
template <class Sink, class State, class Over>
ONEPASS_HD states<State> across_all(const list<Sink> &sinks, const states<State> &s, const Over &over) {
  return {across(sinks.head.statistic, s.head, over)};
}
template <class Sink, class Next, class... Sinks, class States, class Over>
ONEPASS_HD States across_all(const list<Sink, Next, Sinks...> &sinks, const States &s, const Over &over) {
  return {across(sinks.head.statistic, s.head, over), across_all(sinks.tail, s.tail, over)};
}

template <class Sink, class State>
ONEPASS_HD void put_all(const list<Sink> &sinks, const states<State> &s, int64_t n) {
  sinks.head.put_results(s.head, n);
}
template <class Sink, class Next, class... Sinks, class States>
ONEPASS_HD void put_all(const list<Sink, Next, Sinks...> &sinks, const States &s, int64_t n) {
  sinks.head.put_results(s.head, n);
  put_all(sinks.tail, s.tail, n);
}

// Reductions side by side as one statistic, whose state is the states of all.
template <class Sinks, class Values>
struct side_by_side;
template <class... Sinks, class Values>
struct side_by_side<list<Sinks...>, Values> {
  static constexpr bool commutative = (own_commutative<decltype(Sinks::statistic)>::value && ...),
                        joins = (own_joins<decltype(Sinks::statistic)>::value || ...);
  list<Sinks...> sinks;

  ONEPASS_HD auto identity() const { return identities(sinks, static_cast<Values *>(nullptr)); }
  template <class States>
  ONEPASS_HD States combine(const States &a, const States &b) const {
    return combine_all(sinks, a, b);
  }
  template <class States, class Over>
  ONEPASS_HD States across(const States &s, const Over &over) const {
    return across_all(sinks, s, over);
  }
};

// Those of a pipeline that reduces the whole array; pipeline::consume takes a group into the states.
template <class P>
struct reductions : side_by_side<decltype(reducers_of(cs::declval<const P &>().inner)), reduced_values_t<P>> {
  ONEPASS_HD explicit reductions(const P &p)
      : side_by_side<decltype(reducers_of(p.inner)), reduced_values_t<P>>{reducers_of(p.inner)} {}
  template <class States>
  ONEPASS_HD void put_results(const States &s, int64_t n) const {
    put_all(this->sinks, s, n);
  }
};
template <class P>
using states_t = decltype(cs::declval<const reductions<P> &>().identity());

}  // namespace detail
}  // namespace onepass

#endif
