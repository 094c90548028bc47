// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the activations of one value; gelu.cuh has those named after it, gate.cuh those of a pair. Formulas
// are PyTorch's. NaN propagates, and at an infinity each takes its limit. Integers stay integers in relu, relu6,
// squared_relu, leaky_relu and hardtanh; elsewhere they are computed in f64.
#ifndef ONEPASS_STAGE_ACTIVATION_CUH
#define ONEPASS_STAGE_ACTIVATION_CUH

#include <cuda/std/limits>  // the greatest finite number

#include "elementary.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct relu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return greater<promoted_t<T>>(x, 0);
  }
};

struct relu6_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return lesser<promoted_t<T>>(relu_op{}(x), 6);
  }
};

// So et al., Primer, 2021.
struct squared_relu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    return square_op{}(relu_op{}(x));
  }
};

struct leaky_relu_op {
  template <class T, class S>
  ONEPASS_HD auto operator()(T x, S slope) const {
    using R = common_t<T, S>;
    const R y = static_cast<R>(x), s = static_cast<R>(slope);
    const R finite = s == R(0) ? greater(y, cs::numeric_limits<R>::lowest()) : y;  // 0 times -inf is 0 here
    return y > R(0) ? y : times(s, finite);
  }
};

struct hardtanh_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = promoted_t<T>;
    if constexpr (cs::is_unsigned_v<R>) return lesser<R>(x, 1);
    else return lesser<R>(greater<R>(x, -1), 1);
  }
};

struct hardsigmoid_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    return times(lesser(greater(plus(to_real(x), R(3)), R(0)), R(6)), R(1.0 / 6.0));
  }
};

// Howard et al., Searching for MobileNetV3, 2019.
struct hardswish_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = greater(to_real(x), R(-3));  // there the other factor is 0
    return times(y, hardsigmoid_op{}(y));
  }
};

struct softsign_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = to_real(x), t = lesser(magnitude(y), R(1e30));  // from there on the quotient is 1
    return with_sign(near_quotient(t, plus(R(1), t)), y);
  }
};

// Clevert, Unterthiner and Hochreiter, Exponential linear units, 2016.
struct elu_op {
  template <class T, class A>
  ONEPASS_HD auto operator()(T x, A alpha) const {
    using R = real_t<common_t<T, A>>;
    const R y = static_cast<R>(x);
    return fused(static_cast<R>(alpha), expm1_op{}(lesser(y, R(0))), greater(y, R(-0.0)));
  }
  ONEPASS_HD float narrow(float x, float alpha) const {
    return fused(alpha, expm1_op{}.narrow(lesser(x, 0.0f)), greater(x, -0.0f));
  }
};

// Klambauer et al., Self-normalizing neural networks, 2017: scale elu(alpha) of two constants.
struct selu_op {
  static constexpr double scale = 1.0507009873554804934, negative = 1.7580993408473768599;  // scale times alpha
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = to_real(x);
    return fused(R(negative), expm1_op{}(lesser(y, R(0))), times(R(scale), greater(y, R(-0.0))));
  }
  ONEPASS_HD float narrow(float x) const {
    return fused(float(negative), expm1_op{}.narrow(lesser(x, 0.0f)), times(float(scale), greater(x, -0.0f)));
  }
};

// Barron, Continuously differentiable exponential linear units, 2017. By 1 / alpha, which a number has once.
struct celu_op {
  template <class T, class A>
  ONEPASS_HD auto operator()(T x, A alpha) const {
    using R = real_t<common_t<T, A>>;
    const R y = static_cast<R>(x), a = static_cast<R>(alpha);
    return fused(a, expm1_op{}(times(lesser(y, R(0)), quotient(R(1), a))), greater(y, R(-0.0)));
  }
  ONEPASS_HD float narrow(float x, float alpha) const {
    return fused(alpha, expm1_op{}.narrow(times(lesser(x, 0.0f), quotient(1.0f, alpha))), greater(x, -0.0f));
  }
};

// log(1 + e^-t) for t >= 0.
template <class R>
ONEPASS_HD R log_1_plus_exp(R t) {
  return log1p_op{}(exp_op{}(-t));
}
// The same by a minimax fit of log(1 + e) / e on [0, 1], 5.7e-5 in relative error; e is a square, so that a subnormal
// one comes from normal factors.
ONEPASS_HD float fast_log_1_plus_exp(float t) {
  const float h = fast_exp2(times(t, -0.72134752f)), e = times(h, h);
  float p = 0.04134538f;
  p = fused(p, e, -0.1574233f);
  p = fused(p, e, 0.30629852f);
  p = fused(p, e, -0.4969774f);
  p = fused(p, e, 0.9999433f);
  return times(e, p);
}

struct softplus_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = to_real(x);
    return plus(greater(y, R(0)), log_1_plus_exp(magnitude(y)));
  }
  ONEPASS_HD float narrow(float x) const { return plus(greater(x, 0.0f), fast_log_1_plus_exp(::fabsf(x))); }
};

struct log_sigmoid_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = to_real(x);
    return minus(lesser(y, R(0)), log_1_plus_exp(magnitude(y)));
  }
  ONEPASS_HD float narrow(float x) const { return minus(lesser(x, 0.0f), fast_log_1_plus_exp(::fabsf(x))); }
};

struct silu_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = greater(to_real(x), R(-2000));  // e^-1000 is 0: the limit is -0, where -inf * 0 would be NaN
    return logistic_times(y, y);
  }
  ONEPASS_HD float narrow(float x) const {
    const float y = greater(x, -400.0f);
    return fast_logistic_times(y, y);
  }
};

// x tanh(log(1 + e^x)): Misra, Mish, 2019. With n = e^x it is x w / (w + 2) of w = n (n + 2), where nothing cancels;
// from 40 up the factor is 1. In the far tail n is the square of e^(x / 2), as in logistic_times.
struct mish_op {
  template <class T>
  ONEPASS_HD auto operator()(T x) const {
    using R = real_t<T>;
    const R y = greater(to_real(x), R(-2000));
    const bool far = y < R(-80);  // there the factor is n, also of a root of n
    const R n = exp_op{}(far ? times(R(0.5), y) : lesser(y, R(40))), w = times(n, plus(n, R(2)));
    const R r = times(y, near_quotient(w, plus(w, R(2))));
    return far ? times(r, n) : r;
  }
  ONEPASS_HD float narrow(float x) const {
    const float y = greater(x, -400.0f), h = fast_exp2(times(lesser(y, 20.0f), 0.72134752f)), n = times(h, h);
    const float w = times(n, plus(n, 2.0f));
    return times(y, times(w, fast_reciprocal(plus(w, 2.0f))));
  }
};

}  // namespace detail

// The worst error over all f32 inputs, in ulp: relu, relu6, hardtanh 0, squared_relu, leaky_relu 0.5, hardsigmoid
// 1.34, softsign 1.5, hardswish 2.49, elu 2.13, selu 2.3, celu 2.81, softplus, log_sigmoid 2.71, silu, mish 5.17.
// Before a 16-bit store: 1 ulp of that type.
ONEPASS_OBJECT detail::pointwise<detail::relu_op> relu{};                  // max(x, 0)
ONEPASS_OBJECT detail::pointwise<detail::relu6_op> relu6{};                // min(max(x, 0), 6)
ONEPASS_OBJECT detail::pointwise<detail::squared_relu_op> squared_relu{};  // max(x, 0)^2
ONEPASS_OBJECT detail::op_with_operands<detail::leaky_relu_op>
    leaky_relu{};                                                        // leaky_relu(slope): slope x below 0, else x
ONEPASS_OBJECT detail::op_with_operands<detail::leaky_relu_op> prelu{};  // the same, as prelu(per_column(slope))
ONEPASS_OBJECT detail::pointwise<detail::hardtanh_op> hardtanh{};        // min(max(x, -1), 1)
ONEPASS_OBJECT detail::pointwise<detail::hardsigmoid_op> hardsigmoid{};  // min(max(x + 3, 0), 6) / 6
ONEPASS_OBJECT detail::pointwise<detail::hardswish_op> hardswish{};      // x hardsigmoid(x)
ONEPASS_OBJECT detail::pointwise<detail::softsign_op> softsign{};        // x / (1 + |x|)
ONEPASS_OBJECT detail::op_with_operands<detail::elu_op> elu{};           // elu(alpha): alpha (e^x - 1) below 0, else x
ONEPASS_OBJECT detail::pointwise<detail::selu_op> selu{};                // 1.0507... elu(1.6733...)
// celu(alpha): alpha (e^(x / alpha) - 1) below 0, else x; alpha and 1 / alpha are normal numbers
ONEPASS_OBJECT detail::op_with_operands<detail::celu_op> celu{};
ONEPASS_OBJECT detail::pointwise<detail::softplus_op> softplus{};        // log(1 + e^x)
ONEPASS_OBJECT detail::pointwise<detail::log_sigmoid_op> log_sigmoid{};  // -log(1 + e^-x)
ONEPASS_OBJECT detail::pointwise<detail::silu_op> silu{};                // x / (1 + e^-x)
ONEPASS_OBJECT detail::pointwise<detail::mish_op> mish{};                // x tanh(softplus(x))

}  // namespace onepass

#endif
