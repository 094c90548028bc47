// SPDX-License-Identifier: Apache-2.0
// Part of onepass: whether a pipeline is one kernel, and why not: one sentence each, before anything is instantiated.
#ifndef ONEPASS_CHECK_CUH
#define ONEPASS_CHECK_CUH

#include "pipeline.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The value behind a functor that cannot be called: its sentence has been said.
struct uncallable {};

template <class X, class... T>
inline constexpr bool any_is = (cs::is_same_v<T, X> || ...);

// The type of a source's value.
template <class T>
struct source_value {
  using type = cs::decay_t<decltype(view<full_math, nothing, 4>(
      cs::declval<const T &>(), fetch<4>(cs::declval<const T &>(), position<4>{}), position<4>{})[0])>;
};
template <class... Sources>
struct source_value<zip_source<Sources...>> {
  using type = cs::conditional_t<any_is<uncallable, typename source_value<Sources>::type...>, uncallable,
                                 cs::tuple<typename source_value<Sources>::type...>>;
};

// The type of an operand beside a value of type Value.
template <class Value, class T>
struct operand_value : source_value<T> {};
template <class Value, class T>
struct operand_value<Value, number<T>> {
  using type = decltype(meet<Value>(cs::declval<T>()));
};

// The value behind a stage.
template <class Value, class Stage>
struct stage_value {
  using type =
      cs::decay_t<decltype(cs::declval<const Stage &>().template apply<4>(pack<Value, 4>{}, position<4>{})[0])>;
};
template <class Value, class Sink>
struct stage_value<Value, tee_stage<Sink>> {
  using type = Value;
};
template <class Value, class S, class F, class Kept, class... Operands>
struct stage_value<Value, row_stage<S, F, Kept, Operands...>> {
  template <class Of = S>
  ONEPASS_HD static auto find() {
    if constexpr (any_is<uncallable, Value, typename operand_value<Value, Operands>::type...>) {
      return cs::type_identity<uncallable>{};
    } else if constexpr (any_is<unknown, Value, typename operand_value<Value, Operands>::type...>) {
      return cs::type_identity<unknown>{};
#ifndef __CUDA_ARCH__
    } else if constexpr (holds_device_lambda<F>::value) {
      return cs::type_identity<unknown>{};
#endif
    } else {
      using result = typename row_stage<S, F, Kept, Operands...>::template result<Value>;
      return cs::type_identity<cs::decay_t<decltype(row_lane_call<full_math, F, result>{cs::declval<const F &>(),
                                                                                        cs::declval<const result &>()}(
          cs::declval<const Value &>(), cs::declval<const typename operand_value<Value, Operands>::type &>()...))>>{};
    }
  }
  using type = typename decltype(find())::type;
};
template <class Value, class Q, class Scale, int Columns>
struct stage_value<Value, quantize_group_stage<Q, Scale, Columns>> {
  using type = float;
};
template <class Value, class T>
struct stage_value<Value, pointwise<cast_op<T>>> {
  using type = compute_t<T>;
};
template <class Value, class F, class... Operands>
struct stage_value<Value, pointwise<F, Operands...>> {
  ONEPASS_HD static auto find() {
    if constexpr (any_is<uncallable, Value, typename operand_value<Value, Operands>::type...>) {
      return cs::type_identity<uncallable>{};
    } else if constexpr (any_is<unknown, Value, typename operand_value<Value, Operands>::type...>) {
      return cs::type_identity<unknown>{};
#ifndef __CUDA_ARCH__
    } else if constexpr (holds_device_lambda<F>::value) {
      return cs::type_identity<unknown>{};
#endif
    } else {
      constexpr bool callable = takes<F, Value, typename operand_value<Value, Operands>::type...>::value;
      static_assert(callable,
                    "onepass: a stage's functor cannot be called with the value that reaches it and the "
                    "stage's operands; its call operator must be const, and the types are in the template "
                    "arguments of stage_value");
      if constexpr (callable)
        return cs::type_identity<decltype(lane_call<full_math, F>{cs::declval<const F &>()}(
            cs::declval<const Value &>(), cs::declval<const typename operand_value<Value, Operands>::type &>()...))>{};
      else return cs::type_identity<uncallable>{};
    }
  }
  using type = typename decltype(find())::type;
};

// Whether the functor of a row stage takes the value and the results, and there are as many of these as keep wants.
template <class Row, class Value>
struct row_callable;
template <class S, class F, class Kept, class... Operands, class Value>
struct row_callable<row_stage<S, F, Kept, Operands...>, Value> {
  using result = typename row_stage<S, F, Kept, Operands...>::template result<Value>;
  template <class... R>
  ONEPASS_HD static constexpr bool takes_results(cs::tuple<R...> *) {
    return takes<F, Value, R..., typename operand_value<Value, Operands>::type...>::value;
  }
  template <class R>
  ONEPASS_HD static constexpr bool takes_results(R *) {
    return takes<F, Value, R, typename operand_value<Value, Operands>::type...>::value;
  }
#ifdef __CUDA_ARCH__
  static constexpr bool value = takes_results(static_cast<result *>(nullptr));
#else
  static constexpr bool value = holds_device_lambda<F>::value || takes_results(static_cast<result *>(nullptr));
#endif
};
template <class Row, class Value>
struct keeps_all;
template <class S, class F, class... Out, class... Operands, class Value>
struct keeps_all<row_stage<S, F, kept_results<Out...>, Operands...>, Value> {
  using results = decltype(kept_of(
      cs::declval<typename row_stage<S, F, kept_results<Out...>, Operands...>::template result<Value>>()));
  static constexpr bool value = sizeof...(Out) == 0 || sizeof...(Out) == cs::tuple_size<results>::value;
};

template <class Value, class... Stages>
struct value_behind {
  using type = Value;
};
template <class Value, class Stage, class... Stages>
struct value_behind<Value, Stage, Stages...> : value_behind<typename stage_value<Value, Stage>::type, Stages...> {};
template <class Stage, class... Stages>
struct value_behind<uncallable, Stage, Stages...> : value_behind<uncallable> {};

template <class... Stages>
struct source_value<pipeline<Stages...>> : source_value<list<Stages...>> {};
template <class Source, class... Stages>
struct source_value<list<Source, Stages...>> : value_behind<typename source_value<Source>::type, Stages...> {};

template <class... Parts>
struct but_last;
template <class... Done, class Last>
struct but_last<list<Done...>, Last> {
  using type = list<Done...>;
};
template <class... Done, class Head, class Next, class... Tail>
struct but_last<list<Done...>, Head, Next, Tail...> : but_last<list<Done..., Head>, Next, Tail...> {};

// The value that reaches the sink.
template <class P>
struct sink_value;
template <class... Parts>
struct sink_value<pipeline<Parts...>> : source_value<typename but_last<list<>, Parts...>::type> {};
template <class P>
using sink_value_t = typename sink_value<P>::type;

template <class P>
struct sink_of;
template <class... Parts>
struct sink_of<pipeline<Parts...>> {
  using type = cs::decay_t<decltype(last(cs::declval<list<Parts...>>()))>;
};
template <class P>
using sink_t = typename sink_of<P>::type;

// Whether a statistic takes values of type Value.
template <class S, class Value, class = void>
struct is_statistic : cs::false_type {};
template <class S, class Value>
struct is_statistic<
    S, Value,
    cs::void_t<
        decltype(cs::declval<const S &>().combine(cs::declval<const S &>().lift(cs::declval<Value>(), coordinate{}),
                                                  cs::declval<const S &>().template identity<Value>())),
        decltype(cs::declval<const S &>().finish(cs::declval<const S &>().template identity<Value>(), row_size{}))>>
    : cs::true_type {};

// A statistic of values of type Value keeps one state, of a type that threads can exchange.
template <class S, class Value>
ONEPASS_HD constexpr bool check_state() {
  using state = cs::decay_t<decltype(cs::declval<const S &>().template identity<Value>())>;
  using lifted = decltype(cs::declval<const S &>().lift(cs::declval<Value>(), coordinate{}));
  using combined = decltype(cs::declval<const S &>().combine(cs::declval<state>(), cs::declval<state>()));
  constexpr bool one_state = cs::is_same_v<state, cs::decay_t<lifted>> && cs::is_same_v<state, cs::decay_t<combined>>;
  static_assert(one_state, "onepass: identity, lift and combine of a statistic return one type, its state");
  constexpr bool plain =
      cs::is_trivially_copyable_v<state> && cs::is_default_constructible_v<state> && sizeof(state) <= 1024;
  static_assert(
      plain,
      "onepass: the state of a statistic is trivially copyable, has a default constructor and at most 1024 bytes");
  return one_state && plain;
}

template <class Sink, class Value>
ONEPASS_HD constexpr bool check_reduce() {
  using statistic = decltype(Sink::statistic);
  constexpr bool known = !cs::is_same_v<Value, unknown>, takes = is_statistic<statistic, Value>::value;
  static_assert(known,
                "onepass: the result type of a __device__ lambda does not exist on the host, where the size of a "
                "reduction's state is needed: put cast<T>() behind the lambda, or use a named functor");
  static_assert(!known || takes,
                "onepass: reduce begins with a statistic of the value that reaches it, such as sum, or a struct with "
                "identity<T>(), lift(x, at), combine(a, b) and finish(state, n)");
  if constexpr (known && takes) {
    constexpr bool state = check_state<statistic, Value>();
    constexpr bool fits = Sink::template fits<Value>();
    static_assert(fits || own_needs_row<Sink>::value,
                  "onepass: reduce takes one pointer for each result of its statistic");
    static_assert(fits || !own_needs_row<Sink>::value,
                  "onepass: reduce_rows takes one pointer for each result of its statistic");
    return state && fits;
  } else {
    return false;
  }
}

template <class T, class Value>
ONEPASS_HD constexpr bool check_store() {
  using held = cs::conditional_t<is_small_float<T>, double, T>;
  constexpr bool writable = !cs::is_const_v<T>, one = !is_tuple<Value>::value;
  constexpr bool fits = any_is<Value, T, unknown> || cs::is_constructible_v<held, Value>;
  static_assert(writable, "onepass: a store through a pointer to const");
  static_assert(!writable || one,
                "onepass: a store takes one value per element, and a tuple reaches it: bring it together with fn(f)");
  static_assert(!writable || !one || fits,
                "onepass: the value that reaches a store does not convert to its element: "
                "both types are in the template arguments of check_store");
  return writable && one && fits;
}

// A row stage: a statistic of the value, whose result its functor takes.
template <class Row, class Value>
ONEPASS_HD constexpr bool check_row() {
  using statistic = decltype(Row::statistic);
  constexpr bool known = !cs::is_same_v<Value, unknown>, takes = is_statistic<statistic, Value>::value;
  static_assert(known,
                "onepass: the result type of a __device__ lambda does not exist on the host, where the size of a row's "
                "state is needed: put cast<T>() behind the lambda, or use a named functor");
  static_assert(
      !known || takes,
      "onepass: a row stage begins with a statistic of the value that reaches it, such as mean, or a struct with "
      "identity<T>(), lift(x, at), combine(a, b) and finish(state, n)");
  if constexpr (known && takes) {
    constexpr bool state = check_state<statistic, Value>();
    constexpr bool callable = row_callable<Row, Value>::value;
    static_assert(
        callable,
        "onepass: the functor of a row stage is called as f(value, result, operand...) with the results of its "
        "statistic; its call operator must be const, and the types are in the template arguments of check_row");
    constexpr bool keeps = keeps_all<Row, Value>::value;
    static_assert(keeps, "onepass: keep takes one pointer for each result of a row stage's statistic, or none at all");
    return state && callable && keeps;
  } else {
    return false;
  }
}

template <class Part>
inline constexpr typename inner_of<Part>::type *inner_in = nullptr;

// The tees of operands.
template <class... Operands>
ONEPASS_HD constexpr bool check_operands(list<Operands...> *);

// The parts behind the source, with the value that reaches each.
template <class Value>
ONEPASS_HD constexpr bool check_values(list<> *) {
  return true;
}
template <class Value, class Head, class... Tail>
ONEPASS_HD constexpr bool check_values(list<Head, Tail...> *) {
  constexpr list<Tail...> *tail = nullptr;
  if constexpr (cs::is_same_v<Value, uncallable>) return false;
  else if constexpr (Head::part == kind::pointwise)
    return check_operands(inner_in<Head>) && check_values<typename stage_value<Value, Head>::type>(tail);
  else if constexpr (Head::part == kind::row) {
    if constexpr (check_row<Head, Value>())
      return check_operands(inner_in<cs::decay_t<decltype(cs::declval<Head>().inner.head)>>) &&
             check_values<typename stage_value<Value, Head>::type>(tail);
    else return false;
  } else if constexpr (Head::part == kind::tee) return check_values<Value>(inner_in<Head>) && check_values<Value>(tail);
  else if constexpr (own_reduces<Head>::value) return check_reduce<Head, Value>();
  else return check_store<typename Head::element, Value>();
}

template <class Operand>
ONEPASS_HD constexpr bool check_operand(Operand *) {
  return check_operands(inner_in<Operand>);
}
template <class Source, class... Stages>
ONEPASS_HD constexpr bool check_operand(pipeline<Source, Stages...> *) {
  constexpr list<Stages...> *stages = nullptr;
  return check_operand(static_cast<Source *>(nullptr)) && check_values<typename source_value<Source>::type>(stages);
}
template <class... Operands>
ONEPASS_HD constexpr bool check_operands(list<Operands...> *) {
  return (check_operand(static_cast<Operands *>(nullptr)) && ...);
}

// True, or the compilation ends with the sentence of the first fault.
template <class First, class... Rest>
ONEPASS_HD constexpr bool check(const pipeline<First, Rest...> *) {
  if constexpr (any_refused<pipeline<First, Rest...>>::value) return false;
  constexpr bool starts = First::part == kind::source;
  constexpr int sinks = (0 + ... + (Rest::part == kind::sink));
  constexpr bool ends = sink_t<pipeline<First, Rest...>>::part == kind::sink;
  constexpr bool one_source = ((Rest::part != kind::source) && ...);
  constexpr bool one_kind = !any_needs_row<list<Rest...>>::value || !any_reduces_array<list<Rest...>>::value;
  constexpr bool rows = any_needs_row<list<Rest...>>::value;
  constexpr bool tees_once =
      !rows || (!any_tees<First>::value && ((Rest::part == kind::tee || !any_tees<Rest>::value) && ...));
  static_assert(starts,
                "onepass: a pipeline begins with a source, such as load(p); a list of stages is a value to put "
                "behind one");
  static_assert(!starts || one_source,
                "onepass: a source stands behind another part: a second input is an operand of a "
                "stage, as in add(load(r)), or a member of zip");
  static_assert(
      one_kind,
      "onepass: reduce keeps one state of the whole array, and beside a row stage or reduce_rows the states of a "
      "row do not outlive it: store or reduce_rows here, and reduce that in a new pipeline");
  static_assert(
      tees_once,
      "onepass: beside a row stage a tee in an operand, or in a member of zip, would store each time that a wide "
      "row is read again: store that value in a pipeline of its own, at one kernel and one read per element more");
  constexpr bool one_width = any_group<pipeline<First, Rest...>>::value >= 0;
  static_assert(one_width, "onepass: per_group and quantize_groups of one pipeline have groups of one width");
  static_assert(!starts || !one_source || sinks > 0,
                "onepass: a pipeline ends in a sink, such as store(p) or reduce(sum, out)");
  static_assert(!starts || !one_source || sinks <= 1,
                "onepass: a pipeline has one sink: make the first a tee, as in tee(store(p))");
  static_assert(!starts || !one_source || sinks != 1 || ends, "onepass: a stage stands behind the sink");
  if constexpr (starts && one_source && one_kind && tees_once && one_width && sinks == 1 && ends)
    return check_operand(static_cast<First *>(nullptr)) &&
           check_values<typename source_value<First>::type>(static_cast<list<Rest...> *>(nullptr));
  else return false;
}

}  // namespace detail
}  // namespace onepass

#endif
