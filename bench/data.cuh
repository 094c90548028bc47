// SPDX-License-Identifier: Apache-2.0
// Part of the benchmarks: random inputs, and the comparison of results with float64, both on the device.
#ifndef ONEPASS_BENCH_DATA_CUH
#define ONEPASS_BENCH_DATA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>    // abs
#include <cstdint>  // int64_t
#include <string>
#include <vector>

#include "check.cuh"

namespace bench {

template <class T>
__host__ __device__ double wide(T x) {
  return static_cast<double>(static_cast<float>(x));
}
__host__ __device__ inline double wide(double x) { return x; }

// ---- inputs: never zeros, on which a device runs faster than on data

template <class T>
__global__ void fill_normal_kernel(T *p, int64_t n, uint64_t seed, float mean, float deviation) {
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    uint64_t bits = seed + uint64_t(i) * 0x9e3779b97f4a7c15u;  // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    const float u = float((bits >> 40) + 1) * 0x1p-24f;                      // (0, 1]
    const float v = float(bits & 0xffffff) * 0x1p-24f;                       // [0, 1)
    p[i] = T(mean + deviation * sqrtf(-2.0f * logf(u)) * cospif(2.0f * v));  // Box and Muller
  }
}

template <class T>
void fill_normal(T *p, int64_t n, uint64_t seed, float mean = 0, float deviation = 1) {
  fill_normal_kernel<<<2048, 256>>>(p, n, seed * 0xd1342543de82ef95u, mean, deviation);
  BENCH_CHECK(cudaGetLastError());
}

// ---- maps: every element

// What an element should be, and the size of what it was computed from: a value that was rounded on the way is off by
// a rounding of that size.
struct expected {
  double value, through;
};

template <class T>
struct rounding;  // unit: half an ulp of 1; least: the smallest positive value
template <>
struct rounding<float> {
  static constexpr double unit = 0x1p-24, least = 0x1p-149;
};
template <>
struct rounding<int32_t> {
  static constexpr double unit = 0, least = 0;
};
template <>
struct rounding<__half> {
  static constexpr double unit = 0x1p-11, least = 0x1p-24;
};
template <>
struct rounding<double> {
  static constexpr double unit = 0x1p-53, least = 0x1p-1074;
};
template <>
struct rounding<int8_t> {
  static constexpr double unit = 0, least = 1;  // a half that was rounded before
};
template <>
struct rounding<bool> {
  static constexpr double unit = 0, least = 0;
};
template <>
struct rounding<__nv_fp8_e4m3> {
  static constexpr double unit = 0x1p-4, least = 0x1p-9;
};
template <>
struct rounding<__nv_bfloat16> {
  static constexpr double unit = 0x1p-8, least = 0x1p-133;
};

struct faults {
  unsigned long long count, first;
};

template <class T, class Reference>
__global__ void compare_kernel(const T *out, int64_t n, Reference reference, double slack, faults *found) {
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const expected want = reference(i);
    // 4 units are 2 ulp at most. Not `error > bound`: a NaN is wrong.
    const double bound = rounding<T>::unit * (4 * std::abs(want.value) + slack * want.through) + rounding<T>::least;
    if (std::abs(wide(out[i]) - want.value) <= bound) continue;
    atomicAdd(&found->count, 1ull);
    atomicMin(&found->first, static_cast<unsigned long long>(i));
  }
}

// Empty, or how many of out[0, n) are off. `reference` is a device functor, int64_t -> expected.
template <class T, class Reference>
std::string compare(const T *out, int64_t n, Reference reference, double slack) {
  faults host = {0, ~0ull}, *device = nullptr;
  BENCH_CHECK(cudaMalloc(&device, sizeof host));
  BENCH_CHECK(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice));
  compare_kernel<<<2048, 256>>>(out, n, reference, slack, device);
  BENCH_CHECK(cudaGetLastError());
  BENCH_CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  BENCH_CHECK(cudaFree(device));
  if (host.count == 0) return {};
  return std::to_string(host.count) + " of " + std::to_string(n) + " elements are off, the first at " +
         std::to_string(host.first);
}

// ---- reductions: one value

template <class T>
T on_host(const T *device) {
  T value;
  BENCH_CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

// Empty, or what is off, so that several can be joined.
inline std::string match(const char *what, double got, double want, double tolerance) {
  if (std::abs(got - want) <= tolerance) return {};
  return std::string(what) + " is " + std::to_string(got) + ", not " + std::to_string(want) + "; ";
}

struct moments {
  double sum = 0, sum_abs = 0, sum_of_squares = 0, maximum = -INFINITY;
};

template <class T>
__global__ void moments_kernel(const T *x, int64_t n, moments *parts) {
  const int64_t self = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, stride = int64_t{gridDim.x} * blockDim.x;
  moments m;
  for (int64_t i = self; i < n; i += stride) {
    const double value = wide(x[i]);
    m.sum += value;
    m.sum_abs += std::abs(value);
    m.sum_of_squares += value * value;
    m.maximum = fmax(m.maximum, value);
  }
  parts[self] = m;
}

template <class T>
moments moments_of(const T *x, int64_t n) {
  constexpr int blocks = 256, threads = 256;
  std::vector<moments> parts(blocks * threads);
  moments *device = nullptr, all;
  BENCH_CHECK(cudaMalloc(&device, parts.size() * sizeof(moments)));
  moments_kernel<<<blocks, threads>>>(x, n, device);
  BENCH_CHECK(cudaGetLastError());
  BENCH_CHECK(cudaMemcpy(parts.data(), device, parts.size() * sizeof(moments), cudaMemcpyDeviceToHost));
  BENCH_CHECK(cudaFree(device));
  for (const moments &part : parts) {
    all.sum += part.sum;
    all.sum_abs += part.sum_abs;
    all.sum_of_squares += part.sum_of_squares;
    all.maximum = std::fmax(all.maximum, part.maximum);
  }
  return all;
}

}  // namespace bench

#endif
