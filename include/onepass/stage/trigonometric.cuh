// SPDX-License-Identifier: Apache-2.0
// Part of onepass: sin and cos of an angle in radians. An integer is computed in f64; of an infinity they are NaN.
#ifndef ONEPASS_STAGE_TRIGONOMETRIC_CUH
#define ONEPASS_STAGE_TRIGONOMETRIC_CUH

#include "../words.cuh"  // bit_copy
#include "math.cuh"
#include "pointwise.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// sin(x - turns pi) for a multiple or odd half multiple of pi within pi/2 of x, |x| < 2^16. The first difference is
// exact and so is the second but for its rounding, which keeps zeros of the function relatively accurate; then r times
// a minimax fit of sin(r) / r, 1e-6 in relative error.
ONEPASS_HD float fast_sin_beyond(float x, float turns) {
  const float r = fused(-turns, 1.50995803e-07f, fused(-turns, 3.1415925f, x)), s = times(r, r);
  const float p = fused(fused(-0.00018540939f, s, 0.008314236f), s, -0.1666585f);
  return times(r, fused(p, s, 1.0f));
}

struct sin_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::sinf(x);
    else return ::sin(to_f64(x));
  }
  ONEPASS_HD float narrow(float x) const {
    if (!(::fabsf(x) < 65536.0f)) return ::sinf(x);
    const float shifted = fused(x, 0.31830987f, 12582912.0f);  // 1.5 * 2^23: the whole number stands in the lowest bits
    const float r = fast_sin_beyond(x, minus(shifted, 12582912.0f));
    return bit_copy<float>(bit_copy<uint32_t>(r) ^ (bit_copy<uint32_t>(shifted) << 31));
  }
};

struct cos_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::cosf(x);
    else return ::cos(to_f64(x));
  }
  // cos((k + 1/2) pi + r) is sin(r), negated for an even k.
  ONEPASS_HD float narrow(float x) const {
    if (!(::fabsf(x) < 65536.0f)) return ::cosf(x);
    const float shifted = plus(fused(x, 0.31830987f, -0.5f), 12582912.0f);
    const float r = fast_sin_beyond(x, plus(minus(shifted, 12582912.0f), 0.5f));
    return bit_copy<float>(bit_copy<uint32_t>(r) ^ (bit_copy<uint32_t>(shifted) << 31) ^ 0x80000000u);
  }
};

}  // namespace detail

// The worst error over all f32 inputs, in ulp: sin 1.5, cos 1.52 (CUDA's math library). Before a 16-bit store: 1 ulp of
// that type, of arguments of any size.
ONEPASS_OBJECT detail::pointwise<detail::sin_op> sin{};
ONEPASS_OBJECT detail::pointwise<detail::cos_op> cos{};

}  // namespace onepass

#endif
