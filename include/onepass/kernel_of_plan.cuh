// SPDX-License-Identifier: Apache-2.0
// Part of onepass: which kernel a plan means.
#ifndef ONEPASS_KERNEL_OF_PLAN_CUH
#define ONEPASS_KERNEL_OF_PLAN_CUH

#include "kernel/map.cuh"
#include "kernel/reduce.cuh"
#include "kernel/row_cluster.cuh"
#include "kernel/row_pass.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// A kernel of any parameters as the runtime knows it.
struct kernel_handle {
  const void *function = nullptr;
  kernel_handle() = default;
  template <class... Args>
  kernel_handle(void (*kernel)(Args...)) : function(reinterpret_cast<const void *>(kernel)) {}
};

// Whether a pipeline has a line of the table in plan_rows.h, for rows that are taken in this way.
template <class P, access A>
constexpr bool has_line(onepass_row_cut_t cut) {
  constexpr bool single = A == access::single;
  const int groups = cut.threads * onepass_row_packs(cut.packs, lanes_v<P>);
  return (!single || onepass_has_singles(singles_of<P>(), groups) != 0) &&
         onepass_row_cut_exists(cut, lanes_v<P>, neighbours_v<P>, held_bytes<P>() + kept_bytes<P>(), single) != 0;
}
// The kernel of a plan for rows in registers: one for each line of the table, that for line I and below.
template <class Tag, access A, int I = 0>
kernel_handle row_kernel_for(const onepass_plan_t &plan) {
  constexpr onepass_row_cut_t cut = onepass_row_cut(I);
  constexpr int packs = onepass_row_packs(cut.packs, lanes_v<tagged_t<Tag>>);
  if constexpr (onepass_row_cut(I + 1).threads > 0)
    if (plan.threads != cut.threads || plan.packs != packs) return row_kernel_for<Tag, A, I + 1>(plan);
  if constexpr (has_line<tagged_t<Tag>, A>(cut))
    return &row_kernel<Tag, static_cast<unsigned>(cut.threads), static_cast<unsigned>(packs), A>;
  else return {};  // no plan takes this line
}
// Those of plans for wider rows, or null: of blocks that stay, and of others by groups.
template <class Tag, access A, int Threads>
kernel_handle cluster_kernel_of() {
  using P = tagged_t<Tag>;
  constexpr int packs = onepass_cluster_packs(lanes_v<P>, is_single<A> ? element_registers<P>() : 0);
  return &row_cluster_kernel<Tag, static_cast<unsigned>(Threads), static_cast<unsigned>(packs), A>;
}
template <class Tag, access A>
kernel_handle cluster_kernel_for(const onepass_plan_t &plan) {
  using P = tagged_t<Tag>;
  constexpr int small = onepass_cluster_threads(lanes_v<P>, neighbours_v<P>, kept_bytes<P>(), 1, 1);
  if constexpr (held_bytes<P>() == 0) return {};
  else if constexpr (is_single<A>) return cluster_kernel_of<Tag, A, ONEPASS_SINGLE_CLUSTER_THREADS>();
  else if (plan.threads == small) return cluster_kernel_of<Tag, A, small>();
  else return cluster_kernel_of<Tag, A, ONEPASS_CLUSTER_THREADS>();
}
template <class Tag, bool Aligned>
kernel_handle wide_kernel_by_groups(const onepass_plan_t &plan) {
  if constexpr (stream_threads<tagged_t<Tag>> != ONEPASS_STREAM_THREADS) {
    if (plan.strategy == ONEPASS_ROW_STREAM && plan.threads == ONEPASS_WARP_STREAM_THREADS)
      return &row_stream_kernel<Tag, Aligned, ONEPASS_WARP_STREAM_THREADS>;
    if (plan.strategy == ONEPASS_ROW_STREAM && plan.threads == ONEPASS_NARROW_STREAM_THREADS)
      return &row_stream_kernel<Tag, Aligned, ONEPASS_NARROW_STREAM_THREADS>;
  }
  if (plan.strategy == ONEPASS_ROW_STREAM) return &row_stream_kernel<Tag, Aligned>;
  if (plan.strategy == ONEPASS_ROW_CLUSTER)
    return cluster_kernel_for<Tag, Aligned ? access::entire : access::image>(plan);
  if constexpr (held_bytes<tagged_t<Tag>>() > 0) {
    if constexpr (onepass_row_has_runs(ONEPASS_SHARED_THREADS, neighbours_v<tagged_t<Tag>>) != 0)
      if (plan.strategy == ONEPASS_ROW_SHARED) return &row_shared_kernel<Tag, ONEPASS_SHARED_THREADS, Aligned>;
  }
  return {};
}
template <class Tag>
kernel_handle wide_row_kernel_for(const onepass_plan_t &plan) {
  if constexpr (singles_of<tagged_t<Tag>>() != ONEPASS_SINGLES_NONE)
    if (plan.single) return cluster_kernel_for<Tag, access::landed>(plan);
  return plan.aligned ? wide_kernel_by_groups<Tag, true>(plan) : wide_kernel_by_groups<Tag, false>(plan);
}
template <class Tag>
kernel_handle row_kernel_of_strategy(const onepass_plan_t &plan) {
  if constexpr (singles_of<tagged_t<Tag>>() != ONEPASS_SINGLES_NONE)
    if (plan.single && plan.strategy <= ONEPASS_ROW_BLOCK) return row_kernel_for<Tag, access::single>(plan);
  if (plan.strategy > ONEPASS_ROW_BLOCK) return wide_row_kernel_for<Tag>(plan);
  return plan.aligned ? row_kernel_for<Tag, access::entire>(plan) : row_kernel_for<Tag, access::image>(plan);
}

// Whether rows of a width in registers go by single elements; the line of the table that AUTO takes for it, or -1.
template <class P>
constexpr bool takes_singles(int64_t columns) {
  return columns % lanes_v<P> != 0 && onepass_has_singles(singles_of<P>(), onepass_ceil_div(columns, lanes_v<P>)) != 0;
}
template <class P>
constexpr int row_line_of(int64_t columns) {
  constexpr onepass_geometry_t geometry = geometry_of<P>();
  const int64_t groups = onepass_ceil_div(columns, geometry.lanes);
  for (int i = 0; onepass_row_cut(i).threads > 0; ++i)
    if (onepass_row_cut_holds(onepass_row_cut(i), &geometry, groups, ONEPASS_MAX_SHARED_BYTES,
                              takes_singles<P>(columns)))
      return onepass_row_cut(i).strategy == ONEPASS_ROW_BLOCK && onepass_rows_pass_by(&geometry) ? -1 : i;
  return -1;
}
// Rows of a width that is part of the type, in registers: the kernel of that line alone. Null for another plan.
template <class Tag>
kernel_handle row_kernel_of_width(const onepass_plan_t &plan) {
  using P = tagged_t<Tag>;
  constexpr int64_t columns = fixed_columns<Tag>::value;
  constexpr int line = row_line_of<P>(columns);
  if constexpr (line < 0) {
    if (plan.strategy <= ONEPASS_ROW_BLOCK) return {};
    return wide_row_kernel_for<Tag>(plan);
  } else {
    constexpr onepass_row_cut_t cut = onepass_row_cut(line);
    constexpr int packs = onepass_row_packs(cut.packs, lanes_v<P>);
    constexpr unsigned threads = static_cast<unsigned>(cut.threads), own = static_cast<unsigned>(packs);
    if (plan.strategy != cut.strategy || plan.threads != cut.threads || plan.packs != packs) return {};
    if constexpr (takes_singles<P>(columns)) return &row_kernel<Tag, threads, own, access::single>;
    if constexpr (columns % lanes_v<P> == 0)
      if (plan.aligned) return &row_kernel<Tag, threads, own, access::entire>;
    return &row_kernel<Tag, threads, own, access::image>;
  }
}
template <class Tag>
kernel_handle row_kernel_of(const onepass_plan_t &plan) {
  if constexpr (fixed_columns<Tag>::value >= 0) return row_kernel_of_width<Tag>(plan);
  else return row_kernel_of_strategy<Tag>(plan);
}

// The kernel of a plan.
template <class Tag, bool Aligned, bool Counted>
kernel_handle kernel_of_family() {
  if constexpr (any_reduces_array<tagged_t<Tag>>::value) return &reduce_kernel<Tag, Aligned, Counted>;
  else return &map_kernel<Tag, Aligned, Counted>;
}
template <class Tag>
kernel_handle kernel_for(const onepass_plan_t &plan) {
  if constexpr (any_needs_row<tagged_t<Tag>>::value) {
    return row_kernel_of<Tag>(plan);
  } else {
    if (plan.counted) return plan.aligned ? kernel_of_family<Tag, true, true>() : kernel_of_family<Tag, false, true>();
    return plan.aligned ? kernel_of_family<Tag, true, false>() : kernel_of_family<Tag, false, false>();
  }
}

}  // namespace detail
}  // namespace onepass

#endif
