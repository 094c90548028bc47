// SPDX-License-Identifier: Apache-2.0
// Part of onepass: rows wider than registers hold: a pass over the row for each of its reductions, and one that writes;
// from a copy in the shared memory of a block or a cluster, which is read once, or from global memory again.
#ifndef ONEPASS_KERNEL_ROW_PASS_CUH
#define ONEPASS_KERNEL_ROW_PASS_CUH

#include "row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The groups of a thread in a row that is gone through again and again, a batch at a time: all reads, then f(raw,
// position) for each. As many for all of `Together` neighbouring threads, also where some are past the row's end.
template <unsigned Together = 1, class Rows, class P, class F>
__device__ __forceinline__ void each_batch(const Rows &rows, const P &p, const F &f) {
  constexpr unsigned batch = Rows::batch;
  using at_type = decltype(rows.at(0u));
  const unsigned ahead = threadIdx.x % Together;  // of the first thread that counts
  for (unsigned first = 0; rows.has(first, ahead); first += batch) {
    at_type at[batch];
    decltype(rows.fetch(p, at[0], 0u)) raw[batch];
    ONEPASS_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      if (rows.has(first + k, ahead)) {
        at[k] = rows.at(first + k);
        raw[k] = rows.fetch(p, at[k], first + k);
      }
    ONEPASS_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      if (rows.has(first + k, ahead)) f(raw[k], at[k]);
  }
}

// From global memory, by one block.
template <int N, access A>
struct streamed_row {
  using group = row_threads<ONEPASS_STREAM_THREADS>;
  static constexpr bool on_chip = false, aligned = A == access::entire;
  static constexpr unsigned batch = A == access::entire ? 4 : 2;
  const row_place &place;

  __device__ __forceinline__ int64_t own(unsigned k) const {
    return static_cast<int64_t>(k) * ONEPASS_STREAM_THREADS + threadIdx.x;
  }
  __device__ __forceinline__ bool has(unsigned k, unsigned ahead) const { return (own(k) - ahead) * N < place.size.n; }
  __device__ __forceinline__ position<N, A> at(unsigned k) const {
    return locate_group<N, A, false>(place, place.size.n, own(k));
  }
  template <class P>
  __device__ __forceinline__ auto fetch(const P &p, const position<N, A> &where, unsigned) const {
    return p.template fetch<N>(where);
  }
};

// From the shared memory of the blocks of a cluster, each of which has copied its part: all threads' groups of a pack
// side by side, array by array.
template <int N, access A, unsigned Threads, int Ids>
struct shared_row {
  using group = cluster_threads<Threads, Ids>;
  static constexpr bool on_chip = true, aligned = A == access::held;
  static constexpr unsigned batch = A == access::held ? 3 : 1;
  const row_place &place;
  unsigned char *memory;
  unsigned thread, stride, pack_bytes;

  __device__ __forceinline__ bool has(unsigned k, unsigned ahead = 0) const {
    return static_cast<int64_t>(k) * stride + thread - ahead < (place.size.n + N - 1) / N;
  }
  __device__ __forceinline__ position<N, A> at(unsigned k) const {
    constexpr access unheld = A == access::held ? access::entire : access::row;
    const auto where = locate_group<N, unheld, false>(place, place.size.n, static_cast<int64_t>(k) * stride + thread);
    position<N, A> held;
    held.row = where.row;
    held.column = where.column;
    held.index = where.index;
    held.count = where.count;
    held.edge = where.edge;
    held.border = where.border;
    held.copy = nullptr;
    return held;
  }
  template <bool Filling = false, class P>
  __device__ __forceinline__ auto fetch(const P &p, const position<N, A> &where, unsigned k) const {
    held_copy copy{
        memory + k * pack_bytes, threadIdx.x, Threads, Filling ? landing::arrays : landing::nothing, false, nullptr};
    position<N, A> held = where;
    held.copy = &copy;
    return p.template fetch<N>(held);
  }
  template <class P>
  __device__ __forceinline__ void fill(const P &p) const {
#pragma unroll 4
    for (unsigned k = 0; has(k); ++k) (void)fetch<true>(p, at(k), k);
    copies_have_landed();  // a thread reads what it has copied itself
  }
};

// The values in front of a row stage to a statistic; with a map, what it makes of them.
template <bool Mapped, class P, class Results, class S, class State>
struct fold_pass {
  const P &p;
  const Results &results;
  const S &statistic;
  State &state;
  template <class Raw, class At>
  __device__ __forceinline__ void operator()(const Raw &raw, const At &at) const {
    list<> nowhere;
    const auto v = p.template run_with<full_math, false>(raw, at, nowhere, results);
    if constexpr (Mapped) state = fold(statistic, state, each_lane(map_of<S>{statistic}, v), at);
    else state = fold(statistic, state, v, at);
  }
};
template <class P, class Results, class States>
struct write_pass {
  const P &p;
  const Results &results;
  States &states;
  template <class Raw, class At>
  __device__ __forceinline__ void operator()(const Raw &raw, const At &at) const {
    p.template run_with<full_math, true>(raw, at, states, results);
  }
};

template <int Id, bool Mapped, class Value, class Rows, class P, class Results, class S>
__device__ __forceinline__ auto reduce_pass(const Rows &rows, const P &p, const Results &results, const S &statistic) {
  const auto none = statistic.template identity<Value>();
  auto state = none;
  each_batch(rows, p, fold_pass<Mapped, P, Results, S, decltype(state)>{p, results, statistic, state});
  return Rows::group::template reduce<Id>(statistic, state, none, 0);
}

// A pass for each row stage, or two where the row is on the chip, and one that writes.
template <class Rows, class P, class... Done>
__device__ __forceinline__ void row_passes(const Rows &rows, const P &p, const list<Done...> &results) {
  constexpr int done = sizeof...(Done);
  const row_place &place = rows.place;
  if constexpr (done < row_stages_in<decltype(p.inner)>) {
    const auto &rest = nth_row<done>(p.inner);
    const auto statistic = rest.head.template statistic_in<typename math_of_row<cs::decay_t<decltype(rest)>>::type>();
    using value = typename row_value<done, P>::type;
    if constexpr (Rows::on_chip && has_phases<cs::decay_t<decltype(statistic)>>::value) {
      const auto first = statistic.template first<value>(place.size);
      const auto second =
          statistic.second(reduce_pass<3 * done + 1, false, value>(rows, p, results, first), place.size);
      constexpr bool mapped = has_map<cs::decay_t<decltype(second)>, value>::value;
      const auto result = second.finish(reduce_pass<3 * done + 2, mapped, value>(rows, p, results, second), place.size);
      if (place.leads) rest.head.keep(result, place.row);
      row_passes(rows, p, concatenate(results, make_list(result)));
    } else {
      const auto result =
          statistic.finish(reduce_pass<3 * done + 1, false, value>(rows, p, results, statistic), place.size);
      if (place.leads) rest.head.keep(result, place.row);
      row_passes(rows, p, concatenate(results, make_list(result)));
    }
  } else {
    const auto sinks = reducers_of<true>(p.inner);
    constexpr int run = neighbours_v<P>;
    constexpr unsigned together = run > 32 ? 1024 : run > 1 || !Rows::aligned ? 32 : 1;  // 1024: the block
    if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) {
      list<> none;
      each_batch<together>(rows, p, write_pass<P, list<Done...>, list<>>{p, results, none});
    } else {
      const side_by_side<cs::decay_t<decltype(sinks)>, reduced_values_t<P, true>> all{sinks};
      const auto none = all.identity();
      auto states = none;
      each_batch<together>(rows, p, write_pass<P, list<Done...>, cs::decay_t<decltype(states)>>{p, results, states});
      states = Rows::group::template reduce<0>(all, states, none, 0);
      if (place.leads) put_row(sinks, states, place.row, place.size.n);
    }
  }
}

template <class Tag, bool Aligned>
__global__ void __launch_bounds__(ONEPASS_STREAM_THREADS)
    row_stream_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  const row_place place = place_of_row<Tag>(s, static_cast<int64_t>(blockIdx.x), threadIdx.x == 0);
  constexpr access A = Aligned ? access::entire : access::row;
  row_passes(streamed_row<lanes_v<tagged_t<Tag>>, A>{place}, p, list<>{});
}

// The blocks per SM that bound the registers: as many as shared memory lets in at a time.
template <class Tag, unsigned Threads, bool Aligned>
__global__ void __launch_bounds__(Threads, resident(3, static_cast<int>(Threads)))
    row_shared_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  extern __shared__ uint4 row_memory[];
  using P = tagged_t<Tag>;
  const unsigned blocks = cluster_blocks(), thread = cluster_rank() * Threads + threadIdx.x;
  const int64_t row = blockIdx.x / blocks;
  const row_place place = place_of_row<Tag>(s, row, thread == 0);
  constexpr int ids = 3 * row_stages_in<decltype(P::inner)> + 1;
  const shared_row<lanes_v<P>, Aligned ? access::held : access::held_row, Threads, ids> rows{
      place, reinterpret_cast<unsigned char *>(row_memory), thread, blocks * Threads,
      Threads * static_cast<unsigned>(lanes_v<P> * streamed_bytes<P>())};
  cluster_threads<Threads, ids>::enter();
  rows.fill(p);
  cluster_threads<Threads, ids>::ready();
  row_passes(rows, p, list<>{});
}

}  // namespace detail
}  // namespace onepass

#endif
