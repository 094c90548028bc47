// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what a pipeline's type says to the C side: its leaves, its geometry and the bytes that it moves.
#ifndef ONEPASS_DESCRIBE_CUH
#define ONEPASS_DESCRIBE_CUH

#include "plan.h"
#include "row.cuh"
#include "traffic.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// What names a kernel: a pipeline, or a type whose static build(args) makes one.
template <class Tag>
struct tagged {
  using type = cs::decay_t<decltype(Tag::build(cs::declval<const typename Tag::args &>()))>;
};
template <class... Parts>
struct tagged<pipeline<Parts...>> {
  using type = pipeline<Parts...>;
};
template <class Tag>
using tagged_t = typename tagged<Tag>::type;

template <class... Leaf>
ONEPASS_HD constexpr int count(list<Leaf...> *) {
  return sizeof...(Leaf);
}

// The leaves of an object, in the order of the parts.
ONEPASS_HD int write_leaves(const list<> &, onepass_leaf_t *) { return 0; }
template <class Head, class... Tail>
ONEPASS_HD int write_leaves(const list<Head, Tail...> &parts, onepass_leaf_t *out) {
  int n = 0;
  if constexpr (is_leaf<Head>::value) {
    *out = {parts.head.pointer(),
            parts.head.pitch(),
            static_cast<int32_t>(sizeof(typename Head::element)),
            1,
            Head::span,
            Head::written,
            ONEPASS_ROWS,
            0,
            0,
            0,
            1,
            own_group<Head>::value};
    if constexpr (has_describe<Head>::value) parts.head.describe(*out);
    n = 1;
  } else if constexpr (is_composite<Head>::value) {
    n = write_leaves(parts.head.inner, out);
  }
  return n + write_leaves(parts.tail, out + n);
}

// Lanes per group: 16 bytes of the smallest element that is read or written everywhere, at most 64 of the largest;
// fewer where one store would be wider than 16 bytes, while at least as many bytes are read (on an H200 a bf16 map with
// a mask of bytes went from 0.91 to 0.98 of its roof).
template <class... Leaf>
ONEPASS_HD constexpr int lanes_of(list<Leaf...> *) {
  static_assert((!is_long_double<typename Leaf::element> && ...), "onepass: a device has no long double: use a double");
  static_assert(((sizeof(typename Leaf::element) <= 64 &&
                  (sizeof(typename Leaf::element) & (sizeof(typename Leaf::element) - 1)) == 0) &&
                 ...),
                "onepass: the size of an element is a power of two, at most 64 bytes");
  int least = 0, most = 1;
  for (const int bytes :
       {0, (Leaf::span == ONEPASS_PER_ELEMENT ? static_cast<int>(sizeof(typename Leaf::element)) : 0)...})
    most = bytes > most ? bytes : most;
  for (const int bytes : {0, (Leaf::span == ONEPASS_PER_ELEMENT && !own_scattered<Leaf>::value
                                  ? static_cast<int>(sizeof(typename Leaf::element))
                                  : 0)...})
    least = bytes > 0 && (least == 0 || bytes < least) ? bytes : least;
  int read = 0, written = 0;
  for (const int bytes : {0, (Leaf::span == ONEPASS_PER_ELEMENT && !Leaf::written && !own_scattered<Leaf>::value
                                  ? static_cast<int>(sizeof(typename Leaf::element))
                                  : 0)...})
    read += bytes;
  for (const int bytes :
       {0,
        (Leaf::span == ONEPASS_PER_ELEMENT && Leaf::written ? static_cast<int>(sizeof(typename Leaf::element)) : 0)...})
    written = bytes > written ? bytes : written;
  int lanes = least == 0 ? 4 : least < 16 ? 16 / least : 1;  // 0: nothing is
  while (lanes > 1 && (lanes * most > 64 || (lanes * written > 16 && lanes * read > 16))) lanes /= 2;
  return lanes;
}
template <class P>
inline constexpr int lanes_v = lanes_of(static_cast<leaves_t<P> *>(nullptr));

// The widest value on the way, in bytes.
template <class Value>
ONEPASS_HD constexpr int widest_value(list<> *) {
  return static_cast<int>(sizeof(Value));
}
template <class Value, class Head, class... Tail>
ONEPASS_HD constexpr int widest_value(list<Head, Tail...> *) {
  constexpr list<Tail...> *tail = nullptr;
  if constexpr (Head::part == kind::pointwise || Head::part == kind::row) {
    const int here = static_cast<int>(sizeof(Value)),
              later = widest_value<typename stage_value<Value, Head>::type>(tail);
    return here > later ? here : later;
  } else {
    return widest_value<Value>(tail);
  }
}
template <class Source, class... Parts>
ONEPASS_HD constexpr int widest_value(pipeline<Source, Parts...> *) {
  return widest_value<typename source_value<Source>::type>(static_cast<list<Parts...> *>(nullptr));
}

template <class... Leaf>
ONEPASS_HD constexpr int fetched_bytes(list<Leaf...> *) {
  return (0 + ... +
          (Leaf::written || Leaf::span > ONEPASS_PER_COLUMN ? 0 : static_cast<int>(sizeof(typename Leaf::element))));
}

// Bytes per element that are read from arrays of the extent's own shape.
template <class... Leaf>
ONEPASS_HD constexpr int streamed_bytes(list<Leaf...> *) {
  return (0 + ... +
          (Leaf::written || Leaf::span != ONEPASS_PER_ELEMENT ? 0 : static_cast<int>(sizeof(typename Leaf::element))));
}
template <class P>
ONEPASS_HD constexpr int streamed_bytes() {
  return streamed_bytes(static_cast<leaves_t<P> *>(nullptr));
}

// Bytes of a group in shared memory, 0 where an array is read in another way than by whole rows.
template <class... Leaf>
ONEPASS_HD constexpr bool is_copyable(list<Leaf...> *) {
  return ((Leaf::written || Leaf::span != ONEPASS_PER_ELEMENT || own_by_rows<Leaf>::value) && ...);
}
template <class P>
ONEPASS_HD constexpr int held_bytes() {
  const int bytes = lanes_v<P> * streamed_bytes<P>();
  return any_needs_row<P>::value && is_copyable(static_cast<leaves_t<P> *>(nullptr)) ? bytes : 0;
}

// Columns that a stage takes together, 0 for none, and the neighbouring threads of a block that hold them.
template <class P>
inline constexpr int shared_group_v = any_shares_group<P>::value ? any_group<P>::value : 0;
template <class P>
inline constexpr int neighbours_v = shared_group_v<P> > 0 ? shared_group_v<P> / lanes_v<P> : 1;

// Whether there are as many in the kernel that takes rows of any width.
template <class P>
ONEPASS_HD constexpr bool check_neighbours() {
  constexpr bool fits = neighbours_v<P> <= ONEPASS_STREAM_THREADS;
  static_assert(
      fits,
      "onepass: a group of quantize_groups has more columns than the 512 threads that may share a row hold, 16 "
      "bytes of the smallest element each: make it narrower, or a row of its own, with quantize_rows");
  return fits;
}

template <class State>
ONEPASS_HD constexpr int workspace_bytes_of() {
  static_assert(alignof(State) <= ONEPASS_WORKSPACE_ALIGNMENT,
                "onepass: the state of a statistic is aligned to more than the workspace is");
  return sizeof(State);
}
// The state of row stage I, and of the reductions of a row's sinks together.
ONEPASS_NO_EXEC_CHECK
template <int I, class P>
ONEPASS_HD auto row_state(const P &p) {
  const auto &rest = nth_row<I>(p.inner);
  const auto statistic = rest.head.template statistic_in<typename math_of_row<cs::decay_t<decltype(rest)>>::type>();
  return statistic.template identity<typename row_value<I, P>::type>();
}
ONEPASS_NO_EXEC_CHECK
template <class P>
ONEPASS_HD auto row_sinks_state(const P &p) {
  const auto sinks = reducers_of<true>(p.inner);
  if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) return list<>{};
  else return side_by_side<cs::decay_t<decltype(sinks)>, reduced_values_t<P, true>>{sinks}.identity();
}
template <class P, int I = 0>
ONEPASS_HD constexpr int row_state_bytes() {
  constexpr bool ends = I == row_stages_in<decltype(P::inner)>;
  if constexpr (ends) {
    return workspace_bytes_of<decltype(row_sinks_state(cs::declval<const P &>()))>();
  } else {
    const int own = workspace_bytes_of<decltype(row_state<I>(cs::declval<const P &>()))>(),
              behind = row_state_bytes<P, I + 1>();
    return own > behind ? own : behind;
  }
}
template <class P>
ONEPASS_HD constexpr int state_bytes() {
  if constexpr (any_reduces_array<P>::value) return workspace_bytes_of<states_t<P>>();
  else if constexpr (any_needs_row<P>::value) return row_state_bytes<P>();
  else return 0;
}

template <class... Leaf>
ONEPASS_HD constexpr onepass_cost_t leaf_cost(list<Leaf...> *) {
  onepass_cost_t cost{};
  (((Leaf::written ? cost.written : cost.read)[Leaf::span] += static_cast<int32_t>(sizeof(typename Leaf::element))),
   ...);
  for (const int group : {0, own_group<Leaf>::value...}) cost.group = group > cost.group ? group : cost.group;
  return cost;
}
template <class Part>
ONEPASS_HD constexpr onepass_cost_t leaf_cost_of() {
  return leaf_cost(static_cast<leaves_t<Part> *>(nullptr));
}

template <class P>
ONEPASS_HD constexpr onepass_cost_t cost_of() {
  onepass_cost_t cost = leaf_cost_of<P>();
  cost.kernels = 1;
  return cost;
}

// Arrays that are read at each element, or vectors along a row.
template <onepass_span_t Span, class... Leaf>
ONEPASS_HD constexpr int count_read(list<Leaf...> *) {
  return (0 + ... + (!Leaf::written && Leaf::span == Span));
}
template <class P, onepass_span_t Span>
inline constexpr int reads_v = count_read<Span>(static_cast<leaves_t<P> *>(nullptr));

// Bytes of a group of the vectors that are read along a row.
template <class... Leaf>
ONEPASS_HD constexpr int vector_bytes(list<Leaf...> *) {
  return (0 + ... +
          (Leaf::written || Leaf::span != ONEPASS_PER_COLUMN ? 0 : static_cast<int>(sizeof(typename Leaf::element))));
}
template <class P>
ONEPASS_HD constexpr int kept_bytes() {
  return any_needs_row<P>::value ? lanes_v<P> * vector_bytes(static_cast<leaves_t<P> *>(nullptr)) : 0;
}

template <class P>
ONEPASS_HD constexpr staged staged_in_pipeline() {
  return staged_in<lanes_v<P>>(static_cast<decltype(P::inner) *>(nullptr));
}

// The registers of an element that is read by itself: one for each array, and each vector in front of a row stage; or
// those of its value.
template <bool Behind, class... Leaf>
ONEPASS_HD constexpr int early_leaves(list<Leaf...> *) {
  return (0 + ... + (!Leaf::written && (Leaf::span == ONEPASS_PER_ELEMENT ||
                                        (!Behind && Leaf::span == ONEPASS_PER_COLUMN))));
}
template <bool Behind>
ONEPASS_HD constexpr int early_reads(list<> *) {
  return 0;
}
template <bool Behind, class Head, class... Tail>
ONEPASS_HD constexpr int early_reads(list<Head, Tail...> *) {
  constexpr bool behind = Behind || Head::part == kind::row;
  return early_leaves<behind>(static_cast<leaves_t<Head> *>(nullptr)) +
         early_reads<behind>(static_cast<list<Tail...> *>(nullptr));
}
template <class P>
ONEPASS_HD constexpr int element_registers() {
  const int reads = early_reads<false>(static_cast<decltype(P::inner) *>(nullptr)),
            words = widest_value(static_cast<P *>(nullptr)) / 4;
  return words > reads ? words : reads > 1 ? reads : 1;
}
// Rows that are not whole groups begin at any distance from a word, and where vectors are read along them too, the two
// differ in it: single elements fit everywhere. Small elements alone are better read by words while many blocks share a
// multiprocessor. (On an H200 the share of a copy, one by one and by words: layer_norm of 4097 bf16 0.81 and 0.62, of
// 12289 floats 0.87 and 0.71; softmax of 4095 bf16 0.88 and 0.95, of 12289 0.86 and 0.75, of 128257 0.69 and 0.61.)
template <class... Leaf>
ONEPASS_HD constexpr bool has_words_or_vectors(list<Leaf...> *) {
  return ((Leaf::span == ONEPASS_PER_COLUMN ||
           (Leaf::span == ONEPASS_PER_ELEMENT && sizeof(typename Leaf::element) >= 4)) ||
          ...);
}
template <class P>
ONEPASS_HD constexpr onepass_singles_t singles_of() {
  if (!any_needs_row<P>::value || lanes_v<P> == 1 || neighbours_v<P> > 1 || any_draws<P>::value)
    return ONEPASS_SINGLES_NONE;
  return has_words_or_vectors(static_cast<leaves_t<P> *>(nullptr)) ? ONEPASS_SINGLES_ALL : ONEPASS_SINGLES_WIDE;
}

template <class P>
ONEPASS_HD constexpr onepass_geometry_t geometry_of() {
  return {any_needs_row<P>::value       ? ONEPASS_ROW
          : any_reduces_array<P>::value ? ONEPASS_REDUCE
                                        : ONEPASS_MAP,
          lanes_v<P>,
          any_by_row<P>::value,
          state_bytes<P>(),
          row_stages_in<decltype(P::inner)>,
          held_bytes<P>(),
          kept_bytes<P>(),
          neighbours_v<P>,
          any_needs_row<P>::value ? staged_in_pipeline<P>().stores : 0,
          any_needs_row<P>::value ? staged_in_pipeline<P>().bytes : 0,
          singles_of<P>(),
          element_registers<P>()};
}
template <class P>
inline constexpr onepass_geometry_t geometry_v = geometry_of<P>();

// About how many registers a thread of a kernel holds at once beside its addresses: the raw words of `packs` groups,
// the values of one (doubles come in twos, as their functions need temporaries), the state.
template <class P>
ONEPASS_HD constexpr int live_registers(int packs) {
  constexpr int lanes = lanes_v<P>, widest = widest_value(static_cast<P *>(nullptr));
  const int values = lanes * (widest > 4 ? widest / 2 : 1);
  return packs * lanes * fetched_bytes(static_cast<leaves_t<P> *>(nullptr)) / 4 + values + state_bytes<P>() / 4;
}

}  // namespace detail
}  // namespace onepass

#endif
