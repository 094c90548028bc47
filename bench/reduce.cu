// SPDX-License-Identifier: Apache-2.0
// Benchmarks of whole-array reductions: one read of the input is all that they need.
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/functional>  // plus

#include "calls.cuh"
#include "data.cuh"
#include "harness.cuh"
#include "suites.cuh"

namespace bench {
namespace {

// Float sums of 2^28 positive values: what a tree of partial sums of a few thousand terms each may lose.
constexpr double sum_tolerance = 4e-6;

// ---- the peers

struct magnitude {
  template <class T>
  __host__ __device__ float operator()(T x) const {
    return fabsf(static_cast<float>(x));
  }
};

// The textbook's fused sum: strided loads, a shuffle per warp, one atomic per warp. `out` must be zero.
template <class T>
__global__ void hand_sum_abs_kernel(const T *x, int64_t n, float *out) {
  float sum = 0;
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) sum += fabsf(float(x[i]));
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

template <class T>
void hand_sum_abs(const T *x, int64_t n, float *out, cudaStream_t stream) {
  constexpr int threads = 256;
  const int64_t blocks = (n + threads - 1) / threads;
  BENCH_CHECK(cudaMemsetAsync(out, 0, sizeof *out, stream));
  hand_sum_abs_kernel<<<unsigned(blocks < 1024 ? blocks : 1024), threads, 0, stream>>>(x, n, out);
  BENCH_CHECK(cudaGetLastError());
}

struct three {
  float sum, maximum, sum_of_squares;
};
struct to_three {
  __host__ __device__ three operator()(float x) const { return {x, x, x * x}; }
};
struct combine_three {
  __host__ __device__ three operator()(three a, three b) const {
    return {a.sum + b.sum, fmaxf(a.maximum, b.maximum), a.sum_of_squares + b.sum_of_squares};
  }
};

// Mean and centred squares, merged with Chan's formula: E[x^2] - E[x]^2 would be faster and wrong.
struct spread {
  float n, mean, squares;
};
struct to_spread {
  __host__ __device__ spread operator()(float x) const { return {1, x, 0}; }
};
struct combine_spread {
  __host__ __device__ spread operator()(spread a, spread b) const {
    const float n = a.n + b.n, delta = b.mean - a.mean, share = n > 0 ? b.n / n : 0;
    return {n, a.mean + delta * share, a.squares + b.squares + delta * delta * a.n * share};
  }
};
struct finish_spread {
  __host__ __device__ float2 operator()(spread s) const { return {s.mean, s.squares / s.n}; }
};

// ---- the workloads

template <class T>
void sum_abs(workload &work, int64_t n, int64_t skip = 0) {
  T *x = work.array<T>(n, skip);
  float *out = work.output<float>(1);
  fill_normal(x, n, 1);
  const double want = moments_of(x, n).sum_abs;
  work.bytes = double(n) * sizeof(T);
  work.check = [=](double) { return match("the sum", on_host(out), want, sum_tolerance * want); };

  work.add("onepass", fused(work, op::load(x) | op::abs | op::reduce(op::sum, out), op::extent(n)));
  add_read_roof(work, x - skip);
  work.add("cub", with_storage(work, [=](void *storage, size_t &bytes, cudaStream_t stream) {
             return cub::DeviceReduce::TransformReduce(storage, bytes, x, out, int(n), cuda::std::plus<>{}, magnitude{},
                                                       0.0f, stream);
           }));
  if (skip != 0) return;
  work.add("hand", [=](cudaStream_t stream) { hand_sum_abs(x, n, out, stream); });
  T *stored = work.array<T>(n);
  work.add("unfused", in_turn({fused(work, op::load(x) | op::abs | op::store(stored), op::extent(n)),
                               fused(work, op::load(stored) | op::reduce(op::sum, out), op::extent(n))}));
}

void sum_max_sumsq(workload &work, int64_t n) {
  float *x = work.array<float>(n), *out = work.output<float>(3);
  fill_normal(x, n, 2);
  const moments want = moments_of(x, n);
  work.bytes = double(n) * sizeof(float);
  work.check = [=](double) {
    return match("the sum", on_host(out), want.sum, 1e-7 * want.sum_abs) +
           match("the maximum", on_host(out + 1), want.maximum, 0) +
           match("the sum of squares", on_host(out + 2), want.sum_of_squares, sum_tolerance * want.sum_of_squares);
  };

  const auto all = op::several(op::sum, op::maximum, op::sum_of_squares);
  work.add("onepass", fused(work, op::load(x) | op::reduce(all, out, out + 1, out + 2), op::extent(n)));
  add_read_roof(work, x);
  work.add("cub", with_storage(work, [=](void *storage, size_t &bytes, cudaStream_t stream) {
             return cub::DeviceReduce::TransformReduce(storage, bytes, x, reinterpret_cast<three *>(out), int(n),
                                                       combine_three{}, to_three{}, three{0, -INFINITY, 0}, stream);
           }));
  work.add("unfused", in_turn({fused(work, op::load(x) | op::reduce(op::sum, out), op::extent(n)),
                               fused(work, op::load(x) | op::reduce(op::maximum, out + 1), op::extent(n)),
                               fused(work, op::load(x) | op::reduce(op::sum_of_squares, out + 2), op::extent(n))}));
}

void mean_variance(workload &work, int64_t n) {
  float *x = work.array<float>(n), *out = work.output<float>(2);
  fill_normal(x, n, 3, 1.0f, 0.5f);
  const moments m = moments_of(x, n);
  const double mean = m.sum / double(n), variance = m.sum_of_squares / double(n) - mean * mean;  // in float64
  work.bytes = double(n) * sizeof(float);
  work.check = [=](double) {
    return match("the mean", on_host(out), mean, sum_tolerance) +
           match("the variance", on_host(out + 1), variance, 4 * sum_tolerance * variance);
  };

  work.add("onepass", fused(work, op::load(x) | op::reduce(op::mean_variance, out, out + 1), op::extent(n)));
  add_read_roof(work, x);
  work.add("cub", with_storage(work, [=](void *storage, size_t &bytes, cudaStream_t stream) {
             const auto result =
                 thrust::make_transform_output_iterator(reinterpret_cast<float2 *>(out), finish_spread{});
             return cub::DeviceReduce::TransformReduce(storage, bytes, x, result, int(n), combine_spread{}, to_spread{},
                                                       spread{0, 0, 0}, stream);
           }));
}

void argmax(workload &work, int64_t n) {
  float *x = work.array<float>(n), *value = work.output<float>(1);
  int64_t *index = work.output<int64_t>(1);
  fill_normal(x, n, 4);
  const float peak = 100;  // far out, and twice: the first must win
  for (const int64_t at : {n / 3, n / 3 * 2})
    BENCH_CHECK(cudaMemcpy(x + at, &peak, sizeof peak, cudaMemcpyHostToDevice));
  work.bytes = double(n) * sizeof(float);
  work.check = [=](double) {
    return match("the maximum", on_host(value), peak, 0) + match("its index", double(on_host(index)), double(n / 3), 0);
  };

  work.add("onepass", fused(work, op::load(x) | op::reduce(op::argmax, value, index), op::extent(n)));
  add_read_roof(work, x);
  work.add("cub", with_storage(work, [=](void *storage, size_t &bytes, cudaStream_t stream) {
             return cub::DeviceReduce::ArgMax(storage, bytes, x, value, index, n, stream);
           }));
}

}  // namespace

void add_reductions(suite &all) {
  constexpr int64_t large = int64_t{1} << 28;
  all.push_back({"sum_abs/f32/2^28", timing::cold, [](workload &work) { sum_abs<float>(work, large); }});
  all.push_back({"sum_abs/f32/2^24", timing::cold, [](workload &work) { sum_abs<float>(work, large >> 4); }});
  all.push_back({"sum_abs/bf16/2^28", timing::cold, [](workload &work) { sum_abs<__nv_bfloat16>(work, large); }});
  all.push_back({"sum_abs/f32/2^28/misaligned", timing::cold, [](workload &work) { sum_abs<float>(work, large, 1); }});
  for (const int log2 : {10, 13, 16, 18, 20, 22, 24})
    all.push_back({"sum_abs/f32/2^" + std::to_string(log2) + "/graph", timing::graph,
                   [=](workload &work) { sum_abs<float>(work, int64_t{1} << log2); }});
  all.push_back({"sum_max_sumsq/f32/2^28", timing::cold, [](workload &work) { sum_max_sumsq(work, large); }});
  all.push_back({"mean_variance/f32/2^28", timing::cold, [](workload &work) { mean_variance(work, large); }});
  all.push_back({"argmax/f32/2^28", timing::cold, [](workload &work) { argmax(work, large); }});
}

}  // namespace bench
