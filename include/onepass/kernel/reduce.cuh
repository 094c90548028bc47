// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the reduce family: each part of the array to a partial state, and the block that finishes last
// combines them in order. Who adds what to what is a function of the plan alone.
#ifndef ONEPASS_KERNEL_REDUCE_CUH
#define ONEPASS_KERNEL_REDUCE_CUH

#include "../collective/block.cuh"
#include "../pipeline.cuh"
#include "tile.cuh"

namespace onepass {
namespace detail {

inline constexpr int reduce_threads = 512;  // at most
inline constexpr int reduce_packs = 4;

// The caller's workspace: a ticket that every launch leaves at zero, then one state per part.
struct reduce_workspace {
  unsigned *ticket;
  void *partials;
};

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
    at[k] = locate<N, A, ByRow>(s, first, offset + static_cast<unsigned>(k) * blockDim.x);
    raw[k] = p.template fetch<N>(at[k]);
  }
  ONEPASS_UNROLL
  for (int k = 0; k < Packs; ++k)
    if (at[k].has(0)) state = fold(statistic, state, p.template view_with<full_math, N>(raw[k], at[k]), at[k]);
  return state;
}

template <class P, class Value, int N, bool ByRow, bool Aligned, int Packs, int MinBlocks>
ONEPASS_KERNEL void __launch_bounds__(reduce_threads, Aligned ? MinBlocks : 2)
    reduce_kernel(const __grid_constant__ shape s, unsigned parts, const __grid_constant__ P p, reduce_workspace workspace) {
  using state_type = decltype(p.sink().statistic.template identity<Value>());
  __shared__ block_storage<state_type> storage;
  __shared__ bool is_last;
  const auto &statistic = p.sink().statistic;
  wait_for_predecessor();

  const unsigned tile = blockDim.x * Packs;
  for (unsigned part = blockIdx.x; part < parts; part += gridDim.x) {
    state_type state = statistic.template identity<Value>();
    for (int64_t first = static_cast<int64_t>(part) * tile; first < s.groups; first += static_cast<int64_t>(parts) * tile) {
      if constexpr (!Aligned) {
        state = reduce_groups<N, access::any, ByRow, Packs>(p, statistic, s, first, threadIdx.x, state);
      } else if (first + tile <= s.whole_groups) {
        state = reduce_groups<N, access::whole, ByRow, Packs>(p, statistic, s, first, threadIdx.x, state);
      } else {  // the last tile: in a loop, for fewer registers
#pragma unroll 1
        for (unsigned k = 0; k < Packs; ++k)
          state = reduce_groups<N, access::aligned, ByRow, 1>(p, statistic, s, first, threadIdx.x + k * blockDim.x, state);
      }
    }
    state = block_reduce_to_first(statistic, state, storage);
    if (parts == 1) {
      if (threadIdx.x == 0) p.sink().put_results(state, s.rows * s.columns);
      return;
    }
    if (threadIdx.x == 0) {
      static_cast<state_type *>(workspace.partials)[part] = state;
      is_last = take_ticket(workspace.ticket, parts);
    }
    __syncthreads();
  }
  if (!is_last) return;

  state_type state = statistic.template identity<Value>();
  for (unsigned i = threadIdx.x; i < parts; i += blockDim.x)
    state = statistic.combine(state, static_cast<const state_type *>(workspace.partials)[i]);
  state = block_reduce_to_first(statistic, state, storage);
  if (threadIdx.x == 0) p.sink().put_results(state, s.rows * s.columns);
}

}  // namespace detail
}  // namespace onepass

#endif
