// SPDX-License-Identifier: Apache-2.0
// Benchmarks of the launch itself: what the calling thread spends on a fused launch, and on a bare one as the roof; and
// small launches back to back, each of which depends on the one before.
#include "calls.cuh"
#include "data.cuh"
#include "harness.cuh"
#include "suites.cuh"

namespace bench {
namespace {

constexpr int64_t tiny = 1024;  // elements: the device is done before the host asks again

__global__ void bare_abs_kernel(const float *x, float *y) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  y[i] = fabsf(x[i]);
}

struct abs_exactly {
  const float *x;
  __device__ expected operator()(int64_t i) const { return {fabs(double(x[i])), 0}; }
};

void host_time(workload &work) {
  float *x = work.array<float>(tiny), *y = work.output<float>(tiny);
  fill_normal(x, tiny, 21);
  work.check = [=](double slack) { return compare(y, tiny, abs_exactly{x}, slack); };

  work.add("onepass", fused(work, op::load(x) | op::abs | op::store(y), op::extent(tiny)));
  work.add("roof", [=](cudaStream_t stream) {
    bare_abs_kernel<<<tiny / 256, 256, 0, stream>>>(x, y);
    BENCH_CHECK(cudaGetLastError());
  });
}

// y = y + 1 in place, again and again: each launch needs what the one before it wrote. A graph of 50 makes 49 of -1.
struct counted {
  __device__ expected operator()(int64_t) const { return {49, 0}; }
};

void dependent(workload &work, int64_t n) {
  int32_t *y = work.output<int32_t>(n);
  work.check = [=](double slack) { return compare(y, n, counted{}, slack); };
  onepass_exec_t exec{};
  const auto step = op::load(y) | op::add(1) | op::store(y);
  work.add("plain", fused(work, step, op::extent(n), exec));
  exec.dependent_launch = 1;
  work.add("onepass", fused(work, step, op::extent(n), exec));
}

}  // namespace

void add_launches(suite &all) {
  all.push_back({"launch/host_time", timing::host, host_time});
  all.push_back({"launch/dependent/2^10", timing::graph, [](workload &w) { dependent(w, 1 << 10); }});
  all.push_back({"launch/dependent/2^16", timing::graph, [](workload &w) { dependent(w, 1 << 16); }});
  all.push_back({"launch/dependent/2^20", timing::graph, [](workload &w) { dependent(w, 1 << 20); }});
}

}  // namespace bench
