// SPDX-License-Identifier: Apache-2.0
// Part of onepass: rows that fill the registers of a block, or of the blocks of a cluster. Blocks stay and take row
// after row: while one is reduced and written, the next is on its way to shared memory, where vectors are kept too.
#ifndef ONEPASS_KERNEL_ROW_CLUSTER_CUH
#define ONEPASS_KERNEL_ROW_CLUSTER_CUH

#include "row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The rows of a cluster: some rounds of those that the device has room for, and a row each for as many more, which
// begin wherever one of the first has ended.
struct cluster_rows {
  int64_t first, step, end;
};
__device__ __forceinline__ cluster_rows rows_of_cluster(const row_shape &s, int64_t cluster) {
  const int64_t resident = s.resident, all = resident * s.rounds;
  if (cluster < resident) return {cluster, resident, all};
  return {all + cluster - resident, resident, all + cluster - resident + 1};
}

// Where the groups of a thread land.
template <int N, unsigned Packs, unsigned Threads>
struct landing_place {
  unsigned char *memory, *vectors;
  unsigned pack_bytes, vector_bytes;  // of the threads' groups of a pack
  bool keeps;

  __device__ __forceinline__ held_copy copy(unsigned k, landing filling) const {
    return {memory + k * pack_bytes, threadIdx.x, Threads, filling, keeps, vectors + k * vector_bytes};
  }
};

template <int N>
__device__ __forceinline__ position<N, access::held> locate_landed(const row_place &place, int64_t columns,
                                                                   unsigned first, unsigned k, unsigned threads) {
  const int64_t own = first + threadIdx.x;
  const auto where = locate_group<N, access::entire, false>(place, columns, own + k * int64_t{threads});
  position<N, access::held> at;
  at.row = where.row;
  at.column = where.column;
  at.index = where.index;
  at.count = where.count;
  at.edge = at.border = false;
  at.copy = nullptr;
  return at;
}

// Issues the copies of a row, or of the block's part of it, to shared memory: each thread those that it will read.
template <class Tag, int N, unsigned Packs, unsigned Threads>
struct land_row {
  const tagged_t<Tag> &p;
  const row_shape &s;
  const landing_place<N, Packs, Threads> &to;
  int64_t row, end;
  unsigned first;

  __device__ __forceinline__ void operator()() const {
    if (row >= end) return;
    const row_place place = place_of_row<Tag>(s, row, false);
    const int64_t limit = static_cast<int64_t>(first + s.part) * N,
                  columns = place.size.n < limit ? place.size.n : limit;
    ONEPASS_UNROLL
    for (unsigned k = 0; k < Packs; ++k) {
      auto at = locate_landed<N>(place, columns, first, k, Threads);
      held_copy copy = to.copy(k, landing::arrays);
      at.copy = &copy;
      if (at.count > 0) (void)fetch_early<N, false>(p.inner, at);
    }
  }
};

// Asks for a misaligned row, or the block's part of it.
template <class Tag, int N>
struct ask_for_row {
  const tagged_t<Tag> &p;
  const row_shape &s;
  int64_t row, end;
  unsigned first;

  __device__ __forceinline__ void operator()() const {
    if (row >= end) return;
    const row_place place = place_of_row<Tag>(s, row, false);
    const int64_t limit = static_cast<int64_t>(first + s.part) * N, origin = static_cast<int64_t>(first) * N,
                  columns = place.size.n < limit ? place.size.n : limit;
    if (columns <= origin) return;
    const auto own = static_cast<unsigned>(columns - origin);
    const position<N, access::ahead> at{place.row, origin, place.first + origin, own < N ? static_cast<int32_t>(own) : N,
                                        own};
    (void)fetch_early<N, false>(p.inner, at);
  }
};

// Reads what is read late, segment by segment, as run_held does.
template <int N, class Rest, class Raw>
__device__ __forceinline__ void fetch_segments(const Rest &rest, const Raw &raw, const position<N, access::held> &at) {
  const auto all = fetch_late<N, true>(rest, raw, at);
  constexpr int more = row_stages_in<cs::decay_t<decltype(rest.tail)>>;
  if constexpr (more != 0)
    fetch_segments(from_row(rest.tail), raw_from_row(rest.tail, all.tail), at);
}
// Issues the copies of the vectors, which stay.
template <class Tag, int N, unsigned Packs, unsigned Threads>
__device__ __forceinline__ void land_vectors(const tagged_t<Tag> &p, const row_shape &s,
                                             const landing_place<N, Packs, Threads> &to, unsigned first) {
  if (!to.keeps) return;
  const int64_t limit = static_cast<int64_t>(first + s.part) * N, columns = s.columns < limit ? s.columns : limit;
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) {
    auto at = locate_landed<N>(row_place{}, columns, first, k, Threads);
    held_copy copy = to.copy(k, landing::vectors);
    at.copy = &copy;
    const auto raw = fetch_early<N, false>(p.inner, at);
    constexpr int stages = row_stages_in<decltype(p.inner)>;
    if constexpr (stages != 0)
      fetch_segments(from_row(p.inner), raw_from_row(p.inner, raw), at);
  }
}

template <class Tag, unsigned Threads, unsigned Packs, bool Aligned>
__global__ void __launch_bounds__(Threads, 1)
    row_cluster_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  extern __shared__ uint4 row_memory[];
  using P = tagged_t<Tag>;
  constexpr int N = lanes_v<P>;
  using threads = cluster_threads<Threads, 2 * row_stages_in<decltype(P::inner)> + 2, true>;
  using group = with_late_bytes<threads, false, true>;  // conditions would cost registers: values are held across them
  const unsigned blocks = cluster_blocks(), rank = cluster_rank(), first = rank * s.part;
  const cluster_rows rows = rows_of_cluster(s, blockIdx.x / blocks);
  auto *memory = reinterpret_cast<unsigned char *>(row_memory);
  threads::enter();
  if constexpr (Aligned) {
    constexpr unsigned pack_bytes = Threads * static_cast<unsigned>(held_bytes<P>()),
                       vector_bytes = Threads * static_cast<unsigned>(kept_bytes<P>());
    const landing_place<N, Packs, Threads> to{memory, memory + Packs * pack_bytes, pack_bytes, vector_bytes,
                                              s.keeps != 0};
    land_vectors<Tag>(p, s, to, first);
    land_row<Tag, N, Packs, Threads>{p, s, to, rows.first, rows.end, first}();
    threads::ready();
    unsigned round = 0;
    for (int64_t row = rows.first; row < rows.end; row += rows.step, ++round) {
      row_place place = place_of_row<Tag>(s, row, rank == 0 && threadIdx.x == 0);
      place.round = round;
      const int64_t limit = static_cast<int64_t>(first + s.part) * N,
                    columns = place.size.n < limit ? place.size.n : limit;
      using raw_type = decltype(fetch_early<N, false>(p.inner, position<N, access::held>{}));
      position<N, access::held> at[Packs];
      held_copy copies[Packs];
      raw_type raw[Packs];
      copies_have_landed();
      ONEPASS_UNROLL
      for (unsigned k = 0; k < Packs; ++k) {
        at[k] = locate_landed<N>(place, columns, first, k, Threads);
        copies[k] = to.copy(k, landing::nothing);
        at[k].copy = &copies[k];
        raw[k] = fetch_early<N, false>(p.inner, at[k]);
      }
      const land_row<Tag, N, Packs, Threads> next{p, s, to, row + rows.step, rows.end, first};
      run_held<group, source_value_t<P>>(
          loaded_row<N, access::held, Packs, P, raw_type, land_row<Tag, N, Packs, Threads>>{p, raw, at, next},
          p.inner.tail, at, place);
    }
  } else {
    threads::ready();
    unsigned round = 0;
    for (int64_t row = rows.first; row < rows.end; row += rows.step, ++round) {
      row_place place = place_of_row<Tag>(s, row, rank == 0 && threadIdx.x == 0);
      place.round = round;
      const int64_t limit = static_cast<int64_t>(first + s.part) * N,
                    columns = place.size.n < limit ? place.size.n : limit;
      hold_row<group, N, access::image, Packs, false>(p, place, columns, first, threadIdx.x, Threads, memory,
                                                      ask_for_row<Tag, N>{p, s, row + rows.step, rows.end, first});
      if (s.image_bytes != 0) __syncthreads();  // before the next row's images
    }
  }
}

}  // namespace detail
}  // namespace onepass

#endif
