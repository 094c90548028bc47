// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the activations. NaN propagates; at -inf each takes its limit, and the negative tail is kept.
#ifndef ONEPASS_STAGE_ACTIVATION_CUH
#define ONEPASS_STAGE_ACTIVATION_CUH

#include "elementary.cuh"

namespace onepass {
namespace detail {

struct relu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return greater<promoted_t<T>>(x, 0);
  }
};

struct silu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = greater(static_cast<R>(x), R(-2000));  // e^-1000 is 0: the limit is -0, where -inf * 0 would be NaN
    return logistic_times(y, y);
  }
  ONEPASS_HD float narrow(float x) const {
    const float y = greater(x, -400.0f);
    return fast_logistic_times(y, y);
  }
};

// x Phi(x), Phi the normal distribution: Hendrycks and Gimpel, Gaussian error linear units, 2016. Computed as
// max(x, 0) - t Phi(-t) with t = |x|, which keeps the negative tail.
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
  // Phi(-t) = (2^p(t))^2: p is a weighted minimax fit of log2(Phi(-t)) / 2 on [0, 13.65], beyond which the product is
  // 0. At most 1 ulp in f16 and in bf16 over all inputs.
  ONEPASS_HD float narrow(float x) const {
    const float t = lesser(::fabsf(x), 13.65f);
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
    return fused(-times(t, e), e, greater(x, 0.0f));
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
    return fused(times(times(times(t, q), p), scaled), -5.42101086e-20f, greater(x, 0.0f));
  }
};

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), which is x / (1 + e^-z) with z twice the argument of tanh.
struct gelu_tanh_op {
  template <class T>
  ONEPASS_HD static T argument(T x) {
    return times(x, fused(times(x, x), T(0.071354816272600252), T(1.5957691216057308)));
  }
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = greater(static_cast<R>(x), R(-30));  // the logistic factor at -30 is 0 in f64
    return logistic_times(y, argument(y));
  }
  ONEPASS_HD float narrow(float x) const {
    const float y = greater(x, -30.0f);
    return fast_logistic_times(y, argument(y));
  }
};

}  // namespace detail

// The worst error over all f32 inputs, in ulp: silu 5.2, gelu 8, gelu_tanh 3.5 from -1 up, 34 from -5 up and 220
// (2.6e-5) in the tail below. Before a 16-bit store: 1 ulp of that type.
ONEPASS_OBJECT detail::pointwise<detail::relu_op> relu{};            // max(x, 0)
ONEPASS_OBJECT detail::pointwise<detail::silu_op> silu{};            // x / (1 + e^-x)
ONEPASS_OBJECT detail::pointwise<detail::gelu_op> gelu{};            // x Phi(x): the erf form
ONEPASS_OBJECT detail::pointwise<detail::gelu_tanh_op> gelu_tanh{};  // its tanh approximation, a function of its own

}  // namespace onepass

#endif
