// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a statistic's states combined over the parts of a row that several blocks of a grid may share. The
// block that is last to have reduced its parts combines the states of all, in an order that the number of parts alone
// decides; the others wait for the result, or leave. Nothing of that depends on how many blocks there are.
#ifndef ONEPASS_COLLECTIVE_GRID_CUH
#define ONEPASS_COLLECTIVE_GRID_CUH

#include "row.cuh"
#include "ticket.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The blocks of `Threads` threads, a multiple of 32, that share a row of `parts` parts: block `rank` takes the parts
// rank, rank + blocks, ... A part's state is one per warp. Those of a warp are combined in chains, part p in chain
// p % chains and in order, and the chains as if they were the states of the first lanes of the warp.
//
// A reduction for all takes blocks + 1 tickets: one when each block has handed in its states, and the last block
// another when it has written the result. There are `Waits` of them; then each block takes one more, for a reduction
// whose result the last block alone gets, or as it leaves. So the ticket ends at 0, where it began. All blocks that
// wait must be resident at once.
template <unsigned Threads, unsigned Waits>
struct grid_threads {
  using block = row_threads<Threads>;
  static constexpr unsigned warps = Threads / 32;

  unsigned parts, rank, blocks;
  // Of the row, if there is more than one block: a ticket, and room for a result and for parts * warps states, aligned
  // to 16 bytes. (The result has a place of its own: blocks hand in the states of the next reduction, which may be
  // larger, while others still read it.)
  unsigned *ticket;
  unsigned char *result, *memory;

  template <class State>
  ONEPASS_HD static constexpr unsigned chains() {  // at most 256 bytes of a warp, where that holds a state
    unsigned n = 32;
    while (n > 1 && n * sizeof(State) > 256) n /= 2;
    return n;
  }
  // Those of a warp where a block has the row for itself.
  template <class State>
  __device__ __forceinline__ static State *own_chains() {
    constexpr unsigned n = chains<State>();
    __shared__ alignas(alignof(State) < 16 ? 16 : alignof(State)) unsigned char all[warps * n * sizeof(State)];
    return reinterpret_cast<State *>(all) + threadIdx.x / 32 * n;
  }
  template <class State>
  __device__ __forceinline__ State *states() const {
    return reinterpret_cast<State *>(memory);
  }

  // Hands in the state of a part, of more than one, that each thread has a share of.
  template <class S, class State>
  __device__ __forceinline__ void put(const S &statistic, const State &own, unsigned part) const {
    constexpr unsigned n = chains<State>();
    const State first = warp_reduce_to_first(statistic, own);
    if (threadIdx.x % 32 != 0) return;
    if (blocks > 1) {
      states<State>()[threadIdx.x / 32 * parts + part] = first;
    } else {
      State &chain = own_chains<State>()[part % n];
      chain = part < n ? first : statistic.combine(chain, first);
    }
  }
  // The chain of each lane.
  template <class S, class State>
  __device__ __forceinline__ State chain(const S &statistic, const State &nothing_there) const {
    constexpr unsigned n = chains<State>(), batch = sizeof(State) <= 8    ? 8
                                                    : sizeof(State) <= 64 ? 64 / sizeof(State)
                                                                          : 1;  // in flight
    const unsigned lane = threadIdx.x % 32;
    const State *all = blocks > 1 ? states<State>() + threadIdx.x / 32 * parts : own_chains<State>();
    const unsigned end = lane < n ? (blocks > 1 || parts < n ? parts : n) : 0;
    State mine = nothing_there;
    __syncwarp();
    for (unsigned first = lane; first < end; first += n * batch) {
      State loaded[batch];
      ONEPASS_UNROLL
      for (unsigned k = 0; k < batch; ++k)
        if (first + k * n < end) loaded[k] = all[first + k * n];
      ONEPASS_UNROLL
      for (unsigned k = 0; k < batch; ++k)
        if (first + k * n < end) mine = first + k == lane ? loaded[k] : statistic.combine(mine, loaded[k]);
    }
    return mine;
  }

  // The state of the row, behind the parts, into `state`, where the share of each thread is if there is one part alone.
  // Everywhere: all threads of all blocks get it, as reduction `round` of those; else true in the block that does.
  template <int Id, bool Everywhere, class S, class State>
  __device__ __forceinline__ bool reduce(const S &statistic, State &state, const State &nothing_there,
                                         unsigned round) const {
    const unsigned each = blocks + 1, most = Waits * each + blocks - 1;
    State *row = reinterpret_cast<State *>(result);
    if (blocks > 1) {
      __syncthreads();
      const bool last = threadIdx.x == 0 && take_ticket(ticket, most) == round * each + blocks - 1;
      if (!__syncthreads_or(last)) {
        if constexpr (Everywhere) {
          if (threadIdx.x == 0) wait_for_ticket(ticket, (round + 1) * each);
          __syncthreads();
          state = *row;
        }
        return Everywhere;
      }
    }
    if (parts > 1) state = chain(statistic, nothing_there);
    state = block::template reduce<Id>(statistic, state, nothing_there, 0);
    if (Everywhere && blocks > 1 && threadIdx.x == 0) {
      *row = state;
      (void)take_ticket(ticket, most);
    }
    return true;
  }
  // Behind the last reduction, if that was one for all.
  __device__ __forceinline__ void leave() const {
    if (blocks > 1 && threadIdx.x == 0) (void)draw_ticket(ticket, Waits * (blocks + 1) + blocks - 1);
  }
};

}  // namespace detail
}  // namespace onepass

#endif
