// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the reduce family: each part of the array to a partial state, and the block that finishes last
// combines them in order. Who adds what to what is a function of the plan alone.
#ifndef ONEPASS_KERNEL_REDUCE_CUH
#define ONEPASS_KERNEL_REDUCE_CUH

#include "../collective/block.cuh"
#include "../describe.cuh"
#include "tile.cuh"

namespace onepass {
namespace detail {

inline constexpr int reduce_threads = ONEPASS_REDUCE_THREADS, reduce_packs = ONEPASS_REDUCE_PACKS;

// The caller's workspace: a ticket that every launch leaves at zero, then one state per part.
struct reduce_workspace {
  unsigned *ticket;
  void *partials;
};

// The blocks per SM that bound the registers, as for a map.
template <class P>
constexpr int reduce_blocks(bool aligned) {
  const int live = live_registers<P>(reduce_packs);
  if (aligned) return live <= 25 ? 3 : live <= 44 ? 2 : 1;
  return live <= 28 ? 2 : 1;
}

// Takes a ticket; true for the last of `parts`, which sees what the others wrote before theirs.
__device__ __forceinline__ bool take_ticket(unsigned *ticket, unsigned parts) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(ticket)), "r"(parts - 1)
               : "memory");  // wraps to 0
  return before == parts - 1;
}

// Packs of a thread, a block's width apart: all loads, then each group into the state, in order.
template <int N, access A, bool ByRow, int Packs, class P, class S, class State>
__device__ __forceinline__ State reduce_groups(const P &p, const S &statistic, const shape &s, int64_t first,
                                               unsigned offset, State state) {
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
    if (at[k].has(0)) state = fold(statistic, state, p.template view_with<full_math, N>(raw[k], at[k]), at[k]);
  return state;
}

// The first warp of a block hands in the state of a part (in lane 0). The one that is last combines all of them, lane
// by lane and then across the lanes, which is an order that depends on `parts` alone, and writes the results.
template <class Value, class P, class State>
__device__ __forceinline__ void finish_part(const P &p, const shape &s, unsigned part, unsigned parts,
                                            const reduce_workspace &workspace, State state) {
  const auto &statistic = p.sink().statistic;
  if (parts > 1) {
    State *partials = static_cast<State *>(workspace.partials);
    bool is_last = false;
    if (threadIdx.x == 0) {
      partials[part] = state;
      is_last = take_ticket(workspace.ticket, parts);
    }
    if (!__any_sync(all_lanes, is_last)) return;
    __syncwarp();  // what lane 0 has acquired, the warp may read
    state = statistic.template identity<Value>();
    constexpr unsigned batch = sizeof(State) <= 6 ? 16 : sizeof(State) <= 96 ? 96 / sizeof(State) : 1;  // in flight
    for (unsigned first = 0; first < parts; first += 32 * batch) {
      State loaded[batch];
      ONEPASS_UNROLL
      for (unsigned k = 0; k < batch; ++k) {
        const unsigned i = first + 32 * k + threadIdx.x;
        loaded[k] = i < parts ? partials[i] : statistic.template identity<Value>();
      }
      ONEPASS_UNROLL
      for (unsigned k = 0; k < batch; ++k) state = statistic.combine(state, loaded[k]);
    }
    state = warp_reduce_to_first(statistic, state);
  }
  if (threadIdx.x == 0) p.sink().put_results(state, s.rows * s.columns);
}

// The parameters in the order in which a small array needs them.
template <class P, class Value, int N, bool ByRow, bool Aligned>
__global__ void __launch_bounds__(reduce_threads, resident(reduce_blocks<P>(Aligned), reduce_threads))
    reduce_kernel(const __grid_constant__ P p, const __grid_constant__ shape s, unsigned parts,
                  reduce_workspace workspace) {
  using state_type = decltype(p.sink().statistic.template identity<Value>());
  __shared__ block_storage<state_type> storage;
  const auto &statistic = p.sink().statistic;
  wait_for_predecessor();

  const unsigned tile = blockDim.x * reduce_packs;
  for (unsigned part = blockIdx.x;; __syncthreads()) {  // the barrier: storage is read before it is written again
    state_type state = statistic.template identity<Value>();
    for (int64_t first = static_cast<int64_t>(part) * tile; first < s.groups;
         first += static_cast<int64_t>(parts) * tile) {
      if constexpr (!Aligned) {
        state = reduce_groups<N, access::any, ByRow, reduce_packs>(p, statistic, s, first, threadIdx.x, state);
      } else if (first + tile <= s.whole_groups) {
        state = reduce_groups<N, access::whole, ByRow, reduce_packs>(p, statistic, s, first, threadIdx.x, state);
      } else {  // the last tile: in a loop, for fewer registers
#pragma unroll 1
        for (unsigned k = 0; k < reduce_packs; ++k)
          state =
              reduce_groups<N, access::aligned, ByRow, 1>(p, statistic, s, first, threadIdx.x + k * blockDim.x, state);
      }
    }
    state = block_reduce_to_first(statistic, state, storage);
    if (threadIdx.x < 32) finish_part<Value>(p, s, part, parts, workspace, state);
    part += gridDim.x;
    if (part >= parts) break;
  }
}

}  // namespace detail
}  // namespace onepass

#endif
