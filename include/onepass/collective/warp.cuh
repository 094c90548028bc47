// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a statistic's states combined over the 32 lanes of a warp.
#ifndef ONEPASS_COLLECTIVE_WARP_CUH
#define ONEPASS_COLLECTIVE_WARP_CUH

#include "../memory.cuh"  // memcpy

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A state of any size through the 4-byte shuffles.
template <class State, class Shuffle>
__device__ __forceinline__ State shuffle_words(const State &state, const Shuffle &shuffle) {
  constexpr int words = (sizeof(State) + 3) / 4;
  struct {
    unsigned w[words];
  } buffer{};
  memcpy(&buffer, &state, sizeof(State));
  ONEPASS_UNROLL
  for (int i = 0; i < words; ++i) buffer.w[i] = shuffle(buffer.w[i]);
  State result;
  memcpy(static_cast<void *>(&result), &buffer, sizeof(State));
  return result;
}

inline constexpr unsigned all_lanes = 0xffffffffu;

// All 32 lanes combined in lane order; the result is in lane 0. (What a lane gets from beyond the warp is never used.)
template <class S, class State>
__device__ __forceinline__ State warp_reduce_to_first(const S &statistic, State state) {
  ONEPASS_UNROLL
  for (unsigned step = 1; step < 32; step *= 2)
    state = statistic.combine(state,
                              shuffle_words(state, [&](unsigned w) { return __shfl_down_sync(all_lanes, w, step); }));
  return state;
}

// The lanes [0, lanes) of a warp, lanes in [1, 32].
__device__ __forceinline__ unsigned first_lanes(unsigned lanes) { return all_lanes >> (32 - lanes); }

// The states of lanes [0, lanes), lanes in [1, 32]; the lanes of `calling` must call, those among them.
template <class S, class State>
__device__ __forceinline__ State warp_reduce_to_first(const S &statistic, State state, unsigned lanes,
                                                      unsigned calling = all_lanes) {
  const unsigned lane = threadIdx.x % 32;
  ONEPASS_UNROLL
  for (unsigned step = 1; step < 32; step *= 2) {
    const State both =
        statistic.combine(state, shuffle_words(state, [&](unsigned w) { return __shfl_down_sync(calling, w, step); }));
    state = lane + step < lanes ? both : state;
  }
  return state;
}

}  // namespace detail

// The states of a whole warp combined in lane order; every lane gets the result, with the same bits. All 32 lanes of
// the warp must call; the block is 1-D.
template <class S, class State>
__device__ __forceinline__ State warp_reduce(const S &statistic, const State &state) {
  const State first = detail::warp_reduce_to_first(statistic, state);
  return detail::shuffle_words(first, [](unsigned w) { return __shfl_sync(detail::all_lanes, w, 0); });
}

// The same for the lanes [0, lanes), which alone must call; lanes in [1, 32] and the same in each of them.
template <class S, class State>
__device__ __forceinline__ State warp_reduce(const S &statistic, const State &state, unsigned lanes) {
  const unsigned calling = detail::first_lanes(lanes);
  const State first = detail::warp_reduce_to_first(statistic, state, lanes, calling);
  return detail::shuffle_words(first, [&](unsigned w) { return __shfl_sync(calling, w, 0); });
}

}  // namespace onepass

#endif
