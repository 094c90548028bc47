// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the row family: a row in the registers of the threads that share it, read once and reduced as often
// as its row stages ask. Wider rows are in row_cluster.cuh and row_pass.cuh.
#ifndef ONEPASS_KERNEL_ROW_CUH
#define ONEPASS_KERNEL_ROW_CUH

#include "../collective/row.cuh"
#include "../plan.h"
#include "row_held.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The threads of a block: those of one row, or of several that a warp or a part of it handles.
ONEPASS_HD constexpr unsigned row_block_threads(unsigned threads_per_row) {
  return threads_per_row > 32 ? threads_per_row : unsigned{ONEPASS_WARP_ROW_THREADS};
}

// The images of a row to memory, in the order in which the stores behind a part are found.
// (`columns` of it from `origin` on, where a block has a part of the row.)
template <int N>
__device__ __forceinline__ void write_images(const list<> &, const row_place &, int64_t, unsigned,
                                             const unsigned char *, unsigned, unsigned, unsigned) {}
template <int N, class Head, class... Tail>
__device__ __forceinline__ void write_images(const list<Head, Tail...> &parts, const row_place &place, int64_t origin,
                                             unsigned columns, const unsigned char *images, unsigned groups,
                                             unsigned thread, unsigned threads) {
  constexpr staged behind = staged_in<N>(static_cast<list<Tail...> *>(nullptr));
  if constexpr (staged_of_part<N, Head>(static_cast<leaves_t<Head> *>(nullptr)).stores > 0) {
    const auto &sink = store_of(parts.head);
    using element = typename cs::decay_t<decltype(sink)>::element;
    write_image(sink.row_start(place.row, place.first) + origin, images + (32u * behind.stores + behind.bytes * groups),
                columns * static_cast<unsigned>(sizeof(element)), thread, threads);
  }
  write_images<N>(parts.tail, place, origin, columns, images, groups, thread, threads);
}

struct nothing_next : no_meeting {
  __device__ __forceinline__ void done() const {}
};

// The elements of a thread that takes them one by one, from a row's `own` columns from `origin` on: in each chunk of
// `Chunk` a warp has the columns that it has where threads take groups of as many, but neighbouring lanes have
// neighbouring columns. The last chunk is the one that the row's end cuts, whichever that is, or whole.
template <unsigned Chunk, unsigned Chunks>
struct single_elements {
  int64_t first, cut;          // columns of this thread's first, in the first chunk and the last
  int left;                    // columns from it on in the last
  unsigned step, next, whole;  // columns to the element behind, and to the chunk behind; whole chunks

  __device__ __forceinline__ single_elements(int64_t origin, unsigned own, unsigned thread, unsigned stride)
      : step(stride < 32 ? stride : 32), next(stride * Chunk) {
    const unsigned lane = thread % 32, run = (thread - lane) * Chunk, mine = own > run ? own - run : 0;
    whole = (mine + next - step * Chunk) / next;
    const unsigned last = (whole < Chunks ? whole : Chunks - 1) * next;
    first = origin + (run + lane);
    cut = first + last;
    left = static_cast<int>(mine - last - lane);
  }
  __device__ __forceinline__ position<1, access::single> locate(const row_place &place, unsigned k) const {
    const unsigned chunk = k / Chunk;
    const int64_t within = k % Chunk * int64_t{step}, beside = chunk * int64_t{next} + within;
    if (chunk + 1 < Chunks) return {place.row, first + beside, place.first + first + beside, 1, false, false};
    const bool exists = left > static_cast<int>(within);
    return {place.row, cut + within, place.first + cut + within, exists ? 1 : 0, false, false};
  }
};

// The group of a thread in pack k, where the packs are `stride` columns apart, the first is at `column`, and `own`
// columns remain of the row from the first thread's on. Of misaligned rows the last pack is the one that the row's end
// cuts, whichever that is, and those in front of it are whole or not there: conditions of lanes are in the last alone.
template <int N, access A, unsigned Packs, bool Full>
__device__ __forceinline__ position<N, A> locate_pack(const row_place &place, int64_t columns, int64_t column,
                                                      unsigned thread, unsigned own, unsigned k, unsigned stride) {
  const int64_t index = place.first + column;
  if constexpr (A != access::image) {
    const int64_t at = column + k * int64_t{stride}, left = columns - at;
    const bool exists = Full && k + 1 < Packs;
    return {place.row, at, index + k * int64_t{stride}, exists || left > 0 ? N : 0, false, false};
  } else {
    const unsigned fit = own / stride, whole = fit >= Packs ? Packs - 1 : fit,
                   beside = (k + 1 < Packs ? k : whole) * stride;
    const int32_t left = static_cast<int32_t>(own - beside - thread * N), some = left < N ? (left > 0 ? left : 0) : N;
    position<N, A> where{};
    where.row = place.row;
    where.column = column + beside;
    where.index = index + beside;
    where.beside = static_cast<int32_t>(beside);
    where.cut = k + 1 == Packs;
    where.border = where.column < 16 || left < N + 16;
    where.by_words = true;
    where.by_elements = false;
    where.count = where.cut ? some : k < whole ? N : 0;
    return where;
  }
}

// The raw words of the packs of a misaligned row. At the ends of an array words reach beyond it: where Outer, groups
// there are read by elements, behind the others.
template <bool Outer, int N, unsigned Packs, class P, class Raw>
__device__ __forceinline__ void fetch_packs(const P &p, position<N, access::image> (&at)[Packs], Raw (&raw)[Packs]) {
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) {
    at[k].by_words = !Outer || !at[k].border;
    raw[k] = fetch_early<N, false>(p.inner, at[k]);
  }
}
template <int N, unsigned Packs, class P, class Raw>
__device__ __forceinline__ void fetch_border(const P &p, position<N, access::image> (&at)[Packs], Raw (&raw)[Packs]) {
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) {
    at[k].by_elements = at[k].border && at[k].count > 0;
    if (at[k].by_elements) raw[k] = fetch_early<N, false>(p.inner, at[k]);
  }
}

// A row in registers: all loads, then everything else. The packs of a thread are `stride` groups apart; all but the
// last are Full if that is known. `columns` is where the row ends for these threads, which begin at column `origin`.
// `next` may begin when this thread has read all (done), or all threads of the block (met).
template <class Group, int N, access A, unsigned Packs, bool Full, class P, class Next>
__device__ __forceinline__ void hold_row(const P &p, row_place place, int64_t columns, int64_t origin, unsigned thread,
                                         unsigned stride, unsigned char *images, const Next &next) {
  using raw_type = decltype(fetch_early<N, false>(p.inner, position<N, A>{}));
  constexpr unsigned chunk = Group::chunk;
  const int64_t column = origin + thread * int64_t{N};
  const auto own = static_cast<unsigned>(columns > origin ? columns - origin : 0);
  if constexpr (Group::threads > 32) place.part = size_of_row(Group::template columns_of_part<N * int{chunk}>(own));
  else place.part = place.size;
  constexpr bool crooks = A == access::image && has_crooked<raw_type>;
  position<N, A> at[Packs];
  raw_type raw[Packs];
  if constexpr (A == access::single) {
    const single_elements<chunk, Packs / chunk> elements(origin, own, thread, stride);
    place.whole_chunks = elements.whole;
    zero_first<Group>(raw);
    ONEPASS_UNROLL
    for (unsigned k = 0; k < Packs; ++k) at[k] = elements.locate(place, k);
    ONEPASS_UNROLL
    for (unsigned c = 0; c < Packs; c += chunk) {
      if (c / chunk >= elements.whole && c + chunk < Packs) continue;
      ONEPASS_UNROLL
      for (unsigned k = c; k < c + chunk; ++k) raw[k] = fetch_early<N, false>(p.inner, at[k]);
    }
    __syncwarp();  // or ptxas puts loads off until the first have come: softmax of 12289 bf16 0.61, and 0.86
  } else {
    ONEPASS_UNROLL
    for (unsigned k = 0; k < Packs; ++k) {
      at[k] = locate_pack<N, A, Packs, Full>(place, columns, column, thread, own, k, stride * N);
      if constexpr (A == access::image) {
        at[k].memory = images;
        at[k].groups = Packs * stride;
        at[k].origin = origin;
      }
      if constexpr (!crooks)
        if (A == access::image || computes<Group>(at[k])) raw[k] = fetch_early<N, false>(p.inner, at[k]);
    }
  }
  if constexpr (crooks) {
    if (place.outer) fetch_packs<true>(p, at, raw);
    else fetch_packs<false>(p, at, raw);
    straighten_all(raw);
    if (place.outer) fetch_border(p, at, raw);
  }
  run_held<Group, source_value_t<P>>(loaded_row<N, A, Packs, P, raw_type, Next>{p, raw, at, next}, p.inner.tail, at,
                                     place);
  if constexpr (A == access::image && staged_in_pipeline<P>().stores > 0) {
    Group::barrier();
    write_images<N>(p.inner, place, origin, own, images, Packs * stride, thread, stride);
  }
}

// The lanes of a group in a kernel, and single elements of a chunk.
template <class P, access A>
inline constexpr int lanes_of_access = is_single<A> ? 1 : lanes_v<P>;
template <class P, access A>
inline constexpr unsigned chunk_of_access = A == access::landed   ? unsigned{ONEPASS_SINGLE_CHUNK}
                                            : A == access::single ? lanes_v<P>
                                                                  : 1;

// The blocks per SM that bound a kernel's registers, by the values that it holds and what is read with them.
template <class P>
ONEPASS_HD constexpr int row_blocks(int threads, unsigned packs, access a) {
  const int lanes = static_cast<int>(packs) * lanes_v<P>,
            in_groups = lanes * (widest_value(static_cast<P *>(nullptr)) / 2 + streamed_bytes<P>()) / 4,
            live = a == access::single ? lanes * element_registers<P>() : in_groups;
  const bool two = threads == 512 && live <= 48;  // there is room for two such blocks or one
  const int held = live <= 20 ? 48 : live <= 36 || two ? 64 : live <= 56 ? 80 : 128;
  // Of misaligned groups words in front and behind are held too; where rows that are not whole groups go by singles, only
  // misaligned arrays come here, and need no block more. What a second row stage needs shows where singles fill the rest.
  const int beside = a == access::single  ? (row_stages_in<decltype(P::inner)> > 1 ? 16 : 0)
                     : a != access::image ? 0
                     : singles_of<P>() == ONEPASS_SINGLES_ALL ? 32
                     : lanes_v<P> > 4 && !two                 ? 8
                                                              : 0;
  const int registers = held + beside < 128 ? held + beside : 128;
  int blocks = 16;  // a quarter of a multiprocessor has 512 registers for a thread of each of its warps
  while (blocks > 1 && 512 / ((blocks * threads / 32 + 3) / 4) / 8 * 8 < registers) --blocks;
  return blocks;
}

// Aligned rows have a second body without conditions, for as many packs as all threads have; which one is chosen by the
// block, never by the lane.
template <class Group, access A, unsigned Packs, class P>
__device__ __forceinline__ void hold_rows(const P &p, const row_place &place, bool exists, unsigned thread,
                                          unsigned stride, bool all_exist, unsigned char *images) {
  constexpr int N = lanes_of_access<P, A>;
  constexpr unsigned chunk = chunk_of_access<P, A>;
  constexpr bool together = any_shares_group<P>::value;
  const int64_t columns = exists ? place.size.n : 0;
  if constexpr (A == access::entire) {
    if (all_exist && place.size.n >= static_cast<int64_t>(Packs - 1) * stride * N) {
      hold_row<with_late_bytes<Group, true, together>, N, A, Packs, true>(p, place, columns, 0, thread, stride, images,
                                                                          nothing_next{});
      return;
    }
  }
  hold_row<with_late_bytes<Group, false, together, chunk>, N, A, Packs * chunk, false>(
      p, place, columns, 0, thread, stride, images, nothing_next{});
}

template <class Tag, unsigned Threads, unsigned Packs, access A>
__global__ void __launch_bounds__(row_block_threads(Threads),
                                  resident(row_blocks<tagged_t<Tag>>(static_cast<int>(row_block_threads(Threads)),
                                                                     Packs, A),
                                           static_cast<int>(row_block_threads(Threads))))
    row_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  constexpr unsigned rows = row_block_threads(Threads) / Threads;
  const unsigned thread = threadIdx.x % Threads;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * rows, row = first + threadIdx.x / Threads;
  const bool exists = rows == 1 || row < s.rows;
  const row_place place = place_of_row<Tag, A == access::entire>(s, row, exists && thread == 0);
  unsigned char *images = nullptr;
  if constexpr (A == access::image) {
    extern __shared__ uint4 row_memory[];
    images = reinterpret_cast<unsigned char *>(row_memory) + (rows == 1 ? 0 : threadIdx.x / Threads) * s.image_bytes;
  }
  hold_rows<row_threads<Threads>, A, Packs>(p, place, exists, thread, Threads,
                                            rows == 1 || first + rows <= s.rows, images);
}

}  // namespace detail
}  // namespace onepass

#endif
