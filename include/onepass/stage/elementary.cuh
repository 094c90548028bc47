// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the elementary functions: sqrt, rsqrt, exp, log, tanh, sigmoid. An integer is computed in f64.
#ifndef ONEPASS_STAGE_ELEMENTARY_CUH
#define ONEPASS_STAGE_ELEMENTARY_CUH

#include "arithmetic.cuh"

namespace onepass {
namespace detail {

struct sqrt_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return __fsqrt_rn(x);
    else return __dsqrt_rn(static_cast<double>(x));
#else
    if constexpr (cs::is_same_v<T, float>) return ::sqrtf(x);
    else return ::sqrt(static_cast<double>(x));
#endif
  }
  ONEPASS_HD float narrow(float x) const { return fast_sqrt(x); }
};

struct rsqrt_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
#ifdef __CUDA_ARCH__
    if constexpr (cs::is_same_v<T, float>) return ::rsqrtf(x);
    else return ::rsqrt(static_cast<double>(x));
#else
    return static_cast<real_t<T>>(1.0 / ::sqrt(static_cast<double>(x)));
#endif
  }
};

struct exp_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::expf(x);
    else return ::exp(static_cast<double>(x));
  }
  // As the square of 2^(x log2(e) / 2), so that a subnormal result comes from normal factors.
  ONEPASS_HD float narrow(float x) const {
    const float half = fast_exp2(times(x, 0.72134752f));
    return times(half, half);
  }
};

struct log_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::logf(x);
    else return ::log(static_cast<double>(x));
  }
};

struct tanh_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    if constexpr (cs::is_same_v<T, float>) return ::tanhf(x);
    else return ::tanh(static_cast<double>(x));
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
  const T t = abs_op{}(z);
  const bool far = t > T(64);  // there 1 + e is 1
  const T e = exp_op{}(far ? times(T(-0.5), t) : -t), factor = far ? e : T(1);
  const T numerator = z < T(0) ? times(times(y, e), factor) : y;
  return divide_op{}(numerator, far ? T(1) : plus(T(1), e));
}
// The same in the approximate functions, as a square throughout.
ONEPASS_HD float fast_logistic_times(float y, float z) {
  const float h = fast_exp2(times(::fabsf(z), -0.72134752f));
  const float factor = z < 0.0f ? h : 1.0f;
  return times(times(y, factor), times(factor, fast_reciprocal(fused(h, h, 1.0f))));
}

struct sigmoid_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return logistic_times(real_t<T>(1), static_cast<real_t<T>>(x));
  }
  ONEPASS_HD float narrow(float x) const { return fast_logistic_times(1.0f, x); }
};

}  // namespace detail

// The worst error over all f32 inputs, in ulp: sqrt 0.5, rsqrt 1.52, exp 1.94, log 0.87, tanh 1.82 (CUDA's math
// library), sigmoid 4.4. Before a 16-bit store: 1 ulp of that type.
ONEPASS_OBJECT detail::pointwise<detail::sqrt_op> sqrt{};
ONEPASS_OBJECT detail::pointwise<detail::rsqrt_op> rsqrt{};  // 1 / sqrt(x)
ONEPASS_OBJECT detail::pointwise<detail::exp_op> exp{};
ONEPASS_OBJECT detail::pointwise<detail::log_op> log{};
ONEPASS_OBJECT detail::pointwise<detail::tanh_op> tanh{};
ONEPASS_OBJECT detail::pointwise<detail::sigmoid_op> sigmoid{};  // 1 / (1 + e^-x)

}  // namespace onepass

#endif
