// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the reduce family: each part of the array to a partial state, and the block that finishes last
// combines them in order. Who adds what to what is a function of the plan alone.
#ifndef ONEPASS_KERNEL_REDUCE_CUH
#define ONEPASS_KERNEL_REDUCE_CUH

#include "../collective/block.cuh"
#include "../collective/grid.cuh"  // the ticket
#include "../describe.cuh"
#include "tile.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

inline constexpr int reduce_threads = ONEPASS_REDUCE_THREADS, reduce_packs = ONEPASS_REDUCE_PACKS;

// The caller's workspace: a ticket that every launch leaves at zero, then one state per part.
struct reduce_workspace {
  unsigned *ticket;
  void *partials;
};

// The blocks per SM that bound the registers, as for a map.
template <class P>
ONEPASS_HD constexpr int reduce_blocks(bool aligned) {
  const int live = live_registers<P>(reduce_packs);
  if (aligned) return live <= 25 ? 3 : live <= 44 ? 2 : 1;
  return live <= 28 ? 2 : 1;
}

// Packs of a thread, a block's width apart: all loads, then each group into the states, in order.
template <int N, access A, bool ByRow, int Packs, class P, class States>
__device__ __forceinline__ void reduce_groups(const P &p, const shape &s, int64_t first, unsigned offset,
                                              States &states) {
  using raw_type = decltype(p.template fetch<N>(position<N, A>{}));
  position<N, A> at[Packs];
  raw_type raw[Packs];
  ONEPASS_UNROLL
  for (int k = 0; k < Packs; ++k) {
    const unsigned own = offset + static_cast<unsigned>(k) * blockDim.x;
    if constexpr (A == access::any) at[k] = locate_any<N, ByRow>(s, first, own, [](int64_t) { return 0; });
    else at[k] = locate<N, A, ByRow>(s, first, own);
    raw[k] = p.template fetch<N>(at[k]);
  }
  ONEPASS_UNROLL
  for (int k = 0; k < Packs; ++k)
    if (at[k].has(0)) p.consume(raw[k], at[k], states);
}

// The first warp of a block hands in the states of a part (in lane 0). The one that is last combines all of them, lane
// by lane and then across the lanes, which is an order that depends on `parts` alone, and writes the results.
template <class All, class States>
__device__ __forceinline__ void finish_part(const All &all, int64_t n, unsigned part, unsigned parts,
                                            const reduce_workspace &workspace, States states) {
  if (parts > 1) {
    States *partials = static_cast<States *>(workspace.partials);
    bool is_last = false;
    if (threadIdx.x == 0) {
      partials[part] = states;
      is_last = take_ticket(workspace.ticket, parts - 1) == parts - 1;
    }
    if (!__any_sync(all_lanes, is_last)) return;
    __syncwarp();  // what lane 0 has acquired, the warp may read
    states = all.identity();
    constexpr unsigned batch = sizeof(States) <= 6 ? 16 : sizeof(States) <= 96 ? 96 / sizeof(States) : 1;  // in flight
    for (unsigned first = 0; first < parts; first += 32 * batch) {
      States loaded[batch];
      ONEPASS_UNROLL
      for (unsigned k = 0; k < batch; ++k) {
        const unsigned i = first + 32 * k + threadIdx.x;
        loaded[k] = i < parts ? partials[i] : all.identity();
      }
      ONEPASS_UNROLL
      for (unsigned k = 0; k < batch; ++k) states = all.combine(states, loaded[k]);
    }
    states = warp_reduce_to_first(all, states);
  }
  if (threadIdx.x == 0) all.put_results(states, n);
}

// A block's parts, one after the other.
template <bool Aligned, class P>
__device__ __forceinline__ void reduce_parts(const P &p, const shape &s, unsigned parts,
                                             const reduce_workspace &workspace) {
  constexpr int N = lanes_v<P>;
  constexpr bool ByRow = any_by_row<P>::value;
  __shared__ block_storage<states_t<P>> storage;
  const reductions<P> all(p);
  const unsigned tile = blockDim.x * reduce_packs;
  for (unsigned part = blockIdx.x;; __syncthreads()) {  // the barrier: storage is read before it is written again
    auto states = all.identity();
    for (int64_t first = static_cast<int64_t>(part) * tile; first < s.groups;
         first += static_cast<int64_t>(parts) * tile) {
      if constexpr (!Aligned) {
        reduce_groups<N, access::any, ByRow, reduce_packs>(p, s, first, threadIdx.x, states);
      } else if (first + tile <= s.whole_groups) {
        reduce_groups<N, access::whole, ByRow, reduce_packs>(p, s, first, threadIdx.x, states);
      } else {  // the last tile: in a loop, for fewer registers
#pragma unroll 1
        for (unsigned k = 0; k < reduce_packs; ++k)
          reduce_groups<N, access::aligned, ByRow, 1>(p, s, first, threadIdx.x + k * blockDim.x, states);
      }
    }
    states = block_reduce_to_first(all, states, storage);
    if (threadIdx.x < 32) finish_part(all, s.rows * s.columns, part, parts, workspace, states);
    part += gridDim.x;
    if (part >= parts) break;
  }
}

// The parameters in the order in which a small array needs them.
template <class Tag, bool Aligned, bool Counted>
__global__ void __launch_bounds__(reduce_threads,
                                  resident(reduce_blocks<tagged_t<Tag>>(Aligned && !Counted), reduce_threads))
    reduce_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ shape s, unsigned parts,
                  reduce_workspace workspace) {
  wait_for_predecessor();
  if constexpr (Counted) reduce_parts<Aligned>(p, counted<lanes_v<tagged_t<Tag>>>(s), parts, workspace);
  else reduce_parts<Aligned>(p, s, parts, workspace);
}

}  // namespace detail
}  // namespace onepass

#endif
