// SPDX-License-Identifier: Apache-2.0
// Part of onepass: rows wider than registers hold: a pass over the row for each of its reductions, and one that writes;
// from a copy in the shared memory of a block or a cluster, which is read once, or from global memory again, by a block
// or several.
#ifndef ONEPASS_KERNEL_ROW_PASS_CUH
#define ONEPASS_KERNEL_ROW_PASS_CUH

#include "../collective/grid.cuh"
#include "row.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The groups of a thread in a row that is gone through again and again, a batch at a time: all reads, then f(raw,
// position) for each. As many for all of `Together` neighbouring threads, also where some are past the row's end.
template <unsigned Together = 1, bool = false, bool = false, class Rows, class P, class F>
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

// The groups from `first` on up to column `end`, from global memory, by a block.
template <unsigned Threads, int N, access A>
struct streamed_part {
  const row_place &place;
  int64_t first, end;

  // The groups of a thread from pack k on: all reads, then f(raw, position) for each.
  template <unsigned batch, bool Whole, class P, class F>
  __device__ __forceinline__ void batch_from(unsigned k, const P &p, const F &f, unsigned ahead) const {
    position<N, A> at[batch];
    decltype(p.template fetch<N>(at[0])) raw[batch]{};
    bool has[batch];
    ONEPASS_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const int64_t own = first + static_cast<int64_t>(k + i) * Threads + threadIdx.x;
      has[i] = Whole || (own - ahead) * N < end;
      at[i] = locate_group<N, A, Whole>(place, place.size.n, own);
      if (has[i]) raw[i] = p.template fetch<N>(at[i]);
    }
    ONEPASS_UNROLL
    for (unsigned i = 0; i < batch; ++i)
      if (has[i]) f(raw[i], at[i]);
  }
};
// Bytes of a group's words.
template <class P>
ONEPASS_HD constexpr int group_bytes() {
  return lanes_v<P> * fetched_bytes(static_cast<leaves_t<P> *>(nullptr));
}

// (A batch that all threads have whole needs no conditions. The vectors of a row, such as gamma, are read where it is
// written: there a batch has fewer groups. Backwards, what was read last, and so may be in a cache, comes first.)
template <unsigned Together = 1, bool Writes = false, bool Backwards = false, unsigned Threads, int N,
          access A, class P, class F>
__device__ __forceinline__ void each_batch(const streamed_part<Threads, N, A> &part, const P &p, const F &f) {
  constexpr int most = row_stages_in<decltype(P::inner)> > 0 ? 16 : 32;  // results of row stages take registers as well
  constexpr unsigned batch = (A == access::entire ? 4 : 2) / (Writes && group_bytes<P>() > most ? 2 : 1);
  constexpr int64_t step = int64_t{batch} * Threads;
  const unsigned whole = static_cast<unsigned>((part.end / N - part.first) / step),
                 ahead = threadIdx.x % Together;
  const bool rest = (part.first + whole * step) * N < part.end;
  if (Backwards && rest) part.template batch_from<batch, false>(whole * batch, p, f, ahead);
  for (unsigned i = 0; i < whole; ++i)
    part.template batch_from<batch, true>((Backwards ? whole - 1 - i : i) * batch, p, f, 0);
  if (!Backwards && rest) part.template batch_from<batch, false>(whole * batch, p, f, ahead);
}

// A row in parts of `groups`, the last of which may have fewer, by the blocks that share it.
template <unsigned Threads, int N, access A, unsigned Stages>
struct streamed_row {
  static constexpr bool on_chip = false, aligned = A == access::entire;
  const row_place &place;
  int64_t groups;
  grid_threads<Threads, Stages> threads;

  __device__ __forceinline__ streamed_part<Threads, N, A> part(unsigned i) const {
    const int64_t first = i * groups, end = (first + groups) * N;
    return {place, first, end < place.size.n ? end : place.size.n};
  }
  // The state of the row, of what fold(part, state) folds into that of nothing; true where its results are written.
  // Everywhere: for all threads of the row; else for those where it is true.
  template <int Id, bool Everywhere, class S, class State, class Fold>
  __device__ __forceinline__ bool reduce(const S &statistic, State &state, const Fold &fold) const {
    const State none = state;
    for (unsigned i = threads.rank; i < threads.parts; i += threads.blocks) {
      State own = none;
      fold(part(i), own);
      if (threads.parts == 1) state = own;
      else threads.put(statistic, own, i);
    }
    const bool ends = threads.template reduce<Id, Everywhere>(statistic, state, none, Everywhere ? Id / 3 : Stages);
    return Everywhere ? place.leads : ends && threadIdx.x == 0;
  }
  // write(part, no states) for each part, behind the reductions; the last one first.
  template <class Write>
  __device__ __forceinline__ void write(const Write &write) const {
    threads.leave();
    list<> none;
    unsigned i = threads.rank + (threads.parts - 1 - threads.rank) / threads.blocks * threads.blocks;
    for (;; i -= threads.blocks) {
      write(part(i), none);
      if (i == threads.rank) break;
    }
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
  template <int Id, bool, class S, class State, class Fold>
  __device__ __forceinline__ bool reduce(const S &statistic, State &state, const Fold &fold) const {
    const State none = state;
    fold(*this, state);
    state = group::template reduce<Id>(statistic, state, none, 0);
    return place.leads;
  }
  template <class Write>
  __device__ __forceinline__ void write(const Write &write) const {
    list<> none;
    write(*this, none);
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

// The same for all groups of a row or of its part.
template <bool Mapped, class P, class Results, class S>
struct fold_part {
  const P &p;
  const Results &results;
  const S &statistic;
  template <class Part, class State>
  __device__ __forceinline__ void operator()(const Part &part, State &state) const {
    each_batch(part, p, fold_pass<Mapped, P, Results, S, State>{p, results, statistic, state});
  }
};
template <unsigned Together, class P, class Results>
struct write_part {
  const P &p;
  const Results &results;
  template <class Part, class States>
  __device__ __forceinline__ void operator()(const Part &part, States &states) const {
    constexpr bool backwards = cs::is_same_v<States, list<>>;  // no state depends on the order
    each_batch<Together, true, backwards>(part, p, write_pass<P, Results, States>{p, results, states});
  }
};

template <int Id, bool Mapped, class Value, class Rows, class P, class Results, class S>
__device__ __forceinline__ auto reduce_pass(const Rows &rows, const P &p, const Results &results, const S &statistic) {
  auto state = statistic.template identity<Value>();
  rows.template reduce<Id, true>(statistic, state, fold_part<Mapped, P, Results, S>{p, results, statistic});
  return state;
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
      const auto all = second.whole(reduce_pass<3 * done + 2, mapped, value>(rows, p, results, second), place.size);
      const auto result = statistic.finish(all, place.size);
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
    const write_part<together, P, list<Done...>> write{p, results};
    if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) {
      rows.write(write);
    } else {
      const side_by_side<cs::decay_t<decltype(sinks)>, reduced_values_t<P, true>> all{sinks};
      auto states = all.identity();
      const bool writes = rows.template reduce<0, false>(all, states, write);
      if (writes) put_row(sinks, states, place.row, place.size.n);
    }
  }
}

// The caller's workspace, if several blocks share a row: a ticket for each row, then memory.
struct row_workspace {
  unsigned char *base;
  unsigned row_bytes, blocks;  // of a row

  __device__ __forceinline__ unsigned *ticket(unsigned row) const { return reinterpret_cast<unsigned *>(base) + row; }
  __device__ __forceinline__ unsigned char *memory(unsigned row) const {
    return base + (ONEPASS_WORKSPACE_HEADER_BYTES + cs::size_t{row_bytes} * row);
  }
};

// Of a row's memory, those of the result, in front of the states.
template <class P>
ONEPASS_HD constexpr unsigned row_result_bytes() {
  return static_cast<unsigned>((state_bytes<P>() + ONEPASS_WORKSPACE_ALIGNMENT - 1) / ONEPASS_WORKSPACE_ALIGNMENT *
                               ONEPASS_WORKSPACE_ALIGNMENT);
}

// The blocks per SM that bound the registers: two where a batch has few words.
template <class P>
ONEPASS_HD constexpr int stream_blocks() {
  return group_bytes<P>() <= 48 ? 2 : 1;
}

template <class P>
inline constexpr unsigned stream_threads = static_cast<unsigned>(onepass_stream_threads(&geometry_v<P>));

template <class Tag, bool Aligned, unsigned Threads = stream_threads<tagged_t<Tag>>>
__global__ void __launch_bounds__(Threads, stream_blocks<tagged_t<Tag>>() * ONEPASS_STREAM_THREADS / Threads)
    row_stream_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s,
                      const __grid_constant__ row_workspace w) {
  wait_for_predecessor();
  using P = tagged_t<Tag>;
  constexpr int N = lanes_v<P>;
  constexpr access A = Aligned ? access::entire : access::row;
  const unsigned rank = blockIdx.x % w.blocks, row = blockIdx.x / w.blocks;
  const row_place place = place_of_row<Tag, Aligned>(s, row, rank == 0 && threadIdx.x == 0);
  const int64_t part = s.part, n = place.size.n;
  const unsigned parts = n > part * N ? static_cast<unsigned>((n - 1) / (part * N)) + 1 : 1;
  const streamed_row<Threads, N, A, row_stages_in<decltype(P::inner)>> rows{
      place, part, {parts, rank, w.blocks, w.ticket(row), w.memory(row), w.memory(row) + row_result_bytes<P>()}};
  row_passes(rows, p, list<>{});
}

// The blocks per SM that bound the registers: as many as shared memory lets in at a time, or two where a batch takes
// more.
template <class P>
ONEPASS_HD constexpr int shared_blocks() {
  return 3 * held_bytes<P>() / 4 + lanes_v<P> <= 24 ? 3 : 2;
}
template <class Tag, unsigned Threads, bool Aligned>
__global__ void __launch_bounds__(Threads, resident(shared_blocks<tagged_t<Tag>>(), static_cast<int>(Threads)))
    row_shared_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  extern __shared__ uint4 row_memory[];
  using P = tagged_t<Tag>;
  const unsigned blocks = cluster_blocks(), thread = cluster_rank() * Threads + threadIdx.x;
  const int64_t row = blockIdx.x / blocks;
  const row_place place = place_of_row<Tag, Aligned>(s, row, thread == 0);
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
