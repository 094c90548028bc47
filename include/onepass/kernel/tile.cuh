// SPDX-License-Identifier: Apache-2.0
// Part of onepass: where the groups of a tile are, for every family.
#ifndef ONEPASS_KERNEL_TILE_CUH
#define ONEPASS_KERNEL_TILE_CUH

#include "../pack.cuh"

namespace onepass {
namespace detail {

// The shape that a kernel sees; what small kernels read first stands first.
struct shape {
  int64_t groups;          // all
  int64_t whole_groups;    // groups [0, whole_groups) have all lanes
  int64_t columns, rows;
  int64_t groups_per_row;
  uint64_t magic;          // ceil(2^64 / groups_per_row): a quotient by multiply-high, exact below 2^32
};

// group / groups_per_row. Lemire, Kaser and Kurz, Faster remainder by direct computation, 2019.
ONEPASS_HD int64_t row_of_group(const shape &s, int64_t group) {
#ifdef __CUDA_ARCH__
  if (s.groups_per_row > 1 && s.groups <= 0xffffffff)
    return static_cast<int64_t>(__umul64hi(s.magic, static_cast<uint64_t>(group)));
#endif
  return group / s.groups_per_row;
}

// Group `first + offset` where groups start at multiples of N.
template <int N, access A, bool ByRow>
ONEPASS_HD position<N, A> locate(const shape &s, int64_t first, unsigned offset) {
  if constexpr (ByRow) {
    const int64_t group = first + offset, row = row_of_group(s, group);
    const int64_t column = (group - row * s.groups_per_row) * N, left = row < s.rows ? s.columns - column : 0;
    return {row, column, row * s.columns + column, static_cast<int32_t>(left < N ? left : N), column == 0 || left <= N};
  } else {
    const int64_t index = first * N + offset * static_cast<unsigned>(N), left = s.columns - index;
    return {0, index, index, static_cast<int32_t>(left < N ? (left > 0 ? left : 0) : N), index == 0 || left <= N};
  }
}

// Group `first + offset` where each row's groups are laid so that all but its first begin at a word of the sink: the
// row starts `lead` lanes inside its first group.
template <int N, bool ByRow, class Sink>
ONEPASS_HD position<N> locate_along(const Sink &sink, const shape &s, int64_t first, unsigned offset) {
  using T = typename Sink::element;
  constexpr unsigned word = word_bytes(N * sizeof(T));
  const int64_t group = first + offset, row = ByRow ? row_of_group(s, group) : 0;
  const auto address = reinterpret_cast<cs::uintptr_t>(sink.row_start(row, s.columns));
  const int64_t lead = (static_cast<unsigned>(address) % word) / static_cast<unsigned>(sizeof(T));
  const int64_t start = (group - row * s.groups_per_row) * N - lead, end = start + N;
  const int64_t column = start < 0 ? 0 : start, left = (end < s.columns ? end : s.columns) - column;
  const bool exists = row < s.rows && left > 0;
  return {row, column, row * s.columns + column, exists ? static_cast<int32_t>(left) : 0, start <= 0 || end >= s.columns};
}

// Programmatic dependent launch: nothing of the predecessor's may be read or overwritten before it has ended.
__device__ __forceinline__ void wait_for_predecessor() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace detail
}  // namespace onepass

#endif
