// SPDX-License-Identifier: Apache-2.0
// Part of onepass: rows that fill the registers of a block, or of the blocks of a cluster. Blocks stay and take row
// after row: while one is reduced and written, the next is on its way to shared memory, where vectors are kept too.
#ifndef ONEPASS_KERNEL_ROW_CLUSTER_CUH
#define ONEPASS_KERNEL_ROW_CLUSTER_CUH

#include "../collective/ticket.cuh"
#include "row_landed.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The rows of a cluster, `row` and the one behind it, which is known while that is reduced. Some rounds of those that
// the device has room for take rows by their numbers, and a row each goes to as many more clusters, which begin
// wherever one of the first has ended. Or, where there is a ticket, the first draw what is left: multiprocessors differ
// in how fast memory serves them. As many tickets are drawn as there are rows, so that the last sets it back to 0.
//
// The first warp of the first block draws, a row ahead of what it hands out: the answer takes as long as memory does.
struct cluster_rows {
  int64_t row, next, end;
  unsigned drawn;  // the row behind `next`, in one thread

  __device__ __forceinline__ static unsigned *slot(unsigned round) {
    __shared__ unsigned all[2];
    return all + round % 2;
  }
  __device__ __forceinline__ static uint64_t *arrival(unsigned round) {
    __shared__ uint64_t all[2];
    return all + round % 2;
  }
  // Before the blocks of the cluster meet.
  __device__ __forceinline__ static void enter(const row_shape &s) {
    if (s.ticket != nullptr && cluster_blocks() > 1 && threadIdx.x < 2) arrival_init(arrival(threadIdx.x));
  }
  __device__ __forceinline__ cluster_rows(const row_shape &s, int64_t cluster) {
    const int64_t resident = s.resident, all = resident * s.rounds;
    const bool one = s.ticket == nullptr && cluster >= resident;
    row = one ? all + cluster - resident : cluster;
    next = row + resident;
    end = s.ticket != nullptr ? s.rows : one ? row + 1 : all;
    drawn = static_cast<unsigned>(next + resident);
  }
  __device__ __forceinline__ void draw(const row_shape &s, unsigned rank, unsigned round) {
    if (s.ticket == nullptr || threadIdx.x >= 32) return;
    const unsigned blocks = cluster_blocks();
    if (blocks > 1 && threadIdx.x == 0) expect_arrival(arrival(round), sizeof(unsigned));
    if (rank != 0) return;
    drawn = __shfl_sync(all_lanes, drawn, 0);
    if (blocks > 1 && threadIdx.x < blocks) send_to_block(slot(round), arrival(round), threadIdx.x, drawn);
    if (threadIdx.x != 0) return;
    if (blocks == 1) *slot(round) = drawn;
    drawn = ONEPASS_CLUSTER_NUMBERED * s.resident + draw_ticket(s.ticket, static_cast<unsigned>(s.rows) - 1);
  }
  // Behind a row stage, at which all threads have met since draw.
  __device__ __forceinline__ void advance(const row_shape &s, unsigned round) {
    row = next;
    if (s.ticket == nullptr) {
      next += s.resident;
    } else {
      if (cluster_blocks() > 1) wait_for_arrival(arrival(round), round / 2 % 2);
      next = *static_cast<volatile unsigned *>(slot(round));
    }
  }
};

// Where the groups of a thread land.
template <class P, unsigned Packs, unsigned Threads>
struct landing_place {
  static constexpr unsigned pack_bytes = Threads * static_cast<unsigned>(held_bytes<P>()),  // of all threads
      vector_bytes = Threads * static_cast<unsigned>(kept_bytes<P>());
  static constexpr bool keeps = onepass_cluster_keeps(lanes_v<P>, held_bytes<P>(), kept_bytes<P>()) != 0;
  unsigned char *memory;

  __device__ __forceinline__ held_copy copy(unsigned k, landing filling) const {
    unsigned char *vectors = memory + Packs * pack_bytes;
    return {memory + k * pack_bytes, threadIdx.x, Threads, filling, keeps, vectors + k * vector_bytes};
  }
};

// Issues the copies of a row, or of the block's part of it, to shared memory: each thread those that it will read.
template <class Tag, int N, unsigned Packs, unsigned Threads>
struct land_row : no_meeting {
  const tagged_t<Tag> &p;
  const row_shape &s;
  const landing_place<tagged_t<Tag>, Packs, Threads> &to;
  const part_of_row<N> &part;
  int64_t row, end;

  __device__ __forceinline__ void done() const {
    if (row >= end) return;
    const row_place place = place_of_row<Tag, true>(s, row, false);
    ONEPASS_UNROLL
    for (unsigned k = 0; k < Packs; ++k) {
      auto at = part.landed(place, k, Threads);
      held_copy copy = to.copy(k, landing::arrays);
      at.copy = &copy;
      if (at.count > 0) (void)fetch_early<N, false>(p.inner, at);
    }
  }
};

// Issues the copies of the vectors, which stay.
template <class Tag, int N, unsigned Packs, unsigned Threads>
__device__ __forceinline__ void land_vectors(const tagged_t<Tag> &p,
                                             const landing_place<tagged_t<Tag>, Packs, Threads> &to,
                                             const part_of_row<N> &part) {
  if constexpr (landing_place<tagged_t<Tag>, Packs, Threads>::keeps) {
    ONEPASS_UNROLL
    for (unsigned k = 0; k < Packs; ++k) {
      auto at = part.landed(row_place{}, k, Threads);
      held_copy copy = to.copy(k, landing::vectors);
      at.copy = &copy;
      const auto raw = fetch_early<N, false>(p.inner, at);
      constexpr int stages = row_stages_in<decltype(p.inner)>;
      if constexpr (stages != 0) fetch_segments(from_row(p.inner), raw_from_row(p.inner, raw), at);
    }
  }
}

template <class P, access A, unsigned Threads>
inline constexpr int cluster_kernel_blocks =
    is_single<A> ? onepass_single_cluster_blocks(lanes_v<P>, element_registers<P>(), held_bytes<P>(), kept_bytes<P>())
                 : ONEPASS_CLUSTER_THREADS / static_cast<int>(Threads);

template <class Tag, unsigned Threads, unsigned Packs, access A>
__global__ void __launch_bounds__(Threads, cluster_kernel_blocks<tagged_t<Tag>, A, Threads>)
    row_cluster_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  extern __shared__ uint4 row_memory[];
  using P = tagged_t<Tag>;
  constexpr int N = lanes_v<P>;
  using threads = cluster_threads<Threads, row_stages_in<decltype(P::inner)> + 1, true>;
  constexpr unsigned chunk = chunk_of_access<P, A>;
  // (Together: conditions would cost registers, as values are held across them.)
  using group = with_late_bytes<threads, false, true, chunk>;
  const unsigned blocks = cluster_blocks(), rank = cluster_rank();
  cluster_rows rows(s, blockIdx.x / blocks);
  auto *memory = reinterpret_cast<unsigned char *>(row_memory);
  cluster_rows::enter(s);
  threads::enter();
  if constexpr (A == access::entire) {
    const landing_place<P, Packs, Threads> to{memory};
    const part_of_row<N> part(s, rank, s.columns);  // aligned rows are all as wide
    land_vectors<Tag>(p, to, part);
    land_row<Tag, N, Packs, Threads>{{}, p, s, to, part, rows.row, rows.end}.done();
    threads::ready();
    unsigned round = 0;
    for (; rows.end > rows.row; rows.advance(s, round), ++round) {
      rows.draw(s, rank, round);
      row_place place = place_of_row<Tag, true>(s, rows.row, rank == 0 && threadIdx.x == 0);
      place.round = round;
      place.part = size_of_row(threads::columns_of_part<N>(part.columns));
      using raw_type = decltype(fetch_early<N, false>(p.inner, position<N, access::held>{}));
      position<N, access::held> at[Packs];
      held_copy copies[Packs];
      raw_type raw[Packs];
      copies_have_landed();
      ONEPASS_UNROLL
      for (unsigned k = 0; k < Packs; ++k) {
        at[k] = part.landed(place, k, Threads);
        copies[k] = to.copy(k, landing::nothing);
        at[k].copy = &copies[k];
        raw[k] = fetch_early<N, false>(p.inner, at[k]);
      }
      using land_next = land_row<Tag, N, Packs, Threads>;
      const land_next next{{}, p, s, to, part, rows.next, rows.end};
      run_held<group, source_value_t<P>>(loaded_row<N, access::held, Packs, P, raw_type, land_next>{p, raw, at, next},
                                         p.inner.tail, at, place);
    }
  } else {
    const land_part<Tag, N> land{p, s, rank, memory};
    unsigned char *vectors[reads_v<P, ONEPASS_PER_COLUMN> + 1];
    if constexpr (A == access::landed) {
      land.begin(rows.row);
      land.each_vector(ahead::placed, vectors);
    }
    threads::ready();
    unsigned round = 0;
    for (; rows.end > rows.row; rows.advance(s, round), ++round) {
      rows.draw(s, rank, round);
      row_place place = place_of_row<Tag, false>(s, rows.row, rank == 0 && threadIdx.x == 0);
      const part_of_row<N> part(s, rank, place.size.n);
      place.round = round;
      if constexpr (A == access::landed) {
        hold_landed<group, Packs * unsigned{N}>(land, place, part, vectors, rows.next, rows.end);
      } else {
        hold_row<group, N, A, Packs, false>(p, place, part.origin + part.columns, part.origin, threadIdx.x, Threads,
                                            memory, ask_for_row<Tag, N>{{}, p, s, rank, rows.next, rows.end});
        if (s.image_bytes != 0) __syncthreads();  // before the next row's images
      }
    }
  }
}

}  // namespace detail
}  // namespace onepass

#endif
