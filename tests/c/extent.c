// SPDX-License-Identifier: Apache-2.0
// Part of onepass: extents up to the last one that an int64_t can count.
#include "onepass/extent.h"

#include "check.h"

static int fits(int64_t rows, int64_t columns) {
  return onepass_check_extent(onepass_extent_2d(rows, columns)) == ONEPASS_SUCCESS;
}

static int refused(int64_t rows, int64_t columns) {
  return onepass_check_extent(onepass_extent_2d(rows, columns)) == ONEPASS_ERROR_EXTENT;
}

// Segments: their offsets, of 4 bytes or 8, and the most columns of one.
static void check_segments(void) {
  static const int32_t small[] = {3, 0, 7, INT32_MAX};
  static const int64_t large[] = {3, 0, 7, INT64_MAX};
  const onepass_extent_t i32 = onepass_extent_segments_i32(small, 3, 100), i64 = onepass_extent_segments_i64(large, 3, 100);
  CHECK(i32.rows == 3 && i32.columns == 100 && i32.columns_at == NULL && i32.offsets == small && i32.offset_bytes == 4);
  CHECK(i64.rows == 3 && i64.columns == 100 && i64.columns_at == NULL && i64.offsets == large && i64.offset_bytes == 8);
  CHECK(onepass_check_extent(i32) == ONEPASS_SUCCESS && onepass_check_extent(i64) == ONEPASS_SUCCESS);
  CHECK(onepass_elements(i32) == 300 && onepass_elements(i64) == 300);  // at most
  for (int i = 0; i < 4; ++i) {
    CHECK(onepass_offset(small, 4, i) == small[i]);
    CHECK(onepass_offset(large, 8, i) == large[i]);
  }
  const onepass_extent_t now = onepass_extent_now(i64);
  CHECK(now.rows == 3 && now.columns == 100 && now.offsets == large && now.offset_bytes == 8);

  CHECK(onepass_check_extent(onepass_extent_segments_i32(small, 0, 100)) == ONEPASS_SUCCESS);
  CHECK(onepass_check_extent(onepass_extent_segments_i64(large, 3, 0)) == ONEPASS_SUCCESS);
  for (int64_t rows = 0; rows < 3; ++rows) {
    CHECK(onepass_check_extent(onepass_extent_segments_i32(NULL, rows, 100)) == ONEPASS_ERROR_EXTENT);
    CHECK(onepass_check_extent(onepass_extent_segments_i64(NULL, rows, 100)) == ONEPASS_ERROR_EXTENT);
  }
  CHECK(onepass_check_extent(onepass_extent_segments_i32(small, -1, 100)) == ONEPASS_ERROR_EXTENT);
  CHECK(onepass_check_extent(onepass_extent_segments_i64(large, 3, -1)) == ONEPASS_ERROR_EXTENT);
  CHECK(onepass_check_extent(onepass_extent_segments_i64(large, 2, INT64_MAX / 2)) == ONEPASS_SUCCESS);
  CHECK(onepass_check_extent(onepass_extent_segments_i64(large, 2, INT64_MAX / 2 + 1)) == ONEPASS_ERROR_EXTENT);
  for (int32_t bytes = -8; bytes <= 16; ++bytes) {
    onepass_extent_t other = i32;
    other.offset_bytes = bytes;
    CHECK(onepass_check_extent(other) == (bytes == 4 || bytes == 8 ? ONEPASS_SUCCESS : ONEPASS_ERROR_EXTENT));
  }
  // Of other extents there are none.
  const int64_t n = 7;
  CHECK(onepass_extent_1d(7).offsets == NULL && onepass_extent_2d(3, 5).offsets == NULL);
  CHECK(onepass_extent_at(&n, 100).offsets == NULL);
}

int main(void) {
  check_segments();
  const int64_t most = INT64_MAX, root = INT64_C(3037000499);  // root * root is the last square that fits
  CHECK(onepass_extent_1d(7).rows == 1 && onepass_extent_1d(7).columns == 7);
  CHECK(onepass_extent_2d(3, 5).rows == 3 && onepass_extent_2d(3, 5).columns == 5);
  CHECK(onepass_elements(onepass_extent_1d(7)) == 7);
  CHECK(onepass_elements(onepass_extent_2d(3, 5)) == 15);
  CHECK(onepass_elements(onepass_extent_2d(0, most)) == 0);

  CHECK(fits(0, 0) && fits(0, 5) && fits(5, 0) && fits(1, 1));
  CHECK(fits(0, most) && fits(most, 0));
  CHECK(fits(1, most) && fits(most, 1));
  CHECK(fits(root, root) && fits(most / 2, 2) && fits(2, most / 2));
  CHECK(refused(root + 1, root + 1) && refused(most / 2 + 1, 2) && refused(2, most / 2 + 1));
  CHECK(refused(most, most) && refused(most, 2) && refused(2, most));
  CHECK(refused(-1, 1) && refused(1, -1) && refused(-1, -1) && refused(-1, 0) && refused(0, -1));
  CHECK(refused(INT64_MIN, 1) && refused(1, INT64_MIN) && refused(INT64_MIN, INT64_MIN) && refused(INT64_MIN, -1));

  int64_t n = 7;
  const onepass_extent_t at = onepass_extent_at(&n, 100);
  CHECK(at.rows == 1 && at.columns == 100 && at.columns_at == &n);
  CHECK(onepass_check_extent(at) == ONEPASS_SUCCESS && onepass_elements(at) == 100);
  CHECK(onepass_extent_now(at).columns == 7 && onepass_extent_now(at).columns_at == NULL);
  n = -1;
  CHECK(onepass_extent_now(at).columns == 0);
  n = 101;
  CHECK(onepass_extent_now(at).columns == 100);
  CHECK(onepass_extent_now(onepass_extent_2d(3, 5)).rows == 3);
  CHECK(onepass_extent_1d(7).columns_at == NULL && onepass_extent_2d(3, 5).columns_at == NULL);
  CHECK(onepass_check_extent(onepass_extent_at(&n, -1)) == ONEPASS_ERROR_EXTENT);
  CHECK(onepass_check_extent(onepass_extent_at(NULL, 100)) == ONEPASS_ERROR_EXTENT);
  onepass_extent_t rows = at;
  rows.rows = 2;
  CHECK(onepass_check_extent(rows) == ONEPASS_ERROR_EXTENT);
  return check_result();
}
