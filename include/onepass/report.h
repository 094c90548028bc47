// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what a launch costs a device: the registers, memory and occupancy of the kernel that its plan picks.
// Plain C11, no CUDA.
#ifndef ONEPASS_REPORT_H
#define ONEPASS_REPORT_H

#include "integer.h"
#include "launch.h"

typedef struct onepass_report_t {  // onepass_report is the function below
  onepass_plan_t plan;
  int32_t registers;      // of a thread
  int32_t spilled_bytes;  // local memory of a thread, 0 where all values are in registers
  int32_t shared_bytes;   // of a block
  int32_t blocks_per_sm;  // that a multiprocessor of the current device holds at once
  double occupancy;       // threads of those blocks / threads that a multiprocessor holds, (0, 1]
} onepass_report_t;

// The kernel that onepass_launch would start with these arguments, and with a workspace of plan.workspace_bytes, on the
// current device. args null: one that has all arrays aligned to 16 bytes; `strategy` as in exec.row_strategy.
// ONEPASS_ERROR_ARGUMENT for a null kernel or report, the errors of a plan, or those of the driver; nothing is launched,
// and the leaves are not checked.
ONEPASS_INLINE onepass_status_t onepass_report(const onepass_kernel_t *kernel, onepass_extent_t extent,
                                               const void *args, onepass_row_strategy_t strategy,
                                               onepass_report_t *report) {
  onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
  onepass_plan_t plan;
  if (kernel == NULL || report == NULL) return ONEPASS_ERROR_ARGUMENT;
  const int count = args == NULL ? 0 : kernel->leaves(args, leaves);
  const onepass_status_t status = onepass_plan_here(kernel, extent, leaves, count, strategy, &plan);
  return status != ONEPASS_SUCCESS ? status : kernel->report(&plan, report);
}

#endif
