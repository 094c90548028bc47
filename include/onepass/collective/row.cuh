// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a statistic's states combined over the threads that share a row; each gets the result, with the same
// bits.
#ifndef ONEPASS_COLLECTIVE_ROW_CUH
#define ONEPASS_COLLECTIVE_ROW_CUH

#include "cluster.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Over `Lanes` neighbouring lanes, a power of two, in lane order, or over `some` of them, likewise. All lanes of the
// warp call.
template <unsigned Lanes, class S, class State>
__device__ __forceinline__ State butterfly(const S &statistic, State state, unsigned some = Lanes) {
  ONEPASS_UNROLL
  for (unsigned step = 1; step < Lanes; step *= 2) {
    if (step >= some) break;
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

template <unsigned Most>
struct over_lanes {
  unsigned lanes;
  template <class S, class State>
  __device__ __forceinline__ State operator()(const S &statistic, const State &state) const {
    return butterfly<Most>(statistic, state, lanes);
  }
};

// What may begin where all threads of a block have met.
struct no_meeting {
  __device__ __forceinline__ void met() const {}
};

// The threads of a row: `Threads` neighbours of a warp, or a block of a multiple of 32, of which each warp has a part
// of the row. Id tells the combinations of a kernel apart: each has its own shared memory and one barrier. Where a
// block takes row after row (Again), `round` counts them, and each combination has two such memories in turn.
template <unsigned Threads, bool Again = false>
struct row_threads {
  static constexpr unsigned threads = Threads, warps = Threads / 32;
  static constexpr bool again = Again;
  // Whether a statistic's phases are those of parts, or of the row. States may cost more to combine than a barrier of
  // up to 8 warps. (On an H200, layer_norm and GELU of 4096 bf16: 71 us of the row, 72 of parts; softmax of 16384, by 16
  // warps: 135 us of the row, 128 of parts.)
  template <class S>
  static constexpr bool by_parts = warps <= 1 || warps > 8 || !own_joins<S>::value;

  __device__ __forceinline__ static void barrier() {
    if constexpr (Threads <= 32) __syncwarp();
    else __syncthreads();
  }
  // Of the `columns` of a block, those of a warp of it, where its threads take groups of N in turn.
  template <int N>
  __device__ __forceinline__ static unsigned columns_of_part(unsigned columns) {
    if constexpr (Threads <= 32) {
      return columns;
    } else {
      constexpr unsigned own = 32 * N, all = Threads * N;
      const unsigned before = threadIdx.x / 32 * own, left = columns % all > before ? columns % all - before : 0;
      return columns / all * own + (left < own ? left : own);
    }
  }
  template <class S, class State>
  __device__ __forceinline__ static State reduce_part(const S &statistic, const State &own) {
    return butterfly<(Threads < 32 ? Threads : 32)>(statistic, own);
  }
  template <int Id, class S, class State, class Meeting = no_meeting>
  __device__ __forceinline__ static State combine(const S &statistic, const State &part, const State &nothing_there,
                                                  unsigned round, const Meeting &meeting = {}) {
    if constexpr (Threads <= 32) {
      return part;
    } else {
      constexpr unsigned bytes = (warps * sizeof(State) + 15) / 16 * 16;
      __shared__ alignas(alignof(State) < 16 ? 16 : alignof(State)) unsigned char memory[(Again ? 2 : 1) * bytes];
      State *slot = reinterpret_cast<State *>(memory + (Again ? round % 2 * bytes : 0));
      if (threadIdx.x % 32 == 0) slot[threadIdx.x / 32] = part;
      __syncthreads();
      meeting.met();
      if constexpr (warps <= 8 && !own_joins<S>::value) {
        State all[warps];
        ONEPASS_UNROLL
        for (unsigned i = 0; i < warps; ++i) all[i] = slot[i];
        ONEPASS_UNROLL
        for (unsigned step = 1; step < warps; step *= 2)
          for (unsigned i = 0; i + step < warps; i += 2 * step) all[i] = statistic.combine(all[i], all[i + step]);
        return all[0];
      } else {
        constexpr unsigned slots = warps > 16 ? 32 : warps > 8 ? 16 : warps > 4 ? 8 : warps > 2 ? 4 : 2;
        State mine = nothing_there;
        if (threadIdx.x % slots < warps) mine = slot[threadIdx.x % slots];
        return across(statistic, mine, over_lanes<slots>{slots});
      }
    }
  }
  template <int Id, class S, class State, class Meeting = no_meeting>
  __device__ __forceinline__ static State reduce(const S &statistic, const State &own, const State &nothing_there,
                                                 unsigned round, const Meeting &meeting = {}) {
    return combine<Id>(statistic, reduce_part(statistic, own), nothing_there, round, meeting);
  }
};

// The threads of the blocks of a cluster, a multiple of 32 each, with combinations of Ids below Ids. Each block sends
// its state to all, without a barrier: whoever waits for the states waits for them alone, and for no store before.
// Between enter and ready all blocks of the cluster have begun, so that their memory can be written. (A block sends the
// state of a round only when all have sent that of the round before; hence two memories in turn are enough.)
template <unsigned Threads, int Ids, bool Again = false>
struct cluster_threads {
  using block = row_threads<Threads, Again>;
  static constexpr unsigned threads = Threads;
  static constexpr bool again = Again;
  static constexpr int rounds = Again ? 2 : 1;
  template <class S>
  static constexpr bool by_parts = true;

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

  template <int N>
  __device__ __forceinline__ static unsigned columns_of_part(unsigned columns) {
    return block::template columns_of_part<N>(columns);
  }
  template <class S, class State>
  __device__ __forceinline__ static State reduce_part(const S &statistic, const State &own) {
    return block::reduce_part(statistic, own);
  }
  template <int Id, class S, class State, class Meeting = no_meeting>
  __device__ __forceinline__ static State combine(const S &statistic, const State &part, const State &nothing_there,
                                                  unsigned round, const Meeting &meeting = {}) {
    static_assert(Id < Ids, "onepass: more reductions than a cluster has memory for");
    __shared__ cluster_slots<State> both[rounds];
    const State own = block::template combine<Id>(statistic, part, nothing_there, round, meeting);
    const unsigned blocks = cluster_blocks();
    if (blocks == 1) return own;
    cluster_slots<State> &slots = both[Again ? round % 2 : 0];
    uint64_t *arrived = arrival(Id, round);
    send_to_blocks(own, slots, arrived);
    wait_for_arrival(arrived, Again ? round / 2 % 2 : 0);
    const unsigned lanes = 1u << (32 - __clz(static_cast<int>(blocks - 1))), i = threadIdx.x & (lanes - 1);
    State mine = nothing_there;
    if (i < blocks) mine = slots.state(i);
    return across(statistic, mine, over_lanes<most_cluster_blocks>{lanes});
  }
  template <int Id, class S, class State, class Meeting = no_meeting>
  __device__ __forceinline__ static State reduce(const S &statistic, const State &own, const State &nothing_there,
                                                 unsigned round, const Meeting &meeting = {}) {
    return combine<Id>(statistic, reduce_part(statistic, own), nothing_there, round, meeting);
  }
};

}  // namespace detail
}  // namespace onepass

#endif
