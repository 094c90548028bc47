// SPDX-License-Identifier: Apache-2.0
// Part of onepass: pointwise stages: a functor of the value and the operands, lifted lane by lane.
//
// An op is a trivially copyable struct with a const call operator. It may have a second one, `float narrow(float...)
// const`, which is used where every sink behind the stage stores a 16-bit float: there it is within 1 ulp.
#ifndef ONEPASS_STAGE_POINTWISE_CUH
#define ONEPASS_STAGE_POINTWISE_CUH

#include <cuda/std/tuple>  // a value of several parts

#include "operand.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

template <class T>
struct is_tuple : cs::false_type {};
template <class... T>
struct is_tuple<cs::tuple<T...>> : cs::true_type {};

template <class F, class Values, class = void>
struct has_narrow : cs::false_type {};
template <class F, class... T>
struct has_narrow<F, list<T...>, cs::void_t<decltype(cs::declval<const F &>().narrow(cs::declval<T>()...))>>
    : cs::bool_constant<(cs::is_same_v<T, float> && ...)> {};

template <class F>
ONEPASS_HD constexpr bool is_device_lambda() {
#ifdef __CUDACC_EXTENDED_LAMBDA__
  return __nv_is_extended_device_lambda_closure_type(F);
#else
  return false;
#endif
}

// Whether F takes these values, a tuple also as its elements.
template <class F, class... T>
struct takes : cs::is_invocable<const F &, T...> {};
template <class F, class... E, class... T>
struct takes<F, cs::tuple<E...>, T...> : cs::bool_constant<cs::is_invocable_v<const F &, cs::tuple<E...>, T...> ||
                                                           cs::is_invocable_v<const F &, E..., T...>> {};

// One lane of a functor. One without a device body is no warning but an error.
#ifdef __CUDA_ARCH__
#pragma nv_diagnostic push
#pragma nv_diag_error 20011, 20013, 20014, 20015
#endif
template <class Math, class F>
struct lane_call {
  const F &f;

  ONEPASS_NO_EXEC_CHECK
  template <class V, class... U>
  ONEPASS_HD auto operator()(const V &v, const U &...u) const {
    if constexpr (is_tuple<V>::value && !cs::is_invocable_v<const F &, V, U...>)
      return spread(cs::make_index_sequence<cs::tuple_size<V>::value>{}, v, u...);
    else return call(v, u...);
  }

 private:
  template <cs::size_t... I, class V, class... U>
  ONEPASS_HD auto spread(cs::index_sequence<I...>, const V &v, const U &...u) const {
    return call(cs::get<I>(v)..., u...);
  }
  ONEPASS_NO_EXEC_CHECK
  template <class... T>
  ONEPASS_HD auto call(const T &...x) const {
    if constexpr (cs::is_same_v<Math, narrow_math> && has_narrow<F, list<T...>>::value) return f.narrow(x...);
    else return detail::widen(f(x...));
  }
};
#ifdef __CUDA_ARCH__
#pragma nv_diagnostic pop
#endif

// All lanes of a functor behind a value. (No generic lambdas here: NVRTC takes theirs for host functions.)
template <class Math, class F, class V>
struct pack_call {
  const F &f;
  const V &v;

  template <class... U>
  ONEPASS_HD auto operator()(const U &...u) const {
    return each_lane(lane_call<Math, F>{f}, v, u...);
  }
};

template <class F>
struct exact_functor;
template <class F>
struct holds_device_lambda : cs::bool_constant<is_device_lambda<F>()> {};
template <class F>
struct holds_device_lambda<exact_functor<F>> : holds_device_lambda<F> {};

template <class F, class... Operands>
struct pointwise {
  static constexpr kind part = kind::pointwise;
  static constexpr bool device_only = holds_device_lambda<F>::value || own_device_only<F>::value;
  F f;
  list<Operands...> inner;

  template <int N, access A>
  ONEPASS_HD auto fetch(const position<N, A> &at) const {
    return fetch_all<N>(inner, at);
  }
  template <class Math, int N, class V, class Raw, access A>
  ONEPASS_HD auto apply_with(const pack<V, N> &v, const Raw &raw, const position<N, A> &at) const {
    return view_all<Math, V, N>(pack_call<Math, F, pack<V, N>>{f, v}, inner, raw, at);
  }
};

// An op that takes operands: op::add(operand...) is the stage.
template <class F>
struct op_with_operands {
  template <class... Operands>
  ONEPASS_HD constexpr auto operator()(Operands... operands) const {
    return pointwise<F, operand_t<Operands>...>{F{}, make_list(as_operand(operands)...)};
  }
};

// F in all but its narrow form.
template <class F>
struct exact_functor : F {
  void narrow() const = delete;
};

}  // namespace detail

// A functor of the value and the operands, called lane by lane: f(value, operand...). On the host it runs as it is; a
// functor without a host body says so with `static constexpr bool device_only = true`, as a __device__ lambda implies.
template <class F, class... Operands>
ONEPASS_HD constexpr auto fn(F f, Operands... operands) {
  static_assert(detail::cs::is_class_v<F>,
                "onepass: fn takes a functor, an object of a class with a const call operator: a pointer to a function "
                "of the host has no meaning on the device");
  return detail::pointwise<F, detail::operand_t<Operands>...>{f, detail::make_list(detail::as_operand(operands)...)};
}

// The stage without hardware approximations, whatever is stored behind it: exact(op::gelu).
template <class F, class... Operands>
ONEPASS_HD constexpr auto exact(detail::pointwise<F, Operands...> stage) {
  return detail::pointwise<detail::exact_functor<F>, Operands...>{{stage.f}, stage.inner};
}

}  // namespace onepass

#endif
