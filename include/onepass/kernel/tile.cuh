// SPDX-License-Identifier: Apache-2.0
// Part of onepass: where the groups of a tile are, for every family.
#ifndef ONEPASS_KERNEL_TILE_CUH
#define ONEPASS_KERNEL_TILE_CUH

#include "../pack.cuh"
#include "../plan.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The blocks per SM that a kernel's registers shall allow, where an SM can hold as many threads.
ONEPASS_HD constexpr int resident(int blocks, int threads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return blocks * threads <= 1024 ? blocks : 1024 / threads;
#else
  return blocks * threads <= 1536 ? blocks : 1536 / threads;
#endif
}

// The shape that a kernel sees; what small kernels read first stands first.
struct shape {
  int64_t groups;        // all
  int64_t whole_groups;  // groups [0, whole_groups) have all lanes
  int64_t columns, rows;
  int64_t groups_per_row;
  uint64_t magic;        // ceil(2^64 / groups_per_row), 0 for 1
  const int64_t *count;  // null, or where the number of columns lies; the rest is then that of their maximum
  bool small;            // groups and columns fit 32 bits
};

// The shape, of one row, with the number of columns that lies in device memory. (Kernels of their own ask for it: to
// hold the shape in registers instead of parameters cost others up to 2 % of the roof.)
template <int N>
__device__ __forceinline__ shape counted(shape s) {
  const int64_t n = *s.count;
  s.columns = n < 0 ? 0 : n < s.columns ? n : s.columns;
  s.whole_groups = s.columns / N;
  s.groups = s.whole_groups + (s.columns % N != 0);
  return s;
}

// group / groups_per_row for groups of 32 bits, by multiply-high: Lemire, Kaser and Kurz, Faster remainder by direct
// computation, 2019.
ONEPASS_HD uint32_t row_of_group(const shape &s, uint32_t group) {
  const uint64_t low = (s.magic & 0xffffffffu) * group >> 32;
  return s.magic == 0 ? group : static_cast<uint32_t>(((s.magic >> 32) * group + low) >> 32);
}

// Group `first + offset` where groups start at multiples of N. If rows matter, groups fit 32 bits.
template <int N, access A, bool ByRow>
ONEPASS_HD position<N, A> locate(const shape &s, int64_t first, unsigned offset) {
  const int64_t index = first * N + static_cast<int64_t>(offset) * N;
  if constexpr (ByRow) {
    const uint32_t group = static_cast<uint32_t>(first) + offset, row = row_of_group(s, group);
    const int64_t column = static_cast<int64_t>(group - row * static_cast<uint32_t>(s.groups_per_row)) * N;
    const int64_t left = row < s.rows ? s.columns - column : 0;
    return {row, column, index, static_cast<int32_t>(left < N ? left : N), false, false};
  } else {
    const int64_t left = s.columns - index;
    return {0, index, index, static_cast<int32_t>(left < N ? (left > 0 ? left : 0) : N), false, false};
  }
}

// Group `in_row` of `row` in integers that hold the shape.
template <int N, class Int>
ONEPASS_HD position<N> locate_in_row(const shape &s, Int row, Int in_row, Int lead) {
  const Int columns = static_cast<Int>(s.columns), start = in_row * N - lead, column = start < 0 ? 0 : start;
  const Int left = row < static_cast<Int>(s.rows) && column < columns ? columns - column : 0;
  const Int end = start + N < left ? start + N : left;
  const auto count = static_cast<int32_t>(end < N ? end : N);
  const bool edge = is_edge<N>(column, left);
  return {row, column, static_cast<int64_t>(row) * columns + column, count, edge, edge};
}

// Group `first + offset` where nothing is aligned. The groups of a row begin `lead(row)` lanes before it, in [0, N), so
// that they can be laid along the words of a sink: the first is then a part of a group.
template <int N, bool ByRow, class Lead>
ONEPASS_HD position<N> locate_any(const shape &s, int64_t first, unsigned offset, const Lead &lead) {
  const int64_t group = first + offset;
  if constexpr (ByRow) {
    if (s.small) {
      const uint32_t row = row_of_group(s, static_cast<uint32_t>(group));
      const uint32_t in_row = static_cast<uint32_t>(group) - row * static_cast<uint32_t>(s.groups_per_row);
      return locate_in_row<N>(s, static_cast<int32_t>(row), static_cast<int32_t>(in_row), lead(row));
    }
    const int64_t row = group / s.groups_per_row;
    return locate_in_row<N>(s, row, group - row * s.groups_per_row, static_cast<int64_t>(lead(row)));
  } else {
    return locate_in_row<N>(s, int64_t{0}, group, static_cast<int64_t>(lead(0)));
  }
}

// Programmatic dependent launch: the successor may be set up as soon as every block has begun, and nothing of the
// predecessor's may be read or overwritten before it has ended.
__device__ __forceinline__ void wait_for_predecessor() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace detail
}  // namespace onepass

#endif
