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

// x Phi(x), Phi the normal distribution: Hendrycks and Gimpel, Gaussian error linear units, 2016.
struct gelu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = greater(static_cast<R>(x), R(-50));  // Phi(-50) is 0 in f64
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<R, float>) return times(y, ::normcdff(y));
    else return times(y, ::normcdf(y));
#else
    return static_cast<R>(0.5 * y * ::erfc(-0.70710678118654752 * y));
#endif
  }
  // max(x, 0) - t Phi(-t) with t = |x| and Phi(-t) = (2^p(t))^2: p is a weighted minimax fit of log2(Phi(-t)) / 2 on
  // [0, 13.65], beyond which the product is 0. At most 1 ulp in f16 and in bf16 over all inputs.
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

ONEPASS_OBJECT detail::pointwise<detail::relu_op> relu{};    // max(x, 0)
ONEPASS_OBJECT detail::pointwise<detail::silu_op> silu{};    // x / (1 + e^-x)
ONEPASS_OBJECT detail::pointwise<detail::gelu_op> gelu{};    // x Phi(x): the erf form
ONEPASS_OBJECT detail::pointwise<detail::gelu_tanh_op> gelu_tanh{};  // its tanh approximation, a function of its own

}  // namespace onepass

#endif
