// SPDX-License-Identifier: Apache-2.0
// Part of onepass: `|`, and how the parts of a pipeline are read, computed and written for one group.
#ifndef ONEPASS_PIPELINE_CUH
#define ONEPASS_PIPELINE_CUH

#include "refused.cuh"
#include "sink/cross_entropy.cuh"
#include "sink/quantize.cuh"
#include "sink/reduce.cuh"
#include "sink/reduce_rows.cuh"
#include "sink/store.cuh"
#include "source/channel.cuh"
#include "source/coordinate.cuh"
#include "source/gather.cuh"
#include "source/group.cuh"
#include "source/load.cuh"
#include "source/pairs.cuh"
#include "source/random.cuh"
#include "source/strided.cuh"
#include "source/value.cuh"
#include "source/value_at.cuh"
#include "source/vector.cuh"
#include "source/view.cuh"
#include "source/zip.cuh"
#include "stage/activation.cuh"
#include "stage/arithmetic.cuh"
#include "stage/bitwise.cuh"
#include "stage/cast.cuh"
#include "stage/comparison.cuh"
#include "stage/dropout.cuh"
#include "stage/elementary.cuh"
#include "stage/gate.cuh"
#include "stage/gelu.cuh"
#include "stage/logical.cuh"
#include "stage/norm.cuh"
#include "stage/pointwise.cuh"
#include "stage/power.cuh"
#include "stage/rounding.cuh"
#include "stage/softmax.cuh"
#include "stage/tee.cuh"
#include "stage/trigonometric.cuh"
#include "stage/where.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The math that a stage may use: what the parts behind it can tell apart, up to a cast that rounds, and Outer where the
// value goes on behind them. In front of a row stage it is full: the statistic of the row, or what a norm leaves of
// close values, may be more exact than a store.
template <class T>
inline constexpr bool stores_small_float = false;
template <class T>
inline constexpr bool stores_small_float<store_dense<T>> = is_small_float<T>;
template <class T>
inline constexpr bool stores_small_float<store_pitched<T>> = is_small_float<T>;
template <class Store>
inline constexpr bool stores_small_float<store_of_stride<Store>> = stores_small_float<Store>;
template <class Leaf, int Rank>
inline constexpr bool stores_small_float<sized<Leaf, Rank>> = stores_small_float<Leaf>;
template <class Sink>
inline constexpr bool stores_small_float<tee_stage<Sink>> = stores_small_float<Sink>;

template <class Part>
inline constexpr bool is_output =
    Part::part == kind::sink || Part::part == kind::tee || Part::part == kind::row || own_shares_group<Part>::value;

enum class sight { none, small, exact };  // how much of a value a part sees
template <class Part>
inline constexpr sight sight_of = !is_output<Part>           ? sight::none
                                  : stores_small_float<Part> ? sight::small
                                                             : sight::exact;

template <class... Behind>
ONEPASS_HD constexpr bool may_be_narrow(bool outer) {
  struct {
    sight sees;
    bool ends, rounds;
  } const parts[] = {
      {sight_of<Behind>, Behind::part == kind::sink, is_small_float<typename cast_target<Behind>::type>}..., {}};
  for (const auto &part : parts) {
    if (part.rounds) return true;
    if (part.sees == sight::exact) return false;
    outer = outer || part.ends;
  }
  return outer;
}
template <class Outer, class... Behind>
using math_before =
    cs::conditional_t<may_be_narrow<Behind...>(cs::is_same_v<Outer, narrow_math>), narrow_math, full_math>;

// A stage of the user's own may have just apply<N>(values, at).
ONEPASS_NO_EXEC_CHECK
template <class Math, int N, class Stage, class V, class Raw, access A>
ONEPASS_HD auto apply_stage(const Stage &stage, const pack<V, N> &v, const Raw &raw, const position<N, A> &at) {
  if constexpr (is_composite<Stage>::value) return stage.template apply_with<Math>(v, raw, at);
  else return stage.template apply<N>(v, at);
}

template <class T, class = void>
struct has_tail : cs::false_type {};
template <class T>
struct has_tail<T, cs::void_t<decltype(T::tail)>> : cs::true_type {};

template <class Sink>
ONEPASS_HD constexpr const Sink &store_of(const Sink &sink) {
  return sink;
}
template <class Sink>
ONEPASS_HD constexpr const Sink &store_of(const tee_stage<Sink> &tee) {
  return tee.inner.head;
}

// What stores of small elements keep in images of a row: how many there are in a list, and their bytes of a group.
struct staged {
  int stores, bytes;
};
template <int N, class Part, class... Leaf>
ONEPASS_HD constexpr staged staged_of_part(list<Leaf...> *) {
  if constexpr (Part::part != kind::sink && Part::part != kind::tee) return {0, 0};
  else {
    staged all{0, 0};
    for (const int bytes :
         {0, (Leaf::written && Leaf::span == ONEPASS_PER_ELEMENT && is_small_group<N, typename Leaf::element>
                  ? N * static_cast<int>(sizeof(typename Leaf::element))
                  : 0)...}) {
      all.stores += bytes > 0;
      all.bytes += bytes;
    }
    return all;
  }
}
template <int N>
ONEPASS_HD constexpr staged staged_in(list<> *) {
  return {0, 0};
}
template <int N, class Head, class... Tail>
ONEPASS_HD constexpr staged staged_in(list<Head, Tail...> *) {
  const staged own = staged_of_part<N, Head>(static_cast<leaves_t<Head> *>(nullptr)),
               rest = staged_in<N>(static_cast<list<Tail...> *>(nullptr));
  return {own.stores + rest.stores, own.bytes + rest.bytes};
}

// A sink takes a value: a store writes it, a reduction folds it into the first of `states`. The states that are left.
template <int N, class Sink, class V, access A, class States>
ONEPASS_HD auto &take(const Sink &sink, const pack<V, N> &v, const position<N, A> &at, States &states) {
  if constexpr (own_reduces<Sink>::value) {
    states.head = fold(sink.statistic, states.head, v, at);
    if constexpr (has_tail<States>::value) return states.tail;
    else return states;  // the last
  } else {
    sink.put(v, at);
    return states;
  }
}
template <int N, class Sink, class V, access A, class States>
ONEPASS_HD auto &take(const tee_stage<Sink> &tee, const pack<V, N> &v, const position<N, A> &at, States &states) {
  return take(tee.inner.head, v, at, states);
}

// The value behind the parts, or in front of the first row stage whose result for this row is not among `results`. With
// Take, sinks take it on the way; `states` are those of the reductions among them, in order.
template <class Outer, bool Take, int N, class V, access A, class States, class Results>
ONEPASS_HD pack<V, N> run(const list<> &, const list<> &, const pack<V, N> &v, const position<N, A> &, States &,
                          const Results &) {
  return v;
}
template <class Outer, bool Take, int N, class Head, class... Tail, class Raw, class V, access A, class States,
          class Results>
ONEPASS_HD auto run(const list<Head, Tail...> &parts, const Raw &raw, const pack<V, N> &v, const position<N, A> &at,
                    States &states, const Results &results) {
  if constexpr (Head::part == kind::pointwise) {
    const auto next = apply_stage<math_before<Outer, Tail...>>(parts.head, v, raw.head, at);
    return run<Outer, Take>(parts.tail, raw.tail, next, at, states, results);
  } else if constexpr (Head::part == kind::row) {
    if constexpr (cs::is_same_v<Results, list<>>) {
      return v;
    } else {
      const auto next = parts.head.template finish<math_before<Outer, Tail...>>(v, raw.head, at, results.head);
      return run<Outer, Take>(parts.tail, raw.tail, next, at, states, results.tail);
    }
  } else {
    static_assert(is_output<Head>,
                  "onepass: behind a value stands a source, which is an operand of a stage, as in add(load(r))");
    if constexpr (Take && A == access::image) {
      constexpr staged behind = staged_in<N>(static_cast<list<Tail...> *>(nullptr));
      at.aim(behind.stores, behind.bytes);
    }
    if constexpr (!is_output<Head>) return v;
    else if constexpr (Take)
      return run<Outer, Take>(parts.tail, raw.tail, v, at, take(parts.head, v, at, states), results);
    else return run<Outer, Take>(parts.tail, raw.tail, v, at, states, results);
  }
}

template <class... Parts>
ONEPASS_HD constexpr void check_no_row() {
  static_assert(
      ((Parts::part != kind::row) && ...),
      "onepass: a row stage needs the whole row, and get and apply have a group of it: launch the pipeline, or "
      "reduce the row with block_reduce and apply what it gives");
}

// A source may have stages, and tees that store.
template <class Part>
inline constexpr bool may_follow = Part::part == kind::pointwise ||
                                   (Part::part == kind::tee && !any_reduces<Part>::value);
template <class First, class... Rest>
ONEPASS_HD constexpr kind kind_of_list() {
  return First::part == kind::source && (may_follow<Rest> && ...) ? kind::source : kind::list;
}

template <class Head>
ONEPASS_HD constexpr const Head &last(const list<Head> &parts) {
  return parts.head;
}
template <class Head, class Next, class... Tail>
ONEPASS_HD constexpr const auto &last(const list<Head, Next, Tail...> &parts) {
  return last(parts.tail);
}

}  // namespace detail

// Parts in the order of the data. The whole program is its type.
template <class... Parts>
struct pipeline {
  static constexpr kind part = detail::kind_of_list<Parts...>();
  detail::list<Parts...> inner;

  // The raw words of the source and of every operand: issues all loads.
  template <int N, access A>
  ONEPASS_HD auto fetch(const position<N, A> &at) const {
    return detail::fetch_all<N>(inner, at);
  }
  // The value from what fetch returned, where no part reduces.
  template <class Math, int N, class Raw, access A>
  ONEPASS_HD auto view_with(const Raw &raw, const position<N, A> &at) const {
    detail::list<> none;
    return run_with<Math, true>(raw, at, none, none);
  }
  // The group from what fetch returned to every sink: stores write, reductions take it into their states, in order.
  template <class Raw, int N, access A, class States>
  ONEPASS_HD void consume(const Raw &raw, const position<N, A> &at, States &states) const {
    run_with<detail::full_math, true>(raw, at, states, detail::list<>{});
  }
  // The source's values from their raw words.
  template <class Math, class Raw, int N, access A>
  ONEPASS_HD auto first_with(const Raw &raw, const position<N, A> &at) const {
    return detail::filled(detail::view<detail::math_before<Math, Parts...>, detail::nothing, N>(inner.head, raw, at),
                          at);
  }
  // The value behind the parts, or in front of the first row stage whose result is not among `results`.
  template <class Math, bool Take, class Raw, int N, access A, class States, class Results>
  ONEPASS_HD auto run_with(const Raw &raw, const position<N, A> &at, States &states, const Results &results) const {
    return detail::run<Math, Take>(inner.tail, raw.tail, first_with<Math>(raw.head, at), at, states, results);
  }

  // For a kernel of one's own. The values at a position, of a pipeline that begins with a source: get<N>(at).
  template <int N, access A>
  ONEPASS_HD auto get(const position<N, A> &at) const {
    detail::check_no_row<Parts...>();
    return view_with<detail::full_math, N>(fetch<N>(at), at);
  }
  // The stages of a list without a source, behind values that are at hand: apply<N>(values, at).
  template <int N, class V, access A>
  ONEPASS_HD auto apply(const pack<V, N> &v, const position<N, A> &at) const {
    detail::check_no_row<Parts...>();
    detail::list<> none;
    return detail::run<detail::full_math, true>(inner, fetch<N>(at), v, at, none, none);
  }

  ONEPASS_HD constexpr const auto &sink() const { return detail::last(inner); }
};

namespace detail {

// A word such as softmax is a row stage that can also be called.
template <class S, class F, class Kept, class... Operands>
ONEPASS_HD constexpr row_stage<S, F, Kept, Operands...> as_row_stage(const row_stage<S, F, Kept, Operands...> &stage) {
  return stage;
}
template <class Part>
ONEPASS_HD constexpr auto parts_of(const Part &part) {
  if constexpr (Part::part == kind::row) return make_list(as_row_stage(part));
  else return make_list(part);
}
template <class... Parts>
ONEPASS_HD constexpr list<Parts...> parts_of(const pipeline<Parts...> &p) {
  return p.inner;
}
template <class... Parts>
ONEPASS_HD constexpr pipeline<Parts...> make_pipeline(const list<Parts...> &parts) {
  return {parts};
}

// Joins parts; whether they make sense together is checked where a launch, or an operand, takes them.
template <class A, class B, class = cs::enable_if_t<is_part<A> && is_part<B>>>
ONEPASS_HD constexpr auto operator|(const A &a, const B &b) {
  return make_pipeline(concatenate(parts_of(a), parts_of(b)));
}

}  // namespace detail

using detail::operator|;

// A single part as a pipeline, for get and apply in a kernel of one's own: as_pipeline(load(p)).get<4>(at).
template <class Part>
ONEPASS_HD constexpr auto as_pipeline(const Part &part) {
  return detail::make_pipeline(detail::parts_of(part));
}

}  // namespace onepass

#endif
