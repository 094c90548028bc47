// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the words of the grammar that this version has no kernel family for, so that using one says why.
#ifndef ONEPASS_REFUSED_CUH
#define ONEPASS_REFUSED_CUH

#include "meta.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A stage that sees its whole row, whatever its arguments. The check of the pipeline says the sentence.
struct row_stage {
  static constexpr kind part = kind::row;
  template <class... Any>
  ONEPASS_HD constexpr row_stage operator()(const Any &...) const {
    return {};
  }
};

// A source or a sink that has said its sentence; the check of the pipeline adds none.
template <kind Kind>
struct refused_part {
  static constexpr kind part = Kind;
  static constexpr bool refused = true, reduces = false;
};

template <class...>
inline constexpr bool has_family = false;

}  // namespace detail

ONEPASS_OBJECT detail::row_stage softmax{}, log_softmax{}, layer_norm{}, rms_norm{}, l2_normalize{}, by_row{};

// What by_row keeps of its statistic.
template <class... Out>
ONEPASS_HD constexpr detail::nothing keep(Out *...) {
  return {};
}

template <class... Any>
ONEPASS_HD constexpr detail::refused_part<kind::sink> reduce_rows(const Any &...) {
  static_assert(detail::has_family<Any...>,
                "onepass: reduce_rows keeps a state per row, and this version has the families map and reduce alone: "
                "launch reduce(...) row by row, at one kernel per row, or store here and reduce the rows by a library, "
                "at one kernel, one write and one read per element more");
  return {};
}

template <class... Any>
ONEPASS_HD constexpr detail::refused_part<kind::sink> reduce_columns(const Any &...) {
  static_assert(detail::has_family<Any...>,
                "onepass: reduce_columns keeps a state per column, and this version has the families map and reduce "
                "alone: store here and reduce the columns by a library, at one kernel, one write and one read per "
                "element more");
  return {};
}

template <class... Any>
ONEPASS_HD constexpr detail::refused_part<kind::source> matmul(const Any &...) {
  static_assert(detail::has_family<Any...>,
                "onepass: matmul is a source that tensor cores compute, and this version has the families map and "
                "reduce alone: let a library store the product and begin with load(product), at one kernel, one write "
                "and one read per element more");
  return {};
}

}  // namespace onepass

#endif
