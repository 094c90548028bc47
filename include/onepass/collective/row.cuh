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
// kernel apart: each has its own shared memory and one barrier. Where a block takes row after row (Again), `round`
// counts them, and each reduction has two such memories in turn.
template <unsigned Threads, bool Again = false>
struct row_threads {
  static constexpr unsigned warps = Threads / 32;

  __device__ __forceinline__ static void barrier() {
    if constexpr (Threads <= 32) __syncwarp();
    else __syncthreads();
  }

  template <int Id, class S, class State>
  __device__ __forceinline__ static State reduce(const S &statistic, const State &own, const State &nothing_there,
                                                 unsigned round) {
    if constexpr (Threads <= 32) {
      return butterfly<Threads>(statistic, own);
    } else {
      constexpr unsigned bytes = (warps * sizeof(State) + 15) / 16 * 16;
      __shared__ alignas(alignof(State) < 16 ? 16 : alignof(State)) unsigned char memory[(Again ? 2 : 1) * bytes];
      State *slot = reinterpret_cast<State *>(memory + (Again ? round % 2 * bytes : 0));
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

// The threads of the blocks of a cluster, a multiple of 32 each, with reductions of Ids below Ids. Each block sends its
// state to all, without a barrier: whoever waits for the states waits for them alone, and for no store before. Between
// enter and ready all blocks of the cluster have begun, so that their memory can be written. (A block sends the state
// of a round only when all have sent that of the round before; hence two memories in turn are enough.)
template <unsigned Threads, int Ids, bool Again = false>
struct cluster_threads {
  using block = row_threads<Threads, Again>;
  static constexpr int rounds = Again ? 2 : 1;

  __device__ __forceinline__ static uint64_t *arrival(int id, unsigned round) {
    __shared__ uint64_t all[Ids * rounds];
    return all + (Again ? id * 2 + static_cast<int>(round % 2) : id);
  }
  __device__ __forceinline__ static void enter() {
    if (cluster_blocks() == 1) return;
    if (threadIdx.x == 0)
      for (int i = 0; i < Ids * rounds; ++i) arrival_init(arrival(0, 0) + i);
    cluster_arrive();
  }
  __device__ __forceinline__ static void ready() {
    if (cluster_blocks() > 1) cluster_wait();
  }
  __device__ __forceinline__ static void barrier() { block::barrier(); }

  template <int Id, class S, class State>
  __device__ __forceinline__ static State reduce(const S &statistic, const State &own, const State &nothing_there,
                                                 unsigned round) {
    static_assert(Id < Ids, "onepass: more reductions than a cluster has memory for");
    __shared__ cluster_slots<State> both[rounds];
    const State mine = block::template reduce<Id>(statistic, own, nothing_there, round);
    const unsigned blocks = cluster_blocks();
    if (blocks == 1) return mine;
    cluster_slots<State> &slots = both[Again ? round % 2 : 0];
    uint64_t *arrived = arrival(Id, round);
    send_to_blocks(mine, slots, arrived);
    wait_for_arrival(arrived, Again ? round / 2 % 2 : 0);
    const unsigned i = threadIdx.x % most_cluster_blocks;
    return butterfly<most_cluster_blocks>(statistic, i < blocks ? slots.state(i) : nothing_there);
  }
};

}  // namespace detail
}  // namespace onepass

#endif
