// SPDX-License-Identifier: Apache-2.0
// Part of onepass: where the rows of a launch lie, and a group in its row.
#ifndef ONEPASS_KERNEL_ROW_PLACE_CUH
#define ONEPASS_KERNEL_ROW_PLACE_CUH

#include "../describe.cuh"
#include "tile.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct row_shape {
  int64_t rows, columns;
  float inverse;         // 1 / columns
  const int64_t *count;  // null, or where the number of columns lies
  const void *offsets;   // null, or where the beginnings of segments lie
  int32_t offset_bytes;
  bool varied;           // whether one of these two is not null
  uint32_t image_bytes;  // of a row's images in shared memory, 0 for none
  uint32_t outer;        // rows of which the array's first 16 elements are, or its last
  uint32_t part;         // groups that a block of a cluster takes,
  uint32_t resident;     // clusters that take `rounds` rows each; those behind take one,
  unsigned *ticket;      // unless this is not null: where clusters draw rows
  int64_t rounds;

  __device__ __forceinline__ int64_t offset(int64_t i) const {
    return offset_bytes == 8 ? static_cast<const int64_t *>(offsets)[i] : static_cast<const int32_t *>(offsets)[i];
  }
};

// One row: its number, the index of its first element, its size, whether this thread writes its results, and whether
// the array begins or ends within 16 elements of it.
struct row_place {
  int64_t row, first;
  row_size size, part;  // part: of what the threads of a warp have, or those of the row in it
  bool leads, outer;
  unsigned round;  // how many rows this block has taken before
  unsigned whole_chunks;  // of single elements, that the threads of this warp have whole
};
// Columns, where the type of a launch says how many there are.
template <class Tag, class = void>
struct fixed_columns : cs::integral_constant<int64_t, -1> {};
template <class Tag>
struct fixed_columns<Tag, cs::void_t<decltype(Tag::columns)>> : cs::integral_constant<int64_t, Tag::columns> {};

// (Aligned rows are dense.)
template <class Tag, bool Aligned>
__device__ __forceinline__ row_place place_of_row(const row_shape &s, int64_t row, bool leads) {
  constexpr int64_t fixed = fixed_columns<Tag>::value;
  if constexpr (fixed >= 0)
    return {row, row * fixed, size_of_row(fixed), {}, leads, row < s.outer || row + s.outer >= s.rows, 0, 0};
  const bool outer = row < s.outer || row + s.outer >= s.rows;
  if (Aligned || !s.varied) return {row, row * s.columns, {s.columns, s.inverse}, {}, leads, outer, 0, 0};
  if (s.offsets == nullptr) {
    const int64_t n = *s.count, columns = n < 0 ? 0 : n < s.columns ? n : s.columns;
    return {row, 0, size_of_row(columns), {}, leads, outer, 0, 0};
  }
  if (row >= s.rows) return {row, 0, {0, 0}, {}, false, true, 0, 0};
  const int64_t first = s.offset(row), end = s.offset(row + 1), last = s.offset(s.rows),
                length = end > first ? end - first : 0, n = length < s.columns ? length : s.columns;
  return {row, first, size_of_row(n), {}, leads, first < 16 || last - end < 16, 0, 0};
}

// Group `own` of a row, in [0, 2^31 / N); Exists where all its lanes are known to.
template <int N, access A, bool Exists>
__device__ __forceinline__ position<N, A> locate_group(const row_place &place, int64_t columns, int64_t own) {
  const int64_t column = own * N, left = columns - column;
  const int32_t some =
      A == access::entire ? (left > 0 ? N : 0) : static_cast<int32_t>(left < N ? (left > 0 ? left : 0) : N);
  const bool edge = is_row<A> && is_edge<N, 16>(column, left);
  return {place.row, column, place.first + column, Exists ? N : some, edge, edge && place.outer};
}

}  // namespace detail
}  // namespace onepass

#endif
