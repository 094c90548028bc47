// SPDX-License-Identifier: Apache-2.0
// Part of the benchmarks: how the implementations of a workload become calls that only enqueue.
#ifndef ONEPASS_BENCH_CALLS_CUH
#define ONEPASS_BENCH_CALLS_CUH

#include <onepass/onepass.cuh>

#include <cstdint>    // int64_t
#include <cstdio>     // snprintf
#include <stdexcept>  // runtime_error
#include <string>
#include <type_traits>  // is_same
#include <utility>      // move
#include <vector>

#include "harness.cuh"

namespace bench {

namespace op = onepass;

// What the kernel of a launch costs, and how a row is held.
template <class Pipeline>
std::string cost_of(Pipeline pipeline, onepass_extent_t extent) {
  onepass_report_t report;
  if (op::report(pipeline, extent, &report) != ONEPASS_SUCCESS) return {};
  const onepass_plan_t &plan = report.plan;
  char text[256];
  std::snprintf(text, sizeof text,
                ", \"strategy\": \"%s\", \"threads\": %d, \"packs\": %d, \"cluster\": %d, \"registers\": %d, "
                "\"spilled_bytes\": %d, \"shared_bytes\": %d, \"blocks_per_sm\": %d, \"occupancy\": %.3f",
                onepass_row_strategy_string(plan.strategy), plan.threads, plan.packs, plan.cluster, report.registers,
                report.spilled_bytes, report.shared_bytes, report.blocks_per_sm, report.occupancy);
  return text;
}

// One launch of a pipeline, in a workspace of its own.
template <class Pipeline, class Extent>
kernel_call fused(workload &work, Pipeline pipeline, Extent extent, onepass_exec_t exec = {}) {
  exec.workspace_bytes = op::workspace_bytes(pipeline, extent);
  if (exec.workspace_bytes > 0) exec.workspace = work.array<char>(int64_t(exec.workspace_bytes));
  const auto run = [=](cudaStream_t stream) {
    onepass_exec_t here = exec;
    here.stream = stream;
    const onepass_status_t status = op::launch(pipeline, extent, here);
    if (status != ONEPASS_SUCCESS) throw std::runtime_error(onepass_status_string(status));
  };
  if constexpr (std::is_same_v<Extent, onepass_extent_t>) return {run, cost_of(pipeline, extent)};
  else return {run, {}};  // the kernels of a width that is known are others
}

// One after the other: what a program without fusion does.
inline call in_turn(std::vector<call> calls) {
  return [calls = std::move(calls)](cudaStream_t stream) {
    for (const call &each : calls) each(stream);
  };
}

// A CUB algorithm: (void *storage, size_t &bytes, cudaStream_t) -> cudaError_t, storage allocated beforehand.
template <class Algorithm>
call with_storage(workload &work, Algorithm algorithm) {
  size_t bytes = 0;
  BENCH_CHECK(algorithm(nullptr, bytes, nullptr));
  void *storage = work.array<char>(int64_t(bytes));
  return [=](cudaStream_t stream) {
    size_t same = bytes;
    BENCH_CHECK(algorithm(storage, same, stream));
  };
}

// ---- roofs: pointers aligned to 16 bytes, work.bytes known

template <int Threads, int Packs, int BlocksPerSm>
void add_read_cut(workload &work, const void *x, unsigned *sink) {
  const int64_t bytes = int64_t(work.bytes);
  if (bytes % roof::tile_bytes<Threads, Packs> != 0) return;
  work.add("roof", [=](cudaStream_t stream) { roof::read<Threads, Packs, BlocksPerSm>(x, bytes, sink, stream); });
}

// Small arrays want small blocks, large ones many bytes in flight.
inline void add_read_roof(workload &work, const void *x) {
  unsigned *sink = work.array<unsigned>(1);
  add_read_cut<1024, 4, 2>(work, x, sink);
  add_read_cut<512, 4, 3>(work, x, sink);
  add_read_cut<256, 4, 8>(work, x, sink);
  add_read_cut<256, 1, 8>(work, x, sink);
}

inline void add_copy_roof(workload &work, const void *x, void *y) {
  const int64_t bytes = int64_t(work.bytes) / 2;
  work.add("roof", [=](cudaStream_t stream) { roof::copy(x, y, bytes, stream); });
}

// n elements of In read, n of Out written.
template <class In, class Out>
void add_stream_roof(workload &work, const void *x, void *y, int64_t n) {
  constexpr int least = int(sizeof(In) < sizeof(Out) ? sizeof(In) : sizeof(Out));
  constexpr int reads = int(sizeof(In)) / least, writes = int(sizeof(Out)) / least;
  const int64_t threads = n * least / 16;
  work.add("roof", [=](cudaStream_t stream) { roof::stream<reads, writes>(x, y, threads, stream); });
}

inline void add_merge_roof(workload &work, const void *a, const void *b, void *y) {
  const int64_t bytes = int64_t(work.bytes) / 3;
  work.add("roof", [=](cudaStream_t stream) { roof::merge(a, b, y, bytes, stream); });
}

}  // namespace bench

#endif
