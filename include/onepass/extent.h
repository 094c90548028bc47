// SPDX-License-Identifier: Apache-2.0
// Part of onepass: how many elements. Plain C11, no CUDA.
//
// An extent is `rows` rows of `columns` columns; a 1-D extent of n is one row of n columns, everywhere. The number of
// columns of a 1-D extent may lie in device memory, so that a captured graph can replay with another; and so may the
// beginnings of rows that differ in length.
#ifndef ONEPASS_EXTENT_H
#define ONEPASS_EXTENT_H

#include "integer.h"
#include "status.h"

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // C has no other
#endif

typedef struct onepass_extent {
  int64_t rows, columns;      // elements, [0, 2^63)
  const int64_t *columns_at;  // null, or where the kernel finds the number of columns; `columns` is then the most
  const void *offsets;   // null, or where the kernel finds the beginnings of segments; `columns` is the most of one
  int32_t offset_bytes;  // of an offset: 4 (int32_t) or 8 (int64_t)
} onepass_extent_t;

ONEPASS_INLINE onepass_extent_t onepass_extent_1d(int64_t n) {
  onepass_extent_t extent = {1, n, NULL, NULL, 0};
  return extent;
}

ONEPASS_INLINE onepass_extent_t onepass_extent_2d(int64_t rows, int64_t columns) {
  onepass_extent_t extent = {rows, columns, NULL, NULL, 0};
  return extent;
}

// As many elements as *pointer says when the kernel runs, cut to [0, maximum]; the arrays hold `maximum`. The pointer
// is read by the kernel (in a host launch, by the host), after its predecessors in the stream. The partition of a
// reduction, and so its bits, depend on the maximum too. A null pointer makes an extent that every call refuses.
ONEPASS_INLINE onepass_extent_t onepass_extent_at(const int64_t *pointer, int64_t maximum) {
  onepass_extent_t extent = {1, pointer != NULL ? maximum : -1, pointer, NULL, 0};
  return extent;
}

// Segments, for pipelines with a row stage or reduce_rows: row r is the elements [offsets[r], offsets[r + 1]) of every
// dense array, cut to its first `most`; a vector such as gamma, of `most` elements, begins anew in each. There are rows
// + 1 offsets, in device memory (of a host launch, in the host's), never negative; a row whose end is not behind its
// beginning is empty. A null pointer makes an extent that every call refuses.
ONEPASS_INLINE onepass_extent_t onepass_extent_segments_i32(const int32_t *offsets, int64_t rows, int64_t most) {
  onepass_extent_t extent = {offsets != NULL ? rows : -1, most, NULL, offsets, 4};
  return extent;
}
ONEPASS_INLINE onepass_extent_t onepass_extent_segments_i64(const int64_t *offsets, int64_t rows, int64_t most) {
  onepass_extent_t extent = {offsets != NULL ? rows : -1, most, NULL, offsets, 8};
  return extent;
}

// Offset i, for a pointer that may be read here.
ONEPASS_INLINE int64_t onepass_offset(const void *offsets, int32_t offset_bytes, int64_t i) {
  return offset_bytes == 8 ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

// The extent of this moment, for a pointer that the host may read.
ONEPASS_INLINE onepass_extent_t onepass_extent_now(onepass_extent_t extent) {
  if (extent.columns_at == NULL) return extent;
  const int64_t n = *extent.columns_at;
  return onepass_extent_1d(n < 0 ? 0 : n < extent.columns ? n : extent.columns);
}

// ONEPASS_ERROR_EXTENT if a side is negative, rows * columns does not fit an int64_t, or the columns of more than one
// row lie in device memory.
ONEPASS_INLINE onepass_status_t onepass_check_extent(onepass_extent_t extent) {
  if (extent.rows < 0 || extent.columns < 0) return ONEPASS_ERROR_EXTENT;
  if (extent.columns_at != NULL && extent.rows != 1) return ONEPASS_ERROR_EXTENT;
  if (extent.columns_at != NULL && extent.offsets != NULL) return ONEPASS_ERROR_EXTENT;
  if (extent.offsets != NULL && extent.offset_bytes != 4 && extent.offset_bytes != 8) return ONEPASS_ERROR_EXTENT;
  if (extent.columns > 0 && extent.rows > INT64_MAX / extent.columns) return ONEPASS_ERROR_EXTENT;
  return ONEPASS_SUCCESS;
}

// rows * columns; the extent must have passed onepass_check_extent.
ONEPASS_INLINE int64_t onepass_elements(onepass_extent_t extent) { return extent.rows * extent.columns; }

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
