// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a statistic's states combined over the threads that share a row; each gets the result, with the same
// bits.
#ifndef ONEPASS_COLLECTIVE_ROW_CUH
#define ONEPASS_COLLECTIVE_ROW_CUH

#include "cluster.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Over `Lanes` neighbouring lanes, a power of two, in lane order. All lanes of the warp call.
template <unsigned Lanes, class S, class State>
__device__ __forceinline__ State butterfly(const S &statistic, State state) {
  ONEPASS_UNROLL
  for (unsigned step = 1; step < Lanes; step *= 2) {
    const State other =
        shuffle_words(state, [&](unsigned w) { return __shfl_xor_sync(all_lanes, w, static_cast<int>(step)); });
    if constexpr (own_commutative<S>::value) {
      state = statistic.combine(state, other);
    } else {
      const bool upper = (threadIdx.x & step) != 0;
      const State low = upper ? other : state, high = upper ? state : other;
      state = statistic.combine(low, high);
    }
  }
  return state;
}

// The threads of a row: `Threads` neighbours of a warp, or a block of a multiple of 32. Id tells the reductions of a
// kernel apart: each has its own shared memory and one barrier.
template <unsigned Threads>
struct row_threads {
  static constexpr unsigned warps = Threads / 32;

  template <int Id, class S, class State>
  __device__ __forceinline__ static State reduce(const S &statistic, const State &own, const State &nothing_there) {
    if constexpr (Threads <= 32) {
      return butterfly<Threads>(statistic, own);
    } else {
      __shared__ alignas(alignof(State) < 16 ? 16 : alignof(State)) unsigned char memory[warps * sizeof(State)];
      State *slot = reinterpret_cast<State *>(memory);
      const State first = butterfly<32>(statistic, own);
      const unsigned lane = threadIdx.x % 32;
      if (lane == 0) slot[threadIdx.x / 32] = first;
      __syncthreads();
      if constexpr (warps <= 8) {
        State all[warps];
        ONEPASS_UNROLL
        for (unsigned i = 0; i < warps; ++i) all[i] = slot[i];
        ONEPASS_UNROLL
        for (unsigned step = 1; step < warps; step *= 2)
          for (unsigned i = 0; i + step < warps; i += 2 * step) all[i] = statistic.combine(all[i], all[i + step]);
        return all[0];
      } else {
        constexpr unsigned slots = warps > 16 ? 32 : 16;
        const unsigned i = lane % slots;
        return butterfly<slots>(statistic, i < warps ? slot[i] : nothing_there);
      }
    }
  }
};

// The blocks of a cluster, of a multiple of 32 threads each: every block's state to every block, then each combines
// all, in the order of the blocks. Between enter and ready all blocks of the cluster have begun, so that their memory
// can be written.
template <unsigned Threads>
struct cluster_threads {
  __device__ __forceinline__ static void enter() { cluster_arrive(); }
  __device__ __forceinline__ static void ready() { cluster_wait(); }

  template <int Id, class S, class State>
  __device__ __forceinline__ static State reduce(const S &statistic, const State &own, const State &nothing_there) {
    __shared__ cluster_slots<State> slots;
    const State mine = row_threads<Threads>::template reduce<Id>(statistic, own, nothing_there);
    return cluster_blocks() == 1 ? mine : combine_blocks(statistic, mine, slots);
  }
};

}  // namespace detail
}  // namespace onepass

#endif
