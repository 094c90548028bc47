// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the Gaussian error linear unit: gelu, the erf form, and gelu_tanh and quick_gelu, which approximate
// it. NaN propagates, the limit at -inf is -0, and the negative tail is kept.
#ifndef ONEPASS_STAGE_GELU_CUH
#define ONEPASS_STAGE_GELU_CUH

#include "elementary.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// x Phi(x), Phi the normal distribution: Hendrycks and Gimpel, Gaussian error linear units, 2016. Computed as
// max(x, -0) - t Phi(-t) with t = |x|, which keeps the negative tail and the sign of 0.
struct gelu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<R, float>) return full(x);
    else return times(greater(static_cast<R>(x), R(-50)), ::normcdf(static_cast<R>(x)));
#else
    // In a wider type: erfc's tail counts a rounding of its argument up to a thousand times. Phi(-50) is 0 in f64.
    using W = cs::conditional_t<cs::is_same_v<R, float>, double, long double>;
    const W y = greater(static_cast<W>(x), W(-50));
    return static_cast<R>(W(0.5L) * y * std::erfc(W(-0.70710678118654752440L) * y));
#endif
  }
  // Phi(-t) = (2^p(t))^2: p is a weighted minimax fit of log2(Phi(-t)) / 2 on [0, 13.65]; from 14.4 on the product is
  // 0. At most 1 ulp in f16 and in bf16 over all inputs.
  ONEPASS_HD float narrow(float x) const {
    const float t = lesser(::fabsf(x), 14.6f);
    float p = 1.63314109e-08f;
    p = fused(p, t, -1.01484147e-06f);
    p = fused(p, t, 2.7018601e-05f);
    p = fused(p, t, -0.000407807791f);
    p = fused(p, t, 0.00392514747f);
    p = fused(p, t, -0.0260859597f);
    p = fused(p, t, -0.230355516f);
    p = fused(p, t, -0.575099289f);
    p = fused(p, t, -0.500039339f);
    const float e = fast_exp2(p);
    return fused(-times(t, e), e, greater(x, -0.0f));
  }

 private:
  // Phi(-t) = e^(-t^2 / 2) q P(q) with q = 1 / (1 + 0.3 t): P is a minimax fit in relative error (4e-9) on [0, 14.6].
  // The exponent is t^2 in two parts, reduced by a whole number; the factor is 2^64 too large until the last step, so
  // that a subnormal result is rounded once.
  ONEPASS_HD static float full(float x) {
    const float t = lesser(::fabsf(x), 14.6f), square = times(t, t), rest = fused(t, t, -square);
    const float whole = fused(square, -0.72134752f, 12582976.0f);  // 1.5 * 2^23 + 64 + the whole number
    float part = fused(square, -0.72134752f, minus(12582976.0f, whole));
    part = fused(square, -9.629815e-09f, part);
    part = fused(rest, -0.72134752f, part);
    const float scaled = bit_copy<float>(bit_copy<uint32_t>(fast_exp2(part)) + (bit_copy<uint32_t>(whole) << 23));
    const float q = fast_reciprocal(fused(0.3f, t, 1.0f));
    float p = -0.020624878f;
    p = fused(p, q, 0.11244354f);
    p = fused(p, q, -0.22823295f);
    p = fused(p, q, 0.1918114f);
    p = fused(p, q, -0.07944681f);
    p = fused(p, q, 0.09616993f);
    p = fused(p, q, 0.0783849f);
    p = fused(p, q, 0.110236496f);
    p = fused(p, q, 0.11957168f);
    p = fused(p, q, 0.1196867f);
    return fused(times(times(times(t, q), p), scaled), -5.42101086e-20f, greater(x, -0.0f));
  }
};

// y / (1 + e^-(z + rest)), rest at most a rounding of z, which counts |z| times in the tail of e^z.
template <class T>
ONEPASS_HD T logistic_times(T y, T z, T rest) {
  const T r = logistic_times(y, z);
  return z < T(0) && r != T(0) ? fused(r, rest, r) : r;  // where r is 0, rest may be NaN
}

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), which is x / (1 + e^-z) with z twice the argument of tanh: in the
// same paper.
struct gelu_tanh_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = greater(to_real(x), R(-30));  // the logistic factor at -30 is 0 in f64
    R rest;
    const R z = argument(lesser(y, R(30)), rest);
    return logistic_times(y, z, rest);
  }
  ONEPASS_HD float narrow(float x) const {
    const float y = greater(x, -30.0f);
    return fast_logistic_quotient(y, fused(y, fused(times(y, y), -0.10294324f, -2.3022082f), -16.0f));
  }

 private:
  // z + rest = x (c1 + c2 x^2) with c1 = sqrt(8 / pi) and c2 = 0.044715 c1, for |x| <= 30. Each c is a sum of two; the
  // first part of c1 is so short that its difference to the whole factor is exact.
  template <class R>
  ONEPASS_HD static R argument(R x, R &rest) {
    constexpr bool f32 = cs::is_same_v<R, float>;
    constexpr R c1 = f32 ? R(1.59576416015625) : R(1.595769121606281260028481);
    constexpr R c1_rest = f32 ? R(4.9614494807117597842e-6) : R(-5.505482686972437219451823e-13);
    constexpr R c2 = f32 ? R(0.071354813873767852783) : R(0.07135481627260024939385374);
    constexpr R c2_rest = f32 ? R(2.3988323959931356273e-9) : R(-6.175149918155315453375636e-19);
    const R square = times(x, x), square_rest = fused(x, x, -square);
    const R factor = fused(square, c2, c1);
    R factor_rest = fused(square, c2, minus(c1, factor));
    factor_rest = plus(fused(square_rest, c2, factor_rest), fused(square, c2_rest, c1_rest));
    const R first = times(x, factor), second = fused(x, factor_rest, fused(x, factor, -first));
    const R z = plus(first, second);
    rest = minus(second, minus(z, first));
    return z;
  }
};

// x / (1 + e^(-1.702 x)): in the same paper.
struct quick_gelu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    constexpr R c = R(1.702), c_rest = cs::is_same_v<R, float> ? R(-2.193450927734375e-8) : R(4.2632564145606e-17);
    const R y = greater(to_real(x), R(-2000)), z = times(c, y);
    return logistic_times(y, z, fused(c_rest, y, fused(c, y, -z)));
  }
  ONEPASS_HD float narrow(float x) const {
    const float y = greater(x, -400.0f);
    return fast_logistic_times(y, times(1.702f, y));
  }
};

}  // namespace detail

// The worst error over all f32 inputs, in ulp: gelu 7.91, gelu_tanh 5.26, quick_gelu 5.27. Before a 16-bit store: 1 ulp
// of that type.
ONEPASS_OBJECT detail::pointwise<detail::gelu_op> gelu{};              // x Phi(x): the erf form
ONEPASS_OBJECT detail::pointwise<detail::gelu_tanh_op> gelu_tanh{};    // its tanh approximation, a function of its own
ONEPASS_OBJECT detail::pointwise<detail::quick_gelu_op> quick_gelu{};  // x sigmoid(1.702 x), another

}  // namespace onepass

#endif
