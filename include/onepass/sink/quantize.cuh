// SPDX-License-Identifier: Apache-2.0
// Part of onepass: quantised stores: values over a scale, in f8 or small integers, and the scale: given, or one that
// lets the greatest magnitude of a row, or of a group of columns, reach the greatest number of the type.
#ifndef ONEPASS_SINK_QUANTIZE_CUH
#define ONEPASS_SINK_QUANTIZE_CUH

#include "../collective/group.cuh"
#include "../source/group.cuh"
#include "../stage/arithmetic.cuh"
#include "../stage/row.cuh"
#include "store.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The greatest number of f8 or of a signed integer, whose range is used as far as it is symmetric.
template <class Q>
ONEPASS_HD constexpr float greatest_quantum() {
  constexpr bool known = is_float8<Q> || (cs::is_integral_v<Q> && cs::is_signed_v<Q> && sizeof(Q) <= 2);
  static_assert(known, "onepass: a quantised store is of f8 (e4m3 or e5m2), int8_t or int16_t");
  if constexpr (cs::is_same_v<Q, __nv_fp8_e4m3>) return 448;
  else if constexpr (cs::is_same_v<Q, __nv_fp8_e5m2>) return 57344;
  else if constexpr (known) return static_cast<float>(cs::numeric_limits<Q>::max());
  else return 1;
}

struct quantum {
  float scale, inverse;
  ONEPASS_HD float kept() const { return scale; }
};

// A scale of Scale for values up to `most`: at least 2^-126, so that its inverse is a number; a power of two for UE8M0.
// NaN and infinity make it NaN and infinity.
template <class Q, class Scale>
ONEPASS_HD quantum quantum_for(float most) {
  static_assert(cs::is_same_v<Scale, float> || is_scale8<Scale>,
                "onepass: the scales of a quantised store are float or __nv_fp8_e8m0");
  float scale = greater(divide_op{}(most, greatest_quantum<Q>()), 0x1p-126f);
  if constexpr (is_scale8<Scale>)
    if (scale == scale) scale = bit_copy<float>((bit_copy<uint32_t>(scale) + 0x7fffffu) & 0x7f800000u);
  return {scale, divide_op{}(1.0f, scale)};
}

template <class T>
ONEPASS_HD float size_of(T x) {
  static_assert(cs::is_arithmetic_v<T>, "onepass: a quantised store takes one real value per element");
  if constexpr (cs::is_arithmetic_v<T>) return magnitude(static_cast<float>(x));
  else return 0;
}

// The greatest magnitude of a row.
template <class Q, class Scale>
struct quantum_statistic {
  static constexpr bool commutative = true;
  template <class T>
  ONEPASS_HD float identity() const {
    return 0;
  }
  template <class T>
  ONEPASS_HD float lift(T x, const coordinate &) const {
    return size_of(x);
  }
  ONEPASS_HD float combine(float a, float b) const { return greater(a, b); }
  template <class T, int N, access A>
  ONEPASS_HD float fold(float most, const pack<T, N> &v, const position<N, A> &at) const {
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) most = at.has(i) ? greater(most, size_of(v[i])) : most;
    return most;
  }
  ONEPASS_HD quantum finish(float most, int64_t) const { return quantum_for<Q, Scale>(most); }
};
struct quantize_op {
  template <class T>
  ONEPASS_HD float operator()(T x, const quantum &q) const {
    if constexpr (cs::is_arithmetic_v<T>) return times(static_cast<float>(x), q.inverse);
    else return 0;
  }
};

// One scale per group of columns.
template <class Scale, int Columns>
struct group_scale {
  using element = Scale;
  static constexpr onepass_span_t span = ONEPASS_PER_GROUP;
  static constexpr int group = Columns;
  static constexpr bool written = true;
  Scale *p;
  int64_t row_pitch;

  ONEPASS_HD const void *pointer() const { return p; }
  ONEPASS_HD int64_t pitch() const { return row_pitch; }
};

// A stage that sees a group of columns: on the device it lies in neighbouring threads of a warp or, where these are
// more than 32, of a block, all of which call; on the host in one pack.
template <class Q, class Scale, int Columns>
struct quantize_group_stage {
  static constexpr kind part = kind::pointwise;
  static constexpr bool needs_row = true, by_row = true, shares_group = true;
  list<group_scale<Scale, Columns>> inner;

  template <int N, access A>
  ONEPASS_HD nothing fetch(const position<N, A> &) const {
    return {};
  }
  template <class Math, int N, class V, access A>
  ONEPASS_HD pack<float, N> apply_with(const pack<V, N> &v, const nothing &, const position<N, A> &at) const {
    constexpr int own = N < Columns ? N : Columns;
    pack<float, N> q;
    ONEPASS_UNROLL
    for (int first = 0; first < N; first += own) {
      float most = 0;
      ONEPASS_UNROLL
      for (int i = 0; i < own; ++i) most = at.has(first + i) ? greater(most, size_of(v[first + i])) : most;
#ifdef __CUDA_ARCH__
      most = group_reduce<Columns / own>(quantum_statistic<Q, Scale>{}, most);
#endif
      const quantum of_group = quantum_for<Q, Scale>(most);
      ONEPASS_UNROLL
      for (int i = 0; i < own; ++i) q[first + i] = quantize_op{}(v[first + i], of_group);
      if (at.has(first) && (at.column + first) % Columns == 0)
        *group_address<Columns>(inner.head.p, inner.head.row_pitch, at.lane(first)) = narrow<Scale>(of_group.scale);
    }
    return q;
  }
};

}  // namespace detail

// Sinks around a store of f8 or of signed integers of 8 or 16 bits, x / scale rounded and saturated: x is about q
// scale.
//
// With one scale, a positive number, or an operand.
template <class Store, class Scale>
ONEPASS_HD constexpr auto quantize(Store store, Scale scale) {
  static_assert(detail::greatest_quantum<typename Store::element>() > 0);
  if constexpr (detail::cs::is_arithmetic_v<Scale>) return multiply(1.0 / static_cast<double>(scale)) | store;
  else return divide(scale) | store;
}
// With a scale for each row, which it writes to a vector of `rows`: the greatest magnitude of the row over the greatest
// number of the type (448, 57344, 127), at least 2^-126. Of a row with NaN the scale and all values are NaN (integers:
// 0); of one with infinity (or f64 beyond f32) the scale is infinite, the infinities NaN and the rest 0. Scales are
// float, or __nv_fp8_e8m0: the next power of two above, 2^127 at most.
template <class Store, class Scale>
ONEPASS_HD constexpr auto quantize_rows(Store store, Scale *scales) {
  using statistic = detail::quantum_statistic<typename Store::element, Scale>;
  return detail::make_row_stage(statistic{}, detail::quantize_op{}, keep(scales)) | store;
}
// The same with a scale for each group of Columns columns of a row, the last of which may be shorter, to rows of scales
// that are `pitch` elements apart; without a pitch they have no gap, and the columns are a multiple of Columns. Columns
// is a power of two from 32 to 512 times the columns of a thread, as 512 threads are a block of a row of any width: up
// to 8192 where a thread has 16 columns, 4096 or 2048 where a wider store beside leaves it 8 or 4. Wider groups are
// rows: quantize_rows over an extent with a row for each.
template <int Columns, class Store, class Scale>
ONEPASS_HD constexpr auto quantize_groups(Store store, Scale *scales, int64_t pitch = ONEPASS_DENSE) {
  static_assert(detail::is_group<Columns>, "onepass: a group has 32 columns, 64, 128 or any power of two above");
  using stage = detail::quantize_group_stage<typename Store::element, Scale, Columns>;
  return stage{{{scales, pitch}, {}}} | store;
}

}  // namespace onepass

#endif
