// SPDX-License-Identifier: Apache-2.0
// Part of onepass: per_channel, a vector of channels for images in groups of channels, such as the gamma of a group
// norm (Wu and He 2018).
#ifndef ONEPASS_SOURCE_CHANNEL_CUH
#define ONEPASS_SOURCE_CHANNEL_CUH

#include "../convert.cuh"
#include "../leaf.h"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// a / b of numbers that are not negative, in 32 bits where they fit.
ONEPASS_HD int64_t divide_small(int64_t a, int64_t b) {
  if (static_cast<uint64_t>(a | b) >> 32 == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

template <class T>
struct per_channel_source {
  using element = T;
  static constexpr kind part = kind::source;
  static constexpr onepass_span_t span = ONEPASS_ONCE;
  static constexpr bool written = false, by_row = true;
  const T *p;
  int64_t groups, channels, spatial;  // 1 or more

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return ONEPASS_DENSE; }
  ONEPASS_HD void describe(onepass_leaf_t &leaf) const {
    const int64_t most = cs::numeric_limits<int32_t>::max();
    leaf.count = static_cast<int32_t>(groups > most / channels ? most : groups * channels);
  }
  // A group of columns mostly lies in one channel.
  template <int N, access A>
  ONEPASS_HD pack<T, N> fetch(const position<N, A> &at) const {
    if (!at.has(0)) return {};
    int64_t channel = divide_small(at.column, spatial), left = spatial - (at.column - channel * spatial);
    if (channel >= channels) return broadcast<N>(p[0]);
    const T *vector = p + (at.row - divide_small(at.row, groups) * groups) * channels;
    if (left >= N || left >= at.count) return broadcast<N>(vector[channel]);
    pack<T, N> v;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) {
      if (left == 0) {
        channel += channel + 1 < channels;
        left = spatial;
      }
      v[i] = at.has(i) ? vector[channel] : T{};
      --left;
    }
    return v;
  }
  template <int N, access A>
  ONEPASS_HD pack<compute_t<T>, N> view(const pack<T, N> &raw, const position<N, A> &) const {
    return widen_pack(raw);
  }
};

}  // namespace detail

// p[(row % groups) * channels + column / spatial]: for an array [n, groups * channels, spatial] that is seen as n *
// groups rows of channels * spatial columns, the vector of groups * channels. All three are 1 or more (less counts as
// 1); where a row has more columns than that, they get some element of p. A group norm is layer_norm(per_channel(gamma,
// ...), per_channel(beta, ...), eps) of these rows.
template <class T>
ONEPASS_HD constexpr detail::per_channel_source<T> per_channel(const T *p, int64_t groups, int64_t channels,
                                                               int64_t spatial) {
  return {p, groups < 1 ? 1 : groups, channels < 1 ? 1 : channels, spatial < 1 ? 1 : spatial};
}

}  // namespace onepass

#endif
