// SPDX-License-Identifier: Apache-2.0
// Part of onepass: gather, the elements of an array that another source's values point to.
#ifndef ONEPASS_SOURCE_GATHER_CUH
#define ONEPASS_SOURCE_GATHER_CUH

#include "../leaf.h"
#include "../stage/operand.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The array: a leaf whose elements may lie anywhere in it.
template <class T>
struct table {
  using element = T;
  static constexpr onepass_span_t span = ONEPASS_PER_ELEMENT;
  static constexpr bool written = false, scattered = true;
  const T *p;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  ONEPASS_HD void describe(onepass_leaf_t &leaf) const { leaf.layout = ONEPASS_SCATTERED; }
  template <class Index>
  ONEPASS_HD bool has(Index) const {
    return true;
  }
};

template <class T>
struct sized_table : table<T> {
  int64_t size;

  ONEPASS_HD void describe(onepass_leaf_t &leaf) const {
    table<T>::describe(leaf);
    leaf.view_rank = 1;
    leaf.view_columns = size;
  }
  // A negative index is, as an unsigned one, beyond every size.
  template <class Index>
  ONEPASS_HD bool has(Index i) const {
    return static_cast<uint64_t>(i) < static_cast<uint64_t>(size);
  }
};

// Says its sentence once for each type.
template <class T>
struct index_type : cs::is_integral<T> {
  static_assert(cs::is_integral_v<T>,
                "onepass: gather(p, source) takes an index from its source, which is an integer: put cast<int64_t>() "
                "behind a value of another type");
};

template <class Table, class Index>
struct gather_source {
  using element_type = typename Table::element;
  static constexpr kind part = kind::source;
  list<Table, Index> inner;

  // The indices' own loads and stages, then all dependent loads.
  template <int N, access A>
  ONEPASS_HD pack<element_type, N> fetch(const position<N, A> &at) const {
    const Table &all = inner.head;
    const Index &index = inner.tail.head;
    const auto places = detail::view<full_math, nothing, N>(index, detail::fetch<N>(index, at), at);
    constexpr bool is_index = index_type<cs::decay_t<decltype(places[0])>>::value;
    pack<element_type, N> v;
    if constexpr (is_index) {
      ONEPASS_UNROLL
      for (int i = 0; i < N; ++i)
        v[i] = at.has(i) && all.has(places[i]) ? all.p[static_cast<int64_t>(places[i])] : element_type{};
    }
    return v;
  }
  template <class Math, int N, access A>
  ONEPASS_HD pack<compute_t<element_type>, N> view_with(const pack<element_type, N> &raw,
                                                        const position<N, A> &) const {
    return widen_pack(raw);
  }
};

}  // namespace detail

// p[index], where the index is the value of a source with its own stages (or a number), an integer of any type that
// must lie inside the array. The library sees the first element of the array only: a sink that overlaps the rest of it
// goes unnoticed, where the other form refuses it.
template <class T, class Source>
ONEPASS_HD constexpr auto gather(const T *p, Source source) {
  using index = detail::operand_t<Source>;
  static_assert(
      !detail::any_tees<index>::value,
      "onepass: a tee in the index of a gather would store before other arrays are read: make it a tee of the "
      "pipeline, behind a source of its own");
  return detail::gather_source<detail::table<T>, index>{{{p}, {detail::as_operand(source), {}}}};
}

// The same for an array of `size` elements: an index outside [0, size) reads nothing and gives 0.
template <class T, class Source>
ONEPASS_HD constexpr auto gather(const T *p, Source source, int64_t size) {
  using index = detail::operand_t<Source>;
  static_assert(
      !detail::any_tees<index>::value,
      "onepass: a tee in the index of a gather would store before other arrays are read: make it a tee of the "
      "pipeline, behind a source of its own");
  return detail::gather_source<detail::sized_table<T>, index>{
      {{{p}, size < 0 ? 0 : size}, {detail::as_operand(source), {}}}};
}

}  // namespace onepass

#endif
