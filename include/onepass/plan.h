// SPDX-License-Identifier: Apache-2.0
// Part of onepass: who handles which element, as integer arithmetic. Plain C11, no CUDA.
//
// A group is `lanes` neighbouring columns, moved by one thread at once; a tile is threads x packs groups, handled by
// one block at once. The plan is a function of the pipeline's geometry, the extent and the alignment of the leaves; of
// the device only where it lacks room for a row, and in who takes which row. The partition of a reduction is never a
// function of the device, and so its bits are the same on every card.
#ifndef ONEPASS_PLAN_H
#define ONEPASS_PLAN_H

#include "extent.h"
#include "geometry.h"
#include "integer.h"
#include "leaf.h"
#include "plan_rows.h"
#include "status.h"

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // C has no other
#endif

// The shape as the pipeline sees it: one row where nothing asks for rows.
ONEPASS_INLINE onepass_extent_t onepass_plan_extent(const onepass_geometry_t *geometry, onepass_extent_t extent) {
  return geometry->by_row ? extent : onepass_extent_1d(onepass_elements(extent));
}

// Whether every full group is one access of 16 bytes (or of the whole group, if that is less) in every leaf. More
// groups by row than 32 bits count go the general way too.
ONEPASS_INLINE int onepass_is_aligned(const onepass_geometry_t *geometry, onepass_extent_t shape,
                                      const onepass_leaf_t *leaves, int count) {
  if (shape.rows > 1 && shape.columns % geometry->lanes != 0) return 0;
  if (geometry->by_row && geometry->family != ONEPASS_ROW &&
      onepass_elements(shape) / geometry->lanes > ONEPASS_MAX_SMALL_GROUPS)
    return 0;
  for (int i = 0; i < count; ++i) {
    const int64_t group_bytes = (int64_t)leaves[i].element_bytes * geometry->lanes;
    if (leaves[i].span != ONEPASS_PER_ELEMENT && leaves[i].span != ONEPASS_PER_COLUMN) continue;
    if (leaves[i].layout != ONEPASS_ROWS && !leaves[i].written) continue;  // read element by element
    if (!onepass_leaf_is_aligned(&leaves[i], shape, group_bytes < 16 ? group_bytes : 16)) return 0;
  }
  return 1;
}

// A map: one tile per block, no loop. Best of a sweep on an H200; more packs cost registers and so bytes in flight.
ONEPASS_INLINE void onepass_plan_map(onepass_plan_t *plan) {
  plan->threads = ONEPASS_MAP_THREADS;
  plan->packs = ONEPASS_MAP_PACKS;
  plan->blocks = onepass_ceil_div(plan->groups, ONEPASS_MAP_THREADS * ONEPASS_MAP_PACKS);
}

// A reduction: `blocks` parts, part p taking tiles p, p + blocks, ... One block avoids the exchange between blocks
// while it can. The cuts are the fastest of a sweep on an H200 over powers of two, for sums of floats (4 lanes per
// group).
ONEPASS_INLINE void onepass_plan_reduce(onepass_plan_t *plan) {
  static const struct {
    int64_t groups;  // up to
    int32_t threads, parts;
  } cuts[] = {{4096, 512, 1}, {INT64_C(1) << 19, 256, 192}, {INT64_C(1) << 22, 512, 256}, {INT64_MAX, 512, 396}};
  int i = 0;
  while (plan->groups > cuts[i].groups) ++i;
  plan->packs = ONEPASS_REDUCE_PACKS;
  plan->threads = cuts[i].threads;
  const int64_t tiles = onepass_ceil_div(plan->groups, (int64_t)plan->threads * plan->packs);
  plan->blocks = tiles < 1 ? 1 : tiles < cuts[i].parts ? tiles : cuts[i].parts;
  if (plan->groups <= 2048) {  // no more warps than have work
    const int64_t warps = onepass_ceil_div(plan->groups, 32 * ONEPASS_REDUCE_PACKS);
    plan->threads = warps < 1 ? 32 : (int32_t)warps * 32;
  }
}

// The plan of a pipeline over an extent. Reads the leaves' pointers as numbers only; leaves may be null with count 0,
// which plans for aligned leaves. `wanted` is the strategy of a row pipeline, `device` what there is for it.
// ONEPASS_ERROR_EXTENT, ONEPASS_ERROR_SEGMENTS, ONEPASS_ERROR_TOO_LARGE, ONEPASS_ERROR_STRATEGY (the wanted one cannot
// hold the row) or success.
ONEPASS_INLINE onepass_status_t onepass_plan(const onepass_geometry_t *geometry, onepass_extent_t extent,
                                             const onepass_leaf_t *leaves, int count, onepass_row_strategy_t wanted,
                                             const onepass_row_device_t *device, onepass_plan_t *plan) {
  onepass_status_t status = onepass_check_extent(extent);
  if (status != ONEPASS_SUCCESS) return status;
  const onepass_extent_t shape = onepass_plan_extent(geometry, extent);
  const int64_t lanes = geometry->lanes;
  if (extent.offsets != NULL && geometry->family != ONEPASS_ROW) return ONEPASS_ERROR_SEGMENTS;
  plan->counted = extent.columns_at != NULL;
  plan->passes = 1;
  plan->strategy = ONEPASS_ROW_AUTO;
  plan->cluster = 1;
  plan->part = 0;
  plan->row_blocks = 1;
  plan->shared_bytes = 0;
  plan->image_bytes = 0;
  plan->single = 0;
  plan->keeps = 0;
  plan->resident = 0;
  plan->rounds = 0;
  plan->workspace_bytes = 0;
  plan->aligned = onepass_is_aligned(geometry, shape, leaves, count);
  plan->groups_per_row = onepass_ceil_div(shape.columns, lanes);
  // A map of misaligned rows lays its groups along the sink: a row may begin and end inside a group.
  if (geometry->family == ONEPASS_MAP && !plan->aligned && shape.columns > 0)
    plan->groups_per_row = onepass_ceil_div(shape.columns - 1, lanes) + 1;
  plan->groups = shape.rows * plan->groups_per_row;  // a row has no more groups than elements: this fits
  if (geometry->family == ONEPASS_ROW) {
    const int dense = !plan->counted && shape.offsets == NULL;
    const int whole = dense && shape.columns % lanes == 0;
    if (!whole) plan->aligned = 0;  // a group is whole, or is not there
    plan->single = !whole && geometry->singles != ONEPASS_SINGLES_NONE;
    status = onepass_plan_rows(geometry, shape.rows, dense, plan->groups_per_row, wanted, device, plan);
    if (status != ONEPASS_SUCCESS) return status;
  } else if (geometry->family == ONEPASS_REDUCE) {
    onepass_plan_reduce(plan);
    if (plan->blocks > 1)
      plan->workspace_bytes = ONEPASS_WORKSPACE_HEADER_BYTES + (size_t)plan->blocks * (size_t)geometry->state_bytes;
  } else {
    onepass_plan_map(plan);
  }
  return plan->blocks > INT32_MAX ? ONEPASS_ERROR_TOO_LARGE : ONEPASS_SUCCESS;
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
