// SPDX-License-Identifier: Apache-2.0
// Part of onepass: `|`, and how the parts of a pipeline are read, computed and written for one group.
#ifndef ONEPASS_PIPELINE_CUH
#define ONEPASS_PIPELINE_CUH

#include "refused.cuh"
#include "sink/reduce.cuh"
#include "sink/store.cuh"
#include "source/coordinate.cuh"
#include "source/load.cuh"
#include "source/value.cuh"
#include "source/vector.cuh"
#include "source/zip.cuh"
#include "stage/activation.cuh"
#include "stage/arithmetic.cuh"
#include "stage/cast.cuh"
#include "stage/elementary.cuh"
#include "stage/pointwise.cuh"
#include "stage/tee.cuh"

namespace onepass {
namespace detail {

// The math that a stage may use: what the sinks behind it can tell apart, or Outer where none is behind it.
template <class T>
inline constexpr bool stores_float16 = false;
template <class T>
inline constexpr bool stores_float16<store_dense<T>> = is_float16<T>;
template <class T>
inline constexpr bool stores_float16<store_pitched<T>> = is_float16<T>;
template <class Sink>
inline constexpr bool stores_float16<tee_stage<Sink>> = stores_float16<Sink>;

template <class Part>
inline constexpr bool is_output = Part::part == kind::sink || Part::part == kind::tee;

template <class Outer, class... Behind>
using math_before =
    cs::conditional_t<(is_output<Behind> || ...),
                      cs::conditional_t<((stores_float16<Behind> || !is_output<Behind>)&&...), narrow_math, full_math>,
                      Outer>;

// A stage of the user's own may have just apply<N>(values, at).
ONEPASS_NO_EXEC_CHECK
template <class Math, int N, class Stage, class V, class Raw, access A>
ONEPASS_HD auto apply_stage(const Stage &stage, const pack<V, N> &v, const Raw &raw, const position<N, A> &at) {
  if constexpr (is_composite<Stage>::value) return stage.template apply_with<Math>(v, raw, at);
  else return stage.template apply<N>(v, at);
}

// The value behind the stages; tees store on the way, the sink is left to the caller.
template <class Outer, int N, class V, access A>
ONEPASS_HD pack<V, N> run(const list<> &, const list<> &, const pack<V, N> &v, const position<N, A> &) {
  return v;
}
template <class Outer, int N, class Head, class... Tail, class Raw, class V, access A>
ONEPASS_HD auto run(const list<Head, Tail...> &parts, const Raw &raw, const pack<V, N> &v, const position<N, A> &at) {
  if constexpr (Head::part == kind::pointwise) {
    const auto next = apply_stage<math_before<Outer, Tail...>>(parts.head, v, raw.head, at);
    return run<Outer>(parts.tail, raw.tail, next, at);
  } else {
    static_assert(
        Head::part == kind::tee || Head::part == kind::sink,
        "onepass: behind a value stands a source, which is an operand of a stage, or a row stage, which needs "
        "the whole row");
    if constexpr (Head::part == kind::tee) parts.head.inner.head.put(v, at);
    return run<Outer>(parts.tail, raw.tail, v, at);
  }
}

template <class... Parts>
ONEPASS_HD constexpr kind kind_of_list() {
  constexpr kind kinds[] = {Parts::part...};
  for (int i = 0; i < static_cast<int>(sizeof...(Parts)); ++i)
    if (kinds[i] != (i == 0 ? kind::source : kind::pointwise)) return kind::list;
  return kind::source;
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
  // The value before the sink, from what fetch returned.
  template <class Math, int N, class Raw, access A>
  ONEPASS_HD auto view_with(const Raw &raw, const position<N, A> &at) const {
    const auto first = detail::view<detail::math_before<Math, Parts...>, detail::nothing, N>(inner.head, raw.head, at);
    return detail::run<Math, N>(inner.tail, raw.tail, first, at);
  }

  // For a kernel of one's own. The values at a position, of a pipeline that begins with a source: get<N>(at).
  template <int N, access A>
  ONEPASS_HD auto get(const position<N, A> &at) const {
    return view_with<detail::full_math, N>(fetch<N>(at), at);
  }
  // The stages of a list without a source, behind values that are at hand: apply<N>(values, at).
  template <int N, class V, access A>
  ONEPASS_HD auto apply(const pack<V, N> &v, const position<N, A> &at) const {
    return detail::run<detail::full_math, N>(inner, fetch<N>(at), v, at);
  }

  ONEPASS_HD constexpr const auto &sink() const { return detail::last(inner); }
};

namespace detail {

template <class Part>
ONEPASS_HD constexpr list<Part> parts_of(const Part &part) {
  return make_list(part);
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
