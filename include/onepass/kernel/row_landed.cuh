// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what a block of a cluster asks for while it reduces another row, and rows that go element by element
// from where they have landed in shared memory.
#ifndef ONEPASS_KERNEL_ROW_LANDED_CUH
#define ONEPASS_KERNEL_ROW_LANDED_CUH

#include "row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The part of a row that a block of a cluster takes: how many columns, from `origin` on.
template <int N>
struct part_of_row {
  int64_t origin;
  unsigned columns;

  __device__ __forceinline__ part_of_row(const row_shape &s, unsigned rank, int64_t row_columns)
      : origin(int64_t{rank} * (s.part * unsigned{N})) {
    const int64_t left = row_columns - origin, most = s.part * unsigned{N};
    columns = static_cast<unsigned>(left < most ? (left > 0 ? left : 0) : most);
  }
  // Group k of a thread, with `threads` threads.
  __device__ __forceinline__ position<N, access::held> landed(const row_place &place, unsigned k,
                                                              unsigned threads) const {
    const unsigned first = threadIdx.x * unsigned{N}, beside = k * threads * unsigned{N};
    position<N, access::held> at;
    at.row = place.row;
    at.column = origin + first + beside;
    at.index = place.first + origin + first + beside;
    at.count = first + beside < columns ? N : 0;
    at.edge = at.border = false;
    at.copy = nullptr;
    return at;
  }
};
// Of a row of `columns`, what goes ahead.
template <int N>
__device__ __forceinline__ position<1, access::ahead> ahead_of_part(const row_shape &s, unsigned rank,
                                                                    const row_place &place, int64_t columns,
                                                                    ahead how) {
  const part_of_row<N> part(s, rank, columns);
  position<1, access::ahead> at{};
  at.row = place.row;
  at.column = part.origin;
  at.index = place.first + part.origin;
  at.count = part.columns > 0 ? 1 : 0;
  at.columns = part.columns;
  at.how = how;
  at.room = s.part * unsigned{N};
  return at;
}

// Reads what is read late, segment by segment, as run_held does.
template <int N, access A, class Rest, class Raw>
__device__ __forceinline__ void fetch_segments(const Rest &rest, const Raw &raw, const position<N, A> &at) {
  const auto all = fetch_late<N, true>(rest, raw, at);
  constexpr int more = row_stages_in<cs::decay_t<decltype(rest.tail)>>;
  if constexpr (more != 0) fetch_segments(from_row(rest.tail), raw_from_row(rest.tail, all.tail), at);
}

// Asks for a misaligned row, or the block's part of it.
template <class Tag, int N>
struct ask_for_row : no_meeting {
  const tagged_t<Tag> &p;
  const row_shape &s;
  unsigned rank;
  int64_t row, end;

  __device__ __forceinline__ void done() const {
    if (row >= end) return;
    const row_place place = place_of_row<Tag, false>(s, row, false);
    (void)fetch_early<1, false>(p.inner, ahead_of_part<N>(s, rank, place, place.size.n, ahead::asked));
  }
};

// Rows that go element by element: the block's part of a row is copied to shared memory as it lies there, where all
// threads have read the one before, and so are the vectors, which stay.
template <class Tag, int N>
struct land_part {
  using P = tagged_t<Tag>;
  static constexpr bool keeps = onepass_single_keeps(lanes_v<P>, element_registers<P>(), held_bytes<P>(),
                                                     kept_bytes<P>()) != 0;
  const P &p;
  const row_shape &s;
  unsigned rank;
  unsigned char *memory;

  __device__ __forceinline__ static uint64_t *landed() {
    __shared__ uint64_t barrier;
    return &barrier;
  }
  __device__ __forceinline__ void each_array(const row_place &place, ahead how, unsigned char **first) const {
    auto at = ahead_of_part<N>(s, rank, place, place.size.n, how);
    at.exact = place.outer;
    at.next = memory;
    at.first = first;
    at.landed = landed();
    (void)fetch_early<1, false>(p.inner, at);
  }
  __device__ __forceinline__ void each_vector(ahead how, unsigned char **first) const {
    if constexpr (keeps) {
      auto at = ahead_of_part<N>(s, rank, row_place{}, s.columns, how);
      at.vectors = at.exact = true;
      at.next = memory + (at.room + 16) * unsigned{streamed_bytes<P>()};
      at.first = first;
      at.landed = landed();
      const auto raw = fetch_early<1, false>(p.inner, at);
      constexpr int stages = row_stages_in<decltype(P::inner)>;
      if constexpr (stages != 0) fetch_segments(from_row(p.inner), raw_from_row(p.inner, raw), at);
    }
  }
  __device__ __forceinline__ void land(int64_t row) const {
    each_array(place_of_row<Tag, false>(s, row, false), ahead::copied, nullptr);
    if (threadIdx.x == 0) expect_arrival(landed(), 0);
  }
  // The vectors and the first row; all threads call.
  __device__ __forceinline__ void begin(int64_t row) const {
    if (threadIdx.x == 0) arrival_init(landed());
    __syncthreads();
    each_vector(ahead::copied, nullptr);
    land(row);
  }
  __device__ __forceinline__ void wait(const row_place &place) const {
    wait_for_arrival(landed(), place.round % 2);
    if (place.outer || place.round == 0) __syncthreads();  // for what has come by elements
  }
};

// What has landed: a chunk is read when it is used, and the next row lands when all threads have read this one.
template <class Land, unsigned Elements>
struct landed_row {
  static constexpr unsigned late_bytes = 0;
  const Land &land;
  const position<1, access::landed> (&at)[Elements];
  int64_t next, end;

  __device__ __forceinline__ void done() const {}
  __device__ __forceinline__ void met() const {
    if (next < end) land.land(next);
  }
  __device__ __forceinline__ auto fetch(unsigned k) const { return fetch_early<1, false>(land.p.inner, at[k]); }
  template <class Raw>
  __device__ __forceinline__ auto value(const Raw &r, unsigned k) const {
    return land.p.template first_with<full_math>(r.head, at[k]);
  }
};
template <class Group, unsigned Elements, class Land, int N>
__device__ __forceinline__ void hold_landed(const Land &land, row_place place, const part_of_row<N> &part,
                                            unsigned char *const *vectors, int64_t next, int64_t end) {
  using P = typename Land::P;
  constexpr unsigned chunk = Group::chunk;
  const single_elements<chunk, Elements / chunk> elements(part.origin, part.columns, threadIdx.x, Group::threads);
  place.part = size_of_row(Group::template columns_of_part<int{chunk}>(part.columns));
  place.whole_chunks = elements.whole;
  unsigned char *arrays[reads_v<P, ONEPASS_PER_ELEMENT> + 1];
  land.each_array(place, ahead::placed, arrays);
  position<1, access::landed> at[Elements];
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Elements; ++k) {
    const position<1, access::single> one = elements.locate(place, k);
    at[k] = {one.row, one.column, one.index, one.count, one.column - part.origin, Land::keeps, arrays, vectors};
  }
  land.wait(place);
  run_held<Group, source_value_t<P>>(landed_row<Land, Elements>{land, at, next, end}, land.p.inner.tail, at, place);
}

}  // namespace detail
}  // namespace onepass

#endif
