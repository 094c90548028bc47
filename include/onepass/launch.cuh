// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the C++ door. launch(pipeline, extent, exec) makes the constant that the C side launches, and
// launches it there: both doors check, plan and start alike.
#ifndef ONEPASS_LAUNCH_CUH
#define ONEPASS_LAUNCH_CUH

#include <cuda_runtime_api.h>  // cudaLaunchKernelExC

#include "capability.cuh"
#include "host.cuh"
#include "kernel_of_plan.cuh"
#include "name.cuh"
#include "nvtx.cuh"
#include "report.h"
#include "unfused.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

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

// The threads of a block of a plan.
inline int block_threads(const onepass_plan_t &plan) {
  return plan.strategy == ONEPASS_ROW_WARP ? ONEPASS_WARP_ROW_THREADS : plan.threads;
}

// Lets a kernel have the shared memory of its plan: with that of its reductions it may be more than every kernel may.
inline cudaError_t allow_shared_bytes(kernel_handle kernel, const onepass_plan_t &plan) {
  if (plan.shared_bytes <= 32 * 1024) return cudaSuccess;
  return cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.shared_bytes);
}

// The launch's own error alone: cudaGetLastError is not asked.
template <class... Args>
onepass_status_t start_kernel(kernel_handle kernel, const onepass_plan_t &plan, int64_t blocks,
                              const onepass_exec_t &exec, Args... args) {
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(block_threads(plan)));
  config.dynamicSmemBytes = static_cast<size_t>(plan.shared_bytes);
  config.stream = static_cast<cudaStream_t>(exec.stream);
  config.attrs = attributes;
  const cudaError_t allowed = allow_shared_bytes(kernel, plan);
  if (allowed != cudaSuccess) return status_of(allowed);
  if (plan.cluster > 1) {
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {static_cast<unsigned>(plan.cluster), 1, 1};
    config.numAttrs = 1;
    if (plan.cluster > 8) {  // more than every device with clusters has
      const cudaError_t error =
          cudaFuncSetAttribute(kernel.function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (error != cudaSuccess) return status_of(error);
    }
  }
  // Blocks that wait for each other are all to be resident at once: the driver sees to it, or refuses. (It need not for a
  // dependent launch, which begins while its predecessor still holds the room.)
  const bool waits = plan.row_blocks > 1 && plan.passes > 1;
  if (waits) {
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    config.numAttrs = 1;
  }
  if (exec.dependent_launch && !waits) {  // only code for sm_90 or newer waits for the predecessor, whatever the device
    cudaFuncAttributes compiled{};
    const cudaError_t error = cudaFuncGetAttributes(&compiled, kernel.function);
    if (error != cudaSuccess) return status_of(error);
    if (compiled.ptxVersion >= 90) {
      cudaLaunchAttribute &dependent = attributes[config.numAttrs++];
      dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      dependent.val.programmaticStreamSerializationAllowed = 1;
    }
  }
  void *pointers[] = {&args...};
  return status_of(cudaLaunchKernelExC(&config, kernel.function, pointers));
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
  s.count = extent.columns_at;
  s.small = s.groups <= ONEPASS_MAX_SMALL_GROUPS && s.columns <= ONEPASS_MAX_SMALL_GROUPS;
  return s;
}

// A kernel of rows; one that streams knows where blocks that share a row meet.
template <class Tag>
onepass_status_t start_rows(kernel_handle kernel, const tagged_t<Tag> &p, onepass_extent_t extent,
                            const onepass_plan_t &plan, const onepass_exec_t &exec) {
  row_shape rows{};
  rows.rows = extent.rows;
  rows.columns = extent.columns;
  rows.inverse = 1 / static_cast<float>(extent.columns);
  rows.count = extent.columns_at;
  rows.offsets = extent.offsets;
  rows.offset_bytes = extent.offset_bytes;
  rows.varied = extent.columns_at != nullptr || extent.offsets != nullptr;
  rows.image_bytes = static_cast<uint32_t>(plan.image_bytes);
  rows.outer = extent.columns > 0 ? static_cast<uint32_t>(onepass_ceil_div(16, extent.columns)) : 1;
  rows.part = static_cast<uint32_t>(plan.part);
  rows.resident = static_cast<uint32_t>(plan.resident);
  rows.rounds = plan.rounds;
  rows.ticket = plan.strategy == ONEPASS_ROW_CLUSTER && plan.rounds == 0 ? static_cast<unsigned *>(exec.workspace) : nullptr;
  if (plan.strategy != ONEPASS_ROW_STREAM) return start_kernel(kernel, plan, plan.blocks, exec, p, rows);
  constexpr onepass_geometry_t geometry = geometry_of<tagged_t<Tag>>();
  const row_workspace workspace{static_cast<unsigned char *>(exec.workspace),
                                static_cast<unsigned>(onepass_shared_row_bytes(&geometry, &plan)),
                                static_cast<unsigned>(plan.row_blocks)};
  return start_kernel(kernel, plan, plan.blocks, exec, p, rows, workspace);
}

template <class Tag>
onepass_status_t start_on_device(const tagged_t<Tag> &p, onepass_extent_t extent, const onepass_plan_t &plan,
                                 const onepass_exec_t &exec) {
  using P = tagged_t<Tag>;
  const onepass_status_t status = check_capability<capability_of<P>::value>();
  if (status != ONEPASS_SUCCESS) return status;
  const kernel_handle kernel = kernel_for<Tag>(plan);
  if (kernel.function == nullptr) return ONEPASS_ERROR_STRATEGY;
  if constexpr (any_needs_row<P>::value) {
    return start_rows<Tag>(kernel, p, extent, plan, exec);
  } else if constexpr (any_reduces_array<P>::value) {
    const shape s = shape_of<P>(plan, extent);
    char *base = static_cast<char *>(exec.workspace);
    const reduce_workspace workspace{reinterpret_cast<unsigned *>(base), base + ONEPASS_WORKSPACE_HEADER_BYTES};
    const int64_t most = exec.max_blocks > 0 ? exec.max_blocks : plan.blocks;
    return start_kernel(kernel, plan, plan.blocks < most ? plan.blocks : most, exec, p, s,
                        static_cast<unsigned>(plan.blocks), workspace);
  } else {
    return start_kernel(kernel, plan, plan.blocks, exec, p, shape_of<P>(plan, extent));
  }
}

// Clusters need a device that has them, and code that was compiled for one; blocks that wait for each other a device that
// takes cooperative launches, where there is a row stage.
template <class Tag>
onepass_status_t row_device_of(onepass_row_device_t *out) {
  int device = 0, clusters = 0, shared = 0, multiprocessors = 0, cooperative = 1;
  cudaFuncAttributes compiled{};
  const kernel_handle kernel = &row_stream_kernel<Tag, true>, misaligned = &row_stream_kernel<Tag, false>;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess && row_stages_in<decltype(tagged_t<Tag>::inner)> > 0)
    error = cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
  if (error == cudaSuccess && clusters) error = cudaFuncGetAttributes(&compiled, kernel.function);
  out->stream_blocks[0] = out->stream_blocks[1] = 0;
  for (int aligned = 0; aligned < 2 && error == cudaSuccess && cooperative != 0; ++aligned)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &out->stream_blocks[aligned], aligned ? kernel.function : misaligned.function,
        static_cast<int>(stream_threads<tagged_t<Tag>>), 0);
  out->cluster = clusters && compiled.ptxVersion >= 90 ? ONEPASS_MAX_CLUSTER : 1;
  out->multiprocessors = multiprocessors;
  out->shared_bytes = shared - ONEPASS_BLOCK_SHARED_BYTES;
  return status_of(error);
}

template <class Tag>
onepass_status_t report_on_device(const onepass_plan_t &plan, onepass_report_t *report) {
  const kernel_handle kernel = kernel_for<Tag>(plan);
  if (kernel.function == nullptr) return ONEPASS_ERROR_STRATEGY;
  cudaFuncAttributes attributes{};
  int device = 0, threads_per_sm = 0, blocks = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel.function);
  if (error == cudaSuccess) error = allow_shared_bytes(kernel, plan);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, block_threads(plan),
                                                          static_cast<size_t>(plan.shared_bytes));
  if (error != cudaSuccess) return status_of(error);
  report->plan = plan;
  report->registers = attributes.numRegs;
  report->spilled_bytes = static_cast<int32_t>(attributes.localSizeBytes);
  report->shared_bytes = static_cast<int32_t>(attributes.sharedSizeBytes) + plan.shared_bytes;
  report->blocks_per_sm = blocks;
  report->occupancy = static_cast<double>(blocks * block_threads(plan)) / threads_per_sm;
  return ONEPASS_SUCCESS;
}

// What a tag says: `args`, build(args), which makes the pipeline, and text(). A pipeline is its own args.
template <class Tag>
struct program : Tag {};
template <class... Parts>
struct program<pipeline<Parts...>> {
  using args = pipeline<Parts...>;
  static const args &build(const args &p) { return p; }
  static constexpr const char *text() { return name_of<args>.letters; }
};

// The functions behind an exported constant.
template <class Tag>
struct entries {
  using P = tagged_t<Tag>;

  static P pipeline_of(const void *args) {
    return program<Tag>::build(*static_cast<const typename program<Tag>::args *>(args));
  }
  static int leaves(const void *args, onepass_leaf_t *out) { return write_leaves(pipeline_of(args).inner, out); }
  static onepass_status_t start(const void *args, onepass_extent_t extent, const onepass_plan_t *plan,
                                const onepass_exec_t *exec) {
    const profiler_range range(program<Tag>::text());
    return start_on_device<Tag>(pipeline_of(args), extent, *plan, *exec);
  }
  static onepass_status_t host(const void *args, onepass_extent_t extent) {
    const profiler_range range(program<Tag>::text());
    run_on_host(pipeline_of(args), extent);
    return ONEPASS_SUCCESS;
  }
  static onepass_status_t row_device(onepass_row_device_t *device) {
    constexpr int64_t columns = fixed_columns<Tag>::value;
    if constexpr (any_needs_row<P>::value && (columns < 0 || row_line_of<P>(columns) < 0))
      return row_device_of<Tag>(device);
    else return ONEPASS_ERROR_STRATEGY;
  }
  static onepass_status_t report(const onepass_plan_t *plan, onepass_report_t *out) {
    return report_on_device<Tag>(*plan, out);
  }
  static constexpr auto host_entry() -> onepass_status_t (*)(const void *, onepass_extent_t) {
    if constexpr (any_device_only<P>::value) return nullptr;
    else return &host;
  }
};

template <class Tag>
constexpr onepass_kernel_t make_kernel() {
  using E = entries<Tag>;
  using P = tagged_t<Tag>;
  if constexpr (!check(static_cast<P *>(nullptr))) {
    return {};
  } else if constexpr (!check_neighbours<P>()) {
    return {};
  } else {
    static_assert(cs::is_trivially_copyable_v<P>, "onepass: a pipeline holds a functor that is not trivially copyable");
    static_assert(count(static_cast<leaves_t<P> *>(nullptr)) <= ONEPASS_MAX_LEAVES,
                  "onepass: a pipeline with more than ONEPASS_MAX_LEAVES arrays");
    return {program<Tag>::text(),
            geometry_of<P>(),
            cost_of<P>(),
            unfused_cost_of<P>(),
            sizeof(typename program<Tag>::args),
            capability_of<P>::value,
            &E::leaves,
            &E::start,
            E::host_entry(),
            &E::row_device,
            &E::report};
  }
}

template <class P>
inline constexpr onepass_kernel_t kernel_of = make_kernel<P>();

// A pipeline of rows whose width is known when it is compiled: one kernel instead of one for each strategy.
template <class P, int64_t Columns>
struct of_columns {
  using args = P;
  static constexpr int64_t columns = Columns;
  static const P &build(const P &p) { return p; }
  static constexpr const char *text() { return program<P>::text(); }
};
template <int64_t Columns>
struct fixed_extent {
  int64_t rows;
  operator onepass_extent_t() const { return onepass_extent_2d(rows, Columns); }
};
template <class P, int64_t Columns>
inline constexpr const onepass_kernel_t &kernel_of_columns =
    kernel_of<std::conditional_t<any_needs_row<P>::value, of_columns<P, Columns>, P>>;

}  // namespace detail

// A number of columns that is known when the program is compiled: extent(rows, constant<4096>) compiles the kernel of
// that width alone, with constant loops. Rows wider than registers hold have the kernels of any width;
// exec.row_strategy may then be AUTO alone.
template <int64_t N>
inline constexpr std::integral_constant<int64_t, N> constant{};

// n elements, or rows x columns.
inline onepass_extent_t extent(int64_t n) { return onepass_extent_1d(n); }
inline onepass_extent_t extent(int64_t rows, int64_t columns) { return onepass_extent_2d(rows, columns); }
template <int64_t Columns>
detail::fixed_extent<Columns> extent(int64_t rows, std::integral_constant<int64_t, Columns>) {
  static_assert(Columns >= 0, "onepass: a negative number of columns");
  return {rows};
}
// As many elements as *pointer says when the kernel runs, at most `most`: see onepass_extent_at in extent.h.
inline onepass_extent_t extent_at(const int64_t *pointer, int64_t most) { return onepass_extent_at(pointer, most); }

// Rows of different lengths: row r is the elements [offsets[r], offsets[r + 1]) of every dense array, at most `most`:
// see onepass_extent_segments_i32 in extent.h.
inline onepass_extent_t segments(const int32_t *offsets, int64_t rows, int64_t most) {
  return onepass_extent_segments_i32(offsets, rows, most);
}
inline onepass_extent_t segments(const int64_t *offsets, int64_t rows, int64_t most) {
  return onepass_extent_segments_i64(offsets, rows, most);
}

// One launch is one kernel: see onepass_launch in launch.h for what is checked, and exec for where it runs.
template <class... Parts>
onepass_status_t launch(const pipeline<Parts...> &p, onepass_extent_t extent, const onepass_exec_t &exec = {}) {
  return onepass_launch(&detail::kernel_of<pipeline<Parts...>>, extent, &p, &exec);
}

template <class... Parts, int64_t Columns>
onepass_status_t launch(const pipeline<Parts...> &p, detail::fixed_extent<Columns> extent,
                        const onepass_exec_t &exec = {}) {
  return onepass_launch(&detail::kernel_of_columns<pipeline<Parts...>, Columns>, extent, &p, &exec);
}

// Bytes of workspace that a launch on the device needs, or rows are faster with; 0 for none.
template <class... Parts>
size_t workspace_bytes(const pipeline<Parts...> &, onepass_extent_t extent) {
  return onepass_workspace_bytes(&detail::kernel_of<pipeline<Parts...>>, extent);
}
template <class... Parts, int64_t Columns>
size_t workspace_bytes(const pipeline<Parts...> &, detail::fixed_extent<Columns> extent) {
  return onepass_workspace_bytes(&detail::kernel_of_columns<pipeline<Parts...>, Columns>, extent);
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

// Registers, memory and occupancy of the kernel that a launch would start: see onepass_report in report.h.
template <class... Parts>
onepass_status_t report(const pipeline<Parts...> &p, onepass_extent_t extent, onepass_report_t *out,
                        onepass_row_strategy_t strategy = ONEPASS_ROW_AUTO) {
  return onepass_report(&detail::kernel_of<pipeline<Parts...>>, extent, &p, strategy, out);
}

}  // namespace onepass

#endif
