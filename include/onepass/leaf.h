// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the memory that a pipeline touches, and whether that is sound. Plain C11, no CUDA.
//
// A leaf is one array that a source reads or a sink writes. A pipeline lists its leaves; everything that can be
// refused before a launch, and the access width that they allow, follows from this list and the extent alone.
#ifndef ONEPASS_LEAF_H
#define ONEPASS_LEAF_H

#include "extent.h"
#include "integer.h"
#include "status.h"

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // C has no other
#endif

enum { ONEPASS_MAX_LEAVES = 32 };

#define ONEPASS_DENSE INT64_MIN  // the pitch of rows without a gap: the extent's columns

// How often a leaf is touched.
typedef enum onepass_span {
  ONEPASS_PER_ELEMENT,  // rows x columns, laid out as `layout` says
  ONEPASS_PER_COLUMN,   // a vector of `columns`
  ONEPASS_PER_ROW,      // a vector of `rows`
  ONEPASS_ONCE,         // `count` elements, whatever the extent
  ONEPASS_PER_GROUP     // rows x the groups of `group` columns that a row has, the last of which may be shorter
} onepass_span_t;

// Where the elements of a PER_ELEMENT leaf lie.
typedef enum onepass_layout {
  ONEPASS_ROWS,      // columns are neighbours, rows do not overlap
  ONEPASS_STRIDED,   // row r, column c at r * pitch + c * column_stride, each of any sign or 0
  ONEPASS_SCATTERED  // anywhere in the array, as indices say that are not known before the launch: a source
} onepass_layout_t;

typedef struct onepass_leaf {
  const void *pointer;    // the element of row 0, column 0
  int64_t pitch;          // elements from row to row of a PER_ELEMENT leaf, or ONEPASS_DENSE
  int32_t element_bytes;  // size and alignment of an element
  int32_t count;          // elements of a ONCE leaf
  onepass_span_t span;
  int written;  // nonzero for a sink, zero for a source
  onepass_layout_t layout;
  int32_t view_rank;                // how much is known of the array's own size. 0: nothing; 1: it has view_columns
  int64_t view_rows, view_columns;  // elements; 2: view_rows rows of view_columns
  int64_t column_stride;            // elements from column to column where the layout is STRIDED
  int32_t group;                    // columns of a PER_GROUP leaf that share an element
} onepass_leaf_t;

// The elements of a row of a PER_GROUP leaf.
ONEPASS_INLINE int64_t onepass_groups(int64_t columns, int32_t group) {
  return columns / group + (columns % group != 0);
}

// `count` elements, whatever the extent.
ONEPASS_INLINE onepass_leaf_t onepass_once_leaf(const void *pointer, int32_t element_bytes, int32_t count,
                                                int written) {
  const onepass_leaf_t leaf = {
      pointer, ONEPASS_DENSE, element_bytes, count, ONEPASS_ONCE, written, ONEPASS_ROWS, 0, 0, 0, 1, 0};
  return leaf;
}

// Elements from row to row of a PER_ELEMENT leaf, the dense default resolved: flat indices times the column stride.
ONEPASS_INLINE int64_t onepass_leaf_pitch(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  if (leaf->pitch != ONEPASS_DENSE) return leaf->pitch;
  if (leaf->span == ONEPASS_PER_GROUP) return onepass_groups(extent.columns, leaf->group);
  if (leaf->layout != ONEPASS_STRIDED) return extent.columns;
  return (int64_t)((uint64_t)extent.columns * (uint64_t)leaf->column_stride);  // fits where there is a second row
}

// Rows, elements per row of the leaf itself (not of the extent). Where there are no elements no source is read; a
// vector or scalar sink then still gets what a reduction of nothing means. Of a scattered leaf, and of segments: the
// array, or as much as is known to be there, its first element.
ONEPASS_INLINE onepass_extent_t onepass_leaf_extent(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  if (!leaf->written && (extent.rows == 0 || extent.columns == 0)) return onepass_extent_2d(0, 0);
  if (leaf->layout == ONEPASS_SCATTERED) return onepass_extent_1d(leaf->view_rank == 1 ? leaf->view_columns : 1);
  if (extent.offsets != NULL && leaf->span == ONEPASS_PER_ELEMENT && leaf->pitch == ONEPASS_DENSE)
    return onepass_extent_1d(extent.rows > 0 && extent.columns > 0);  // how many there are stands with the offsets
  switch (leaf->span) {
    case ONEPASS_PER_ELEMENT: return onepass_extent_2d(extent.rows, extent.columns);
    case ONEPASS_PER_COLUMN: return onepass_extent_1d(extent.columns);
    case ONEPASS_PER_ROW: return onepass_extent_1d(extent.rows);
    case ONEPASS_PER_GROUP: return onepass_extent_2d(extent.rows, onepass_groups(extent.columns, leaf->group));
    case ONEPASS_ONCE: break;
  }
  return onepass_extent_1d(leaf->count);
}

// Adds (count - 1) * stride elements to the bytes reached below or above the first one; 0 where they do not fit.
ONEPASS_INLINE int onepass_add_reach(int64_t count, int64_t stride, int64_t element_bytes, int64_t *below,
                                     int64_t *above) {
  int64_t *side = stride < 0 ? below : above;
  if (count <= 1 || stride == 0) return 1;
  if (stride == INT64_MIN) return 0;
  const int64_t step = stride < 0 ? -stride : stride;
  if (step > (INT64_MAX - *side) / element_bytes / (count - 1)) return 0;
  *side += step * (count - 1) * element_bytes;
  return 1;
}

// The bytes that a leaf touches: from `below` before its pointer to `above` behind it, none of them negative. 0 where
// they do not fit an int64_t.
ONEPASS_INLINE int onepass_leaf_reach(const onepass_leaf_t *leaf, onepass_extent_t extent, int64_t *below,
                                      int64_t *above) {
  const onepass_extent_t own = onepass_leaf_extent(leaf, extent);
  const int64_t stride = leaf->layout == ONEPASS_STRIDED ? leaf->column_stride : 1;
  const int flat = leaf->pitch == ONEPASS_DENSE || own.rows <= 1;
  *below = *above = 0;
  if (own.rows == 0 || own.columns == 0) return 1;
  if (!onepass_add_reach(flat ? own.rows * own.columns : own.columns, stride, leaf->element_bytes, below, above) ||
      !onepass_add_reach(flat ? 1 : own.rows, leaf->pitch, leaf->element_bytes, below, above))
    return 0;
  if (*above > INT64_MAX - leaf->element_bytes) return 0;
  *above += leaf->element_bytes;
  return 1;
}

// Whether each row of the leaf is one range of bytes and ends before the next one begins.
ONEPASS_INLINE int onepass_leaf_has_rows(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  if (leaf->layout != ONEPASS_STRIDED) return leaf->layout == ONEPASS_ROWS;
  return (extent.columns <= 1 || leaf->column_stride == 1) &&
         (extent.rows <= 1 || onepass_leaf_pitch(leaf, extent) >= extent.columns);
}

// Whether every row of the leaf starts at a multiple of `bytes`.
ONEPASS_INLINE int onepass_leaf_is_aligned(const onepass_leaf_t *leaf, onepass_extent_t extent, int64_t bytes) {
  const uintptr_t step = (uintptr_t)bytes;
  if ((uintptr_t)leaf->pointer % step != 0) return 0;
  if (leaf->span != ONEPASS_PER_ELEMENT || extent.rows <= 1) return 1;
  return (uintptr_t)onepass_leaf_pitch(leaf, extent) * (uintptr_t)leaf->element_bytes % step == 0;
}

// Whether an array of known size has the elements. One of two ranks has the extent's shape, or holds it as its upper
// left part; where it is addressed without a pitch its rows are as long as the extent's.
ONEPASS_INLINE int onepass_leaf_has_elements(const onepass_leaf_t *leaf, onepass_extent_t own) {
  if (leaf->view_rank == 0 || leaf->layout == ONEPASS_SCATTERED) return 1;
  if (leaf->view_rank == 1) return onepass_elements(own) <= leaf->view_columns;
  if (leaf->pitch == ONEPASS_DENSE && own.rows > 1 && own.columns != leaf->view_columns) return 0;
  return own.rows <= leaf->view_rows && own.columns <= leaf->view_columns;
}

// One leaf by itself: size of the array, null, alignment to its element, pitch and strides, bytes from its first to its
// last element. The extent must have passed onepass_check_extent.
ONEPASS_INLINE onepass_status_t onepass_check_leaf(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  const onepass_extent_t own = onepass_leaf_extent(leaf, extent);
  const int is_matrix =
      (leaf->span == ONEPASS_PER_ELEMENT && leaf->layout != ONEPASS_SCATTERED) || leaf->span == ONEPASS_PER_GROUP;
  int64_t below, above;
  if (own.rows == 0 || own.columns == 0) return ONEPASS_SUCCESS;  // never touched
  if (!onepass_leaf_has_elements(leaf, own)) return ONEPASS_ERROR_SIZE;
  if (leaf->pointer == NULL) return ONEPASS_ERROR_NULL;
  if ((uintptr_t)leaf->pointer % (uintptr_t)leaf->element_bytes != 0) return ONEPASS_ERROR_ALIGNMENT;
  if (is_matrix && leaf->written && leaf->layout == ONEPASS_STRIDED && leaf->column_stride != 1 &&
      (extent.offsets != NULL         ? extent.columns
       : leaf->pitch == ONEPASS_DENSE ? onepass_elements(own)
                                      : own.columns) > 1)
    return ONEPASS_ERROR_STRIDE;
  if (is_matrix && leaf->pitch != ONEPASS_DENSE && (leaf->written || leaf->layout == ONEPASS_ROWS) &&
      leaf->pitch < own.columns)
    return leaf->written ? ONEPASS_ERROR_OVERLAPPING_ROWS : ONEPASS_ERROR_PITCH;
  if (leaf->span == ONEPASS_PER_GROUP && leaf->pitch == ONEPASS_DENSE &&
      (extent.offsets != NULL || (extent.rows > 1 && extent.columns % leaf->group != 0)))
    return ONEPASS_ERROR_GROUPS;
  if (!onepass_leaf_reach(leaf, extent, &below, &above)) return ONEPASS_ERROR_EXTENT;
  if ((uintptr_t)leaf->pointer < (uintptr_t)below) return ONEPASS_ERROR_EXTENT;
  if ((uintptr_t)leaf->pointer > UINTPTR_MAX - (uintptr_t)above) return ONEPASS_ERROR_EXTENT;
  return ONEPASS_SUCCESS;
}

// Whether two leaves that passed onepass_check_leaf share a byte. Exact for leaves of equal row distance (two column
// windows of one matrix are apart); for others two interleaved ranges count as sharing.
ONEPASS_INLINE int onepass_leaves_overlap(const onepass_leaf_t *a, const onepass_leaf_t *b, onepass_extent_t extent) {
  const onepass_extent_t ea = onepass_leaf_extent(a, extent), eb = onepass_leaf_extent(b, extent);
  int64_t below_a, above_a, below_b, above_b;
  if (ea.rows == 0 || ea.columns == 0 || eb.rows == 0 || eb.columns == 0) return 0;
  if (!onepass_leaf_reach(a, extent, &below_a, &above_a) || !onepass_leaf_reach(b, extent, &below_b, &above_b))
    return 1;  // did not pass
  const uintptr_t at_a = (uintptr_t)a->pointer, at_b = (uintptr_t)b->pointer;
  if (at_a + (uintptr_t)above_a <= at_b - (uintptr_t)below_b) return 0;
  if (at_b + (uintptr_t)above_b <= at_a - (uintptr_t)below_a) return 0;
  if (ea.rows > 1 && eb.rows > 1 && onepass_leaf_has_rows(a, extent) && onepass_leaf_has_rows(b, extent)) {
    const uintptr_t wa = (uintptr_t)(ea.columns * a->element_bytes), wb = (uintptr_t)(eb.columns * b->element_bytes);
    const uintptr_t pa = (uintptr_t)(onepass_leaf_pitch(a, extent) * a->element_bytes);
    const uintptr_t pb = (uintptr_t)(onepass_leaf_pitch(b, extent) * b->element_bytes);
    if (pa != pb) return 1;
    const uintptr_t apart = at_a <= at_b ? (at_b - at_a) % pa : (pa - (at_a - at_b) % pa) % pa;
    return apart < wa || apart + wb > pa;
  }
  return 1;
}

// Whether a sink may lie on a source: element for element the same place.
ONEPASS_INLINE int onepass_leaves_coincide(const onepass_leaf_t *a, const onepass_leaf_t *b, onepass_extent_t extent) {
  const int is_row = extent.rows == 1 && extent.offsets == NULL;
  const int by_element_a = a->span == ONEPASS_PER_ELEMENT || (a->span == ONEPASS_PER_COLUMN && is_row);
  const int by_element_b = b->span == ONEPASS_PER_ELEMENT || (b->span == ONEPASS_PER_COLUMN && is_row);
  return by_element_a && by_element_b && a->pointer == b->pointer && a->element_bytes == b->element_bytes &&
         onepass_leaf_has_rows(a, extent) && onepass_leaf_has_rows(b, extent) &&
         (extent.offsets == NULL || (a->pitch == ONEPASS_DENSE) == (b->pitch == ONEPASS_DENSE)) &&
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

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
