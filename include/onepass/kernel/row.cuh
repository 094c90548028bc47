// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the row family: a row in the registers of the threads that share it, read once and reduced as often
// as its row stages ask. Wider rows are in row_cluster.cuh and row_pass.cuh.
#ifndef ONEPASS_KERNEL_ROW_CUH
#define ONEPASS_KERNEL_ROW_CUH

#include "../collective/row.cuh"
#include "../describe.cuh"
#include "../plan.h"
#include "tile.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The threads of a row, and how many bytes of vectors such as gamma each has in flight behind the row's reduction:
// fewer where groups may be missing or lie anywhere, which takes registers. Together: all threads compute, also those
// without a group.
template <class Group, bool Ahead, bool Together>
struct with_late_bytes : Group {
  static constexpr unsigned late_bytes = Ahead ? 64 : 32;
  static constexpr bool full = Ahead || Together;
};

// The threads of a block: those of one row, or of several that a warp or a part of it handles.
ONEPASS_HD constexpr unsigned row_block_threads(unsigned threads_per_row) {
  return threads_per_row > 32 ? threads_per_row : unsigned{ONEPASS_WARP_ROW_THREADS};
}

struct row_shape {
  int64_t rows, columns;
  float inverse;         // 1 / columns
  const int64_t *count;  // null, or where the number of columns lies
  const void *offsets;   // null, or where the beginnings of segments lie
  int32_t offset_bytes;
  uint32_t image_bytes;  // of a row's images in shared memory, 0 for none
  uint32_t part;         // groups that a block of a cluster takes,
  uint32_t resident;     // clusters that take `rounds` rows each; those behind take one,
  unsigned *ticket;      // unless this is not null: where clusters draw rows
  int64_t rounds;

  __device__ __forceinline__ int64_t offset(int64_t i) const {
    return offset_bytes == 8 ? static_cast<const int64_t *>(offsets)[i] : static_cast<const int32_t *>(offsets)[i];
  }
};

// One row: its number, the index of its first element, its size, whether this thread writes its results, and whether
// the array begins or ends within 16 elements of it.
struct row_place {
  int64_t row, first;
  row_size size, part;  // part: of what the threads of a warp have, or those of the row in it
  bool leads, outer;
  unsigned round;  // how many rows this block has taken before
};
// Columns, where the type of a launch says how many there are.
template <class Tag, class = void>
struct fixed_columns : cs::integral_constant<int64_t, -1> {};
template <class Tag>
struct fixed_columns<Tag, cs::void_t<decltype(Tag::columns)>> : cs::integral_constant<int64_t, Tag::columns> {};

// (Aligned rows are dense.)
template <class Tag, bool Aligned>
__device__ __forceinline__ row_place place_of_row(const row_shape &s, int64_t row, bool leads) {
  constexpr int64_t fixed = fixed_columns<Tag>::value;
  if constexpr (fixed >= 0)
    return {row, row * fixed, size_of_row(fixed), {}, leads, row == 0 || row + 1 == s.rows, 0};
  if (!Aligned && s.offsets != nullptr) {
    if (row >= s.rows) return {row, 0, {0, 0}, {}, false, true, 0};
    const int64_t first = s.offset(row), end = s.offset(row + 1), last = s.offset(s.rows),
                  length = end > first ? end - first : 0, n = length < s.columns ? length : s.columns;
    return {row, first, size_of_row(n), {}, leads, first < 16 || last - end < 16, 0};
  }
  const bool outer = row == 0 || row + 1 == s.rows;
  if (Aligned || s.count == nullptr) return {row, row * s.columns, {s.columns, s.inverse}, {}, leads, outer, 0};
  const int64_t n = *s.count, columns = n < 0 ? 0 : n < s.columns ? n : s.columns;
  return {row, 0, size_of_row(columns), {}, leads, outer, 0};
}

// Group `own` of a row, in [0, 2^31 / N); Exists where all its lanes are known to.
template <int N, access A, bool Exists>
__device__ __forceinline__ position<N, A> locate_group(const row_place &place, int64_t columns, int64_t own) {
  const int64_t column = own * N, left = columns - column;
  const int32_t some =
      A == access::entire ? (left > 0 ? N : 0) : static_cast<int32_t>(left < N ? (left > 0 ? left : 0) : N);
  const bool edge = is_row<A> && is_edge<N, 16>(column, left);
  return {place.row, column, place.first + column, Exists ? N : some, edge, edge && place.outer};
}

// Whether a group is computed. One of which no lane exists is zeros, and it costs less to compute with them than to
// hold values across branches.
template <class Group, int N, access A>
__device__ __forceinline__ bool computes(const position<N, A> &at) {
  return Group::full || at.count > 0;
}

// A statistic over the values of a thread that are held.
template <class Group, int N, access A, unsigned Packs, class V, class S, class State>
__device__ __forceinline__ State fold_held(const S &statistic, State state, const pack<V, N> (&v)[Packs],
                                           const position<N, A> (&at)[Packs]) {
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k)
    if (computes<Group>(at[k])) state = fold(statistic, state, v[k], at[k]);
  return state;
}

// The first phase of a row stage's statistic, and the state of it that the second makes.
template <class Value, class S>
__device__ __forceinline__ auto first_phase(const S &statistic, const row_size &size) {
  if constexpr (has_phases<S>::value) return statistic.template first<Value>(size);
  else return statistic;
}
template <class Group, int N, access A, unsigned Packs, class V, class S>
__device__ __forceinline__ auto second_phase(const S &statistic, const row_place &place, const pack<V, N> (&v)[Packs],
                                             const position<N, A> (&at)[Packs]) {
  const auto none = statistic.template identity<V>();
  return statistic.whole(Group::reduce_part(statistic, fold_held<Group>(statistic, none, v, at)), place.part);
}

// What reaches the parts of a segment, pack by pack: fetch(k) reads what has not been read yet and gives the raw words,
// those of the parts behind the first; value(raw, k) is the value; done() comes behind all of them. The first segment
// begins with the source.
template <int N, access A, unsigned Packs, class P, class Raw, class Next>
struct loaded_row {
  static constexpr unsigned late_bytes = 0;
  const P &p;
  const Raw (&raw)[Packs];
  const position<N, A> (&at)[Packs];
  const Next &next;  // what may begin when the raw words have been used

  __device__ __forceinline__ void done() const { next(); }
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
  __device__ __forceinline__ auto fetch(unsigned k) const { return fetch_late<N, true>(rest, early[k], at[k]); }
  template <class Raw>
  __device__ __forceinline__ auto value(const Raw &r, unsigned k) const {
    return rest.head.template finish<typename math_of_row<Rest>::type, Mapped>(v[k], r.head, at[k], result);
  }
};

// use(raw, value, k) for every pack; what is fetched late is so some packs ahead, as many as registers allow.
template <class Group, int N, access A, unsigned Packs, class Before, class Use>
__device__ __forceinline__ void each_pack(const Before &before, const position<N, A> (&at)[Packs], const Use &use) {
  constexpr unsigned most = Before::late_bytes == 0 ? Packs : Group::late_bytes / Before::late_bytes;
  constexpr unsigned ahead = most < 1 ? 1 : most < Packs ? most : Packs;
  cs::decay_t<decltype(before.fetch(0))> raw[Packs];
  ONEPASS_UNROLL
  for (unsigned k = 0; k < ahead; ++k)
    if (computes<Group>(at[k])) raw[k] = before.fetch(k);
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) {
    if (k + ahead < Packs && computes<Group>(at[k + ahead])) raw[k + ahead] = before.fetch(k + ahead);
    if (computes<Group>(at[k])) use(raw[k].tail, before.value(raw[k], k), k);
  }
}

// The values in front of a row stage, held, and the raw words from it on; the reductions on the way.
template <int N, access A, unsigned Packs, class Parts, class V, class Early, class First, class States>
struct hold_values {
  const Parts &parts;
  const position<N, A> (&at)[Packs];
  pack<V, N> (&held)[Packs];
  Early (&early)[Packs];
  const First &first;
  States &states;
  template <class Raw, class In>
  __device__ __forceinline__ void operator()(const Raw &raw, const In &in, unsigned k) const {
    held[k] = run<full_math, true>(parts, raw, in, at[k], states, list<>{});
    early[k] = raw_from_row(parts, raw);
    last_state(states) = fold(first, last_state(states), held[k], at[k]);
  }
};
template <int N, access A, unsigned Packs, class Parts, class States>
struct finish_values {
  const Parts &parts;
  const position<N, A> (&at)[Packs];
  States &states;
  template <class Raw, class In>
  __device__ __forceinline__ void operator()(const Raw &raw, const In &in, unsigned k) const {
    run<full_math, true>(parts, raw, in, at[k], states, list<>{});
  }
};

template <class Group, class V, int N, access A, unsigned Packs, class Before, class Parts>
__device__ __forceinline__ void run_held(const Before &before, const Parts &parts, const position<N, A> (&at)[Packs],
                                         const row_place &place);

// What follows a row stage, the head of `rest`, from its result on, and from what that is for the values that are held.
// Value is the type of the values in front of it.
template <class Group, bool Mapped, class Value, class Result, class Rest, class Early, class V, int N, access A,
          unsigned Packs>
__device__ __forceinline__ void run_behind(const Result &result, const Result &of_values, const Rest &rest, const Early (&early)[Packs],
                                           const pack<V, N> (&v)[Packs], const position<N, A> (&at)[Packs],
                                           const row_place &place) {
  if (place.leads) rest.head.keep(result, place.row);
  run_held<Group, typename stage_value<Value, cs::decay_t<decltype(rest.head)>>::type>(
      reduced_row<Mapped, N, A, Packs, Rest, Early, V, Result>{rest, early, v, at, of_values}, rest.tail, at, place);
}
// The results of the reductions of a segment: those of sinks are written, and that of the row stage is returned.
template <class Reductions, class States>
__device__ __forceinline__ auto put_reductions(const Reductions &reductions, const States &row,
                                               const row_place &place) {
  if (place.leads) put_row(reductions, row, place.row, place.size.n);
  return last_reduction(reductions).statistic.finish(last_state(row), place.size);
}

// A segment: the parts up to the next row stage over the held row, the reductions among them together with that of the
// row stage, and what follows it. The phases of a statistic are those of a part of the row; all states of the parts are
// combined at once, behind the second.
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
    const auto first = first_phase<next>(statistic, place.part);
    const auto with_first = concatenate(sinks, make_list(inner_reduction<cs::decay_t<decltype(first)>>{first}));
    const side_by_side<cs::decay_t<decltype(with_first)>, next_values> in_part{with_first};
    const auto none = in_part.identity();
    auto states = none;
    pack<next, N> held[Packs];
    using early_type = cs::decay_t<decltype(raw_from_row(parts, before.fetch(0).tail))>;
    early_type early[Packs];
    each_pack<Group>(
        before, at,
        hold_values<N, A, Packs, Parts, next, early_type, cs::decay_t<decltype(first)>, cs::decay_t<decltype(states)>>{
            parts, at, held, early, first, states});
    before.done();
    states = Group::reduce_part(in_part, states);
    if constexpr (has_phases<cs::decay_t<decltype(statistic)>>::value) {
      const auto second = statistic.second(last_state(states), place.part);
      if constexpr (has_map<cs::decay_t<decltype(second)>, next>::value) {
        decltype(each_lane(map_of<cs::decay_t<decltype(second)>>{second}, held[0])) mapped[Packs];
        ONEPASS_UNROLL
        for (unsigned k = 0; k < Packs; ++k)
          if (computes<Group>(at[k])) mapped[k] = each_lane(map_of<cs::decay_t<decltype(second)>>{second}, held[k]);
        const auto part = with_last(states, second_phase<Group>(second, place, mapped, at));
        const auto row = Group::template combine<id>(all, part, all.identity(), place.round);
        const auto result = put_reductions(together, row, place);
        run_behind<Group, true, next>(result, second.of_part(result), rest, early, mapped, at, place);
      } else {
        const auto part = with_last(states, second_phase<Group>(second, place, held, at));
        const auto row = Group::template combine<id>(all, part, all.identity(), place.round);
        const auto result = put_reductions(together, row, place);
        run_behind<Group, false, next>(result, result, rest, early, held, at, place);
      }
    } else {
      const auto row = Group::template combine<id>(all, states, none, place.round);
      const auto result = put_reductions(together, row, place);
      run_behind<Group, false, next>(result, result, rest, early, held, at, place);
    }
  } else if constexpr (cs::is_same_v<cs::decay_t<decltype(sinks)>, list<>>) {
    list<> none;
    each_pack<Group>(before, at, finish_values<N, A, Packs, Parts, list<>>{parts, at, none});
    before.done();
  } else {
    const side_by_side<cs::decay_t<decltype(sinks)>, values> all{sinks};
    const auto none = all.identity();
    auto states = none;
    each_pack<Group>(before, at, finish_values<N, A, Packs, Parts, cs::decay_t<decltype(states)>>{parts, at, states});
    before.done();
    const auto row = Group::template reduce<0>(all, states, none, place.round);
    if (place.leads) put_row(sinks, row, place.row, place.size.n);
  }
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

struct nothing_next {
  __device__ __forceinline__ void operator()() const {}
};

// The group of a thread in pack k, where the packs are `stride` columns apart, the first is at `column`, and `own`
// columns remain of the row from the first thread's on. Of misaligned rows the last pack is the one that the row's end
// cuts, whichever that is, and those in front of it are whole or not there: conditions of lanes are in the last alone.
template <int N, access A, unsigned Packs, bool Full>
__device__ __forceinline__ position<N, A> locate_pack(const row_place &place, int64_t columns, int64_t column,
                                                      unsigned own, unsigned k, unsigned stride) {
  const int64_t index = place.first + column;
  if constexpr (A != access::image) {
    const int64_t at = column + k * int64_t{stride}, left = columns - at;
    const bool exists = Full && k + 1 < Packs;
    return {place.row, at, index + k * int64_t{stride}, exists || left > 0 ? N : 0, false, false};
  } else {
    const unsigned fit = own / stride, whole = fit >= Packs ? Packs - 1 : fit, from = k + 1 < Packs ? k : whole;
    const int64_t beside = from * int64_t{stride}, at = column + beside;
    const int32_t left = static_cast<int32_t>(columns - at), some = left < N ? (left > 0 ? left : 0) : N;
    position<N, A> where{};
    where.row = place.row;
    where.column = at;
    where.index = index + beside;
    where.count = k + 1 == Packs ? some : k < whole ? N : 0;
    where.border = place.outer && (at < 16 || left < N + 16);
    return where;
  }
}

// A row in registers: all loads, then everything else. The packs of a thread are `stride` groups apart; all but the
// last are Full if that is known. `columns` is where the row ends for these threads, which begin at group `first`.
// `next` may begin when all has been read.
template <class Group, int N, access A, unsigned Packs, bool Full, class P, class Next>
__device__ __forceinline__ void hold_row(const P &p, row_place place, int64_t columns, unsigned first, unsigned thread,
                                         unsigned stride, unsigned char *images, const Next &next) {
  using raw_type = decltype(fetch_early<N, false>(p.inner, position<N, A>{}));
  const int64_t origin = static_cast<int64_t>(first) * N, column = origin + thread * int64_t{N};
  const auto own = static_cast<unsigned>(columns > origin ? columns - origin : 0);
  place.part = size_of_row(Group::template columns_of_part<N>(own));
  position<N, A> at[Packs];
  raw_type raw[Packs];
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) {
    at[k] = locate_pack<N, A, Packs, Full>(place, columns, column, own, k, stride * N);
    if constexpr (A == access::image) {
      at[k].memory = images;
      at[k].groups = Packs * stride;
      at[k].origin = origin;
    }
    if (A == access::image || computes<Group>(at[k])) raw[k] = fetch_early<N, false>(p.inner, at[k]);
  }
  run_held<Group, source_value_t<P>>(loaded_row<N, A, Packs, P, raw_type, Next>{p, raw, at, next}, p.inner.tail, at,
                                     place);
  if constexpr (A == access::image && staged_in_pipeline<P>().stores > 0) {
    Group::barrier();
    write_images<N>(p.inner, place, origin, own, images, Packs * stride, thread, stride);
  }
}

// The blocks per SM that bound a kernel's registers, by the values that it holds and what is read with them.
template <class P>
ONEPASS_HD constexpr int row_blocks(int threads, unsigned packs, bool aligned) {
  const int lanes = static_cast<int>(packs) * lanes_v<P>,
            live = lanes * (widest_value(static_cast<P *>(nullptr)) / 2 + streamed_bytes<P>()) / 4;
  const bool loose = aligned || lanes_v<P> <= 4 || kept_bytes<P>() == 0;  // else words of rows and vectors are shifted
  const bool two = threads == 512 && live <= 48 && loose;                 // there is room for two such blocks or one
  const int held = live <= 20 ? 48 : live <= 40 || two ? 64 : live <= 56 ? 80 : 128;
  const int registers = aligned || held == 128 || two ? held : held + 16;  // words in front of and behind a group
  int blocks = 16;  // a quarter of a multiprocessor has 512 registers for a thread of each of its warps
  while (blocks > 1 && 512 / ((blocks * threads / 32 + 3) / 4) / 8 * 8 < registers) --blocks;
  return blocks;
}

// Aligned rows have a second body without conditions, for as many packs as all threads have; which one is chosen by the
// block, never by the lane.
template <class Group, access A, unsigned Packs, class P>
__device__ __forceinline__ void hold_rows(const P &p, const row_place &place, bool exists, unsigned thread,
                                          unsigned stride, bool all_exist, unsigned char *images) {
  constexpr int N = lanes_v<P>;
  constexpr bool together = any_shares_group<P>::value;
  const int64_t columns = exists ? place.size.n : 0;
  if constexpr (A == access::entire) {
    if (all_exist && place.size.n >= static_cast<int64_t>(Packs - 1) * stride * N) {
      hold_row<with_late_bytes<Group, true, together>, N, A, Packs, true>(p, place, columns, 0, thread, stride, images,
                                                                            nothing_next{});
      return;
    }
  }
  hold_row<with_late_bytes<Group, false, together>, N, A, Packs, false>(p, place, columns, 0, thread, stride, images,
                                                                       nothing_next{});
}

template <class Tag, unsigned Threads, unsigned Packs, bool Aligned>
__global__ void __launch_bounds__(row_block_threads(Threads),
                                  resident(row_blocks<tagged_t<Tag>>(static_cast<int>(row_block_threads(Threads)),
                                                                     Packs, Aligned),
                                           static_cast<int>(row_block_threads(Threads))))
    row_kernel(const __grid_constant__ tagged_t<Tag> p, const __grid_constant__ row_shape s) {
  wait_for_predecessor();
  constexpr unsigned rows = row_block_threads(Threads) / Threads;
  const unsigned thread = threadIdx.x % Threads;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * rows, row = first + threadIdx.x / Threads;
  const bool exists = rows == 1 || row < s.rows;
  const row_place place = place_of_row<Tag, Aligned>(s, row, exists && thread == 0);
  unsigned char *images = nullptr;
  if constexpr (!Aligned) {
    extern __shared__ uint4 row_memory[];
    images = reinterpret_cast<unsigned char *>(row_memory) + (rows == 1 ? 0 : threadIdx.x / Threads) * s.image_bytes;
  }
  hold_rows<row_threads<Threads>, Aligned ? access::entire : access::image, Packs>(
      p, place, exists, thread, Threads, rows == 1 || first + rows <= s.rows, images);
}

}  // namespace detail
}  // namespace onepass

#endif
