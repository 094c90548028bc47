// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the words of the grammar that this version has no kernel family for, so that using one says why.
#ifndef ONEPASS_REFUSED_CUH
#define ONEPASS_REFUSED_CUH

#include "meta.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A source or a sink that has said its sentence; the check of the pipeline adds none.
template <kind Kind>
struct refused_part {
  static constexpr kind part = Kind;
  static constexpr bool refused = true, reduces = false;
};

template <class...>
inline constexpr bool has_family = false;

}  // namespace detail

template <class... Any>
ONEPASS_HD constexpr detail::refused_part<kind::sink> reduce_columns(const Any &...) {
  static_assert(detail::has_family<Any...>,
                "onepass: reduce_columns keeps a state per column, and this version has the families map, reduce and "
                "row alone: store here and reduce the columns by a library, at one kernel, one write and one read per "
                "element more");
  return {};
}

template <class... Any>
ONEPASS_HD constexpr detail::refused_part<kind::source> matmul(const Any &...) {
  static_assert(detail::has_family<Any...>,
                "onepass: matmul is a source that tensor cores compute, and this version has the families map, "
                "reduce and row alone: let a library store the product and begin with load(product), at one kernel, one write "
                "and one read per element more");
  return {};
}

}  // namespace onepass

#endif
