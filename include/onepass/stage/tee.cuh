// SPDX-License-Identifier: Apache-2.0
// Part of onepass: tee, a store on the way.
#ifndef ONEPASS_STAGE_TEE_CUH
#define ONEPASS_STAGE_TEE_CUH

#include "../meta.cuh"

namespace onepass {
namespace detail {

template <class Sink>
struct tee_stage {
  static constexpr kind part = kind::tee;
  list<Sink> inner;
};

}  // namespace detail

// Stores the value as it is here and passes it on unrounded.
template <class Sink>
ONEPASS_HD constexpr detail::tee_stage<Sink> tee(Sink sink) {
  static_assert(detail::is_kind<Sink, kind::sink>(), "onepass: tee takes a sink, as in tee(store(p))");
  if constexpr (detail::is_kind<Sink, kind::sink>())
    static_assert(!Sink::reduces,
                  "onepass: a reduction has no place on the way yet: end the pipeline with it, and make "
                  "the store the tee");
  return {detail::make_list(sink)};
}

}  // namespace onepass

#endif
