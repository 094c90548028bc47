// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the memory that a pipeline touches, and whether that is sound. Plain C11, no CUDA.
//
// A leaf is one array that a source reads or a sink writes. A pipeline lists its leaves; everything that can be
// refused before a launch, and the access width that they allow, follows from this list and the extent alone.
#ifndef ONEPASS_LEAF_H
#define ONEPASS_LEAF_H

#include <stddef.h>  // size_t
#include <stdint.h>  // int64_t, uintptr_t

#include "extent.h"
#include "status.h"

enum { ONEPASS_MAX_LEAVES = 32 };

#define ONEPASS_DENSE INT64_MIN  // the pitch of rows without a gap: the extent's columns

// How often a leaf is touched.
typedef enum onepass_span {
  ONEPASS_PER_ELEMENT,  // rows x columns, rows `pitch` apart
  ONEPASS_PER_COLUMN,   // a vector of `columns`
  ONEPASS_PER_ROW,      // a vector of `rows`
  ONEPASS_ONCE          // `count` elements, whatever the extent
} onepass_span_t;

typedef struct onepass_leaf {
  const void *pointer;    // first element
  int64_t pitch;          // elements from row to row of a PER_ELEMENT leaf, or ONEPASS_DENSE
  int32_t element_bytes;  // size and alignment of an element
  int32_t count;          // elements of a ONCE leaf
  onepass_span_t span;
  int written;  // nonzero for a sink, zero for a source
} onepass_leaf_t;

// Elements from row to row, the dense default resolved.
ONEPASS_INLINE int64_t onepass_leaf_pitch(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  return leaf->pitch != ONEPASS_DENSE ? leaf->pitch : extent.columns;
}

// Rows, elements per row of the leaf itself (not of the extent). Where there are no elements no source is read; a
// vector or scalar sink then still gets what a reduction of nothing means.
ONEPASS_INLINE onepass_extent_t onepass_leaf_extent(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  if (!leaf->written && (extent.rows == 0 || extent.columns == 0)) return onepass_extent_2d(0, 0);
  switch (leaf->span) {
    case ONEPASS_PER_ELEMENT: return extent;
    case ONEPASS_PER_COLUMN: return onepass_extent_1d(extent.columns);
    case ONEPASS_PER_ROW: return onepass_extent_1d(extent.rows);
    case ONEPASS_ONCE: break;
  }
  return onepass_extent_1d(leaf->count);
}

// Whether every row of the leaf starts at a multiple of `bytes`.
ONEPASS_INLINE int onepass_leaf_is_aligned(const onepass_leaf_t *leaf, onepass_extent_t extent, int64_t bytes) {
  const uintptr_t step = (uintptr_t)bytes;
  if ((uintptr_t)leaf->pointer % step != 0) return 0;
  if (leaf->span != ONEPASS_PER_ELEMENT || extent.rows <= 1) return 1;
  return (uintptr_t)onepass_leaf_pitch(leaf, extent) * (uintptr_t)leaf->element_bytes % step == 0;
}

// One leaf by itself: null, alignment to its element, pitch, size in bytes from its first to its last element. The
// extent must have passed onepass_check_extent.
ONEPASS_INLINE onepass_status_t onepass_check_leaf(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  const onepass_extent_t own = onepass_leaf_extent(leaf, extent);
  const int64_t pitch = leaf->span == ONEPASS_PER_ELEMENT ? onepass_leaf_pitch(leaf, extent) : own.columns;
  if (own.rows == 0 || own.columns == 0) return ONEPASS_SUCCESS;  // never touched
  if (leaf->pointer == NULL) return ONEPASS_ERROR_NULL;
  if ((uintptr_t)leaf->pointer % (uintptr_t)leaf->element_bytes != 0) return ONEPASS_ERROR_ALIGNMENT;
  if (pitch < own.columns) return leaf->written ? ONEPASS_ERROR_OVERLAPPING_ROWS : ONEPASS_ERROR_PITCH;
  if (own.rows > 1 && pitch > (INT64_MAX - own.columns) / (own.rows - 1)) return ONEPASS_ERROR_EXTENT;
  const int64_t elements = (own.rows - 1) * pitch + own.columns;
  if (elements > INT64_MAX / leaf->element_bytes) return ONEPASS_ERROR_EXTENT;
  if ((uintptr_t)leaf->pointer > UINTPTR_MAX - (uintptr_t)(elements * leaf->element_bytes)) return ONEPASS_ERROR_EXTENT;
  return ONEPASS_SUCCESS;
}

// Whether two leaves that passed onepass_check_leaf share a byte. Exact for leaves of equal row distance (two column
// windows of one matrix are apart); for others two interleaved ranges count as sharing.
ONEPASS_INLINE int onepass_leaves_overlap(const onepass_leaf_t *a, const onepass_leaf_t *b, onepass_extent_t extent) {
  const onepass_extent_t ea = onepass_leaf_extent(a, extent), eb = onepass_leaf_extent(b, extent);
  if (ea.rows == 0 || ea.columns == 0 || eb.rows == 0 || eb.columns == 0) return 0;
  const uintptr_t wa = (uintptr_t)(ea.columns * a->element_bytes), wb = (uintptr_t)(eb.columns * b->element_bytes);
  const uintptr_t pa = ea.rows > 1 ? (uintptr_t)(onepass_leaf_pitch(a, extent) * a->element_bytes) : wa;
  const uintptr_t pb = eb.rows > 1 ? (uintptr_t)(onepass_leaf_pitch(b, extent) * b->element_bytes) : wb;
  const uintptr_t first_a = (uintptr_t)a->pointer, first_b = (uintptr_t)b->pointer;
  const uintptr_t end_a = first_a + (uintptr_t)(ea.rows - 1) * pa + wa,
                  end_b = first_b + (uintptr_t)(eb.rows - 1) * pb + wb;
  if (end_a <= first_b || end_b <= first_a) return 0;
  if (ea.rows > 1 && eb.rows > 1 && pa == pb) {
    const uintptr_t apart = first_a <= first_b ? (first_b - first_a) % pa : (pa - (first_a - first_b) % pa) % pa;
    return apart < wa || apart + wb > pa;
  }
  return 1;
}

// Whether a sink may lie on a source: element for element the same place.
ONEPASS_INLINE int onepass_leaves_coincide(const onepass_leaf_t *a, const onepass_leaf_t *b, onepass_extent_t extent) {
  const int by_element_a = a->span == ONEPASS_PER_ELEMENT || (a->span == ONEPASS_PER_COLUMN && extent.rows == 1);
  const int by_element_b = b->span == ONEPASS_PER_ELEMENT || (b->span == ONEPASS_PER_COLUMN && extent.rows == 1);
  return by_element_a && by_element_b && a->pointer == b->pointer && a->element_bytes == b->element_bytes &&
         (extent.rows <= 1 || onepass_leaf_pitch(a, extent) == onepass_leaf_pitch(b, extent));
}

// All leaves of a pipeline: each by itself, then every sink against every other leaf.
ONEPASS_INLINE onepass_status_t onepass_check_leaves(const onepass_leaf_t *leaves, int count, onepass_extent_t extent) {
  for (int i = 0; i < count; ++i) {
    const onepass_status_t status = onepass_check_leaf(&leaves[i], extent);
    if (status != ONEPASS_SUCCESS) return status;
  }
  for (int i = 0; i < count; ++i) {
    if (!leaves[i].written) continue;
    for (int j = 0; j < count; ++j) {
      if (j == i || (leaves[j].written && j < i)) continue;
      if (!leaves[j].written && onepass_leaves_coincide(&leaves[i], &leaves[j], extent)) continue;
      if (onepass_leaves_overlap(&leaves[i], &leaves[j], extent)) return ONEPASS_ERROR_OVERLAP;
    }
  }
  return ONEPASS_SUCCESS;
}

#endif
