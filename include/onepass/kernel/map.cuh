// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the map family: one tile per block, no loop.
#ifndef ONEPASS_KERNEL_MAP_CUH
#define ONEPASS_KERNEL_MAP_CUH

#include "../describe.cuh"
#include "tile.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

inline constexpr int map_threads = ONEPASS_MAP_THREADS, map_packs = ONEPASS_MAP_PACKS;

// By how many lanes a row of the sink starts inside a word.
template <int N, class Sink>
__device__ __forceinline__ int32_t lead_of(const Sink &sink, int64_t row, int64_t columns) {
  using T = typename Sink::element;
  const auto address = static_cast<unsigned>(reinterpret_cast<cs::uintptr_t>(sink.row_start(row, row * columns)));
  return static_cast<int32_t>(address % word_bytes(N * sizeof(T)) / static_cast<unsigned>(sizeof(T)));
}

// The blocks per SM that bound a kernel's registers: more registers would keep fewer bytes in flight, fewer would
// spill. Groups of misaligned arrays need some more. (No template argument of the kernel: for a __device__ lambda the
// host pass does not know the values' types, and both passes must name the same kernel.)
template <class P>
ONEPASS_HD constexpr int map_blocks(bool aligned) {
  const int live = live_registers<P>(map_packs);
  const int blocks = live <= 24 ? 12 : live <= 32 ? 10 : live <= 40 ? 8 : live <= 56 ? 6 : 4;
  return aligned ? blocks : blocks - 2;
}

// Packs of a thread, `map_threads` groups apart: all loads, then all arithmetic.
template <int N, access A, bool ByRow, int Packs, class P>
__device__ __forceinline__ void map_groups(const P &p, const shape &s, int64_t first, unsigned offset) {
  using raw_type = decltype(p.template fetch<N>(position<N, A>{}));
  position<N, A> at[Packs];
  raw_type raw[Packs];
  ONEPASS_UNROLL
  for (int k = 0; k < Packs; ++k) {
    const unsigned own = offset + static_cast<unsigned>(k * map_threads);
    if constexpr (A == access::any)
      at[k] = locate_any<N, ByRow>(s, first, own, [&](int64_t row) { return lead_of<N>(p.sink(), row, s.columns); });
    else at[k] = locate<N, A, ByRow>(s, first, own);
    raw[k] = p.template fetch<N>(at[k]);
  }
  list<> none;
  ONEPASS_UNROLL
  for (int k = 0; k < Packs; ++k)
    if (at[k].has(0)) p.consume(raw[k], at[k], none);
}

// One body for whole tiles, one for the rest; which is chosen by the block, never by the lane.
template <bool Aligned, class P>
__device__ __forceinline__ void map_tile(const P &p, const shape &s) {
  constexpr int N = lanes_v<P>;
  constexpr bool ByRow = any_by_row<P>::value;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * (map_threads * map_packs);
  if constexpr (Aligned) {
    if (first + map_threads * map_packs <= s.whole_groups) {
      map_groups<N, access::whole, ByRow, map_packs>(p, s, first, threadIdx.x);
    } else {  // the last tile: in a loop, for fewer registers
#pragma unroll 1
      for (unsigned k = 0; k < map_packs; ++k)
        map_groups<N, access::aligned, ByRow, 1>(p, s, first, threadIdx.x + k * map_threads);
    }
  } else {
    map_groups<N, access::any, ByRow, map_packs>(p, s, first, threadIdx.x);
  }
}

template <class Tag, bool Aligned, bool Counted>
__global__ void __launch_bounds__(map_threads, resident(map_blocks<tagged_t<Tag>>(Aligned && !Counted), map_threads))
    map_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ shape s) {
  wait_for_predecessor();
  if constexpr (Counted) map_tile<Aligned>(p, counted<lanes_v<tagged_t<Tag>>>(s));
  else map_tile<Aligned>(p, s);
}

}  // namespace detail
}  // namespace onepass

#endif
