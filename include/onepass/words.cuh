// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a group as words: of 16 bytes or less where it is aligned, and as those that hold it at any address.
#ifndef ONEPASS_WORDS_CUH
#define ONEPASS_WORDS_CUH

#ifndef __CUDACC_RTC__
#include <cstring>  // memcpy
#endif

#include "pack.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A group of 8 or 16-bit elements that is words of 16 bytes.
template <int N, class T>
inline constexpr bool is_small_group = sizeof(T) < 4 && N * sizeof(T) % 16 == 0;

template <unsigned Bytes>
struct word;
template <>
struct word<16> {
  using type = uint4;
};
template <>
struct word<8> {
  using type = uint2;
};
template <>
struct word<4> {
  using type = unsigned;
};
template <>
struct word<2> {
  using type = unsigned short;
};
template <>
struct word<1> {
  using type = unsigned char;
};

ONEPASS_HD constexpr unsigned word_bytes(unsigned bytes) { return bytes < 16 ? bytes : 16; }

template <class To, class From>
ONEPASS_HD To bit_copy(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "onepass: bit_copy between types of different size");
  To to;
  memcpy(static_cast<void *>(&to), &from, sizeof(To));
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  asm("" : "+m"(to));  // GCC 12 at -O2 makes vectors of chains of such copies, and loses lanes
#endif
  return to;
}

// Whether `p` may be read or written by words of a whole group.
template <int N, class T>
ONEPASS_HD bool is_word_aligned(const T *p) {
  return reinterpret_cast<cs::uintptr_t>(p) % word_bytes(N * sizeof(T)) == 0;
}

// A group of small elements at any address: the 4-byte words that hold it, and by how many bits it starts inside the
// first. They are shifted when they are looked at, not where they are loaded, so that loads do not wait for each other.
template <class T, int N>
struct skewed {
  static constexpr unsigned words = N * sizeof(T) / 4;
  uint32_t w[words + 1];
  unsigned shift;
};

// A group of 16-byte words at any address: the aligned words that hold it, and by how many bytes it starts inside the
// first.
template <class T, int N>
struct wide_skewed {
  static constexpr unsigned loads = N * sizeof(T) / 16 + 1, words = N * sizeof(T) / 4;
  uint32_t w[4 * loads];
  unsigned skew;

  ONEPASS_HD pack<T, N> first() const {
    struct {
      uint32_t w[words];
    } to;
    ONEPASS_UNROLL
    for (unsigned i = 0; i < words; ++i) to.w[i] = w[i];
    return bit_copy<pack<T, N>>(to);
  }
};
template <class T>
ONEPASS_HD unsigned skew_of(const T *p) {
  return static_cast<unsigned>(reinterpret_cast<cs::uintptr_t>(p)) % 16;
}

// The first Words of `w` from byte `skew` on, skew in [0, 16).
template <unsigned Words, unsigned Given>
ONEPASS_HD void shift_words(uint32_t (&w)[Given], unsigned skew) {
  static_assert(Given >= Words + 4, "onepass: shift_words needs the words behind");
#ifdef __CUDA_ARCH__
  if (skew == 0) return;
  ONEPASS_UNROLL
  for (unsigned i = 0; i < Words + 2; ++i) w[i] = skew & 8 ? w[i + 2] : w[i];
  ONEPASS_UNROLL
  for (unsigned i = 0; i < Words + 1; ++i) w[i] = skew & 4 ? w[i + 1] : w[i];
  ONEPASS_UNROLL
  for (unsigned i = 0; i < Words; ++i) w[i] = __funnelshift_r(w[i], w[i + 1], skew % 4 * 8);
#else
  (void)w, (void)skew;  // read element by element
#endif
}
template <class T, int N>
ONEPASS_HD pack<T, N> settle(const wide_skewed<T, N> &raw) {
  wide_skewed<T, N> shifted = raw;
  shift_words<wide_skewed<T, N>::words>(shifted.w, raw.skew);
  return shifted.first();
}

// The raw group as its lanes.
template <class T, int N>
ONEPASS_HD pack<T, N> settle(const skewed<T, N> &raw) {
  struct {
    uint32_t w[skewed<T, N>::words];
  } to;
  ONEPASS_UNROLL
  for (unsigned i = 0; i < skewed<T, N>::words; ++i)
#ifdef __CUDA_ARCH__
    to.w[i] = __funnelshift_r(raw.w[i], raw.w[i + 1], raw.shift);
#else
    to.w[i] = raw.w[i];
#endif
  return bit_copy<pack<T, N>>(to);
}
template <class T, int N>
ONEPASS_HD pack<T, N> settle(const pack<T, N> &raw) {
  return raw;
}

}  // namespace detail
}  // namespace onepass

#endif
