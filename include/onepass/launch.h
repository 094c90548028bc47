// SPDX-License-Identifier: Apache-2.0
// Part of onepass: an exported pipeline as a C program sees it, and its launch. Plain C11, no CUDA.
//
// A fused kernel is compiled in a .cu file by ONEPASS_EXPORT (export.cuh), declared in a header that both sides read
// by ONEPASS_DECLARE, and launched from C by onepass_launch. Nothing here allocates, prints, exits or has state.
#ifndef ONEPASS_LAUNCH_H
#define ONEPASS_LAUNCH_H

#include "extent.h"
#include "integer.h"
#include "leaf.h"
#include "plan.h"
#include "status.h"
#include "traffic.h"

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // C has no other
#endif

typedef enum onepass_where { ONEPASS_DEVICE, ONEPASS_HOST } onepass_where_t;

// How to run. All zero is a launch on the current device's default stream, which pipelines without a reduction can use
// as it is.
typedef struct onepass_exec {
  onepass_where_t where;     // the device, or this thread of the host (pointers are then host pointers)
  void *stream;              // a cudaStream_t of the current device (of another's, the kernel would run there, on
                             // pointers of this one); null is the default stream
  void *workspace;           // device memory, aligned to 16 bytes, zeroed once by the caller and left zeroed by every
                             // launch where it must be; serves one stream at a time. Rows do without one, or with one
                             // that is too small: few and wide ones then have a block each, and blocks that stay
                             // share rows out in advance. Unused on the host
  size_t workspace_bytes;    // at least onepass_workspace_bytes
  int32_t max_blocks;        // 0, or the most blocks that a reduction, or rows that share blocks, may occupy; the result
                             // has the same bits
  int32_t require_one_pass;  // nonzero: ONEPASS_ERROR_PASSES instead of reading a source again
  int32_t dependent_launch;  // nonzero: programmatic dependent launch. The kernel may be set up while its predecessor
                             // in the stream ends, and waits for it before it touches memory (sm_90; else no effect)
  onepass_row_strategy_t row_strategy;  // of a row pipeline on the device; 0: as onepass_row_cut of plan_rows.h says
} onepass_exec_t;

struct onepass_report_t;  // report.h

// A pipeline compiled ahead of time: a constant without dynamic initialisation.
typedef struct onepass_kernel {
  const char *text;              // the pipeline as written, or its type
  onepass_geometry_t geometry;   // family, access width, state
  onepass_cost_t cost, unfused;  // bytes of a launch, and of one kernel per stage
  size_t args_bytes;             // sizeof the struct that onepass_launch takes
  int32_t capability;            // least compute capability, major * 10 + minor
  // Writes at most ONEPASS_MAX_LEAVES leaves and returns how many.
  int (*leaves)(const void *args, onepass_leaf_t *leaves);
  // Starts the planned kernel. Called with checked leaves and a sufficient workspace.
  onepass_status_t (*start)(const void *args, onepass_extent_t extent, const onepass_plan_t *plan,
                            const onepass_exec_t *exec);
  // Runs on the calling thread; null if a functor exists on the device only.
  onepass_status_t (*host)(const void *args, onepass_extent_t extent);
  // What the current device has for rows in shared memory.
  onepass_status_t (*row_device)(onepass_row_device_t *device);
  // Fills in what the planned kernel costs the current device.
  onepass_status_t (*report)(const onepass_plan_t *plan, struct onepass_report_t *report);
} onepass_kernel_t;

#ifdef __cplusplus
#define ONEPASS_DECLARE(name) extern "C" const onepass_kernel_t name
#else
#define ONEPASS_DECLARE(name) extern const onepass_kernel_t name
#endif

// Bytes of workspace that a launch on the device needs, 0 for none; also 0 for an extent that a launch would refuse. A
// pipeline of rows needs none, but is faster with so many bytes: blocks share rows that are few and wide, and those that
// stay draw one row after the other.
ONEPASS_INLINE size_t onepass_workspace_bytes(const onepass_kernel_t *kernel, onepass_extent_t extent) {
  onepass_plan_t plan;
  if (kernel == NULL ||
      onepass_plan(&kernel->geometry, extent, NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) != ONEPASS_SUCCESS)
    return 0;
  return plan.workspace_bytes;
}

// Bytes that a launch moves, and that one kernel per stage would move; the extent must be one that a launch accepts.
ONEPASS_INLINE onepass_traffic_t onepass_traffic_of(const onepass_kernel_t *kernel, onepass_extent_t extent) {
  onepass_plan_t plan;
  onepass_traffic_t traffic = onepass_traffic_of_cost(&kernel->cost, extent);
  if (onepass_plan(&kernel->geometry, extent, NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS &&
      plan.passes > 1) {
    traffic.passes = plan.passes;
    traffic.bytes_read = traffic.bytes_read > INT64_MAX / plan.passes ? INT64_MAX : traffic.bytes_read * plan.passes;
  }
  return traffic;
}
ONEPASS_INLINE onepass_traffic_t onepass_unfused_traffic_of(const onepass_kernel_t *kernel, onepass_extent_t extent) {
  return onepass_traffic_of_cost(&kernel->unfused, extent);
}

// The plan for the current device, which is only asked where a row is wider than registers hold.
ONEPASS_INLINE onepass_status_t onepass_plan_here(const onepass_kernel_t *kernel, onepass_extent_t extent,
                                                  const onepass_leaf_t *leaves, int count,
                                                  onepass_row_strategy_t wanted, onepass_plan_t *plan) {
  onepass_row_device_t device = {1, 0, 1, {0, 0}};
  onepass_status_t status = onepass_plan(&kernel->geometry, extent, leaves, count, wanted, NULL, plan);
  if (status != ONEPASS_SUCCESS) return status;
  if (plan->strategy != ONEPASS_ROW_CLUSTER && plan->strategy != ONEPASS_ROW_SHARED && plan->row_blocks == 1)
    return status;
  status = kernel->row_device(&device);
  if (status != ONEPASS_SUCCESS) return status;
  return onepass_plan(&kernel->geometry, extent, leaves, count, wanted, &device, plan);
}

// What an extent has in device memory, a count or offsets: aligned, and apart from what the kernel writes.
ONEPASS_INLINE onepass_status_t onepass_check_count(const onepass_leaf_t *leaves, int count, onepass_extent_t extent) {
  const int segments = extent.offsets != NULL;
  if (extent.columns_at == NULL && !segments) return ONEPASS_SUCCESS;
  onepass_leaf_t place = onepass_once_leaf(segments ? extent.offsets : extent.columns_at,
                                           segments ? extent.offset_bytes : (int32_t)sizeof(int64_t), 1, 1);
  if (segments) place.count = extent.rows < INT32_MAX ? (int32_t)extent.rows + 1 : INT32_MAX;
  const onepass_status_t status = onepass_check_leaf(&place, extent);
  if (status != ONEPASS_SUCCESS) return status;
  for (int i = 0; i < count; ++i)
    if (leaves[i].written && onepass_leaves_overlap(&place, &leaves[i], extent)) return ONEPASS_ERROR_OVERLAP;
  return ONEPASS_SUCCESS;
}

// One launch is one kernel. Checks everything that can be checked on the host, then starts it: asynchronous on the
// device, finished at return on the host. A status other than success means that nothing has been written. An extent
// with no elements succeeds and writes what a reduction of nothing means. `args` is read before the call returns.
ONEPASS_INLINE onepass_status_t onepass_launch(const onepass_kernel_t *kernel, onepass_extent_t extent,
                                               const void *args, const onepass_exec_t *exec) {
  onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
  onepass_plan_t plan;
  if (kernel == NULL || args == NULL || exec == NULL || exec->max_blocks < 0) return ONEPASS_ERROR_ARGUMENT;
  if (exec->where != ONEPASS_DEVICE && exec->where != ONEPASS_HOST) return ONEPASS_ERROR_ARGUMENT;
  if ((int)exec->row_strategy < 0 || exec->row_strategy >= ONEPASS_ROW_STRATEGY_COUNT) return ONEPASS_ERROR_ARGUMENT;
  onepass_status_t status = onepass_check_extent(extent);
  if (status != ONEPASS_SUCCESS) return status;
  if (extent.offsets != NULL && kernel->geometry.family != ONEPASS_ROW) return ONEPASS_ERROR_SEGMENTS;
  const int count = kernel->leaves(args, leaves);
  status = onepass_check_leaves(leaves, count, extent);
  if (status == ONEPASS_SUCCESS) status = onepass_check_count(leaves, count, extent);
  if (status != ONEPASS_SUCCESS) return status;
  if (exec->where == ONEPASS_HOST) {
    if (kernel->host == NULL) return ONEPASS_ERROR_DEVICE_ONLY;
    return kernel->host(args, onepass_extent_now(extent));
  }
  status = onepass_plan_here(kernel, extent, leaves, count, exec->row_strategy, &plan);
  if (status != ONEPASS_SUCCESS) return status;
  if (exec->require_one_pass && plan.passes > 1) return ONEPASS_ERROR_PASSES;
  const int without = exec->workspace == NULL || exec->workspace_bytes < plan.workspace_bytes;
  if (plan.strategy == ONEPASS_ROW_CLUSTER && plan.workspace_bytes > 0 && without)
    onepass_plan_rounds(extent.rows, &plan);
  if (plan.row_blocks > 1) {
    if (without || (exec->max_blocks > 0 && exec->max_blocks < plan.blocks))
      onepass_share_rows(extent.rows, without ? 0 : exec->max_blocks, &plan);
  }
  if (plan.workspace_bytes > 0) {
    if (exec->workspace == NULL) return ONEPASS_ERROR_WORKSPACE_MISSING;
    if ((uintptr_t)exec->workspace % ONEPASS_WORKSPACE_ALIGNMENT != 0) return ONEPASS_ERROR_WORKSPACE_ALIGNMENT;
    if (exec->workspace_bytes < plan.workspace_bytes) return ONEPASS_ERROR_WORKSPACE_SIZE;
    const onepass_leaf_t scratch = onepass_once_leaf(exec->workspace, 1, (int32_t)plan.workspace_bytes, 1);
    for (int i = 0; i < count; ++i)
      if (onepass_leaves_overlap(&scratch, &leaves[i], extent)) return ONEPASS_ERROR_OVERLAP;
    if (onepass_check_count(&scratch, 1, extent) != ONEPASS_SUCCESS) return ONEPASS_ERROR_OVERLAP;
  }
  if (kernel->geometry.family == ONEPASS_MAP && plan.groups == 0) return ONEPASS_SUCCESS;
  if (kernel->geometry.family == ONEPASS_ROW && extent.rows == 0) return ONEPASS_SUCCESS;
  return kernel->start(args, extent, &plan, exec);
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
