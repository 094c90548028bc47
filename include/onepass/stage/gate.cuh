// SPDX-License-Identifier: Apache-2.0
// Part of onepass: gated linear units, an activation of a gate times another projection: Shazeer, GLU variants improve
// transformer, 2020. Each word is a stage behind a pair and, given the other projection, one behind the gate:
//   load(g) | swiglu(load(u))    halves(p, columns) | swiglu    pairs(p) | swiglu
#ifndef ONEPASS_STAGE_GATE_CUH
#define ONEPASS_STAGE_GATE_CUH

#include "activation.cuh"
#include "gelu.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Activation(gate) * up.
template <class Activation>
struct gate_op {
  template <class G, class U>
  ONEPASS_HD auto operator()(G gate, U up) const {
    return times(Activation{}(gate), up);
  }
  template <class A = Activation>
  ONEPASS_HD auto narrow(float gate, float up) const -> decltype(A{}.narrow(gate)) {
    return times(A{}.narrow(gate), up);
  }
};

// The formula of the open gpt-oss models, 2025.
template <class Alpha, class Limit>
struct swiglu_clamped_op {
  Alpha alpha;
  Limit limit;
  template <class G, class U>
  ONEPASS_HD auto operator()(G gate, U up) const {
    using R = real_t<common_t<G, U>>;
    const R a = static_cast<R>(alpha), g = gate_of(static_cast<R>(gate)), z = times(a, g);
    return times(logistic_times(g, z, fused(a, g, -z)), factor_of(static_cast<R>(up)));
  }
  ONEPASS_HD float narrow(float gate, float up) const {
    const float g = gate_of(gate);
    return times(fast_logistic_times(g, times(static_cast<float>(alpha), g)), factor_of(up));
  }

 private:
  template <class R>
  ONEPASS_HD R gate_of(R x) const {
    return lesser(greater(x, cs::numeric_limits<R>::lowest()), static_cast<R>(limit));  // finite: no -inf * 0
  }
  template <class R>
  ONEPASS_HD R factor_of(R x) const {
    const R most = static_cast<R>(limit);
    return plus(lesser(greater(x, -most), most), R(1));
  }
};

// A stage behind a pair; with an operand, the pair is the value and the operand.
template <class F>
struct gate : pointwise<F> {
  template <class Up>
  ONEPASS_HD constexpr auto operator()(Up up) const {
    return pointwise<F, operand_t<Up>>{this->f, make_list(as_operand(up))};
  }
};
// In a pipeline it is the stage alone.
template <class F>
ONEPASS_HD constexpr list<pointwise<F>> parts_of(const gate<F> &stage) {
  return make_list<pointwise<F>>(stage);
}

}  // namespace detail

// Each is its activation, as exact as stated there, times up: one rounding more.
ONEPASS_OBJECT detail::gate<detail::gate_op<detail::silu_op>> swiglu{};           // silu(gate) * up
ONEPASS_OBJECT detail::gate<detail::gate_op<detail::gelu_op>> geglu{};            // gelu(gate) * up
ONEPASS_OBJECT detail::gate<detail::gate_op<detail::gelu_tanh_op>> geglu_tanh{};  // gelu_tanh(gate) * up
ONEPASS_OBJECT detail::gate<detail::gate_op<detail::relu_op>> reglu{};            // max(gate, 0) * up

// g sigmoid(alpha g) (u + 1) with g = min(gate, limit) and u = min(max(up, -limit), limit). alpha > 0 and limit are
// numbers, and take the type of the gate.
template <class Alpha, class Limit>
ONEPASS_HD constexpr auto swiglu_clamped(Alpha alpha, Limit limit) {
  static_assert(detail::cs::is_arithmetic_v<Alpha> && detail::cs::is_arithmetic_v<Limit>,
                "onepass: alpha and limit of swiglu_clamped are numbers");
  using F = detail::swiglu_clamped_op<Alpha, Limit>;
  return detail::gate<F>{{F{alpha, limit}, {}}};
}

}  // namespace onepass

#endif
