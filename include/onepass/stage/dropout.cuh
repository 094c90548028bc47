// SPDX-License-Identifier: Apache-2.0
// Part of onepass: dropout: Srivastava et al., 2014, scaled while training ("inverted").
#ifndef ONEPASS_STAGE_DROPOUT_CUH
#define ONEPASS_STAGE_DROPOUT_CUH

#include "../source/random.cuh"
#include "arithmetic.cuh"
#include "tee.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// True with probability kept / 2^32: where an element's random word is below `kept`, in [0, 2^32].
struct keep_source {
  static constexpr kind part = kind::source;
  static constexpr bool draws = true;
  random_words words;
  uint64_t kept;

  template <int N, access A>
  ONEPASS_HD pack<bool, N> get(const position<N, A> &at) const {
    const uint32_t last = static_cast<uint32_t>(kept - 1);
    const bool any = kept != 0;
    return each_lane([=](uint32_t word) { return any && word <= last; }, words.get<N>(at.index));
  }
};

struct dropout_op {
  template <class T, class S>
  ONEPASS_HD auto operator()(T x, S scale, bool keep) const {
    const auto y = times(x, scale);
    return keep ? y : decltype(y){};
  }
};

ONEPASS_HD constexpr keep_source keep_but(double p, uint64_t seed, uint64_t offset) {
  const double probability = p >= 1 ? 0 : p > 0 ? 1 - p : 1;
  return {{seed, offset}, static_cast<uint64_t>(probability * 4294967296.0 + 0.5)};
}

template <class Keep>
ONEPASS_HD constexpr auto drop(double p, const Keep &keep) {
  const double scale = p >= 1 ? 0 : p > 0 ? 1 / (1 - p) : 1;
  return pointwise<dropout_op, number<double>, operand_t<Keep>>{{}, make_list(as_operand(scale), as_operand(keep))};
}

}  // namespace detail

// x / (1 - p) with probability 1 - p, else 0, also for a NaN or an infinity; p in [0, 1], met to 2^-32. Which elements
// are kept depends on seed, offset and flat index alone, as in random(seed, offset), whose words are used: the same
// stage on gradients drops the same elements. p = 0 keeps all, unchanged; p = 1 keeps none.
ONEPASS_HD constexpr auto dropout(double p, uint64_t seed, uint64_t offset = 0) {
  return detail::drop(p, detail::keep_but(p, seed, offset));
}

// The same with the mask stored on the way, 1 where an element is kept: dropout(p, seed, offset, tee(store(mask))),
// mask of bool or an integer.
template <class Sink>
ONEPASS_HD constexpr auto dropout(double p, uint64_t seed, uint64_t offset, detail::tee_stage<Sink> mask) {
  return detail::drop(p, detail::keep_but(p, seed, offset) | mask);
}
template <class Sink>
ONEPASS_HD constexpr auto dropout(double p, uint64_t seed, detail::tee_stage<Sink> mask) {
  return dropout(p, seed, 0, mask);
}

}  // namespace onepass

#endif
