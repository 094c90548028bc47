// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a statistic's states combined over neighbouring threads of a block; each gets the result, with the
// same bits.
#ifndef ONEPASS_COLLECTIVE_GROUP_CUH
#define ONEPASS_COLLECTIVE_GROUP_CUH

#include "row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Over `Threads` threads, a power of two of which the block has a multiple, in thread order. All lanes of the warp
// call, and where there are more than 32, all threads of the block, equally often. (A barrier for these threads alone
// would have a number that the compiler does not know: it then keeps all 16 of the block's, and on sm_90 an SM has 64.)
template <unsigned Threads, class S, class State>
__device__ __forceinline__ State group_reduce(const S &statistic, State state) {
  state = butterfly<(Threads < 32 ? Threads : 32)>(statistic, state);
  if constexpr (Threads > 32) {
    constexpr unsigned warps = Threads / 32;
    static_assert(warps <= 32, "onepass: a block has at most 1024 threads");
    __shared__ State slot[32];  // one per warp
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) slot[warp] = state;
    __syncthreads();
    state = butterfly<warps>(statistic, slot[warp / warps * warps + lane % warps]);
    __syncthreads();  // before the next call writes
  }
  return state;
}

}  // namespace detail
}  // namespace onepass

#endif
