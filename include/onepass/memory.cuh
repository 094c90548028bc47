// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the only functions that touch memory: a group is read or written by words, at any address.
#ifndef ONEPASS_MEMORY_CUH
#define ONEPASS_MEMORY_CUH

#include "words.cuh"

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

#ifdef __CUDA_ARCH__
// The first `count` lanes of a group, element by element. (A call, since in its place this would cost those who do
// without it registers, and a slot for every load.)
template <int N, class T>
__device__ __noinline__ straight<T, N> read_apart_from_words(const T *p, int32_t count) {
  pack<T, N> v;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) v[i] = i < count ? p[i] : T{};
  return bit_copy<straight<T, N>>(v);
}
#endif

// The same where all groups of a thread in a row are crooked alike. In a row at an end of its array elements are read.
template <int N, class T>
ONEPASS_HD crooked<T, N> read_crooked(const T *p, const position<N, access::image> &at) {
  using group = crooked<T, N>;
  group raw{};
#ifdef __CUDA_ARCH__
  if (!at.outer) {
    raw.skew = skew_of(p - at.beside);  // that of all packs
    const auto *from = reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(p) - raw.skew);
    const unsigned end = raw.skew + static_cast<unsigned>(at.count) * unsigned{sizeof(T)};
    ONEPASS_UNROLL
    for (unsigned i = 0; i < group::loads; ++i) {
      const bool exists = at.count > 0 && (at.cut ? i == 0 || 16 * i < end : i + 1 < group::loads || raw.skew != 0);
      const uint4 word = exists ? from[i] : uint4{};
      raw.w[4 * i] = word.x;
      raw.w[4 * i + 1] = word.y;
      raw.w[4 * i + 2] = word.z;
      raw.w[4 * i + 3] = word.w;
    }
    return raw;
  }
  const straight<T, N> elements = read_apart_from_words<N>(p, at.count);
  ONEPASS_UNROLL
  for (unsigned i = 0; i < straight<T, N>::words; ++i) raw.w[i] = elements.w[i];
#else
  (void)p, (void)at;
#endif
  return raw;
}

#ifdef __CUDA_ARCH__
// A group of a vector along a row that keeps images: as a rule vectors begin with a word of 16 bytes, whatever rows do.
template <int N, class T>
__device__ __forceinline__ straight<T, N> read_vector(const T *p, const position<N, access::image> &at) {
  if ((at.cut && !at.full()) || !is_word_aligned<N>(p)) return read_apart_from_words<N>(p, at.count);
  straight<T, N> raw;
  ONEPASS_UNROLL
  for (unsigned i = 0; i < straight<T, N>::words / 4; ++i) {
    const uint4 word = at.count > 0 ? reinterpret_cast<const uint4 *>(p)[i] : uint4{};
    raw.w[4 * i] = word.x;
    raw.w[4 * i + 1] = word.y;
    raw.w[4 * i + 2] = word.z;
    raw.w[4 * i + 3] = word.w;
  }
  return raw;
}

// Shifts the crooked groups among the raw words of a thread's packs.
template <class Raw, unsigned Packs>
__device__ __forceinline__ void straighten(Raw *const (&)[Packs]) {}
template <class T, int N, unsigned Packs>
struct shift_packs {
  crooked<T, N> *const (&raw)[Packs];
  unsigned bits;
  // To the first word from word First on.
  template <unsigned First>
  __device__ __forceinline__ void from() const {
    ONEPASS_UNROLL
    for (unsigned k = 0; k < Packs; ++k) {
      ONEPASS_UNROLL
      for (unsigned i = 0; i < crooked<T, N>::words; ++i)
        raw[k]->w[i] = __funnelshift_r(raw[k]->w[First + i], raw[k]->w[First + i + 1], bits);
    }
  }
};
template <class T, int N, unsigned Packs>
__device__ __forceinline__ void straighten(crooked<T, N> *const (&raw)[Packs]) {
  const shift_packs<T, N, Packs> shift{raw, raw[0]->skew % 4 * 8};
  switch (raw[0]->skew / 4) {
    case 0: return shift.template from<0>();
    case 1: return shift.template from<1>();
    case 2: return shift.template from<2>();
    default: return shift.template from<3>();
  }
}
template <class Head, class... Tail, unsigned Packs>
__device__ __forceinline__ void straighten(list<Head, Tail...> *const (&raw)[Packs]) {
  Head *heads[Packs];
  list<Tail...> *tails[Packs];
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) {
    heads[k] = &raw[k]->head;
    tails[k] = &raw[k]->tail;
  }
  straighten(heads);
  straighten(tails);
}
template <class Raw, unsigned Packs>
__device__ __forceinline__ void straighten_all(Raw (&raw)[Packs]) {
  Raw *each[Packs];
  ONEPASS_UNROLL
  for (unsigned k = 0; k < Packs; ++k) each[k] = &raw[k];
  straighten(each);
}
#endif

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
template <int N, class T>
__device__ __forceinline__ pack<T, N> ask_for(const T *p, const position<N, access::ahead> &at) {
  const auto *from = reinterpret_cast<const char *>(p);
  for (unsigned sector = 32 * threadIdx.x; sector < at.columns * unsigned{sizeof(T)}; sector += 32 * blockDim.x)
    asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(from + sector)));
  return {};
}
#endif

// The group at `p`, of an array with the extent's rows or of a vector: the one way to load. What it returns, settle
// makes a pack of.
template <int N, bool Vector = false, access A, class T>
ONEPASS_HD auto read(const T *p, const position<N, A> &at) {
#ifdef __CUDA_ARCH__
  if constexpr (A == access::ahead && Vector) return pack<T, N>{};
  else if constexpr (A == access::ahead) return ask_for(p, at);
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
    else if constexpr (A == access::entire) return read_words<N>(p, at.full());
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

#ifdef __CUDA_ARCH__
// A group to its place in the image of its row.
template <int N, class T>
__device__ __forceinline__ void write_to_image(unsigned char *image, const pack<T, N> &v,
                                               const position<N, access::image> &at) {
  struct {
    uint4 w[N * sizeof(T) / 16];
  } own = bit_copy<decltype(own)>(v);
  auto *to = reinterpret_cast<uint4 *>(image + static_cast<unsigned>(at.column - at.origin) * unsigned{sizeof(T)});
  ONEPASS_UNROLL
  for (unsigned i = 0; i < N * sizeof(T) / 16; ++i)
    if (at.count > 0) to[i] = own.w[i];
}

// Words of 16 bytes in [first, end) of `to`, those of an image that begin at word First of 4 bytes and `bits` further.
template <unsigned First>
__device__ __forceinline__ void write_image_words(char *to, const unsigned char *image, unsigned first, unsigned end,
                                                  unsigned step, unsigned bits) {
#pragma unroll 4
  for (unsigned at = first; at < end; at += step) {
    const auto *from = reinterpret_cast<const uint4 *>(image + at);
    const uint4 one = from[0], next = from[1];
    const uint32_t w[8] = {one.x, one.y, one.z, one.w, next.x, next.y, next.z, next.w};
    __stwb(reinterpret_cast<uint4 *>(to + at),
           make_uint4(__funnelshift_r(w[First], w[First + 1], bits), __funnelshift_r(w[First + 1], w[First + 2], bits),
                      __funnelshift_r(w[First + 2], w[First + 3], bits),
                      __funnelshift_r(w[First + 3], w[First + 4], bits)));
  }
}

// The image of a row of `bytes` to where it belongs, by the threads that share it, behind a barrier: whole words, and
// the elements in front of the first and behind the last. Behind an image are 16 bytes more.
template <class T>
__device__ __forceinline__ void write_image(T *row, const unsigned char *image, unsigned bytes, unsigned thread,
                                            unsigned threads) {
  const unsigned skew = static_cast<unsigned>(reinterpret_cast<cs::uintptr_t>(row)) % 16, shift = (16 - skew) % 16,
                 head = shift < bytes ? shift : bytes, words = (bytes - head) / 16 * 16, first = 16 * thread,
                 step = 16 * threads, bits = shift % 4 * 8, own = thread * unsigned{sizeof(T)};
  char *start = reinterpret_cast<char *>(row);
  switch (shift / 4) {
    case 0: write_image_words<0>(start + shift, image, first, words, step, bits); break;
    case 1: write_image_words<1>(start + shift, image, first, words, step, bits); break;
    case 2: write_image_words<2>(start + shift, image, first, words, step, bits); break;
    default: write_image_words<3>(start + shift, image, first, words, step, bits);
  }
  if (own >= 16) return;
  const auto elements = [&](unsigned from, unsigned to) {
#pragma unroll 1
    for (unsigned at = from + own; at < to; at += threads * unsigned{sizeof(T)})
      *reinterpret_cast<T *>(start + at) = *reinterpret_cast<const T *>(image + at);
  };
  elements(0, head);
  elements(head + words, bytes);
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
  if constexpr (A == access::entire || A == access::held) {
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
