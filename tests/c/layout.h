// SPDX-License-Identifier: Apache-2.0
// Part of onepass: one table of sizes, places and values, made by layout.c as C and by layout.cpp as C++. A kernel is
// exported by the one and launched by the other, so the two tables must be equal.
#ifndef ONEPASS_TESTS_C_LAYOUT_H
#define ONEPASS_TESTS_C_LAYOUT_H

#include <stddef.h>

#include "onepass/onepass.h"

typedef struct {
  const char *what;
  size_t value;
} layout_t;

// clang-format off
#define S(type) {"sizeof " #type, sizeof(onepass_##type)}
#define P(type, member) {"offsetof " #type "." #member, offsetof(onepass_##type, member)}
#define V(name) {#name, (size_t)ONEPASS_##name}
#define LAYOUT_TABLE {                                                                                                \
  S(status_t), V(SUCCESS), V(ERROR_NULL), V(ERROR_LAUNCH), V(STATUS_COUNT),                                           \
  S(span_t), V(PER_ELEMENT), V(PER_COLUMN), V(PER_ROW), V(ONCE), V(PER_GROUP),                                                     \
  S(family_t), V(MAP), V(REDUCE), V(ROW), S(where_t), V(DEVICE), V(HOST), S(row_strategy_t), V(ROW_AUTO),             \
    V(ROW_WARP), V(ROW_BLOCK), V(ROW_CLUSTER), V(ROW_SHARED), V(ROW_STREAM), S(row_cut_t), P(row_cut_t, packs), S(row_device_t),      \
    P(row_device_t, shared_bytes), P(row_device_t, multiprocessors), P(row_device_t, stream_blocks), V(SHARED_BYTES), V(MAX_SHARED_BYTES), V(MAX_CLUSTER), V(STREAM_PARTS), V(THREAD_ELEMENTS), V(SINGLES_NONE), V(SINGLES_WIDE), V(SINGLES_ALL),                              \
  V(MAX_LEAVES), V(WORKSPACE_HEADER_BYTES), V(WORKSPACE_ALIGNMENT), V(VERSION),                                       \
  S(extent_t), P(extent_t, rows), P(extent_t, columns), P(extent_t, columns_at), P(extent_t, offsets),                \
    P(extent_t, offset_bytes),                                                                                        \
  S(leaf_t), P(leaf_t, pointer), P(leaf_t, pitch), P(leaf_t, element_bytes), P(leaf_t, count), P(leaf_t, span),       \
    P(leaf_t, written), P(leaf_t, layout), P(leaf_t, view_rank), P(leaf_t, view_rows), P(leaf_t, view_columns),       \
    P(leaf_t, column_stride), P(leaf_t, group), S(layout_t), V(ROWS), V(STRIDED), V(SCATTERED),                                         \
  S(cost_t), P(cost_t, read), P(cost_t, written), P(cost_t, group), P(cost_t, intermediate), P(cost_t, kernels),                        \
  S(traffic_t), P(traffic_t, bytes_read), P(traffic_t, bytes_written), P(traffic_t, intermediate_bytes),              \
    P(traffic_t, kernels), P(traffic_t, passes),                                                                      \
  S(geometry_t), P(geometry_t, family), P(geometry_t, lanes), P(geometry_t, by_row), P(geometry_t, state_bytes),      \
    P(geometry_t, row_stages), P(geometry_t, held_bytes), P(geometry_t, kept_bytes), P(geometry_t, neighbours), P(geometry_t, staged),       \
    P(geometry_t, staged_bytes), P(geometry_t, singles), P(geometry_t, element_registers),                                                             \
  S(plan_t), P(plan_t, threads), P(plan_t, packs), P(plan_t, aligned), P(plan_t, single), P(plan_t, counted), P(plan_t, passes),      \
    P(plan_t, strategy), P(plan_t, cluster), P(plan_t, row_blocks), P(plan_t, shared_bytes), P(plan_t, image_bytes), P(plan_t, keeps), P(plan_t, resident), P(plan_t, rounds),                                                 \
    P(plan_t, groups_per_row), P(plan_t, groups), P(plan_t, blocks), P(plan_t, workspace_bytes),                      \
  S(exec_t), P(exec_t, where), P(exec_t, stream), P(exec_t, workspace), P(exec_t, workspace_bytes),                   \
    P(exec_t, max_blocks), P(exec_t, require_one_pass), P(exec_t, dependent_launch), P(exec_t, row_strategy),         \
  S(kernel_t), P(kernel_t, text), P(kernel_t, geometry), P(kernel_t, cost), P(kernel_t, unfused),                     \
    P(kernel_t, args_bytes), P(kernel_t, capability), P(kernel_t, leaves), P(kernel_t, start), P(kernel_t, host),     \
    P(kernel_t, row_device), P(kernel_t, report),                                                                       \
  S(report_t), P(report_t, plan), P(report_t, registers), P(report_t, spilled_bytes), P(report_t, shared_bytes),      \
    P(report_t, blocks_per_sm), P(report_t, occupancy)                                                                \
}
// clang-format on

// A kernel that C++ exports and C launches: a map over no arrays. Its start function answers ONEPASS_ERROR_LAUNCH for
// 3 x 5 elements and ONEPASS_ERROR_CAPABILITY for any others, so that the answer shows whether the extent arrived.
ONEPASS_DECLARE(layout_kernel);

#ifdef __cplusplus
extern "C" {
#endif

// The table of layout.cpp and the number of its entries.
const layout_t *layout_in_cpp(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
