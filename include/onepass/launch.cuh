// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the C++ door. launch(pipeline, extent, exec) makes the constant that the C side launches, and
// launches it there: both doors check, plan and start alike.
#ifndef ONEPASS_LAUNCH_CUH
#define ONEPASS_LAUNCH_CUH

#include <cuda_runtime_api.h>  // cudaLaunchKernelExC

#include "host.cuh"
#include "kernel/map.cuh"
#include "kernel/reduce.cuh"
#include "launch.h"

namespace onepass {
namespace detail {

// The least compute capability of a part: a functor may have `static constexpr int capability`, major * 10 + minor.
template <class T, class = void>
struct own_capability : cs::integral_constant<int, 75> {};
template <class T>
struct own_capability<T, cs::void_t<decltype(T::capability)>> : cs::integral_constant<int, T::capability> {};
template <class... Own>
constexpr int most_capable(int inner) {
  for (const int own : {0, own_capability<Own>::value...}) inner = own > inner ? own : inner;
  return inner;
}
template <class T>
struct capability_of {
  static constexpr int value = most_capable<T>(capability_of<typename inner_of<T>::type>::value);
};
template <class... T>
struct capability_of<list<T...>> {
  static constexpr int value = [] {
    int most = 75;
    for (const int part : {0, capability_of<T>::value...}) most = part > most ? part : most;
    return most;
  }();
};
template <class F, class... Operands>
struct capability_of<pointwise<F, Operands...>> {
  static constexpr int value = most_capable<F>(capability_of<list<Operands...>>::value);
};
template <class S, class... Out>
struct capability_of<reduce_sink<S, Out...>> : own_capability<S> {};

inline onepass_status_t status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return ONEPASS_SUCCESS;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorStubLibrary: return ONEPASS_ERROR_NO_DEVICE;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion: return ONEPASS_ERROR_NO_KERNEL_IMAGE;
    default: return ONEPASS_ERROR_LAUNCH;
  }
}

// Asked for only where a pipeline needs more than the library's own least.
template <int Needed>
onepass_status_t check_capability() {
  if constexpr (Needed > 75) {
    int device = 0, major = 0, minor = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (error != cudaSuccess) return status_of(error);
    if (major * 10 + minor < Needed) return ONEPASS_ERROR_CAPABILITY;
  }
  return ONEPASS_SUCCESS;
}

// The launch's own error alone: cudaGetLastError is not asked.
template <class... Args>
onepass_status_t start_kernel(void (*kernel)(Args...), int64_t blocks, int threads, const onepass_exec_t &exec,
                              Args... args) {
  cudaLaunchAttribute dependent{};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = static_cast<cudaStream_t>(exec.stream);
  config.attrs = &dependent;
  if (exec.dependent_launch) {  // only code for sm_90 or newer waits for the predecessor, whatever the device
    cudaFuncAttributes attributes{};
    const cudaError_t error = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel));
    if (error != cudaSuccess) return status_of(error);
    config.numAttrs = attributes.ptxVersion >= 90 ? 1u : 0u;
  }
  void *pointers[] = {&args...};
  return status_of(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), pointers));
}

template <class P>
shape shape_of(const onepass_plan_t &plan, onepass_extent_t extent) {
  constexpr int N = lanes_v<P>;
  const onepass_extent_t as_seen = any_by_row<P>::value ? extent : onepass_extent_1d(onepass_elements(extent));
  const uint64_t per_row = static_cast<uint64_t>(plan.groups_per_row);
  shape s{};
  s.groups = plan.groups;
  s.whole_groups = as_seen.rows > 1 ? (as_seen.columns % N == 0 ? plan.groups : 0) : as_seen.columns / N;
  s.columns = as_seen.columns;
  s.rows = as_seen.rows;
  s.groups_per_row = plan.groups_per_row;
  s.magic = per_row > 1 ? ~uint64_t{0} / per_row + 1 : 0;
  s.small = s.groups <= ONEPASS_MAX_SMALL_GROUPS && s.columns <= ONEPASS_MAX_SMALL_GROUPS;
  return s;
}

template <class P>
onepass_status_t start_map(const P &p, const shape &s, const onepass_plan_t &plan, const onepass_exec_t &exec) {
  constexpr int N = lanes_v<P>;
  constexpr bool by_row = any_by_row<P>::value;
  return start_kernel(plan.aligned ? &map_kernel<P, N, by_row, true> : &map_kernel<P, N, by_row, false>, plan.blocks,
                      plan.threads, exec, p, s);
}

template <class P>
onepass_status_t start_reduce(const P &p, const shape &s, const onepass_plan_t &plan, const onepass_exec_t &exec) {
  constexpr int N = lanes_v<P>;
  constexpr bool by_row = any_by_row<P>::value;
  using value = sink_value_t<P>;
  static_assert(alignof(typename sink_t<P>::template state<value>) <= ONEPASS_WORKSPACE_ALIGNMENT,
                "onepass: the state of a statistic is aligned to more than the workspace is");
  char *base = static_cast<char *>(exec.workspace);
  const reduce_workspace workspace{reinterpret_cast<unsigned *>(base), base + ONEPASS_WORKSPACE_HEADER_BYTES};
  const int64_t most = exec.max_blocks > 0 ? exec.max_blocks : plan.blocks;
  return start_kernel(
      plan.aligned ? &reduce_kernel<P, value, N, by_row, true> : &reduce_kernel<P, value, N, by_row, false>,
      plan.blocks < most ? plan.blocks : most, plan.threads, exec, p, s, static_cast<unsigned>(plan.blocks), workspace);
}

template <class P>
onepass_status_t start_on_device(const P &p, onepass_extent_t extent, const onepass_plan_t &plan,
                                 const onepass_exec_t &exec) {
  const onepass_status_t status = check_capability<capability_of<P>::value>();
  if (status != ONEPASS_SUCCESS) return status;
  const shape s = shape_of<P>(plan, extent);
  if constexpr (sink_t<P>::reduces) return start_reduce(p, s, plan, exec);
  else return start_map(p, s, plan, exec);
}

// The functions behind an exported constant. Build makes the pipeline out of the caller's args.
template <class Args, class Build>
struct entries {
  using P = cs::decay_t<decltype(Build::build(cs::declval<const Args &>()))>;

  static P pipeline_of(const void *args) { return Build::build(*static_cast<const Args *>(args)); }
  static int leaves(const void *args, onepass_leaf_t *out) { return write_leaves(pipeline_of(args).inner, out); }
  static onepass_status_t start(const void *args, onepass_extent_t extent, const onepass_plan_t *plan,
                                const onepass_exec_t *exec) {
    return start_on_device(pipeline_of(args), extent, *plan, *exec);
  }
  static onepass_status_t host(const void *args, onepass_extent_t extent) {
    run_on_host(pipeline_of(args), extent);
    return ONEPASS_SUCCESS;
  }
  static constexpr auto host_entry() -> onepass_status_t (*)(const void *, onepass_extent_t) {
    if constexpr (any_device_only<P>::value) return nullptr;
    else return &host;
  }
};

template <class Args, class Build>
constexpr onepass_kernel_t make_kernel(const char *text) {
  using E = entries<Args, Build>;
  using P = typename E::P;
  if constexpr (check(static_cast<P *>(nullptr))) {
    static_assert(cs::is_trivially_copyable_v<P>, "onepass: a pipeline holds a functor that is not trivially copyable");
    static_assert(count(static_cast<leaves_t<P> *>(nullptr)) <= ONEPASS_MAX_LEAVES,
                  "onepass: a pipeline with more than ONEPASS_MAX_LEAVES arrays");
    return {text,       geometry_of<P>(), cost_of<P>(),   unfused_cost_of<P>(), sizeof(Args), capability_of<P>::value,
            &E::leaves, &E::start,        E::host_entry()};
  } else {
    return {};
  }
}

template <class P>
struct as_it_is {
  static const P &build(const P &p) { return p; }
};

template <class P>
inline constexpr onepass_kernel_t kernel_of = make_kernel<P, as_it_is<P>>("");

}  // namespace detail

// n elements, or rows x columns.
inline onepass_extent_t extent(int64_t n) { return onepass_extent_1d(n); }
inline onepass_extent_t extent(int64_t rows, int64_t columns) { return onepass_extent_2d(rows, columns); }

// One launch is one kernel: see onepass_launch in launch.h for what is checked, and exec for where it runs.
template <class... Parts>
onepass_status_t launch(const pipeline<Parts...> &p, onepass_extent_t extent, const onepass_exec_t &exec = {}) {
  return onepass_launch(&detail::kernel_of<pipeline<Parts...>>, extent, &p, &exec);
}

// Bytes of workspace that a launch on the device needs, 0 for none.
template <class... Parts>
size_t workspace_bytes(const pipeline<Parts...> &, onepass_extent_t extent) {
  return onepass_workspace_bytes(&detail::kernel_of<pipeline<Parts...>>, extent);
}

// The bytes that a launch moves, and that one kernel per stage would move.
template <class... Parts>
onepass_traffic_t traffic_of(const pipeline<Parts...> &, onepass_extent_t extent) {
  return onepass_traffic_of(&detail::kernel_of<pipeline<Parts...>>, extent);
}
template <class... Parts>
onepass_traffic_t unfused_traffic_of(const pipeline<Parts...> &, onepass_extent_t extent) {
  return onepass_unfused_traffic_of(&detail::kernel_of<pipeline<Parts...>>, extent);
}

}  // namespace onepass

#endif
