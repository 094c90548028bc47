// SPDX-License-Identifier: Apache-2.0
// Part of onepass: leaves one by one up to the end of the address space, and pairs of them against sets of bytes.
#include "onepass/leaf.h"

#include <string.h>

#include "check.h"

static onepass_leaf_t leaf_at(uintptr_t address, int64_t pitch, int32_t bytes, onepass_span_t span, int written) {
  const onepass_leaf_t leaf = {(const void *)address, pitch, bytes, 3, span, written, ONEPASS_ROWS, 0, 0, 0, 1, 0};
  return leaf;
}

static onepass_status_t check_one(uintptr_t address, int64_t pitch, int32_t bytes, onepass_span_t span, int written,
                                  onepass_extent_t extent) {
  const onepass_leaf_t leaf = leaf_at(address, pitch, bytes, span, written);
  return onepass_check_leaf(&leaf, extent);
}

// An array of rows, as a source.
static onepass_status_t check_rows(uintptr_t address, int64_t pitch, int32_t bytes, int64_t rows, int64_t columns) {
  return check_one(address, pitch, bytes, ONEPASS_PER_ELEMENT, 0, onepass_extent_2d(rows, columns));
}

static void check_single_leaves(void) {
  const onepass_extent_t some = onepass_extent_2d(4, 6);
  for (int span = 0; span < 4; ++span)
    for (int written = 0; written < 2; ++written) {
      const onepass_span_t s = (onepass_span_t)span;
      CHECK(check_one(4096, ONEPASS_DENSE, 4, s, written, some) == ONEPASS_SUCCESS);
      CHECK(check_one(0, ONEPASS_DENSE, 4, s, written, some) == ONEPASS_ERROR_NULL);
      for (int32_t bytes = 1; bytes <= 16; bytes *= 2)
        for (uintptr_t off = 0; off < 32; ++off)
          CHECK(check_one(4096 + off, ONEPASS_DENSE, bytes, s, written, some) ==
                (off % (uintptr_t)bytes == 0 ? ONEPASS_SUCCESS : ONEPASS_ERROR_ALIGNMENT));
      // The pitch counts where there are rows; below the row width it has a name for either side.
      const onepass_status_t narrow = span != ONEPASS_PER_ELEMENT ? ONEPASS_SUCCESS
                                      : written                   ? ONEPASS_ERROR_OVERLAPPING_ROWS
                                                                  : ONEPASS_ERROR_PITCH;
      CHECK(check_one(4096, 6, 4, s, written, some) == ONEPASS_SUCCESS);
      CHECK(check_one(4096, 7, 4, s, written, some) == ONEPASS_SUCCESS);
      const int64_t below[] = {5, 0, -1, -6, INT64_MIN + 1};
      for (int i = 0; i < 5; ++i) CHECK(check_one(4096, below[i], 4, s, written, some) == narrow);
      // Without elements nothing is read, and only a vector or scalar sink that still has elements is written.
      const int64_t shapes[][2] = {{0, 6}, {4, 0}, {0, 0}};
      for (int i = 0; i < 3; ++i) {
        const int left = s == ONEPASS_ONCE || (s == ONEPASS_PER_COLUMN && shapes[i][1] > 0) ||
                         (s == ONEPASS_PER_ROW && shapes[i][0] > 0);
        CHECK(check_one(0, -1, 4, s, written, onepass_extent_2d(shapes[i][0], shapes[i][1])) ==
              (written && left ? ONEPASS_ERROR_NULL : ONEPASS_SUCCESS));
      }
    }
  const onepass_leaf_t none = onepass_once_leaf(NULL, 4, 0, 1);
  CHECK(onepass_check_leaf(&none, some) == ONEPASS_SUCCESS);
}

static void check_sizes(void) {
  const int64_t most = INT64_MAX;
  // To the last byte of the address space, which no array may include: one past its end must be an address.
  CHECK(check_rows(UINTPTR_MAX - 10, ONEPASS_DENSE, 1, 1, 10) == ONEPASS_SUCCESS);
  CHECK(check_rows(UINTPTR_MAX - 10, ONEPASS_DENSE, 1, 1, 11) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(UINTPTR_MAX - 43, ONEPASS_DENSE, 4, 1, 10) == ONEPASS_SUCCESS);
  CHECK(check_rows(UINTPTR_MAX - 39, ONEPASS_DENSE, 4, 1, 10) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(UINTPTR_MAX - 25, 10, 1, 3, 5) == ONEPASS_SUCCESS);  // the last row ends with its last element
  CHECK(check_rows(UINTPTR_MAX - 24, 10, 1, 3, 5) == ONEPASS_ERROR_EXTENT);
  // Bytes and pitches up to 2^63 - 1.
  CHECK(check_rows(4096, ONEPASS_DENSE, 1, 1, most) == ONEPASS_SUCCESS);
  CHECK(check_rows(4096, ONEPASS_DENSE, 4, 1, most / 4) == ONEPASS_SUCCESS);
  CHECK(check_rows(4096, ONEPASS_DENSE, 4, 1, most / 4 + 1) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(4096, ONEPASS_DENSE, 4, most / 4, 1) == ONEPASS_SUCCESS);
  CHECK(check_rows(4096, ONEPASS_DENSE, 4, most / 4 + 1, 1) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(4096, most, 1, 2, 6) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(4096, most - 6, 1, 2, 6) == ONEPASS_SUCCESS);
  CHECK(check_rows(4096, most - 5, 1, 2, 6) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(4096, most / 4, 2, 3, 6) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(4096, most / 2 - 6, 2, 2, 6) == ONEPASS_SUCCESS);
  CHECK(check_rows(4096, most / 2 - 5, 2, 2, 6) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(4096, (most - 6) / 2, 1, 3, 6) == ONEPASS_SUCCESS);
  CHECK(check_rows(4096, most, 1, most / 6, 6) == ONEPASS_ERROR_EXTENT);
  CHECK(check_rows(4096, most, 16, 1, 6) == ONEPASS_SUCCESS);  // one row: there is no way to the next
  // Vectors: their own side, and nothing of the other.
  CHECK(check_one(4096, 0, 4, ONEPASS_PER_COLUMN, 0, onepass_extent_2d(most / 6, 6)) == ONEPASS_SUCCESS);
  CHECK(check_one(4096, 0, 4, ONEPASS_PER_ROW, 0, onepass_extent_2d(most / 6, 6)) == ONEPASS_SUCCESS);
  CHECK(check_one(4096, 0, 8, ONEPASS_PER_ROW, 0, onepass_extent_2d(most / 6, 6)) == ONEPASS_ERROR_EXTENT);
  CHECK(check_one(4096, 0, 8, ONEPASS_PER_COLUMN, 0, onepass_extent_2d(6, most / 6)) == ONEPASS_ERROR_EXTENT);
  CHECK(check_one(4096, 0, 8, ONEPASS_PER_ROW, 1, onepass_extent_2d(most, 0)) == ONEPASS_ERROR_EXTENT);
  CHECK(check_one(4096, 0, 4, ONEPASS_ONCE, 0, onepass_extent_2d(most / 6, 6)) == ONEPASS_SUCCESS);
}

static onepass_leaf_t strided_at(uintptr_t address, int64_t pitch, int64_t column_stride, int32_t bytes, int written) {
  onepass_leaf_t leaf = leaf_at(address, pitch, bytes, ONEPASS_PER_ELEMENT, written);
  leaf.layout = ONEPASS_STRIDED;
  leaf.column_stride = column_stride;
  return leaf;
}

static onepass_status_t check_strides(uintptr_t address, int64_t pitch, int64_t column_stride, int32_t bytes,
                                      int64_t rows, int64_t columns) {
  const onepass_leaf_t leaf = strided_at(address, pitch, column_stride, bytes, 0);
  return onepass_check_leaf(&leaf, onepass_extent_2d(rows, columns));
}

// Strides of both signs and 0: an array may begin at the first byte of the address space and end before the last.
static void check_strided_bounds(void) {
  for (int32_t bytes = 1; bytes <= 8; bytes *= 2)
    for (int64_t rows = 1; rows < 4; ++rows)
      for (int64_t columns = 1; columns < 4; ++columns)
        for (int64_t pitch = -5; pitch <= 5; ++pitch)
          for (int64_t stride = -3; stride <= 3; ++stride)
            for (int flat = 0; flat < 2; ++flat) {
              int64_t low = 0, high = 0;  // elements, by looking at each
              for (int64_t r = 0; r < rows; ++r)
                for (int64_t c = 0; c < columns; ++c) {
                  const int64_t at = flat ? (r * columns + c) * stride : r * pitch + c * stride;
                  low = at < low ? at : low;
                  high = at > high ? at : high;
                }
              const int64_t p = flat ? ONEPASS_DENSE : pitch;
              const uintptr_t size = (uintptr_t)bytes, least = (uintptr_t)(-low) * size;
              const uintptr_t most = (UINTPTR_MAX - (uintptr_t)(high + 1) * size) / size * size;
              CHECK(check_strides(least, p, stride, bytes, rows, columns) ==
                    (least == 0 ? ONEPASS_ERROR_NULL : ONEPASS_SUCCESS));
              if (least > size)
                CHECK(check_strides(least - size, p, stride, bytes, rows, columns) == ONEPASS_ERROR_EXTENT);
              CHECK(check_strides(most, p, stride, bytes, rows, columns) == ONEPASS_SUCCESS);
              CHECK(check_strides(most + size, p, stride, bytes, rows, columns) == ONEPASS_ERROR_EXTENT);
              if (bytes > 1)
                CHECK(check_strides(most - 1, p, stride, bytes, rows, columns) == ONEPASS_ERROR_ALIGNMENT);
            }
}

static void check_strided_sizes(void) {
  const int64_t most = INT64_MAX;
  const uintptr_t middle = (uintptr_t)1 << 63;
  // Bytes up to 2^63 - 1 in either direction, the last element's own included where it is above.
  CHECK(check_strides(4096, (most - 4) / 4, 1, 4, 2, 1) == ONEPASS_SUCCESS);
  CHECK(check_strides(4096, (most - 4) / 4 + 1, 1, 4, 2, 1) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(4096, 0, (most - 4) / 4, 4, 1, 2) == ONEPASS_SUCCESS);
  CHECK(check_strides(4096, 0, (most - 4) / 4 + 1, 4, 1, 2) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle, -(most / 4), 1, 4, 2, 1) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle, -(most / 4) - 1, 1, 4, 2, 1) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle, 0, -(most / 4), 4, 1, 2) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle, 0, -(most / 4) - 1, 4, 1, 2) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle, 0, -(most / 8), 4, 1, 3) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle, 0, -(most / 8) - 1, 4, 1, 3) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle, ONEPASS_DENSE, -(most / 8), 4, 3, 1) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle, ONEPASS_DENSE, -(most / 8) - 1, 4, 3, 1) == ONEPASS_ERROR_EXTENT);
  // Of one sign the two add up, of two they do not.
  CHECK(check_strides(middle, most / 2, most / 2, 1, 2, 2) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle - 1, most / 2 + 1, most / 2, 1, 2, 2) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle, -(most / 2), -(most / 2) - 1, 1, 2, 2) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle, -(most / 2) - 1, -(most / 2) - 1, 1, 2, 2) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle - 1, most - 1, -most, 1, 2, 2) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle, -most, most - 1, 1, 2, 2) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle - 2, most - 1, -most, 1, 2, 2) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle + 1, most - 1, -most, 1, 2, 2) == ONEPASS_ERROR_EXTENT);
  // The least integer has no magnitude; where there is no second column no stride is taken.
  CHECK(check_strides(middle, 1, INT64_MIN, 1, 1, 2) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(middle, INT64_MIN + 1, 0, 1, 2, 1) == ONEPASS_SUCCESS);
  CHECK(check_strides(middle, INT64_MIN + 1, 0, 2, 2, 1) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(4096, INT64_MIN + 1, INT64_MIN, 8, 1, 1) == ONEPASS_SUCCESS);
  // More elements than 32 bits count, of one that is repeated; and of all that there are.
  CHECK(check_strides(4096, 0, 0, 8, INT64_C(1) << 31, INT64_C(1) << 31) == ONEPASS_SUCCESS);
  CHECK(check_strides(4096, ONEPASS_DENSE, 0, 8, 1, most) == ONEPASS_SUCCESS);
  CHECK(check_strides(4096, 0, 1, 1, INT64_C(1) << 31, INT64_C(1) << 31) == ONEPASS_SUCCESS);
  CHECK(check_strides(4096, 1, 0, 8, INT64_C(1) << 60, 4) == ONEPASS_ERROR_EXTENT);
  CHECK(check_strides(4096, 1, 0, 8, INT64_C(1) << 59, 4) == ONEPASS_SUCCESS);
  // Nothing is touched where there is nothing.
  CHECK(check_strides(0, most, INT64_MIN, 8, 0, 4) == ONEPASS_SUCCESS);
  CHECK(check_strides(0, most, INT64_MIN, 8, 4, 0) == ONEPASS_SUCCESS);

  // A sink has neighbouring columns, and rows that do not overlap; a source of the same strides need not.
  for (int64_t columns = 1; columns < 4; ++columns)
    for (int64_t rows = 1; rows < 3; ++rows)
      for (int64_t pitch = -4; pitch <= 4; ++pitch)
        for (int64_t stride = -2; stride <= 2; ++stride) {
          const onepass_extent_t extent = onepass_extent_2d(rows, columns);
          const onepass_leaf_t sink = strided_at(4096, pitch, stride, 4, 1), flat = strided_at(4096, ONEPASS_DENSE, stride, 4, 1);
          CHECK(onepass_check_leaf(&sink, extent) == (stride != 1 && columns > 1 ? ONEPASS_ERROR_STRIDE
                                                      : pitch < columns          ? ONEPASS_ERROR_OVERLAPPING_ROWS
                                                                                 : ONEPASS_SUCCESS));
          CHECK(onepass_check_leaf(&flat, extent) ==
                (stride != 1 && rows * columns > 1 ? ONEPASS_ERROR_STRIDE : ONEPASS_SUCCESS));
          CHECK(check_strides(4096, pitch, stride, 4, rows, columns) == ONEPASS_SUCCESS);
        }
}

static onepass_leaf_t scattered_at(uintptr_t address, int32_t bytes, int known, int64_t size) {
  onepass_leaf_t leaf = leaf_at(address, ONEPASS_DENSE, bytes, ONEPASS_PER_ELEMENT, 0);
  leaf.layout = ONEPASS_SCATTERED;
  leaf.view_rank = known;
  leaf.view_columns = size;
  return leaf;
}

// An array that is read by index: the extent says nothing about its size.
static void check_scattered(void) {
  const onepass_extent_t extent = onepass_extent_2d(4, 1000);
  const int64_t most = INT64_MAX;
  for (int known = 0; known < 2; ++known) {
    const onepass_leaf_t null = scattered_at(0, 4, known, 10), crooked = scattered_at(4098, 4, known, 10);
    const onepass_leaf_t last = scattered_at(UINTPTR_MAX - 7, 4, known, 1);
    CHECK(onepass_check_leaf(&null, extent) == ONEPASS_ERROR_NULL);
    CHECK(onepass_check_leaf(&null, onepass_extent_1d(0)) == ONEPASS_SUCCESS);
    CHECK(onepass_check_leaf(&crooked, extent) == ONEPASS_ERROR_ALIGNMENT);
    CHECK(onepass_check_leaf(&last, extent) == ONEPASS_SUCCESS);
  }
  const onepass_leaf_t none = scattered_at(0, 4, 1, 0), whole = scattered_at(4096, 1, 1, most);
  const onepass_leaf_t high = scattered_at(UINTPTR_MAX - 43, 4, 1, 10), beyond = scattered_at(UINTPTR_MAX - 39, 4, 1, 10);
  const onepass_leaf_t large = scattered_at(4096, 4, 1, most / 4), larger = scattered_at(4096, 4, 1, most / 4 + 1);
  CHECK(onepass_check_leaf(&none, extent) == ONEPASS_SUCCESS);  // every index is outside
  CHECK(onepass_check_leaf(&whole, extent) == ONEPASS_SUCCESS);
  CHECK(onepass_check_leaf(&high, extent) == ONEPASS_SUCCESS);
  CHECK(onepass_check_leaf(&beyond, extent) == ONEPASS_ERROR_EXTENT);
  CHECK(onepass_check_leaf(&large, extent) == ONEPASS_SUCCESS);
  CHECK(onepass_check_leaf(&larger, extent) == ONEPASS_ERROR_EXTENT);

  // A sink of 8 elements from 4096 on: no array that begins in it may be read, nor one that reaches into it.
  const onepass_leaf_t sink = leaf_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, 1);
  for (uintptr_t address = 4000; address < 4200; address += 4)
    for (int64_t size = -1; size < 30; ++size) {
      const onepass_leaf_t both[2] = {scattered_at(address, 4, size >= 0, size), sink};
      const uintptr_t end = address + 4 * (uintptr_t)(size < 0 ? 1 : size);
      const int bad = size != 0 && address < 4096 + 32 && end > 4096;
      CHECK(onepass_check_leaves(both, 2, onepass_extent_1d(8)) == (bad ? ONEPASS_ERROR_OVERLAP : ONEPASS_SUCCESS));
      CHECK(onepass_check_leaves(both, 2, onepass_extent_1d(0)) == ONEPASS_SUCCESS);
    }
}

static onepass_leaf_t groups_at(uintptr_t address, int64_t pitch, int32_t bytes, int32_t group, int written) {
  onepass_leaf_t leaf = leaf_at(address, pitch, bytes, ONEPASS_PER_GROUP, written);
  leaf.group = group;
  return leaf;
}

// One element for each group of columns: as many as a row has, dense or with a pitch of their own.
static void check_groups(void) {
  const int64_t most = INT64_MAX;
  for (int64_t columns = 0; columns < 300; ++columns)
    for (int32_t group = 1; group <= 256; group *= 2) {
      const int64_t groups = onepass_groups(columns, group);
      CHECK(groups * group >= columns && groups * group - columns < group);
    }
  CHECK(onepass_groups(most, 32) == INT64_C(1) << 58 && onepass_groups(most, 1) == most);

  for (int written = 0; written < 2; ++written)
    for (int32_t bytes = 1; bytes <= 4; bytes *= 2)
      for (int32_t group = 32; group <= 256; group *= 2)
        for (int64_t rows = 0; rows < 4; ++rows)
          for (int64_t columns = 0; columns <= 3 * group; columns += columns % 16 == 1 ? 15 : 1) {
            const onepass_extent_t extent = onepass_extent_2d(rows, columns);
            const int any = rows > 0 && columns > 0;
            const int64_t n = columns / group + (columns % group > 0), pitches[] = {ONEPASS_DENSE, n - 1, n, n + 3, -n};
            for (int i = 0; i < 5; ++i) {
              onepass_leaf_t leaf = groups_at(4096, pitches[i], bytes, group, written);
              const int narrow = i == 1 || i == 4;
              const onepass_status_t expected =
                  !any                                             ? ONEPASS_SUCCESS
                  : narrow                                         ? (written ? ONEPASS_ERROR_OVERLAPPING_ROWS : ONEPASS_ERROR_PITCH)
                  : i == 0 && rows > 1 && columns % group != 0     ? ONEPASS_ERROR_GROUPS
                                                                   : ONEPASS_SUCCESS;
              CHECK(onepass_check_leaf(&leaf, extent) == expected);
              leaf.pointer = NULL;
              CHECK(onepass_check_leaf(&leaf, extent) == (any ? ONEPASS_ERROR_NULL : ONEPASS_SUCCESS));
              leaf.pointer = (const void *)(uintptr_t)4097;
              if (bytes > 1) CHECK(onepass_check_leaf(&leaf, extent) == (any ? ONEPASS_ERROR_ALIGNMENT : ONEPASS_SUCCESS));
              if (!any || expected != ONEPASS_SUCCESS) continue;
              // To its last byte, and no further.
              const int64_t last = (rows - 1) * (i == 0 ? n : pitches[i]) + n;
              leaf.pointer = (const void *)((UINTPTR_MAX - (uintptr_t)(last * bytes)) / (uintptr_t)bytes * (uintptr_t)bytes);
              CHECK(onepass_check_leaf(&leaf, extent) == ONEPASS_SUCCESS);
              leaf.pointer = (const char *)leaf.pointer + bytes;
              CHECK(onepass_check_leaf(&leaf, extent) == ONEPASS_ERROR_EXTENT);
            }
          }
  // Bytes up to 2^63 - 1.
  const onepass_leaf_t far = groups_at(4096, most - 2, 1, 32, 1), farther = groups_at(4096, most - 1, 1, 32, 1);
  CHECK(onepass_check_leaf(&far, onepass_extent_2d(2, 64)) == ONEPASS_SUCCESS);
  CHECK(onepass_check_leaf(&farther, onepass_extent_2d(2, 64)) == ONEPASS_ERROR_EXTENT);
  const onepass_leaf_t large = groups_at(4096, ONEPASS_DENSE, 16, 32, 0);
  CHECK(onepass_check_leaf(&large, onepass_extent_1d(most)) == ONEPASS_SUCCESS);  // 2^58 elements, 2^62 bytes
  // Every access is of one element: alignment to more says nothing.
  const onepass_leaf_t odd = groups_at(4097, 3, 1, 32, 1);
  CHECK(onepass_leaf_is_aligned(&odd, onepass_extent_2d(1, 64), 1));
  // In place of nothing: an element for a group is no element of the array.
  const onepass_leaf_t scales = groups_at(4096, ONEPASS_DENSE, 4, 32, 1), x = leaf_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, 0);
  const onepass_leaf_t read = groups_at(4096, ONEPASS_DENSE, 4, 32, 0), both[2] = {scales, x}, same[2] = {scales, read};
  CHECK(!onepass_leaves_coincide(&scales, &x, onepass_extent_2d(1, 1)));
  CHECK(onepass_check_leaves(both, 2, onepass_extent_2d(1, 1)) == ONEPASS_ERROR_OVERLAP);
  CHECK(onepass_check_leaves(both, 2, onepass_extent_2d(3, 64)) == ONEPASS_ERROR_OVERLAP);
  CHECK(onepass_check_leaves(same, 2, onepass_extent_2d(3, 64)) == ONEPASS_ERROR_OVERLAP);
}

// Segments: how much of a dense array there is stands with the offsets, which no check reads. What has rows of its own
// and vectors are as they are.
static void check_segments(void) {
  static const int32_t offsets[] = {0};
  for (int64_t rows = 1; rows < 4; ++rows) {
    const onepass_extent_t extent = onepass_extent_segments_i32(offsets, rows, 1000);
    for (int written = 0; written < 2; ++written) {
      const onepass_leaf_t last = leaf_at(UINTPTR_MAX - 7, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, written);
      const onepass_leaf_t none = leaf_at(0, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, written);
      const onepass_leaf_t crooked = leaf_at(4098, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, written);
      const onepass_leaf_t pitched = leaf_at(4096, 999, 4, ONEPASS_PER_ELEMENT, written);
      CHECK(onepass_check_leaf(&last, extent) == ONEPASS_SUCCESS);
      CHECK(onepass_check_leaf(&none, extent) == ONEPASS_ERROR_NULL);
      CHECK(onepass_check_leaf(&crooked, extent) == ONEPASS_ERROR_ALIGNMENT);
      CHECK(onepass_check_leaf(&pitched, extent) == (written ? ONEPASS_ERROR_OVERLAPPING_ROWS : ONEPASS_ERROR_PITCH));
      CHECK(onepass_check_leaf(&none, onepass_extent_segments_i32(offsets, 0, 1000)) == ONEPASS_SUCCESS);
      CHECK(onepass_check_leaf(&none, onepass_extent_segments_i32(offsets, rows, 0)) == ONEPASS_SUCCESS);
      // A scale for each group has no place without a pitch, whatever the columns: a segment begins anywhere.
      const onepass_leaf_t groups = groups_at(4096, ONEPASS_DENSE, 4, 50, written), apart = groups_at(4096, 20, 4, 50, written);
      CHECK(onepass_check_leaf(&groups, extent) == ONEPASS_ERROR_GROUPS);
      CHECK(onepass_check_leaf(&apart, extent) == ONEPASS_SUCCESS);
    }
    // A source and a sink: on the same element, in place, or on any other.
    const onepass_leaf_t x = leaf_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, 0);
    const onepass_leaf_t p = leaf_at(4096, 1000, 4, ONEPASS_PER_ELEMENT, 0);
    for (uintptr_t address = 4088; address < 4104; address += 2) {
      const onepass_leaf_t y = leaf_at(address, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, 1), two[2] = {x, y};
      const onepass_leaf_t h = leaf_at(address, ONEPASS_DENSE, 2, ONEPASS_PER_ELEMENT, 1), half[2] = {x, h};
      const onepass_leaf_t q = leaf_at(address, 1000, 4, ONEPASS_PER_ELEMENT, 1), rows_of[2] = {p, q}, mixed[2] = {x, q};
      const int aligned = address % 4 == 0, apart = address + 4 <= 4096 || address >= 4100;
      const onepass_status_t crooked = ONEPASS_ERROR_ALIGNMENT, shared = ONEPASS_ERROR_OVERLAP, fine = ONEPASS_SUCCESS;
      CHECK(onepass_check_leaves(two, 2, extent) == (aligned ? fine : crooked));
      CHECK(onepass_check_leaves(half, 2, extent) == (address + 2 <= 4096 || address >= 4100 ? fine : shared));
      CHECK(onepass_check_leaves(rows_of, 2, extent) == (!aligned ? crooked : address == 4096 ? fine : shared));
      CHECK(onepass_check_leaves(mixed, 2, extent) ==
            (!aligned ? crooked : apart && address >= 4100 ? fine : shared));
    }
    // Results of rows, and a vector that every row begins anew.
    const onepass_leaf_t result = leaf_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ROW, 1), onto[2] = {x, result};
    CHECK(onepass_check_leaves(onto, 2, extent) == ONEPASS_ERROR_OVERLAP);
    const onepass_leaf_t gamma = leaf_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_COLUMN, 0);
    const onepass_leaf_t y = leaf_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, 1), in_gamma[2] = {gamma, y};
    CHECK(onepass_check_leaves(in_gamma, 2, extent) == ONEPASS_ERROR_OVERLAP);  // also of one row: it begins anywhere
    // A sink has neighbouring columns.
    const onepass_leaf_t strided = strided_at(4096, ONEPASS_DENSE, 2, 4, 1), unit = strided_at(4096, ONEPASS_DENSE, 1, 4, 1);
    CHECK(onepass_check_leaf(&strided, extent) == ONEPASS_ERROR_STRIDE);
    CHECK(onepass_check_leaf(&unit, extent) == ONEPASS_SUCCESS);
  }
}

// Views of known size, against every extent around it.
static void check_views(void) {
  for (int written = 0; written < 2; ++written)
    for (int64_t rows = 0; rows < 6; ++rows)
      for (int64_t columns = 0; columns < 6; ++columns) {
        const onepass_extent_t extent = onepass_extent_2d(rows, columns);
        const int any = rows > 0 && columns > 0;
        for (int64_t n = 0; n < 40; ++n) {  // elements in one row, of every span
          for (int span = 0; span < 4; ++span) {
            onepass_leaf_t leaf = leaf_at(4096, ONEPASS_DENSE, 4, (onepass_span_t)span, written);
            const int64_t counts[4] = {rows * columns, columns, rows, 3};
            leaf.view_rank = 1;
            leaf.view_rows = 1;
            leaf.view_columns = n;
            const int missing = (any || written) && counts[span] > n;
            CHECK(onepass_check_leaf(&leaf, extent) == (missing ? ONEPASS_ERROR_SIZE : ONEPASS_SUCCESS));
            leaf.pointer = NULL;  // an empty view is null: its size is the fault
            CHECK(onepass_check_leaf(&leaf, extent) == (missing                                ? ONEPASS_ERROR_SIZE
                                                        : (any || written) && counts[span] > 0 ? ONEPASS_ERROR_NULL
                                                                                               : ONEPASS_SUCCESS));
          }
          onepass_leaf_t apart = strided_at(4096, ONEPASS_DENSE, 3, 4, 0);  // elements, however far apart
          apart.view_rank = 1;
          apart.view_columns = n;
          CHECK(onepass_check_leaf(&apart, extent) == (rows * columns > n ? ONEPASS_ERROR_SIZE : ONEPASS_SUCCESS));
        }
        for (int64_t r = 0; r < 7; ++r)  // a matrix: dense, of rows 8 apart, transposed
          for (int64_t c = 0; c < 7; ++c)
            for (int which = 0; which < 3; ++which) {
              onepass_leaf_t leaf = leaf_at(4096, which ? 8 : ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, written);
              if (which == 2) leaf = strided_at(4096, 1, 8, 4, 0);
              leaf.view_rank = 2;
              leaf.view_rows = r;
              leaf.view_columns = c;
              const int fits = rows <= r && columns <= c && (which > 0 || rows <= 1 || columns == c);
              CHECK(onepass_check_leaf(&leaf, extent) == (any && !fits ? ONEPASS_ERROR_SIZE : ONEPASS_SUCCESS));
            }
      }
}

// Aligned steps of a leaf: its pointer, and its pitch where it has rows.
static void check_alignment(void) {
  for (uintptr_t address = 4096; address < 4096 + 32; ++address)
    for (int64_t pitch = 6; pitch < 40; ++pitch)
      for (int64_t bytes = 1; bytes <= 16; bytes *= 2)
        for (int64_t rows = 1; rows < 3; ++rows) {
          const onepass_extent_t extent = onepass_extent_2d(rows, 6);
          const onepass_leaf_t matrix = leaf_at(address, pitch, 2, ONEPASS_PER_ELEMENT, 0);
          const onepass_leaf_t vector = leaf_at(address, pitch, 2, ONEPASS_PER_COLUMN, 0);
          const int first = address % (uintptr_t)bytes == 0;
          CHECK(onepass_leaf_is_aligned(&matrix, extent, bytes) == (first && (rows == 1 || pitch * 2 % bytes == 0)));
          CHECK(onepass_leaf_is_aligned(&vector, extent, bytes) == first);
        }
}

// The oracle: where element (row, column) of the extent lies.
static uintptr_t place(const onepass_leaf_t *leaf, onepass_extent_t extent, int64_t row, int64_t column) {
  const int64_t stride = leaf->layout == ONEPASS_STRIDED ? leaf->column_stride : 1;
  const int64_t pitch = leaf->pitch == ONEPASS_DENSE ? extent.columns * stride : leaf->pitch;
  int64_t element = 0;
  if (leaf->span == ONEPASS_PER_ELEMENT) element = row * pitch + column * stride;
  if (leaf->span == ONEPASS_PER_COLUMN) element = column;
  if (leaf->span == ONEPASS_PER_ROW) element = row;
  if (leaf->span == ONEPASS_PER_GROUP)
    element = row * (leaf->pitch == ONEPASS_DENSE ? onepass_groups(extent.columns, leaf->group) : leaf->pitch) +
              column / leaf->group;
  return (uintptr_t)leaf->pointer + (uintptr_t)(element * leaf->element_bytes);
}

enum { BASE = 4096, BYTES = 2048, BELOW = 512 };  // leaves of the tests begin from BASE + BELOW on

// The bytes that a leaf touches, as a set; the first and the end of their range.
typedef struct {
  unsigned char has[BYTES];
  uintptr_t first, end;
} bytes_t;

static void add(bytes_t *set, uintptr_t address, int32_t bytes) {
  memset(set->has + (address - BASE), 1, (size_t)bytes);
  if (set->end == 0 || address < set->first) set->first = address;
  if (address + (uintptr_t)bytes > set->end) set->end = address + (uintptr_t)bytes;
}

static bytes_t touched(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  bytes_t set = {{0}, 0, 0};
  const int any = extent.rows > 0 && extent.columns > 0;
  const int vector = leaf->written && !any && leaf->span != ONEPASS_PER_ELEMENT &&
                     leaf->span != ONEPASS_PER_GROUP;  // a reduction of nothing
  const int64_t rows = vector && leaf->span == ONEPASS_PER_COLUMN ? 1 : extent.rows;
  const int64_t columns = vector && leaf->span == ONEPASS_PER_ROW ? 1 : extent.columns;
  if (leaf->layout == ONEPASS_SCATTERED) {  // what is known to be there
    for (int64_t i = 0; any && i < (leaf->view_rank ? leaf->view_columns : 1); ++i)
      add(&set, (uintptr_t)leaf->pointer + (uintptr_t)(i * leaf->element_bytes), leaf->element_bytes);
    return set;
  }
  if (leaf->span == ONEPASS_ONCE) {
    for (int32_t i = 0; (any || leaf->written) && i < leaf->count; ++i)
      add(&set, (uintptr_t)leaf->pointer + (uintptr_t)(i * leaf->element_bytes), leaf->element_bytes);
    return set;
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) add(&set, place(leaf, extent, r, c), leaf->element_bytes);
  return set;
}

static int share(const bytes_t *a, const bytes_t *b) {
  for (size_t i = 0; i < BYTES; ++i)
    if (a->has[i] && b->has[i]) return 1;
  return 0;
}

// Every element has a place of its own, and the same one in both.
static int same_places(const onepass_leaf_t *a, const onepass_leaf_t *b, onepass_extent_t extent) {
  if (a->element_bytes != b->element_bytes || a->span == ONEPASS_ONCE || b->span == ONEPASS_ONCE) return 0;
  if (a->layout == ONEPASS_SCATTERED || b->layout == ONEPASS_SCATTERED) return 0;
  if (a->span == ONEPASS_PER_GROUP || b->span == ONEPASS_PER_GROUP) return 0;
  for (int64_t r = 0; r < extent.rows; ++r)
    for (int64_t c = 0; c < extent.columns; ++c) {
      if (place(a, extent, r, c) != place(b, extent, r, c)) return 0;
      if (c > 0 && place(a, extent, r, c) == place(a, extent, r, c - 1)) return 0;
      if (r > 0 && place(a, extent, r, c) == place(a, extent, r - 1, c)) return 0;
    }
  return 1;
}

// Whether the leaf is rows that follow each other, each of them without a gap.
static int in_rows(const onepass_leaf_t *leaf, onepass_extent_t extent) {
  if (leaf->span == ONEPASS_PER_GROUP) return 1;
  if (leaf->span != ONEPASS_PER_ELEMENT || leaf->layout == ONEPASS_SCATTERED) return 0;
  for (int64_t r = 0; r < extent.rows; ++r)
    for (int64_t c = 0; c < extent.columns; ++c) {
      const uintptr_t end = c > 0 ? place(leaf, extent, r, c - 1) + (uintptr_t)leaf->element_bytes : 0;
      if (c > 0 && place(leaf, extent, r, c) != end) return 0;
      if (r > 0 && place(leaf, extent, r, 0) < place(leaf, extent, r - 1, c) + (uintptr_t)leaf->element_bytes) return 0;
    }
  return 1;
}

// How often each outcome was met, so that none is tested by accident only.
static long met_apart, met_shared, met_windows, met_interleaved, met_in_place, met_strided_in_place, met_strided_apart;

static void check_pair(const onepass_leaf_t *a, const onepass_leaf_t *b, onepass_extent_t extent) {
  const bytes_t in_a = touched(a, extent), in_b = touched(b, extent);
  const int shared = share(&in_a, &in_b), ranges = in_a.first < in_b.end && in_b.first < in_a.end;
  const int overlap = onepass_leaves_overlap(a, b, extent), coincide = onepass_leaves_coincide(a, b, extent);
  const int rows_a = in_rows(a, extent) && extent.rows > 1, rows_b = in_rows(b, extent) && extent.rows > 1;
  const int64_t step_a = onepass_leaf_pitch(a, extent) * a->element_bytes;
  const int64_t step_b = onepass_leaf_pitch(b, extent) * b->element_bytes;
  const int exact = rows_a && rows_b && step_a == step_b;
  CHECK(overlap == (exact ? shared : ranges));
  CHECK(overlap >= shared);
  CHECK(onepass_leaves_overlap(b, a, extent) == overlap);

  const int elements = extent.rows > 0 && extent.columns > 0, same = elements && same_places(a, b, extent);
  if (elements && coincide) CHECK(same);
  if (same && (a->layout == ONEPASS_ROWS || b->layout == ONEPASS_ROWS) && a->span != ONEPASS_PER_ROW &&
      b->span != ONEPASS_PER_ROW && (extent.rows == 1 || (a->span == ONEPASS_PER_ELEMENT && b->span == ONEPASS_PER_ELEMENT)))
    CHECK(coincide);
  CHECK(onepass_leaves_coincide(b, a, extent) == coincide);

  // What a launch makes of the pair: sources may share; a sink shares with a source in place, and with no sink.
  const int sinks = (a->written != 0) + (b->written != 0);
  const int bad = sinks > 0 && overlap && !(sinks == 1 && coincide);
  const onepass_leaf_t pair[2] = {*a, *b}, turned[2] = {*b, *a};
  CHECK(onepass_check_leaves(pair, 2, extent) == (bad ? ONEPASS_ERROR_OVERLAP : ONEPASS_SUCCESS));
  CHECK(onepass_check_leaves(turned, 2, extent) == (bad ? ONEPASS_ERROR_OVERLAP : ONEPASS_SUCCESS));
  met_apart += !ranges;
  met_shared += shared;
  met_windows += exact && ranges && !shared;
  met_interleaved += !exact && ranges && !shared;
  met_in_place += coincide && sinks == 1 && elements;
  met_strided_in_place += coincide && sinks == 1 && elements && (a->layout || b->layout);
  met_strided_apart += sinks == 1 && elements && !bad && !ranges && (a->layout || b->layout);
}

// Windows of one matrix: every width, offset and pair of element sizes, also windows that wrap into the next row.
static void check_windows(void) {
  for (int64_t rows = 1; rows < 5; ++rows)
    for (int64_t columns = 1; columns < 5; ++columns)
      for (int32_t bytes_a = 1; bytes_a <= 4; bytes_a *= 2)
        for (int32_t bytes_b = 1; bytes_b <= 4; bytes_b *= 2)
          for (int64_t step = 4; step <= 24; step += 4)
            for (uintptr_t off = 0; off < 112; off += (uintptr_t)bytes_b) {
              if (step < columns * bytes_a || step < columns * bytes_b) continue;
              const onepass_leaf_t a = leaf_at(BASE + BELOW + 40, step / bytes_a, bytes_a, ONEPASS_PER_ELEMENT, 1);
              const onepass_leaf_t b = leaf_at(BASE + BELOW + off, step / bytes_b, bytes_b, ONEPASS_PER_ELEMENT, off % 8 == 0);
              check_pair(&a, &b, onepass_extent_2d(rows, columns));
            }
}

static uint32_t random_below(uint32_t n) {
  static uint64_t state = 42;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % n;
}

// One draw per statement: the order of evaluation of arguments differs between compilers.
static onepass_leaf_t random_leaf(int64_t columns) {
  onepass_leaf_t leaf = leaf_at(BASE, ONEPASS_DENSE, 1, ONEPASS_PER_ELEMENT, 0);
  leaf.pointer = (const void *)(uintptr_t)(BASE + BELOW + random_below(24) * 4);
  if (random_below(3)) leaf.pitch = columns + random_below(4);
  leaf.element_bytes = 1 << random_below(3);
  leaf.count = (int32_t)random_below(5);
  leaf.span = (onepass_span_t)random_below(4);
  leaf.written = (int)random_below(2);
  return leaf;
}

// The same with strides, those of a sink among them, or scattered.
static onepass_leaf_t random_layout(int64_t columns) {
  onepass_leaf_t leaf = random_leaf(columns);
  leaf.span = ONEPASS_PER_ELEMENT;
  leaf.layout = ONEPASS_STRIDED;
  if (leaf.written || random_below(3) == 0) return leaf;
  leaf.column_stride = (int64_t)random_below(7) - 3;
  if (leaf.pitch != ONEPASS_DENSE) leaf.pitch = (int64_t)random_below(19) - 9;
  if (random_below(8)) return leaf;
  leaf.layout = ONEPASS_SCATTERED;
  leaf.pitch = ONEPASS_DENSE;
  leaf.view_rank = (int32_t)random_below(2);
  leaf.view_columns = random_below(9);
  return leaf;
}

static void check_random_pairs(void) {
  for (int i = 0; i < 200000; ++i) {
    const int64_t rows = random_below(5), columns = random_below(6);
    const onepass_extent_t extent = onepass_extent_2d(rows, columns);
    const onepass_leaf_t a = random_leaf(columns);
    onepass_leaf_t b = i % 2 ? random_layout(columns) : random_leaf(columns);
    if (b.layout != ONEPASS_SCATTERED && random_below(2)) b.pitch = a.pitch;
    if (random_below(2)) b.element_bytes = a.element_bytes;
    if (random_below(4) == 0) b.pointer = a.pointer;
    check_pair(&a, &b, extent);
  }
}

// An element for each group of two or three columns, beside every other kind of leaf.
static void check_random_groups(void) {
  for (int i = 0; i < 100000; ++i) {
    const int32_t group = 2 + (int32_t)random_below(2);
    const int64_t rows = random_below(5);
    int64_t columns = random_below(9);
    onepass_leaf_t a = random_leaf(columns), b = i % 3 ? random_leaf(columns) : random_layout(columns);
    a.span = ONEPASS_PER_GROUP;
    a.group = group;
    if (i % 3 == 1) {
      b.span = ONEPASS_PER_GROUP;
      b.group = group;
    }
    if (b.layout != ONEPASS_SCATTERED && random_below(2)) b.pitch = a.pitch;
    if (random_below(2)) b.element_bytes = a.element_bytes;
    if (a.pitch == ONEPASS_DENSE || b.pitch == ONEPASS_DENSE) columns -= columns % group;
    check_pair(&a, &b, onepass_extent_2d(rows, columns));
  }
}

// Far apart in the address space, where a sum or a difference of addresses could wrap.
static void check_far_pairs(void) {
  const onepass_extent_t extent = onepass_extent_2d(3, 8);
  const onepass_leaf_t low = leaf_at(8, 10, 8, ONEPASS_PER_ELEMENT, 1);
  const onepass_leaf_t high = leaf_at(UINTPTR_MAX - 1023, 10, 8, ONEPASS_PER_ELEMENT, 0);
  const onepass_leaf_t huge = leaf_at(4096, INT64_MAX / 32, 8, ONEPASS_PER_ELEMENT, 0);
  const onepass_leaf_t inside = leaf_at(4096 + 4096, INT64_MAX / 32, 8, ONEPASS_PER_ELEMENT, 1);
  CHECK(!onepass_leaves_overlap(&low, &high, extent) && !onepass_leaves_overlap(&high, &low, extent));
  CHECK(!onepass_leaves_overlap(&inside, &huge, extent) && !onepass_leaves_overlap(&huge, &inside, extent));
  // The pitch of one row is no distance, whatever it is.
  const onepass_leaf_t row = leaf_at(4096, INT64_MAX, 8, ONEPASS_PER_ELEMENT, 1);
  const onepass_leaf_t next = leaf_at(4096 + 64, INT64_MAX, 8, ONEPASS_PER_COLUMN, 1);
  CHECK(!onepass_leaves_overlap(&row, &next, onepass_extent_1d(8)));
  CHECK(!onepass_leaves_overlap(&next, &row, onepass_extent_1d(8)));
  CHECK(onepass_leaves_overlap(&next, &row, onepass_extent_1d(9)));
  const onepass_leaf_t all[] = {low, high, huge};
  CHECK(onepass_check_leaves(all, 3, extent) == ONEPASS_SUCCESS);
}

// More than two leaves: whichever is wrong is found, and a source may be read through several leaves.
static void check_lists(void) {
  const onepass_extent_t extent = onepass_extent_2d(4, 16);
  onepass_leaf_t good[ONEPASS_MAX_LEAVES];
  for (int i = 0; i < ONEPASS_MAX_LEAVES; ++i)
    good[i] = leaf_at((uintptr_t)(4096 * (i + 1)), ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, i % 2);
  CHECK(onepass_check_leaves(good, ONEPASS_MAX_LEAVES, extent) == ONEPASS_SUCCESS);
  CHECK(onepass_check_leaves(NULL, 0, extent) == ONEPASS_SUCCESS);
  for (int i = 0; i < ONEPASS_MAX_LEAVES; ++i)
    for (int j = 0; j < ONEPASS_MAX_LEAVES; ++j) {
      onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
      memcpy(leaves, good, sizeof good);
      leaves[i].pointer = NULL;
      CHECK(onepass_check_leaves(leaves, ONEPASS_MAX_LEAVES, extent) == ONEPASS_ERROR_NULL);
      if (i == j) continue;
      leaves[i].pointer = good[j].pointer;  // in place, two sources of one array, or two sinks in one
      CHECK(onepass_check_leaves(leaves, ONEPASS_MAX_LEAVES, extent) ==
            (i % 2 && j % 2 ? ONEPASS_ERROR_OVERLAP : ONEPASS_SUCCESS));
      leaves[i].pointer = (const char *)good[j].pointer + 4;
      CHECK(onepass_check_leaves(leaves, ONEPASS_MAX_LEAVES, extent) ==
            (i % 2 || j % 2 ? ONEPASS_ERROR_OVERLAP : ONEPASS_SUCCESS));
    }
  // In place of one source does not excuse a second one, in any order.
  const onepass_leaf_t source = good[0], second = leaf_at(4096 + 4, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, 0);
  const onepass_leaf_t sink = leaf_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT, 1);
  const onepass_leaf_t orders[3][3] = {{source, sink, second}, {second, source, sink}, {sink, source, second}};
  for (int i = 0; i < 3; ++i) CHECK(onepass_check_leaves(orders[i], 3, extent) == ONEPASS_ERROR_OVERLAP);
}

int main(void) {
  check_single_leaves();
  check_sizes();
  check_strided_bounds();
  check_strided_sizes();
  check_scattered();
  check_groups();
  check_segments();
  check_views();
  check_alignment();
  check_windows();
  check_random_pairs();
  check_random_groups();
  check_far_pairs();
  check_lists();
  CHECK(met_apart > 100 && met_shared > 100 && met_windows > 100 && met_interleaved > 100 && met_in_place > 100);
  CHECK(met_strided_in_place > 100 && met_strided_apart > 100);
  return check_result();
}
