// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the bytes that a launch moves, known from the pipeline's type and the extent. Plain C11, no CUDA.
#ifndef ONEPASS_TRAFFIC_H
#define ONEPASS_TRAFFIC_H

#include "extent.h"
#include "integer.h"
#include "leaf.h"

// Bytes by how often they are moved (the index is an onepass_span_t). Every source and sink counts for itself, also
// when two name the same array; the scratch of a reduction (its workspace) is not counted. An extent without elements
// reads nothing.
typedef struct onepass_cost {
  int32_t read[5], written[5];
  int32_t group;         // columns of a group, where something is moved once per group
  int32_t intermediate;  // bytes per element that are written only to be read again
  int32_t kernels;
} onepass_cost_t;

typedef struct onepass_traffic {
  int64_t bytes_read, bytes_written;
  int64_t intermediate_bytes;  // part of both of the above; 0 for a fused launch
  int32_t kernels;             // 1 for a fused launch
  int32_t passes;              // how often a source element is read
} onepass_traffic_t;

// sum + bytes * times, none of them negative; INT64_MAX where that does not fit.
ONEPASS_INLINE int64_t onepass_add_bytes(int64_t sum, int32_t bytes, int64_t times) {
  return times > 0 && bytes > (INT64_MAX - sum) / times ? INT64_MAX : sum + bytes * times;
}

// The extent must have passed onepass_check_extent.
ONEPASS_INLINE onepass_traffic_t onepass_traffic_of_cost(const onepass_cost_t *cost, onepass_extent_t extent) {
  const int64_t times[5] = {onepass_elements(extent), extent.columns, extent.rows, 1,
                            cost->group > 0 ? extent.rows * onepass_groups(extent.columns, cost->group) : 0};
  onepass_traffic_t traffic = {0, 0, onepass_add_bytes(0, cost->intermediate, times[0]), cost->kernels, 1};
  for (int span = 0; span < 5; ++span) {
    if (times[0] > 0) traffic.bytes_read = onepass_add_bytes(traffic.bytes_read, cost->read[span], times[span]);
    traffic.bytes_written = onepass_add_bytes(traffic.bytes_written, cost->written[span], times[span]);
  }
  return traffic;
}

#endif
