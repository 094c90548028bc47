// SPDX-License-Identifier: Apache-2.0
// Part of onepass: how many elements. Plain C11, no CUDA.
//
// An extent is `rows` rows of `columns` columns; a 1-D extent of n is one row of n columns, everywhere.
#ifndef ONEPASS_EXTENT_H
#define ONEPASS_EXTENT_H

#include <stdint.h>  // int64_t

#include "status.h"

typedef struct onepass_extent {
  int64_t rows, columns;  // elements, [0, 2^63)
} onepass_extent_t;

ONEPASS_INLINE onepass_extent_t onepass_extent_1d(int64_t n) {
  onepass_extent_t extent = {1, n};
  return extent;
}

ONEPASS_INLINE onepass_extent_t onepass_extent_2d(int64_t rows, int64_t columns) {
  onepass_extent_t extent = {rows, columns};
  return extent;
}

// ONEPASS_ERROR_EXTENT if a side is negative or rows * columns does not fit an int64_t.
ONEPASS_INLINE onepass_status_t onepass_check_extent(onepass_extent_t extent) {
  if (extent.rows < 0 || extent.columns < 0) return ONEPASS_ERROR_EXTENT;
  if (extent.columns > 0 && extent.rows > INT64_MAX / extent.columns) return ONEPASS_ERROR_EXTENT;
  return ONEPASS_SUCCESS;
}

// rows * columns; the extent must have passed onepass_check_extent.
ONEPASS_INLINE int64_t onepass_elements(onepass_extent_t extent) { return extent.rows * extent.columns; }

#endif
