// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a row whose values its threads hold, from what they have read of it to its stores: segment by
// segment, as its row stages cut it.
#ifndef ONEPASS_KERNEL_ROW_HELD_CUH
#define ONEPASS_KERNEL_ROW_HELD_CUH

#include "row_place.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The threads of a row, and how many bytes of vectors such as gamma each has in flight behind the row's reduction:
// fewer where groups may be missing or lie anywhere, which takes registers. Together: all threads compute, also those
// without a group. Chunk: that many single elements of a thread are all there, or none; those that the row's end cuts
// apart stand last.
template <class Group, bool Ahead, bool Together, unsigned Chunk = 1>
struct with_late_bytes : Group {
  static constexpr bool zeroes = Chunk > 1 && Group::again;
  static constexpr unsigned chunk = Chunk, late_bytes = Ahead ? 64 : 32;
  static constexpr bool full = Ahead || Together;
};

// Whether a group is computed. One of which no lane exists is zeros, and it costs less to compute with them than to
// hold values across branches.
template <class Group, int N, access A>
__device__ __forceinline__ bool computes(const position<N, A> &at) {
  return Group::full || at.count > 0;
}

// Values that may not be there, in a block that takes row after row: without zeros those of the row before would be
// live.
template <class Group, class T, unsigned Packs>
__device__ __forceinline__ void zero_first(T (&values)[Packs]) {
  if constexpr (Group::zeroes) {
    ONEPASS_UNROLL
    for (unsigned k = 0; k < Packs; ++k) values[k] = T{};
  }
}
// f(k, position) for those of chunk c that are there.
template <class Group, int N, access A, unsigned Packs, class F>
__device__ __forceinline__ void each_of_chunk(const position<N, A> (&at)[Packs], unsigned c, const row_place &place,
                                              const F &f) {
  constexpr unsigned chunk = Group::chunk;
  if constexpr (chunk == 1) {
    if (computes<Group>(at[c])) f(c, at[c]);
  } else if (c < place.whole_chunks) {
    ONEPASS_UNROLL
    for (unsigned k = c * chunk; k < (c + 1) * chunk; ++k) {
      position<N, A> where = at[k];
      where.count = N;
      f(k, where);
    }
  } else if ((c + 1) * chunk == Packs && at[c * chunk].count > 0) {
    ONEPASS_UNROLL
    for (unsigned k = c * chunk; k < Packs; ++k)
      if (at[k].count > 0) f(k, at[k]);
  }
}

// The first phase of a row stage's statistic, and the state of it that the second makes.
template <class Value, class S>
__device__ __forceinline__ auto first_phase(const S &statistic, const row_size &size) {
  if constexpr (has_phases<S>::value) return statistic.template first<Value>(size);
  else return statistic;
}
// A phase, over a part of the row or over the row.
template <class Group, bool ByParts, int Id, class S, class State>
__device__ __forceinline__ State reduce_phase(const S &statistic, const State &own, const State &none,
                                              const row_place &place) {
  if constexpr (ByParts) return Group::reduce_part(statistic, own);
  else return Group::template reduce<Id>(statistic, own, none, place.round);
}
// The second over the values that are held, or over what it maps them to.
template <class S, class State, class V, class M, int N, unsigned Packs>
struct fold_held {
  const S &statistic;
  State &state;
  const pack<V, N> (&held)[Packs];
  pack<M, N> (&mapped)[Packs];
  template <access A>
  __device__ __forceinline__ void operator()(unsigned k, const position<N, A> &at) const {
    if constexpr (has_map<S, V>::value) mapped[k] = each_lane(map_of<S>{statistic}, held[k]);
    state = fold(statistic, state, mapped[k], at);
  }
};
template <class Group, bool ByParts, int Id, int N, access A, unsigned Packs, class V, class M, class S>
__device__ __forceinline__ auto second_phase(const S &statistic, const row_place &place, const row_size &part,
                                             const pack<V, N> (&held)[Packs], pack<M, N> (&mapped)[Packs],
                                             const position<N, A> (&at)[Packs]) {
  const auto none = statistic.template identity<M>();
  auto own = none;
  const fold_held<S, decltype(own), V, M, N, Packs> folds{statistic, own, held, mapped};
  ONEPASS_UNROLL
  for (unsigned c = 0; c < Packs / Group::chunk; ++c) each_of_chunk<Group>(at, c, place, folds);
  return statistic.whole(reduce_phase<Group, ByParts, Id>(statistic, own, none, place), part);
}
template <class Group, bool ByParts, int Id, class S, class State, class Before>
__device__ __forceinline__ State row_of_part(const S &all, const State &part, const row_place &place,
                                             const Before &before) {
  if constexpr (ByParts) return Group::template combine<Id>(all, part, all.identity(), place.round, before);
  else return part;
}

// What reaches the parts of a segment, pack by pack: fetch(k) reads what has not been read yet and gives the raw words,
// those of the parts behind the first; value(raw, k) is the value; done() comes behind all of them, and met() where all
// threads of a block that stays have met behind that. The first segment begins with the source.
template <int N, access A, unsigned Packs, class P, class Raw, class Next>
struct loaded_row {
  static constexpr unsigned late_bytes = 0;
  const P &p;
  const Raw (&raw)[Packs];
  const position<N, A> (&at)[Packs];
  const Next &next;  // what may begin when the raw words have been used

  __device__ __forceinline__ void done() const { next.done(); }
  __device__ __forceinline__ void met() const { next.met(); }
  __device__ __forceinline__ const Raw &fetch(unsigned k) const { return raw[k]; }
  __device__ __forceinline__ auto value(const Raw &r, unsigned k) const {
    return p.template first_with<full_math>(r.head, at[k]);
  }
};
// The others with a row stage, at the head of `rest`, whose result is known.
template <bool Mapped, int N, access A, unsigned Packs, class Rest, class Early, class V, class Result>
struct reduced_row {
  static constexpr unsigned late_bytes = static_cast<unsigned>(N * late_bytes_of<Rest>);
  const Rest &rest;
  const Early (&early)[Packs];
  const pack<V, N> (&v)[Packs];
  const position<N, A> (&at)[Packs];
  const Result &result;

  __device__ __forceinline__ void done() const {}
  __device__ __forceinline__ void met() const {}
  __device__ __forceinline__ auto fetch(unsigned k) const { return fetch_late<N, true>(rest, early[k], at[k]); }
  template <class Raw>
  __device__ __forceinline__ auto value(const Raw &r, unsigned k) const {
    return rest.head.template finish<typename math_of_row<Rest>::type, Mapped>(v[k], r.head, at[k], result);
  }
};

// What to use of the packs of a chunk that are there.
template <class Before, class Raw, class Use, unsigned Chunk>
struct use_of_chunk {
  const Before &before;
  const Raw (&raw)[Chunk];
  const Use &use;
  template <class At>
  __device__ __forceinline__ void operator()(unsigned k, const At &at) const {
    use(raw[k % Chunk].tail, before.value(raw[k % Chunk], k), k, at);
  }
};
// use(raw, value, k, position) for every pack; what is fetched late is so some packs ahead, as many as registers allow,
// or a chunk at a time.
template <class Group, int N, access A, unsigned Packs, class Before, class Use>
__device__ __forceinline__ void each_pack(const Before &before, const position<N, A> (&at)[Packs],
                                          const row_place &place, const Use &use) {
  using raw_type = cs::decay_t<decltype(before.fetch(0))>;
  if constexpr (Group::chunk > 1) {
    constexpr unsigned chunk = Group::chunk, chunks = Packs / chunk;
    ONEPASS_UNROLL
    for (unsigned c = 0; c < chunks; ++c) {
      if (c >= place.whole_chunks && c + 1 < chunks) continue;
      raw_type raw[chunk];
      zero_first<Group>(raw);
      ONEPASS_UNROLL
      for (unsigned i = 0; i < chunk; ++i) raw[i] = before.fetch(c * chunk + i);
      each_of_chunk<Group>(at, c, place, use_of_chunk<Before, raw_type, Use, chunk>{before, raw, use});
    }
    return;
  }
  constexpr unsigned most = Before::late_bytes == 0 ? Packs : Group::late_bytes / Before::late_bytes;
  constexpr unsigned ahead = most < 1 ? 1 : most < Packs ? most : Packs;
  raw_type raw[Packs];
  ONEPASS_UNROLL
  for (unsigned k = 0; k < ahead; ++k)
    if (computes<Group>(at[k])) raw[k] = before.fetch(k);
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) {
    if (k + ahead < Packs && computes<Group>(at[k + ahead])) raw[k + ahead] = before.fetch(k + ahead);
    if (computes<Group>(at[k])) use(raw[k].tail, before.value(raw[k], k), k, at[k]);
  }
}

// The values in front of a row stage, held, and the raw words from it on; the reductions on the way.
template <int N, access A, unsigned Packs, class Parts, class V, class Early, class First, class States>
struct hold_values {
  const Parts &parts;
  pack<V, N> (&held)[Packs];
  Early (&early)[Packs];
  const First &first;
  States &states;
  template <class Raw, class In>
  __device__ __forceinline__ void operator()(const Raw &raw, const In &in, unsigned k, const position<N, A> &at) const {
    held[k] = run<full_math, true>(parts, raw, in, at, states, list<>{});
    early[k] = raw_from_row(parts, raw);
    last_state(states) = fold(first, last_state(states), held[k], at);
  }
};
template <int N, access A, class Parts, class States>
struct finish_values {
  const Parts &parts;
  States &states;
  template <class Raw, class In>
  __device__ __forceinline__ void operator()(const Raw &raw, const In &in, unsigned, const position<N, A> &at) const {
    run<full_math, true>(parts, raw, in, at, states, list<>{});
  }
};

template <class Group, class V, int N, access A, unsigned Packs, class Before, class Parts>
__device__ __forceinline__ void run_held(const Before &before, const Parts &parts, const position<N, A> (&at)[Packs],
                                         const row_place &place);

// What follows a row stage, the head of `rest`, from its result on, and from what that is for the values that are held.
// Value is the type of the values in front of it.
template <class Group, bool Mapped, class Value, class Result, class Rest, class Early, class V, int N, access A,
          unsigned Packs>
__device__ __forceinline__ void run_behind(const Result &result, const Result &of_values, const Rest &rest,
                                           const Early (&early)[Packs], const pack<V, N> (&v)[Packs],
                                           const position<N, A> (&at)[Packs], const row_place &place) {
  if (place.leads) rest.head.keep(result, place.row);
  run_held<Group, typename stage_value<Value, cs::decay_t<decltype(rest.head)>>::type>(
      reduced_row<Mapped, N, A, Packs, Rest, Early, V, Result>{rest, early, v, at, of_values}, rest.tail, at, place);
}
// The results of the reductions of a segment: those of sinks are written, and that of the row stage is returned.
template <class Reductions, class States>
__device__ __forceinline__ auto put_reductions(const Reductions &reductions, const States &row,
                                               const row_place &place) {
  if (place.leads) put_row(reductions, row, place.row, place.size.n);
  return last(reductions).statistic.finish(last_state(row), place.size);
}

// A segment: the parts up to the next row stage over the held row, the reductions among them together with that of the
// row stage, and what follows it. As a rule the phases of a statistic are those of a part of the row; all states of the
// parts are combined at once, behind the second.
template <class Group, class V, int N, access A, unsigned Packs, class Before, class Parts>
__device__ __forceinline__ void run_held(const Before &before, const Parts &parts, const position<N, A> (&at)[Packs],
                                         const row_place &place) {
  constexpr int id = row_stages_in<Parts>;
  const auto sinks = reducers_of(parts);
  using values = decltype(reduced_values<V>(static_cast<Parts *>(nullptr)));
  if constexpr (id > 0) {
    using next = typename value_before_row<0, V, Parts>::type;
    const auto &rest = from_row(parts);
    using rest_type = cs::decay_t<decltype(rest)>;
    const auto statistic = rest.head.template statistic_in<typename math_of_row<rest_type>::type>();
    const auto together = concatenate(sinks, make_list(inner_reduction<cs::decay_t<decltype(statistic)>>{statistic}));
    using next_values = decltype(concatenate(values{}, list<next>{}));
    const side_by_side<cs::decay_t<decltype(together)>, next_values> all{together};
    constexpr bool by_parts = Group::template by_parts<cs::decay_t<decltype(statistic)>>;
    const row_size &part = by_parts ? place.part : place.size;
    const auto first = first_phase<next>(statistic, part);
    const auto with_first = concatenate(sinks, make_list(inner_reduction<cs::decay_t<decltype(first)>>{first}));
    const side_by_side<cs::decay_t<decltype(with_first)>, next_values> in_part{with_first};
    const auto none = in_part.identity();
    auto states = none;
    pack<next, N> held[Packs];
    zero_first<Group>(held);
    using early_type = cs::decay_t<decltype(raw_from_row(parts, before.fetch(0).tail))>;
    early_type early[Packs];
    zero_first<Group>(early);
    each_pack<Group>(
        before, at, place,
        hold_values<N, A, Packs, Parts, next, early_type, cs::decay_t<decltype(first)>, cs::decay_t<decltype(states)>>{
            parts, held, early, first, states});
    before.done();
    states = reduce_phase<Group, by_parts, id>(in_part, states, none, place);
    if constexpr (has_phases<cs::decay_t<decltype(statistic)>>::value) {
      const auto second = statistic.second(last_state(states), part);
      if constexpr (has_map<cs::decay_t<decltype(second)>, next>::value) {
        decltype(each_lane(map_of<cs::decay_t<decltype(second)>>{second}, held[0])) mapped[Packs];
        zero_first<Group>(mapped);
        const auto own = second_phase<Group, by_parts, -id>(second, place, part, held, mapped, at);
        const auto row = row_of_part<Group, by_parts, id>(all, with_last(states, own), place, before);
        const auto result = put_reductions(together, row, place);
        run_behind<Group, true, next>(result, second.of_part(result), rest, early, mapped, at, place);
      } else {
        const auto own = second_phase<Group, by_parts, -id>(second, place, part, held, held, at);
        const auto row = row_of_part<Group, by_parts, id>(all, with_last(states, own), place, before);
        const auto result = put_reductions(together, row, place);
        run_behind<Group, false, next>(result, result, rest, early, held, at, place);
      }
    } else {
      const auto row = row_of_part<Group, by_parts, id>(all, states, place, before);
      const auto result = put_reductions(together, row, place);
      run_behind<Group, false, next>(result, result, rest, early, held, at, place);
    }
  } else if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) {
    list<> none;
    each_pack<Group>(before, at, place, finish_values<N, A, Parts, list<>>{parts, none});
    before.done();
  } else {
    const side_by_side<cs::decay_t<decltype(sinks)>, values> all{sinks};
    const auto none = all.identity();
    auto states = none;
    each_pack<Group>(before, at, place, finish_values<N, A, Parts, cs::decay_t<decltype(states)>>{parts, states});
    before.done();
    const auto row = Group::template reduce<0>(all, states, none, place.round, before);
    if (place.leads) put_row(sinks, row, place.row, place.size.n);
  }
}

}  // namespace detail
}  // namespace onepass

#endif
