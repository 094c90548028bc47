// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the elementary functions: roots, exponentials, logarithms, tanh, sigmoid, erf. An integer is
// computed in f64.
#ifndef ONEPASS_STAGE_ELEMENTARY_CUH
#define ONEPASS_STAGE_ELEMENTARY_CUH

#include "arithmetic.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct sqrt_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return __fsqrt_rn(x);
    else return __dsqrt_rn(to_f64(x));
#else
    if constexpr (cs::is_same_v<T, float>) return ::sqrtf(x);
    else return ::sqrt(to_f64(x));
#endif
  }
  ONEPASS_HD float narrow(float x) const { return fast_sqrt(x); }
};

struct rsqrt_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return ::rsqrtf(x);
    else return ::rsqrt(to_f64(x));
#else
    return static_cast<real_t<T>>(1.0 / ::sqrt(to_f64(x)));
#endif
  }
};

struct exp_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::expf(x);
    else return ::exp(to_f64(x));
  }
  // As the square of 2^(x log2(e) / 2), so that a subnormal result comes from normal factors.
  ONEPASS_HD float narrow(float x) const {
    const float half = fast_exp2(times(x, 0.72134752f));
    return times(half, half);
  }
};

struct exp2_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::exp2f(x);
    else return ::exp2(to_f64(x));
  }
};

struct expm1_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::expm1f(x);
    else return ::expm1(to_f64(x));
  }
  // Three terms of the series where the difference would cancel.
  ONEPASS_HD float narrow(float x) const {
    const float far = minus(fast_exp2(times(x, 1.442695f)), 1.0f);
    const float near = times(x, fused(x, fused(x, 1.0f / 6.0f, 0.5f), 1.0f));
    return ::fabsf(x) < 0.0625f ? near : far;
  }
};

// log2(u) for u = 1 + d, to 2^-18 of the value: near 1 by d times a minimax fit of log2(1 + d) / d on [-1/16, 1/16].
ONEPASS_HD float fast_log2(float u, float d) {
  float p = -0.3618043f;
  p = fused(p, d, 0.48202837f);
  p = fused(p, d, -0.7213465f);
  p = fused(p, d, 1.4426945f);
  const float near = times(p, d), far = fast_log2(u);
  return ::fabsf(d) < 0.0625f ? near : far;
}

struct log_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::logf(x);
    else return ::log(to_f64(x));
  }
  ONEPASS_HD float narrow(float x) const { return times(fast_log2(x, minus(x, 1.0f)), 0.6931472f); }
};

struct log2_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::log2f(x);
    else return ::log2(to_f64(x));
  }
  ONEPASS_HD float narrow(float x) const { return fast_log2(x, minus(x, 1.0f)); }
};

struct log10_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::log10f(x);
    else return ::log10(to_f64(x));
  }
  ONEPASS_HD float narrow(float x) const { return times(fast_log2(x, minus(x, 1.0f)), 0.30103f); }
};

struct log1p_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::log1pf(x);
    else return ::log1p(to_f64(x));
  }
  ONEPASS_HD float narrow(float x) const { return times(fast_log2(plus(x, 1.0f), x), 0.6931472f); }
};

struct tanh_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::tanhf(x);
    else return ::tanh(to_f64(x));
  }
  // 1 - 2 / (1 + e^2|x|), and two terms of the series where that would cancel.
  ONEPASS_HD float narrow(float x) const {
    const float t = ::fabsf(x);
    const float far = fused(-2.0f, fast_reciprocal(plus(1.0f, fast_exp2(times(t, 2.8853901f)))), 1.0f);
    const float near = fused(times(times(t, t), t), -1.0f / 3.0f, t);
    return ::copysignf(t < 0.0625f ? near : far, x);
  }
};

// y / (1 + e^-z), the logistic function times y, for y and z of the same sign: with e = e^-|z| nothing overflows, and
// in the far tail e is the square of e^(-|z| / 2), so that a subnormal result comes from normal factors.
template <class T>
ONEPASS_HD T logistic_times(T y, T z) {
  const T t = magnitude(z);
  const bool far = t > T(80);  // there 1 + e is 1, also of a root of e
  const T e = exp_op{}(far ? times(T(-0.5), t) : -t), r = times(y, near_quotient(z < T(0) ? e : T(1), plus(T(1), e)));
  return far && z < T(0) ? times(r, e) : r;
}
// The same in the approximate functions, of `exponent` = -z / ln 2 - 16: both sides of the quotient are 2^16 too small,
// since a reciprocal below 2^-126 is 0, and results of bf16 go down to 2^-133. (Of y itself that costs a quarter of the
// least of them.)
ONEPASS_HD float fast_logistic_quotient(float y, float exponent) {
  constexpr float scale = 1.0f / 65536;
  return times(times(y, scale), fast_reciprocal(plus(scale, fast_exp2(exponent))));
}
ONEPASS_HD float fast_logistic_times(float y, float z) {
  return fast_logistic_quotient(y, fused(z, -1.44269504f, -16.0f));
}

struct sigmoid_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return logistic_times(real_t<T>(1), static_cast<real_t<T>>(x));
  }
  ONEPASS_HD float narrow(float x) const { return fast_logistic_times(1.0f, x); }
};

struct erf_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::erff(x);
    else return ::erf(to_f64(x));
  }
  // x times a minimax fit of erf(x) / x on [0, 2.8], 5.3e-5 in relative error; what it is there rounds to 1.
  ONEPASS_HD float narrow(float x) const {
    const float t = lesser(greater(x, -2.8f), 2.8f), s = times(t, t);
    float p = -6.730191e-07f;
    p = fused(p, s, 2.498252e-05f);
    p = fused(p, s, -0.0004058946f);
    p = fused(p, s, 0.003860087f);
    p = fused(p, s, -0.02440162f);
    p = fused(p, s, 0.11050775f);
    p = fused(p, s, -0.3752382f);
    p = fused(p, s, 1.1283195f);
    return times(t, p);
  }
};

}  // namespace detail

// The worst error over all f32 inputs, in ulp: sqrt 0.5, rsqrt 1.52, exp 1.94, log 0.87, tanh 1.82, exp2 2.39,
// expm1 1.45, log2 0.92, log10 2.09, log1p 0.89, erf 1.04 (CUDA's math library;
// on the host tanh 2.19), sigmoid 4.22. Before a 16-bit store: 1
// ulp of that type.
ONEPASS_OBJECT detail::pointwise<detail::sqrt_op> sqrt{};
ONEPASS_OBJECT detail::pointwise<detail::rsqrt_op> rsqrt{};  // 1 / sqrt(x)
ONEPASS_OBJECT detail::pointwise<detail::exp_op> exp{};
ONEPASS_OBJECT detail::pointwise<detail::exp2_op> exp2{};    // 2^x
ONEPASS_OBJECT detail::pointwise<detail::expm1_op> expm1{};  // e^x - 1
ONEPASS_OBJECT detail::pointwise<detail::log_op> log{};
ONEPASS_OBJECT detail::pointwise<detail::log2_op> log2{};
ONEPASS_OBJECT detail::pointwise<detail::log10_op> log10{};
ONEPASS_OBJECT detail::pointwise<detail::log1p_op> log1p{};  // log(1 + x)
ONEPASS_OBJECT detail::pointwise<detail::tanh_op> tanh{};
ONEPASS_OBJECT detail::pointwise<detail::sigmoid_op> sigmoid{};  // 1 / (1 + e^-x)
ONEPASS_OBJECT detail::pointwise<detail::erf_op> erf{};  // 2 / sqrt(pi) times the integral of e^-t^2 from 0 to x

}  // namespace onepass

#endif
