// SPDX-License-Identifier: Apache-2.0
// Part of onepass: views in the place of pointers: a span (cuda::std::span, std::span) or an mdspan of one or two ranks
// (cuda::std::mdspan, std::mdspan). A view knows its size, and a launch whose extent reaches beyond is refused.
//
// A view is known by its members: no header of one is included here. The memory stays the caller's.
#ifndef ONEPASS_SOURCE_VIEW_CUH
#define ONEPASS_SOURCE_VIEW_CUH

#include "../extent.h"
#include "../sink/store.cuh"
#include "gather.cuh"
#include "load.cuh"
#include "strided.cuh"
#include "vector.cuh"

// What a view's members are marked as is the view's own affair: those of std::span exist on the host only.
#define ONEPASS_VIEW _Pragma("nv_exec_check_disable")

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T, class = void>
struct has_describe : cs::false_type {};
template <class T>
struct has_describe<T, cs::void_t<decltype(&T::describe)>> : cs::true_type {};

// A leaf of known size: `columns` elements (rank 1), or rows x columns (rank 2).
template <class Leaf, int Rank>
struct sized : Leaf {
  int64_t rows, columns;

  ONEPASS_HD void describe(onepass_leaf_t &leaf) const {
    if constexpr (has_describe<Leaf>::value) Leaf::describe(leaf);
    leaf.view_rank = Rank;
    leaf.view_rows = rows;
    leaf.view_columns = columns;
  }
};

// A store through a view whose column stride is not known from its type: a launch refuses all but 1.
template <class Store>
struct store_of_stride : Store {
  int64_t column_stride;

  ONEPASS_HD void describe(onepass_leaf_t &leaf) const {
    leaf.layout = ONEPASS_STRIDED;
    leaf.column_stride = column_stride;
  }
};

// A span: it is copied like a pointer, and gives the same access to its elements when it is const.
template <class V, class = void>
struct is_span : cs::false_type {};
template <class V>
struct is_span<V, cs::void_t<decltype(cs::declval<const V &>().data()), decltype(cs::declval<const V &>().size())>>
    : cs::bool_constant<cs::is_pointer_v<decltype(cs::declval<const V &>().data())> &&
                        cs::is_same_v<decltype(cs::declval<const V &>().data()), decltype(cs::declval<V &>().data())> &&
                        cs::is_trivially_copyable_v<V>> {};

template <class V, class = void>
struct is_mdspan : cs::false_type {};
template <class V>
struct is_mdspan<V, cs::void_t<typename V::mapping_type, typename V::accessor_type, typename V::extents_type>>
    : cs::true_type {};

template <class V>
using if_span = cs::enable_if_t<is_span<V>::value, int>;
template <class V>
using if_mdspan = cs::enable_if_t<is_mdspan<V>::value, int>;
template <class V>
using if_view = cs::enable_if_t<is_span<V>::value || is_mdspan<V>::value, int>;

template <class V>
ONEPASS_HD constexpr bool check_mdspan() {
  constexpr bool ranks = V::rank() == 1 || V::rank() == 2;
  constexpr bool plain = cs::is_same_v<typename V::reference, typename V::element_type &> &&
                         cs::is_pointer_v<typename V::data_handle_type>;
  constexpr bool strides = V::is_always_strided();
  static_assert(ranks, "onepass: an mdspan of one or two ranks: view others as rows and columns");
  static_assert(plain, "onepass: an mdspan whose accessor gives plain references to what its pointer points to");
  static_assert(strides, "onepass: an mdspan of a layout that has strides");
  return ranks && plain && strides;
}

// Whether the type alone says that the elements are without gaps.
template <class V>
ONEPASS_HD constexpr bool is_gapless() {
  return V::is_always_strided() && V::is_always_exhaustive();
}
// And in rows, which its mapping of no elements tells.
template <class V>
ONEPASS_HD constexpr bool is_dense() {
  if constexpr (!is_gapless<V>()) return false;
  else if constexpr (V::rank() == 1) return true;
  else return typename V::mapping_type{}.stride(1) == 1;
}

template <class Int>
ONEPASS_HD constexpr int64_t to_int64(Int n) {
  return static_cast<int64_t>(n);
}

// The leaf with the view's size.
ONEPASS_VIEW
template <class Leaf, class V>
ONEPASS_HD constexpr auto with_size(const Leaf &leaf, const V &view) {
  if constexpr (is_span<V>::value) return sized<Leaf, 1>{leaf, 1, to_int64(view.size())};
  else if constexpr (V::rank() == 1) return sized<Leaf, 1>{leaf, 1, to_int64(view.extent(0))};
  else return sized<Leaf, 2>{leaf, to_int64(view.extent(0)), to_int64(view.extent(1))};
}

}  // namespace detail

// The elements of a span, in the order of the index.
ONEPASS_VIEW
template <class V, detail::if_span<V> = 0>
ONEPASS_HD constexpr auto load(const V &view) {
  return detail::with_size(load(view.data()), view);
}
ONEPASS_VIEW
template <class V, detail::if_span<V> = 0>
ONEPASS_HD constexpr auto store(const V &view) {
  return detail::with_size(store(view.data()), view);
}

// The elements of an mdspan: of one rank in the order of the index, of two by row and column. Of any layout that has
// strides; rows without gaps (layout_right) are read as those of load(p) are.
ONEPASS_VIEW
template <class V, detail::if_mdspan<V> = 0>
ONEPASS_HD constexpr auto load(const V &view) {
  if constexpr (!detail::check_mdspan<V>()) return load(static_cast<const float *>(nullptr));
  else if constexpr (detail::is_dense<V>()) return detail::with_size(load(view.data_handle()), view);
  else if constexpr (V::rank() == 1)
    return detail::with_size(strided(view.data_handle(), detail::to_int64(view.stride(0))), view);
  else
    return detail::with_size(
        strided(view.data_handle(), detail::to_int64(view.stride(0)), detail::to_int64(view.stride(1))), view);
}

// To the elements of an mdspan. Columns are neighbours: of a layout that leaves this to the run (layout_stride) a
// launch refuses strides other than 1.
ONEPASS_VIEW
template <class V, detail::if_mdspan<V> = 0>
ONEPASS_HD constexpr auto store(const V &view) {
  using T = typename V::element_type;
  constexpr bool columns = detail::is_dense<V>() || !detail::is_gapless<V>();
  static_assert(columns,
                "onepass: a store writes rows of unit stride, and the columns of this view are a stride apart "
                "(layout_left): let the transposed view be the sink, and begin with strided(p, 1, pitch)");
  if constexpr (!detail::check_mdspan<V>() || !columns) {
    return store(static_cast<T *>(nullptr));
  } else if constexpr (detail::is_dense<V>()) {
    return detail::with_size(store(view.data_handle()), view);
  } else if constexpr (V::rank() == 1) {
    return detail::with_size(
        detail::store_of_stride<detail::store_dense<T>>{store(view.data_handle()), detail::to_int64(view.stride(0))},
        view);
  } else {
    return detail::with_size(
        detail::store_of_stride<detail::store_pitched<T>>{store(view.data_handle(), detail::to_int64(view.stride(0))),
                                                          detail::to_int64(view.stride(1))},
        view);
  }
}

// A vector of `columns`, or of `rows`.
ONEPASS_VIEW
template <class V, detail::if_span<V> = 0>
ONEPASS_HD constexpr auto per_column(const V &view) {
  return detail::with_size(per_column(view.data()), view);
}
ONEPASS_VIEW
template <class V, detail::if_span<V> = 0>
ONEPASS_HD constexpr auto per_row(const V &view) {
  return detail::with_size(per_row(view.data()), view);
}

// gather(p, source, size) from a span.
ONEPASS_VIEW
template <class V, class Source, detail::if_span<V> = 0>
ONEPASS_HD constexpr auto gather(const V &view, const Source &source) {
  return gather(view.data(), source, detail::to_int64(view.size()));
}

// The extent of a view: n elements, or rows x columns.
ONEPASS_VIEW
template <class V, detail::if_view<V> = 0>
ONEPASS_HD constexpr onepass_extent_t extent(const V &view) {
  if constexpr (detail::is_span<V>::value) return onepass_extent_1d(detail::to_int64(view.size()));
  else if constexpr (!detail::check_mdspan<V>()) return onepass_extent_1d(0);
  else if constexpr (V::rank() == 1) return onepass_extent_1d(detail::to_int64(view.extent(0)));
  else return onepass_extent_2d(detail::to_int64(view.extent(0)), detail::to_int64(view.extent(1)));
}

}  // namespace onepass

#undef ONEPASS_VIEW

#endif
