// SPDX-License-Identifier: Apache-2.0
// Part of onepass: tee, a sink on the way.
#ifndef ONEPASS_STAGE_TEE_CUH
#define ONEPASS_STAGE_TEE_CUH

#include "../meta.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class Sink>
struct tee_stage {
  static constexpr kind part = kind::tee;
  static constexpr bool tees = true;
  list<Sink> inner;
};

}  // namespace detail

// Gives the value as it is here to the sink, a store or a reduction, and passes it on unrounded. In an operand a tee
// takes a store.
template <class Sink>
ONEPASS_HD constexpr detail::tee_stage<Sink> tee(Sink sink) {
  static_assert(detail::is_kind<Sink, kind::sink>(), "onepass: tee takes a sink, as in tee(store(p))");
  return {detail::make_list(sink)};
}

}  // namespace onepass

#endif
