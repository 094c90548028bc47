// SPDX-License-Identifier: Apache-2.0
// Benchmark of the launch itself: what the calling thread spends on a fused launch, and on a bare one as the roof.
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

}  // namespace

void add_launches(suite &all) { all.push_back({"launch/host_time", timing::host, host_time}); }

}  // namespace bench
