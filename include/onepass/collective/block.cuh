// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a statistic's states combined over the threads of a block.
#ifndef ONEPASS_COLLECTIVE_BLOCK_CUH
#define ONEPASS_COLLECTIVE_BLOCK_CUH

#include "warp.cuh"

namespace ONEPASS_LOCAL onepass {

// The shared memory of one block reduction, owned by the caller. It may serve another one after a barrier.
template <class State>
struct block_storage {
  State slot[32];  // one per warp
};

namespace detail {

// The result is in thread 0.
template <class S, class State>
__device__ __forceinline__ State block_reduce_to_first(const S &statistic, const State &state,
                                                       block_storage<State> &storage) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  State result = warp_reduce_to_first(statistic, state);
  if (lane == 0) storage.slot[warp] = result;
  __syncthreads();
  if (warp == 0) {
    result = storage.slot[lane < warps ? lane : 0];
    result = warp_reduce_to_first(statistic, result, warps);
  }
  return result;
}

}  // namespace detail

// The states of a block combined in thread order; every thread gets the result, with the same bits. All threads must
// call; the block is 1-D, of [1, 1024] threads. One barrier, two if the last warp is not whole. Threads that have
// nothing to add bring the identity.
template <class S, class State>
__device__ __forceinline__ State block_reduce(const S &statistic, const State &state, block_storage<State> &storage) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  const unsigned left = blockDim.x - 32 * warp, lanes = left < 32 ? left : 32, calling = detail::first_lanes(lanes);
  const State first = lanes == 32 ? detail::warp_reduce_to_first(statistic, state)
                                  : detail::warp_reduce_to_first(statistic, state, lanes, calling);
  if (lane == 0) storage.slot[warp] = first;
  __syncthreads();
  if (blockDim.x % 32 == 0) {
    const State all = detail::warp_reduce_to_first(statistic, storage.slot[lane < warps ? lane : 0], warps);
    return detail::shuffle_words(all, [](unsigned w) { return __shfl_sync(detail::all_lanes, w, 0); });
  }
  if (warp == 0) {  // the last warp has too few lanes to do the same
    const State all = detail::warp_reduce_to_first(statistic, storage.slot[lane < warps ? lane : 0], warps, calling);
    __syncwarp(calling);
    if (lane == 0) storage.slot[0] = all;
  }
  __syncthreads();
  return storage.slot[0];
}

}  // namespace onepass

#endif
