// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the only functions that touch memory: a group is read or written by words, at any address.
#ifndef ONEPASS_MEMORY_CUH
#define ONEPASS_MEMORY_CUH

#include "image.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A group as 16-byte words (or one smaller word); zeros where it does not exist.
template <int N, class T>
ONEPASS_HD pack<T, N> read_words(const T *p, bool exists = true) {
  constexpr unsigned bytes = N * sizeof(T), step = word_bytes(bytes), count = bytes / step;
  using word_type = typename word<step>::type;
  struct alignas(step) words {
    word_type w[count];
  } all;
  ONEPASS_UNROLL
  for (unsigned i = 0; i < count; ++i) all.w[i] = exists ? reinterpret_cast<const word_type *>(p)[i] : word_type{};
  return bit_copy<pack<T, N>>(all);
}

// Through the store intrinsics: assignments of a group that was put together from parts are split into parts again.
template <class Word>
ONEPASS_HD void write_word(Word *p, const Word &w) {
#ifdef __CUDA_ARCH__
  __stwb(p, w);
#else
  *p = w;
#endif
}

template <int N, class T>
ONEPASS_HD void write_words(T *p, const pack<T, N> &v) {
  constexpr unsigned bytes = N * sizeof(T), step = word_bytes(bytes), count = bytes / step;
  using word_type = typename word<step>::type;
  struct alignas(step) words {
    word_type w[count];
  };
  const words all = bit_copy<words>(v);
  ONEPASS_UNROLL
  for (unsigned i = 0; i < count; ++i) write_word(reinterpret_cast<word_type *>(p) + i, all.w[i]);
}

template <int N, access A, class T>
ONEPASS_HD pack<T, N> read_elements(const T *p, const position<N, A> &at) {
  pack<T, N> v;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) v[i] = at.has(i) ? p[i] : T{};
  return v;
}

// A word that is read holds at least a byte of the group and none from beyond the row: at its ends elements are read.
template <int N, class T>
ONEPASS_HD skewed<T, N> read_skewed(const T *p, const position<N, access::any> &at) {
  using group = skewed<T, N>;
  group raw;
#ifdef __CUDA_ARCH__
  if (at.full() && !at.edge) {
    const unsigned skew = static_cast<unsigned>(reinterpret_cast<cs::uintptr_t>(p)) % 4;
    const auto *from = reinterpret_cast<const uint32_t *>(reinterpret_cast<const char *>(p) - skew);
    ONEPASS_UNROLL
    for (unsigned i = 0; i < group::words; ++i) raw.w[i] = from[i];
    raw.w[group::words] = skew != 0 ? from[group::words] : 0;
    raw.shift = skew * 8;
    return raw;
  }
#endif
  const pack<T, N> v = read_elements(p, at);
  memcpy(static_cast<void *>(raw.w), &v, sizeof v);
  raw.w[group::words] = raw.shift = 0;
  return raw;
}

// Words that hold at least a byte of the group. At the array's ends, where they may hold others from beyond them,
// elements are read.
template <int N, class T, access A>
ONEPASS_HD wide_skewed<T, N> read_wide(const T *p, const position<N, A> &at) {
  using group = wide_skewed<T, N>;
  group raw;
  bool by_elements = true;
#ifdef __CUDA_ARCH__
  by_elements = at.border;
  const unsigned skew = skew_of(p);
  const auto *from = reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(p) - skew);
  const unsigned end = skew + static_cast<unsigned>(at.count) * unsigned{sizeof(T)};
  raw.skew = skew;
  ONEPASS_UNROLL
  for (unsigned i = 0; i < group::loads; ++i) {
    const uint4 word = at.count > 0 && !by_elements && (i == 0 || 16 * i < end) ? from[i] : uint4{};
    raw.w[4 * i] = word.x;
    raw.w[4 * i + 1] = word.y;
    raw.w[4 * i + 2] = word.z;
    raw.w[4 * i + 3] = word.w;
  }
#endif
  if (by_elements) {
    const pack<T, N> v = read_elements(p, at);
    memcpy(static_cast<void *>(raw.w), &v, sizeof v);
    ONEPASS_UNROLL
    for (unsigned i = group::words; i < 4 * group::loads; ++i) raw.w[i] = 0;
    raw.skew = 0;
  }
  return raw;
}

__device__ __forceinline__ void copies_have_landed() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#ifdef __CUDA_ARCH__
// Bytes, 4, 8 or 16 of them, from global to shared memory; they are there behind copies_have_landed.
template <unsigned Bytes>
__device__ __forceinline__ void copy_to_shared(unsigned char *to, const void *from) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(address), "l"(__cvta_generic_to_global(from))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(address), "l"(__cvta_generic_to_global(from)), "n"(Bytes)
                 : "memory");
#else
  using word_type = typename word<Bytes>::type;
  *reinterpret_cast<word_type *>(to) = *static_cast<const word_type *>(from);
#endif
}

template <int N, bool Vector, access A, class T>
ONEPASS_HD auto read(const T *p, const position<N, A> &at);

// A group to shared memory, without waiting for it where its words have 4 bytes or more.
template <int N, access A, class T>
__device__ __forceinline__ void land(T *own, const T *p, const position<N, A> &at) {
  constexpr unsigned bytes = N * sizeof(T), step = word_bytes(bytes);
  if constexpr (A == access::held && step >= 4) {
    ONEPASS_UNROLL
    for (unsigned i = 0; i < bytes; i += step)
      copy_to_shared<step>(reinterpret_cast<unsigned char *>(own) + i, reinterpret_cast<const char *>(p) + i);
  } else {
    const pack<T, N> v = settle(read<N, false>(p, at.uncopied()));
    memcpy(static_cast<void *>(own), &v, sizeof v);
  }
}

template <int N, access A, class T>
__device__ __forceinline__ pack<T, N> read_held(const T *p, const position<N, A> &at) {
  held_copy &copy = *at.copy;
  if (copy.filling == landing::vectors) return {};
  T *own = reinterpret_cast<T *>(copy.next + copy.thread * unsigned(N * sizeof(T)));
  copy.next += copy.threads * unsigned(N * sizeof(T));
  if (copy.filling == landing::nothing) return read_words<N>(own);
  land(own, p, at);
  return {};
}
template <int N, class T>
__device__ __forceinline__ pack<T, N> read_kept(const T *p, const position<N, access::held> &at) {
  held_copy &copy = *at.copy;
  if (copy.filling == landing::arrays) return {};
  T *own = reinterpret_cast<T *>(copy.vector + copy.thread * unsigned(N * sizeof(T)));
  copy.vector += copy.threads * unsigned(N * sizeof(T));
  if (copy.filling == landing::nothing) return copy.keeps ? read_words<N>(own) : read_words<N>(p, at.full());
  if (at.full()) land(own, p, at);
  return {};
}

// The columns from `p` on to the L2 cache, without waiting. All threads of a block call with the same position; a
// prefetch brings a sector of 32 bytes.
template <class T>
__device__ __forceinline__ void ask_for(const T *p, unsigned columns) {
  const auto *from = reinterpret_cast<const char *>(p);
  for (unsigned sector = 32 * threadIdx.x; sector < columns * unsigned{sizeof(T)}; sector += 32 * blockDim.x)
    asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(from + sector)));
}

// `bytes`, a multiple of 16, between words of 16 bytes. `landed` counts them, and must not have been arrived at before.
__device__ __forceinline__ void copy_words_to_shared(unsigned char *to, const void *from, unsigned bytes,
                                                     uint64_t *landed) {
#if __CUDA_ARCH__ >= 900
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(landed));
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n\t"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], %1, [%0];"
      :
      : "r"(barrier), "r"(bytes), "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(__cvta_generic_to_global(from))
      : "memory");
#endif
}
// What threads have written before is in front of what such copies write behind a barrier of the block.
__device__ __forceinline__ void written_before_copies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// The columns from `p` on to shared memory, as far from a word of 16 bytes as they lie. All threads of a block call with
// the same position: the first has words copied, and where none may reach beyond the columns, each copies an element at
// either end. (Those are there behind a barrier of the block.)
template <class T>
__device__ __forceinline__ void copy_ahead(T *own, const T *p, const position<1, access::ahead> &at) {
  if (at.columns == 0) return;  // `p` may be beyond the array
  const auto first = reinterpret_cast<cs::uintptr_t>(p), end = first + at.columns * sizeof(T);
  const auto from = (at.exact ? first + 15 : first) / 16 * 16, to = (at.exact ? end : end + 15) / 16 * 16;
  if (threadIdx.x == 0 && to > from)
    copy_words_to_shared(reinterpret_cast<unsigned char *>(own) + (from - first), reinterpret_cast<const void *>(from),
                         static_cast<unsigned>(to - from), at.landed);
  if (!at.exact || threadIdx.x >= 16) return;
  const unsigned i = threadIdx.x, last = at.columns - 1 - i;
  if (i < at.columns && first + i * sizeof(T) < from) own[i] = p[i];
  if (i < at.columns && first + last * sizeof(T) >= (to > from ? to : from)) own[last] = p[last];
  written_before_copies();
}
template <bool Vector, class T>
__device__ __forceinline__ pack<T, 1> read_ahead(const T *p, const position<1, access::ahead> &at) {
  if (Vector != at.vectors) return {};
  if (at.how == ahead::asked) {
    ask_for(p, at.columns);
    return {};
  }
  unsigned char *own = at.next + reinterpret_cast<cs::uintptr_t>(p) % 16;
  at.next += at.room * unsigned{sizeof(T)} + 16;
  if (at.how == ahead::placed) *at.first++ = own;
  else copy_ahead(reinterpret_cast<T *>(own), p, at);
  return {};
}
// An element of them.
template <bool Vector, class T>
__device__ __forceinline__ pack<T, 1> read_landed(const T *p, const position<1, access::landed> &at) {
  if (Vector && !at.keeps) return read_words<1>(p, at.full());
  auto &next = Vector ? at.vector : at.array;
  return read_words<1>(reinterpret_cast<const T *>(*next++) + at.within, at.full());
}
#endif

// The group at `p`, of an array with the extent's rows or of a vector: the one way to load. What it returns, settle
// makes a pack of.
template <int N, bool Vector = false, access A, class T>
ONEPASS_HD auto read(const T *p, const position<N, A> &at) {
#ifdef __CUDA_ARCH__
  if constexpr (A == access::ahead) return read_ahead<Vector>(p, at);
  else if constexpr (A == access::landed) return read_landed<Vector>(p, at);
  else if constexpr (is_held<A> && !Vector) return read_held(p, at);
  else if constexpr (A == access::held) return read_kept(p, at);
  else if constexpr (A == access::held_row) return read<N, true>(p, at.uncopied());
  else if constexpr (A == access::image && Vector && is_group_of_words<N, T>) return read_vector(p, at);
  else
#endif
      if constexpr (A == access::image && is_small_group<N, T> && !Vector) {
    return read_crooked(p, at);
  } else if constexpr (is_row<A> && is_small_group<N, T> && !Vector) {
    return read_wide(p, at);
  } else if constexpr (A == access::any && sizeof(T) < 4 && N * sizeof(T) >= 4) {
    return read_skewed(p, at);
  } else {
#ifdef __CUDA_ARCH__
    if constexpr (A == access::whole) return read_words<N>(p);
    else if constexpr (is_all_or_none<A>) return read_words<N>(p, at.full());
    else if (at.full() && (A == access::aligned || is_word_aligned<N>(p))) return read_words<N>(p);
#endif
    return read_elements(p, at);
  }
}

#ifdef __CUDA_ARCH__
// A group of 16-byte words to any address, together with the lanes beside: where the next lane has the group behind,
// the aligned word that both share is stored as one. A lane whose neighbours have not (at the ends of a row or a warp)
// stores the rest of its first or last word by elements. All lanes of the warp call.
template <int N, class T>
__device__ __forceinline__ void write_together(T *p, const pack<T, N> &v, const position<N, access::row> &at) {
  constexpr unsigned words = N * sizeof(T) / 4, all_lanes = 0xffffffffu;
  const unsigned skew = static_cast<unsigned>(reinterpret_cast<cs::uintptr_t>(p)) % 16, lane = threadIdx.x % 32;
  const int row = static_cast<int>(at.row);  // of neighbours the same or not: 32 bits tell
  const bool whole = at.full(), same_row = __shfl_down_sync(all_lanes, row, 1) == row && lane < 31;
  const unsigned wholes = __ballot_sync(all_lanes, whole);
  const bool joins = same_row && whole && (wholes >> 1 >> lane & 1) != 0;
  const unsigned joining = __ballot_sync(all_lanes, joins);
  const bool follows = (joining << 1 >> lane & 1) != 0;
  struct {
    uint32_t w[words];
  } own = bit_copy<decltype(own)>(v);
  uint32_t w[words + 4];
  ONEPASS_UNROLL
  for (unsigned i = 0; i < words; ++i) w[i] = own.w[i];
  ONEPASS_UNROLL
  for (unsigned i = 0; i < 4; ++i) w[words + i] = __shfl_down_sync(all_lanes, own.w[i], 1);
  if (whole && skew == 0) return write_words(p, v);
  shift_words<words>(w, 16 - skew);
  auto *to = reinterpret_cast<uint4 *>(reinterpret_cast<char *>(p) + (16 - skew));
  ONEPASS_UNROLL
  for (unsigned i = 0; i < words / 4; ++i)
    if (i + 1 < words / 4 ? whole : joins)
      __stwb(to + i, make_uint4(w[4 * i], w[4 * i + 1], w[4 * i + 2], w[4 * i + 3]));
  if (joins && follows) return;
  constexpr int of_word = static_cast<int>(16 / sizeof(T));
  const int head = static_cast<int>((16 - skew) / sizeof(T));  // elements in front of the first aligned word
  const int before = !whole ? at.count : follows ? 0 : head, from = whole && !joins ? N - of_word + head : N;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i)
    if (i < before || i >= from) p[i] = v[i];
}
#endif

// The existing lanes of the group to `p`: the one way to store.
template <int N, access A, class T>
ONEPASS_HD void write(T *p, const pack<T, N> &v, const position<N, A> &at) {
#ifdef __CUDA_ARCH__
  if constexpr (A == access::held_row) return write(p, v, at.uncopied());
  if constexpr (A == access::row && is_small_group<N, T>) return write_together(p, v, at);
  if constexpr (A == access::image && is_small_group<N, T>) return write_to_image(at.image, v, at);
  if constexpr (A == access::whole) return write_words(p, v);
  if constexpr (is_all_or_none<A>) {
    if (at.full()) write_words(p, v);
    return;
  }
  if (at.full() && (A == access::aligned || is_word_aligned<N>(p))) return write_words(p, v);
#endif
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i)
    if (at.has(i)) p[i] = v[i];
}

}  // namespace detail
}  // namespace onepass

#endif
