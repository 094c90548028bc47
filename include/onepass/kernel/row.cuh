// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the row family: a row in the registers of the threads that share it, read once and reduced as often
// as its row stages ask; or, where it is wider than these hold, read again for each.
#ifndef ONEPASS_KERNEL_ROW_CUH
#define ONEPASS_KERNEL_ROW_CUH

#include "../collective/row.cuh"
#include "../describe.cuh"
#include "../plan.h"
#include "tile.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Blocks of rows that one warp or a part of it handles.
ONEPASS_HD constexpr int row_block_threads(int threads_per_row) {
  return threads_per_row > 32 ? threads_per_row : ONEPASS_WARP_ROW_THREADS;
}

struct row_shape {
  int64_t rows, columns;
  float inverse;         // 1 / columns
  const int64_t *count;  // null, or where the number of columns lies
};
__device__ __forceinline__ row_size size_of_row(const row_shape &s) {
  if (s.count == nullptr) return {s.columns, s.inverse};
  const int64_t n = *s.count, columns = n < 0 ? 0 : n < s.columns ? n : s.columns;
  return {columns, 1.0f / static_cast<float>(columns)};
}

// One row: its number, whether it exists, its size, and whether this thread writes its results.
struct row_place {
  int64_t row;
  row_size size;
  bool leads;
};

// Group `own` of a row, in [0, 2^31 / N).
template <int N, access A>
__device__ __forceinline__ position<N, A> locate_group(const row_place &place, int64_t first_index, int64_t columns,
                                                       int64_t own) {
  const int64_t column = own * N, left = columns - column;
  const int32_t count = A == access::whole ? (left > 0 ? N : 0) : static_cast<int32_t>(left < N ? (left > 0 ? left : 0) : N);
  return {place.row, column, first_index + column, count, A == access::any && is_edge<N>(column, left)};
}

// The result of a row stage, from the state of its statistic over the row; a second phase goes over what `fold_all`
// folds: fold_all(statistic, identity) is the state of this thread's values.
template <class Value, class Group, int Id, class S, class State, class FoldAll>
__device__ __forceinline__ auto finish_statistic(const S &statistic, const State &first, const row_size &size,
                                                 const FoldAll &fold_all) {
  const auto second = statistic.second(first, size);
  const auto none = second.template identity<Value>();
  return second.finish(Group::template reduce<2 * Id>(second, fold_all(second, none), none), size);
}

template <int N, access A, int Packs, class V>
struct held_row {
  const position<N, A> (&at)[Packs];
  const pack<V, N> (&v)[Packs];
  template <class S, class State>
  __device__ __forceinline__ State operator()(const S &statistic, State state) const {
    ONEPASS_UNROLL
    for (int k = 0; k < Packs; ++k)
      if (at[k].count > 0) state = fold(statistic, state, v[k], at[k]);
    return state;
  }
};

// The first phase of a row stage's statistic.
template <class Value, class S>
__device__ __forceinline__ auto first_phase(const S &statistic, const row_size &size) {
  if constexpr (has_phases<S>::value) return statistic.template first<Value>(size);
  else return statistic;
}

// The parts up to the next row stage over the held row, the reductions among them with that of the row stage, and so
// on. `v` are the values that reach the parts.
template <class Group, int N, access A, int Packs, class Parts, class Raw, class V>
__device__ __forceinline__ void run_held(const Parts &parts, const Raw (&raw)[Packs], const pack<V, N> (&v)[Packs],
                                         const position<N, A> (&at)[Packs], const row_place &place) {
  constexpr Parts *type = nullptr;
  constexpr int id = row_stages_in<Parts>;
  const auto sinks = reducers_of(parts);
  using values = decltype(reduced_values<V>(type));
  if constexpr (id > 0) {
    const auto &rest = from_row(parts);
    using rest_type = cs::decay_t<decltype(rest)>;
    using next_value = typename value_before_row<0, V, Parts>::type;
    const auto statistic = rest.head.template statistic_in<typename math_of_row<rest_type>::type>();
    using math = typename math_of_row<rest_type>::type;
    const auto first = first_phase<next_value>(statistic, place.size);
    const auto all_sinks = concatenate(sinks, make_list(inner_reduction<cs::decay_t<decltype(first)>>{first}));
    const side_by_side<cs::decay_t<decltype(all_sinks)>, decltype(concatenate(values{}, list<next_value>{}))> all{all_sinks};
    const auto none = all.identity();
    auto states = none;
    pack<next_value, N> in_front[Packs];
    ONEPASS_UNROLL
    for (int k = 0; k < Packs; ++k) {
      if (at[k].count > 0) {
        in_front[k] = run<full_math, true>(parts, raw[k], v[k], at[k], states, list<>{});
        last_state(states) = fold(first, last_state(states), in_front[k], at[k]);
      }
    }
    states = Group::template reduce<2 * id + 1>(all, states, none);
    if (place.leads) put_row(all_sinks, states, place.row, place.size.n);

    auto result = [&] {
      if constexpr (has_phases<cs::decay_t<decltype(statistic)>>::value)
        return finish_statistic<next_value, Group, id>(statistic, last_state(states), place.size,
                                                       held_row<N, A, Packs, next_value>{at, in_front});
      else return statistic.finish(last_state(states), place.size);
    }();
    if (place.leads) rest.head.keep(result, place.row);

    using late_raw = decltype(fetch_late<N, true>(rest, raw_from_row(parts, raw[0]), at[0]));
    late_raw fetched[Packs];
    ONEPASS_UNROLL
    for (int k = 0; k < Packs; ++k)
      if (at[k].count > 0) fetched[k] = fetch_late<N, true>(rest, raw_from_row(parts, raw[k]), at[k]);
    using after = decltype(rest.head.template finish<math>(in_front[0], fetched[0].head, at[0], result));
    after behind[Packs];
    ONEPASS_UNROLL
    for (int k = 0; k < Packs; ++k)
      if (at[k].count > 0) behind[k] = rest.head.template finish<math>(in_front[k], fetched[k].head, at[k], result);
    using tail_raw = cs::decay_t<decltype(fetched[0].tail)>;
    tail_raw tails[Packs];
    ONEPASS_UNROLL
    for (int k = 0; k < Packs; ++k) tails[k] = fetched[k].tail;
    run_held<Group>(rest.tail, tails, behind, at, place);
  } else if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) {
    list<> none;
    ONEPASS_UNROLL
    for (int k = 0; k < Packs; ++k)
      if (at[k].count > 0) run<full_math, true>(parts, raw[k], v[k], at[k], none, none);
  } else {
    const side_by_side<cs::decay_t<decltype(sinks)>, values> all{sinks};
    const auto none = all.identity();
    auto states = none;
    ONEPASS_UNROLL
    for (int k = 0; k < Packs; ++k)
      if (at[k].count > 0) run<full_math, true>(parts, raw[k], v[k], at[k], states, list<>{});
    states = Group::template reduce<1>(all, states, none);
    if (place.leads) put_row(sinks, states, place.row, place.size.n);
  }
}

// A row in registers: all loads, then everything else.
template <class Group, int N, access A, int Packs, int Threads, class P>
__device__ __forceinline__ void hold_row(const P &p, const row_place &place, int64_t columns, unsigned thread) {
  const int64_t first_index = place.row * place.size.n;
  using raw_type = decltype(fetch_early<N, false>(p.inner, position<N, A>{}));
  position<N, A> at[Packs];
  raw_type raw[Packs];
  ONEPASS_UNROLL
  for (int k = 0; k < Packs; ++k) {
    at[k] = locate_group<N, A>(place, first_index, columns, thread + static_cast<unsigned>(k * Threads));
    if (at[k].count > 0) raw[k] = fetch_early<N, false>(p.inner, at[k]);
  }
  decltype(p.template first_with<full_math>(raw[0].head, at[0])) v[Packs];
  cs::decay_t<decltype(raw[0].tail)> tails[Packs];
  ONEPASS_UNROLL
  for (int k = 0; k < Packs; ++k) {
    if (at[k].count > 0) v[k] = p.template first_with<full_math>(raw[k].head, at[k]);
    tails[k] = raw[k].tail;
  }
  run_held<Group>(p.inner.tail, tails, v, at, place);
}

// The blocks per SM that bound a kernel's registers, by the values that it holds and what is read with them.
template <class P>
ONEPASS_HD constexpr int row_blocks(int threads, int packs) {
  const int lanes = packs * lanes_v<P>, live = lanes * (widest_value(static_cast<P *>(nullptr)) / 2 + streamed_bytes<P>()) / 4;
  const int registers = live <= 40 ? 64 : live <= 56 ? 80 : live <= 72 ? 96 : 128;
  const int blocks = 65536 / (registers * threads);
  return blocks < 1 ? 1 : blocks > 16 ? 16 : blocks;
}

template <class Tag, int Threads, int Packs, bool Aligned>
__global__ void __launch_bounds__(row_block_threads(Threads),
                                  resident(row_blocks<tagged_t<Tag>>(row_block_threads(Threads), Packs),
                                           row_block_threads(Threads)))
    row_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  constexpr int N = lanes_v<tagged_t<Tag>>;
  wait_for_predecessor();
  constexpr unsigned rows = row_block_threads(Threads) / Threads;
  const unsigned thread = threadIdx.x % Threads;
  row_place place{static_cast<int64_t>(blockIdx.x) * rows + threadIdx.x / Threads, size_of_row(s), false};
  const bool exists = rows == 1 || place.row < s.rows;
  place.leads = exists && thread == 0;
  hold_row<row_threads<Threads>, N, Aligned ? access::whole : access::any, Packs, Threads>(
      p, place, exists ? place.size.n : 0, thread);
}

// f(values, position) for all groups of a thread in a row that is read again; the values are those in front of the first
// row stage without a result.
template <bool Take, int N, access A, class P, class States, class Results, class F>
__device__ __forceinline__ void stream_row(const P &p, const row_place &place, States &states, const Results &results,
                                           const F &f) {
  const int64_t first_index = place.row * place.size.n;
#pragma unroll 2
  for (int64_t own = threadIdx.x; own * N < place.size.n; own += ONEPASS_STREAM_THREADS) {
    const auto at = locate_group<N, A>(place, first_index, place.size.n, own);
    f(p.template run_with<full_math, Take>(p.template fetch<N>(at), at, states, results), at);
  }
}

struct no_use {
  template <class V, class At>
  __device__ void operator()(const V &, const At &) const {}
};
template <class S, class State>
struct fold_into {
  const S &statistic;
  State &state;
  template <class V, class At>
  __device__ __forceinline__ void operator()(const V &v, const At &at) const {
    state = fold(statistic, state, v, at);
  }
};

// A pass for each row stage, and one that writes.
template <int N, access A, class P, class... Done>
__device__ __forceinline__ void stream_passes(const P &p, const row_place &place, const list<Done...> &results) {
  using group = row_threads<ONEPASS_STREAM_THREADS>;
  constexpr int pass = sizeof...(Done);
  if constexpr (pass < row_stages_in<decltype(p.inner)>) {
    const auto &rest = nth_row<pass>(p.inner);
    const auto statistic = rest.head.template statistic_in<typename math_of_row<cs::decay_t<decltype(rest)>>::type>();
    const auto none = statistic.template identity<typename row_value<pass, P>::type>();
    auto state = none;
    list<> nowhere;
    stream_row<false, N, A>(p, place, nowhere, results, fold_into<decltype(statistic), decltype(state)>{statistic, state});
    const auto result = statistic.finish(group::template reduce<pass + 1>(statistic, state, none), place.size);
    if (place.leads) rest.head.keep(result, place.row);
    stream_passes<N, A>(p, place, concatenate(results, make_list(result)));
  } else {
    const auto sinks = reducers_of<true>(p.inner);
    if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) {
      list<> none;
      stream_row<true, N, A>(p, place, none, results, no_use{});
    } else {
      const side_by_side<cs::decay_t<decltype(sinks)>, reduced_values_t<P, true>> all{sinks};
      const auto none = all.identity();
      auto states = none;
      stream_row<true, N, A>(p, place, states, results, no_use{});
      states = group::template reduce<0>(all, states, none);
      if (place.leads) put_row(sinks, states, place.row, place.size.n);
    }
  }
}

template <class Tag, bool Aligned>
__global__ void __launch_bounds__(ONEPASS_STREAM_THREADS)
    row_stream_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  const row_place place{static_cast<int64_t>(blockIdx.x), size_of_row(s), threadIdx.x == 0};
  stream_passes<lanes_v<tagged_t<Tag>>, Aligned ? access::whole : access::any>(p, place, list<>{});
}

}  // namespace detail
}  // namespace onepass

#endif
