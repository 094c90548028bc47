// SPDX-License-Identifier: Apache-2.0
// Ops on a device against float64: over all 2^32 inputs in f32, over all 65536 in a 16-bit type. A function in float64
// is a struct with `__host__ __device__ static double of(double x)`. The stages run in kernels of a few lines, lane by
// lane: what a launch does around them is tested elsewhere, and there are many.
#ifndef ONEPASS_TESTS_KERNEL_ULP_HPP
#define ONEPASS_TESTS_KERNEL_ULP_HPP

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "gpu.hpp"

// What a stage makes of x, in full_math or narrow_math.
template <class Math, class Stage>
__device__ float lane(const Stage &stage, float x) {
  const op::position<1> at{0, 0, 0, 1, true, true};
  return static_cast<float>(
      stage.template apply_with<Math>(op::pack<float, 1>{{x}}, stage.template fetch<1>(at), at)[0]);
}

template <class Math, class To, class From, class Stage>
__global__ void apply_each(const From *x, To *y, int n, Stage stage) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = op::detail::narrow<To>(lane<Math>(stage, op::detail::widen(x[i])));
}

template <class Math, class To, class From, class Stage>
std::vector<To> applied(const std::vector<From> &x, const Stage &stage) {
  const int n = static_cast<int>(x.size());
  const device_array<From> dx(x);
  const device_array<To> dy(n);
  apply_each<Math><<<static_cast<unsigned>(n + 255) / 256, 256>>>(dx.at(), dy.at(), n, stage);
  CUDA_CHECK(cudaGetLastError());
  return dy.get(n);
}

// By how many f32 ulp y misses the function of x; huge where one is NaN or an infinity and the other is not.
template <class Function>
__host__ __device__ double error_in_ulp(float y, float x) {
  const double right = Function::of(static_cast<double>(x));
  if (right != right || y != y) return right != right && y != y ? 0 : 1e9;
  const double end = 3.402823669209385e38;  // 2^128: what lies beyond the greatest number counts as this
  if (fabs(right) >= end || isinf(y)) {
    const double got = fmin(fmax(static_cast<double>(y), -end), end);
    return fabs(got - fmin(fmax(right, -end), end)) / 2.028240960365167e31;
  }
  int exponent = -126;
  if (right != 0) frexp(right, &exponent);
  exponent = exponent - 1 < -126 ? -126 : exponent - 1;
  return fabs(static_cast<double>(y) - right) / ldexp(1.0, exponent - 23);
}

// The greatest error over the inputs whose bits are below `end`, with its input: bits of the error above those of x.
template <class Function, class Stage>
__global__ void worst_of_all(Stage stage, std::uint64_t end, float low, float high, unsigned long long *worst) {
  unsigned long long own = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += step) {
    const auto bits = static_cast<std::uint32_t>(i);
    const float x = op::detail::bit_copy<float>(bits), y = lane<op::detail::full_math>(stage, x);
    const bool inside = x >= low && x <= high;
    const double error = inside || x != x ? error_in_ulp<Function>(y, x) : 0;
    const auto rank = op::detail::bit_copy<std::uint32_t>(static_cast<float>(error));
    own = max(own, static_cast<unsigned long long>(std::uint64_t{rank} << 32 | bits));
  }
  atomicMax(worst, own);
}

// The worst of all 2^32 inputs.
template <class Function, class Stage>
void check_f32(const char *name, const Stage &stage, double bound, float low = -INFINITY, float high = INFINITY) {
  const device_array<unsigned long long> worst(std::vector<unsigned long long>{0});
  worst_of_all<Function><<<2048, 256>>>(stage, reduced() ? 1 << 16 : UINT64_C(1) << 32, low, high, worst.at());
  CUDA_CHECK(cudaGetLastError());
  const unsigned long long found = worst.one();
  const auto error = static_cast<double>(op::detail::bit_copy<float>(static_cast<std::uint32_t>(found >> 32)));
  std::printf("f32 %-14s [%g, %g]: %.3f ulp at %g\n", name, static_cast<double>(low), static_cast<double>(high), error,
              static_cast<double>(op::detail::bit_copy<float>(static_cast<std::uint32_t>(found))));
  CHECK(error <= bound);
}

// The worst of all 65536 inputs of the form that is used before a 16-bit store, in ulp from the correctly rounded
// value; in full_math of the full form.
template <class T, class Function, class Math = op::detail::narrow_math, class Stage>
int worst_ulp(const Stage &stage) {
  std::vector<T> x(65536);
  for (unsigned i = 0; i < 65536; ++i) x[i] = op::detail::bit_copy<T>(static_cast<unsigned short>(i));
  const std::vector<T> y = applied<Math, T>(x, stage);
  const auto order = [](T v) {
    const int bits = op::detail::bit_copy<unsigned short>(v);
    return bits & 0x8000 ? -(bits & 0x7fff) : bits;
  };
  int worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = Function::of(static_cast<double>(op::detail::widen(x[i])));
    const double got = static_cast<double>(op::detail::widen(y[i]));
    if (std::isnan(right) || std::isnan(got)) {
      if (std::isnan(right) != std::isnan(got)) worst = 1 << 20;
      continue;
    }
    worst = std::max(worst, std::abs(order(y[i]) - order(op::detail::narrow<T>(right))));
  }
  if (std::is_same_v<Math, op::detail::narrow_math>)
    std::printf("%s %s: %d ulp\n", op::detail::is_half<T> ? "f16" : "bf16", op::detail::name_of<Function>.letters, worst);
  return worst;
}

#endif
