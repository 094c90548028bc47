// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the C++ half of layout.c.
#include "layout.h"

#pragma GCC diagnostic ignored "-Wold-style-cast"  // the table is C

#include <type_traits>

template <class T>
constexpr bool is_plain = std::is_standard_layout<T>::value &&std::is_trivial<T>::value;

static_assert(is_plain<onepass_extent_t> && is_plain<onepass_leaf_t> && is_plain<onepass_cost_t>, "");
static_assert(is_plain<onepass_traffic_t> && is_plain<onepass_geometry_t> && is_plain<onepass_plan_t>, "");
static_assert(is_plain<onepass_exec_t> && is_plain<onepass_kernel_t>, "");

static const layout_t in_cpp[] = LAYOUT_TABLE;

extern "C" const layout_t *layout_in_cpp(size_t *count) {
  *count = sizeof in_cpp / sizeof in_cpp[0];
  return in_cpp;
}

static int no_leaves(const void *, onepass_leaf_t *) { return 0; }

static onepass_status_t start(const void *, onepass_extent_t extent, const onepass_plan_t *, const onepass_exec_t *) {
  return extent.rows == 3 && extent.columns == 5 ? ONEPASS_ERROR_LAUNCH : ONEPASS_ERROR_CAPABILITY;
}

static constexpr onepass_geometry_t one_lane() {
  onepass_geometry_t geometry{};
  geometry.family = ONEPASS_MAP;
  geometry.lanes = 1;
  return geometry;
}

const onepass_kernel_t layout_kernel = {"layout", one_lane(), {},      {},      1,      0,
                                        no_leaves, start,     nullptr, nullptr, nullptr};
