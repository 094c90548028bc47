// SPDX-License-Identifier: Apache-2.0
// Part of onepass: lanes, and the place they come from.
#ifndef ONEPASS_PACK_CUH
#define ONEPASS_PACK_CUH

#include "meta.cuh"

namespace ONEPASS_LOCAL onepass {

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
  entire,   // likewise, or no lane exists
  aligned,  // aligned, but perhaps cut short by the end of the row
  any,      // neither
  row,    // neither, and the lanes of a warp hold neighbouring groups of a row, at any distance from a word of 16 bytes
  image,  // likewise, and small elements go to memory by an image of the row in shared memory
  ahead,  // nothing is read: a row is asked for from a column on, or copied to shared memory as it lies
  held,   // aligned, in a row that a kernel has copied to shared memory
  held_row,  // likewise, at any distance from a word of 16 bytes
  single,  // of one lane, which exists or does not
  landed   // likewise, in a row that has been copied so
};
template <access A>
inline constexpr bool is_row = A == access::row || A == access::image;
template <access A>
inline constexpr bool is_single = A == access::single || A == access::landed;
template <access A>
inline constexpr bool is_all_or_none = A == access::entire || A == access::held || is_single<A>;
template <access A>
inline constexpr bool is_held = A == access::held || A == access::held_row;

// One lane's place.
struct coordinate {
  int64_t row, column, index;  // index = row * columns + column
};

// Where a group is: its first lane's row, column and index (row * columns + column), and how many of its lanes exist.
// Lanes past `count` are never written; a functor that sees them sees the first lane's value, or of floats any value.
template <int N, access A = access::any>
struct position {
  static constexpr access mode = A;
  int64_t row, column, index;
  int32_t count;  // [0, N]; 0: nothing here
  bool edge;      // a word (of 4 bytes; of 16 in a row kernel) that holds a byte of the group may reach beyond its row,
  bool border;    // and that is the first or the last, so that the word may reach beyond the array

  ONEPASS_HD constexpr bool has(int lane) const {
    return A == access::whole || (is_all_or_none<A> ? count > 0 : lane < count);
  }
  ONEPASS_HD constexpr coordinate lane(int i) const { return {row, column + i, index + i}; }
  ONEPASS_HD constexpr bool full() const { return A == access::whole || count == N; }
  ONEPASS_HD constexpr position<N, access::whole> whole() const { return {row, column, index, N, false, false}; }
};

// A group in a row that is held in shared memory: arrays of the extent's own shape are read from there, one after the
// other in the order of the parts, or copied there.
enum class landing { nothing, arrays, vectors };  // what is being copied there
struct held_copy {
  unsigned char *next;  // this block's groups of the next array
  unsigned thread, threads;
  landing filling;
  bool keeps;             // vectors are kept in shared memory as well
  unsigned char *vector;  // this block's groups of the next vector
};
template <int N>
struct held_position {
  int64_t row, column, index;
  int32_t count;
  bool edge, border;
  held_copy *copy;

  ONEPASS_HD constexpr bool has(int lane) const { return lane < count; }
  ONEPASS_HD constexpr coordinate lane(int i) const { return {row, column + i, index + i}; }
  ONEPASS_HD constexpr bool full() const { return count == N; }
  ONEPASS_HD constexpr position<N, access::whole> whole() const { return {row, column, index, N, false, false}; }
  ONEPASS_HD constexpr position<N, access::row> uncopied() const { return {row, column, index, count, edge, border}; }
};
template <int N>
struct position<N, access::held> : held_position<N> {
  static constexpr access mode = access::held;
};
template <int N>
struct position<N, access::held_row> : held_position<N> {
  static constexpr access mode = access::held_row;
};

// A group of a row of which images are kept: what a store of small elements writes lies in shared memory, group by
// group, and goes to global memory word by word when the row is whole. All groups of a thread in a row, a multiple of N
// columns apart, begin at one distance from a word of 16 bytes.
template <int N>
struct position<N, access::image> {
  static constexpr access mode = access::image;
  int64_t row, column, index;
  int32_t count;
  int32_t beside;                // columns between the thread's first group and this one
  bool cut;                      // where false, all lanes exist or none
  bool border;                   // within 16 elements of its row's ends
  bool by_words, by_elements;    // how it is read where it is misaligned; neither: not yet
  unsigned char *memory;         // of all images
  unsigned groups;               // that an image has room for,
  int64_t origin;                // and the column of the first
  mutable unsigned char *image;  // of the store that is next

  ONEPASS_HD constexpr bool has(int lane) const { return lane < count; }
  ONEPASS_HD constexpr coordinate lane(int i) const { return {row, column + i, index + i}; }
  ONEPASS_HD constexpr bool full() const { return count == N; }
  ONEPASS_HD constexpr position<N, access::whole> whole() const { return {row, column, index, N, false, false}; }
  // Behind the images of `stores` stores with `bytes` of a group.
  ONEPASS_HD void aim(int stores, int bytes) const {
    image = memory + (32u * static_cast<unsigned>(stores) + static_cast<unsigned>(bytes) * groups);
  }
};

// Where a row, or a block's part of it, goes ahead: `columns` from there on. In shared memory its arrays lie one behind
// the other in the order of the parts, each with room for `room` elements and a word of 16 bytes; so do its vectors.
enum class ahead {
  asked,   // to be in the L2 cache when it is read
  copied,  // to shared memory
  placed   // where it is there is written down
};
template <int N>
struct position<N, access::ahead> {
  static constexpr access mode = access::ahead;
  int64_t row, column, index;
  int32_t count;  // of the first group
  unsigned columns;
  ahead how;
  bool vectors;                   // those, or arrays
  bool exact;                     // no word that is copied may reach beyond the columns
  unsigned room;
  mutable unsigned char *next;    // where the next one is,
  mutable unsigned char **first;  // and where its first column is written down
  uint64_t *landed;               // the barrier that counts what arrives

  ONEPASS_HD constexpr bool has(int lane) const { return lane < count; }
  ONEPASS_HD constexpr coordinate lane(int i) const { return {row, column + i, index + i}; }
  ONEPASS_HD constexpr bool full() const { return count == N; }
};
// And an element of it, `within` columns behind the first that was copied.
template <int N>
struct position<N, access::landed> {
  static constexpr access mode = access::landed;
  int64_t row, column, index;
  int32_t count;
  int64_t within;
  bool keeps;                                           // vectors have been copied too
  mutable unsigned char *const *array, *const *vector;  // the next one's first column

  ONEPASS_HD constexpr bool has(int) const { return count > 0; }
  ONEPASS_HD constexpr coordinate lane(int i) const { return {row, column + i, index + i}; }
  ONEPASS_HD constexpr bool full() const { return count == N; }
  ONEPASS_HD constexpr position<N, access::whole> whole() const { return {row, column, index, N, false, false}; }
};

namespace detail {

// For a group at `column`, from which `left` columns remain in its row: a word of 4 bytes holds at most 3 beside it.
template <int N, int Beside = 3, class Int>
ONEPASS_HD constexpr bool is_edge(Int column, Int left) {
  return column < Beside || left < N + Beside;
}

}  // namespace detail

// The group at `column` of `row` in an extent, for use in a kernel of one's own; arrays need no alignment.
template <int N>
ONEPASS_HD constexpr position<N> place(int64_t row, int64_t column, int64_t rows, int64_t columns) {
  const int64_t left = row < rows && column < columns ? columns - column : 0;
  const bool edge = detail::is_edge<N>(column, left);
  return {row, column, row * columns + column, static_cast<int32_t>(left < N ? left : N), edge, edge};
}

// The same where the caller knows that the group is whole and 16-byte aligned in every array.
template <int N>
ONEPASS_HD constexpr position<N, access::whole> place_whole(int64_t row, int64_t column, int64_t columns) {
  return {row, column, row * columns + column, N, false, false};
}

namespace detail {

// f of each lane.
ONEPASS_NO_EXEC_CHECK
template <int N, class F, class... T>
ONEPASS_HD auto each_lane(const F &f, const pack<T, N> &...v) {
  pack<cs::decay_t<decltype(f(v[0]...))>, N> result;
  ONEPASS_UNROLL
  for (int i = 0; i < N; ++i) result[i] = f(v[i]...);
  return result;
}

// Lanes that do not exist as copies of the first, so that no functor meets an index or a pointer that is not in the
// array. Floats keep their zeros: the copies would cost misaligned maps of bf16 a tenth of their speed.
template <int N, access A, class T>
ONEPASS_HD pack<T, N> filled(const pack<T, N> &v, const position<N, A> &at) {
  if constexpr (A == access::whole || is_all_or_none<A> || cs::is_floating_point_v<T>) {
    return v;
  } else {
    pack<T, N> all = v;
    ONEPASS_UNROLL
    for (int i = 1; i < N; ++i)
      if (!at.has(i)) all[i] = v[0];
    return all;
  }
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
