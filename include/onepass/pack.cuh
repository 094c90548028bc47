// SPDX-License-Identifier: Apache-2.0
// Part of onepass: lanes, the place they come from, and the only functions that touch memory.
#ifndef ONEPASS_PACK_CUH
#define ONEPASS_PACK_CUH

#ifndef __CUDACC_RTC__
#include <cstring>  // memcpy
#endif

#include "meta.cuh"

namespace onepass {

// N neighbouring columns of one row.
template <class T, int N>
struct pack {
  static constexpr unsigned lanes = N;
  T lane[lanes];
  ONEPASS_HD constexpr T &operator[](int i) { return lane[i]; }
  ONEPASS_HD constexpr const T &operator[](int i) const { return lane[i]; }
};

// What is known of a group at compile time.
enum class access {
  whole,    // all N lanes exist, and the group is aligned in every array
  aligned,  // aligned, but perhaps cut short by the end of the row
  any       // neither
};

// One lane's place.
struct coordinate {
  int64_t row, column, index;  // index = row * columns + column
};

// Where a group is: its first lane's row, column and index (row * columns + column), and how many of its lanes exist.
// Lanes past `count` hold a harmless value and are never read or written.
template <int N, access A = access::any>
struct position {
  static constexpr access mode = A;
  int64_t row, column, index;
  int32_t count;  // [0, N]; 0: nothing here
  bool edge;      // less than a group away from an end of the row, beyond which nothing may be read

  ONEPASS_HD constexpr bool has(int lane) const { return A == access::whole || lane < count; }
  ONEPASS_HD constexpr coordinate lane(int i) const { return {row, column + i, index + i}; }
  ONEPASS_HD constexpr bool full() const { return A == access::whole || count == N; }
};

// The group at `column` of `row` in an extent, for use in a kernel of one's own; arrays need no alignment.
template <int N>
ONEPASS_HD constexpr position<N> place(int64_t row, int64_t column, int64_t rows, int64_t columns) {
  const int64_t left = row < rows && column < columns ? columns - column : 0;
  const bool edge = column < N || left < 2 * N;
  return {row, column, row * columns + column, static_cast<int32_t>(left < N ? left : N), edge};
}

// The same where the caller knows that the group is whole and 16-byte aligned in every array.
template <int N>
ONEPASS_HD constexpr position<N, access::whole> place_whole(int64_t row, int64_t column, int64_t columns) {
  return {row, column, row * columns + column, N, false};
}

namespace detail {

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
  return to;
}

// Whether `p` may be read or written by words of a whole group.
template <int N, class T>
ONEPASS_HD bool is_word_aligned(const T *p) {
  return reinterpret_cast<cs::uintptr_t>(p) % word_bytes(N * sizeof(T)) == 0;
}

// A group as 16-byte words (or one smaller word).
template <int N, class T>
ONEPASS_HD pack<T, N> read_words(const T *p) {
  constexpr unsigned bytes = N * sizeof(T), step = word_bytes(bytes), count = bytes / step;
  using word_type = typename word<step>::type;
  struct alignas(step) words {
    word_type w[count];
  } all;
  ONEPASS_UNROLL
  for (unsigned i = 0; i < count; ++i) all.w[i] = reinterpret_cast<const word_type *>(p)[i];
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

// Bytes [4 * Skip + shift / 8, ...) of `from`, as words.
template <unsigned Skip, unsigned Words, unsigned All>
__device__ __forceinline__ void shift_words(uint32_t (&to)[Words], const uint32_t (&from)[All], unsigned shift) {
  ONEPASS_UNROLL
  for (unsigned i = 0; i < Words; ++i) to[i] = __funnelshift_r(from[Skip + i], from[Skip + i + 1], shift);
}

// A full group of small elements at any address: the aligned 16-byte words that hold it, shifted in registers. Each word
// holds at least a byte of the group; the skew is that of the array, so the branch is the same for all.
template <int N, class T>
__device__ __forceinline__ pack<T, N> read_shifted(const T *p) {
  constexpr unsigned words = N * sizeof(T) / 4, blocks = words / 4;
  const unsigned skew = static_cast<unsigned>(reinterpret_cast<cs::uintptr_t>(p)) % 16;
  const uint4 *block = reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(p) - skew);
  uint32_t from[words + 4];
  ONEPASS_UNROLL
  for (unsigned i = 0; i <= blocks; ++i) {
    const uint4 w = block[i];
    from[4 * i] = w.x, from[4 * i + 1] = w.y, from[4 * i + 2] = w.z, from[4 * i + 3] = w.w;
  }
  struct {
    uint32_t w[words];
  } to;
  if (skew < 4) shift_words<0>(to.w, from, skew * 8);
  else if (skew < 8) shift_words<1>(to.w, from, skew * 8);
  else if (skew < 12) shift_words<2>(to.w, from, skew * 8);
  else shift_words<3>(to.w, from, skew * 8);
  return bit_copy<pack<T, N>>(to);
}

template <int N, access A, class T>
ONEPASS_HD pack<T, N> read_elements(const T *p, const position<N, A> &at) {
  pack<T, N> v;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) v[i] = at.has(i) ? p[i] : T{};
  return v;
}

// The group at `p`: the one way to load.
template <int N, access A, class T>
ONEPASS_HD pack<T, N> read(const T *p, const position<N, A> &at) {
#ifdef __CUDA_ARCH__
  if constexpr (A == access::whole) {
    return read_words<N>(p);
  } else {
    if (at.full() && (A == access::aligned || is_word_aligned<N>(p))) return read_words<N>(p);
    if constexpr (A == access::any && sizeof(T) < 4 && N * sizeof(T) % 16 == 0)
      if (at.full() && !at.edge) return read_shifted<N>(p);
    return read_elements(p, at);
  }
#else
  return read_elements(p, at);
#endif
}

// The existing lanes of the group to `p`: the one way to store.
template <int N, access A, class T>
ONEPASS_HD void write(T *p, const pack<T, N> &v, const position<N, A> &at) {
#ifdef __CUDA_ARCH__
  if constexpr (A == access::whole) return write_words(p, v);
  if (at.full() && (A == access::aligned || is_word_aligned<N>(p))) return write_words(p, v);
#endif
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i)
    if (at.has(i)) p[i] = v[i];
}

// f of each lane.
ONEPASS_NO_EXEC_CHECK
template <int N, class F, class... T>
ONEPASS_HD auto each_lane(const F &f, const pack<T, N> &...v) {
  pack<cs::decay_t<decltype(f(v[0]...))>, N> result;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) result[i] = f(v[i]...);
  return result;
}

template <int N, class T>
ONEPASS_HD pack<T, N> broadcast(const T &x) {
  pack<T, N> v;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) v[i] = x;
  return v;
}

}  // namespace detail
}  // namespace onepass

#endif
