// SPDX-License-Identifier: Apache-2.0
// Part of onepass: rows that begin anywhere, in words of 16 bytes. All groups of a thread in such a row begin at one
// distance from a word: they are shifted together, in registers. What is stored of small elements goes through an image
// of the row in shared memory.
#ifndef ONEPASS_IMAGE_CUH
#define ONEPASS_IMAGE_CUH

#include "words.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Such a group of a row all of whose groups start at one distance from a word: straighten shifts those of a thread
// together, with one condition for all.
template <class T, int N>
struct crooked : wide_skewed<T, N> {};
template <class T, int N>
ONEPASS_HD pack<T, N> settle(const crooked<T, N> &raw) {
  return raw.first();
}

template <class Raw>
inline constexpr bool has_crooked = false;
template <class T, int N>
inline constexpr bool has_crooked<crooked<T, N>> = true;
template <class Head, class... Tail>
inline constexpr bool has_crooked<list<Head, Tail...>> = has_crooked<Head> || (has_crooked<Tail> || ...);

// A group of 16-byte words that starts with one. (In words, or lanes that come from one of two places are taken apart.)
template <int N, class T>
inline constexpr bool is_group_of_words = sizeof(T) <= 8 && N * sizeof(T) % 16 == 0;
template <class T, int N>
struct straight {
  static constexpr unsigned words = N * sizeof(T) / 4;
  uint32_t w[words];
};
template <class T, int N>
ONEPASS_HD pack<T, N> settle(const straight<T, N> &raw) {
  return bit_copy<pack<T, N>>(raw);
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

// A group of a row, by the words that hold a byte of it, or by elements and then straight.
template <int N, class T>
ONEPASS_HD crooked<T, N> read_crooked(const T *p, const position<N, access::image> &at) {
  using group = crooked<T, N>;
  group raw{};
#ifdef __CUDA_ARCH__
  if (at.by_elements) {
    const straight<T, N> elements = read_apart_from_words<N>(p, at.count);
    ONEPASS_UNROLL
    for (unsigned i = 0; i < straight<T, N>::words; ++i) raw.w[i] = elements.w[i];
    return raw;
  }
  raw.skew = skew_of(p - at.beside);  // that of all packs
  const auto *from = reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(p) - raw.skew);
  const unsigned end = raw.skew + static_cast<unsigned>(at.count) * unsigned{sizeof(T)};
  ONEPASS_UNROLL
  for (unsigned i = 0; i < group::loads; ++i) {
    const bool holds = at.cut ? i == 0 || 16 * i < end : i + 1 < group::loads || raw.skew != 0;
    const uint4 word = at.by_words && at.count > 0 && holds ? from[i] : uint4{};
    raw.w[4 * i] = word.x;
    raw.w[4 * i + 1] = word.y;
    raw.w[4 * i + 2] = word.z;
    raw.w[4 * i + 3] = word.w;
  }
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

}  // namespace detail
}  // namespace onepass

#endif
