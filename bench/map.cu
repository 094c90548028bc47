// SPDX-License-Identifier: Apache-2.0
// Benchmarks of elementwise chains: read every input once, write the result once.
#include <cub/device/device_transform.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <cuda/std/tuple>

#include "calls.cuh"
#include "data.cuh"
#include "harness.cuh"
#include "suites.cuh"

namespace bench {
namespace {

// What the check allows: a chain in one type rounds after each of its stages; a 16-bit chain in registers only at the
// end; and the peers' textbook GELU, x/2 (1 + erf), loses its negative tail in a cancellation.
constexpr double one_type = 8, in_registers = 0, stored_between = 2, textbook = 2;

// How many elements the pointers of a workload lie behind an aligned address.
struct skips {
  int64_t in = 0, out = 0;
  bool none() const { return in == 0 && out == 0; }
};

// ---- the functions, as a peer's user writes them

struct gelu_erf {
  static __host__ __device__ float of(float t) { return 0.5f * t * (1 + erff(t * 0.70710678118654752f)); }
  static __host__ __device__ double exactly(double t) { return t * normcdf(t); }
};

struct gelu_tanh {
  static __host__ __device__ float of(float t) {
    return 0.5f * t * (1 + tanhf(0.79788456080286536f * (t + 0.044715f * t * t * t)));
  }
  // (1 + tanh(a)) / 2 without its cancellation.
  static __host__ __device__ double exactly(double t) {
    return t / (1 + exp(-2 * 0.79788456080286535588 * (t + 0.044715 * t * t * t)));
  }
};

// ---- y = clamp(gelu(x * scale + bias) + r, -1, 6)

struct chain {
  float scale, bias;
  __host__ __device__ float operator()(float x, float r) const {
    return fminf(fmaxf(gelu_erf::of(x * scale + bias) + r, -1.0f), 6.0f);
  }
};

struct chain_exactly {
  const float *x, *r;
  chain f;
  __device__ expected operator()(int64_t i) const {
    const double t = double(x[i]) * double(f.scale) + double(f.bias);
    const double y = gelu_erf::exactly(t) + double(r[i]);
    return {fmin(fmax(y, -1.0), 6.0), fabs(t) + fabs(double(r[i])) + fabs(double(f.bias))};
  }
};

// One 16-byte access per thread and array; n is a multiple of 4 * 256.
__global__ void __launch_bounds__(256) hand_chain_kernel(const float4 *x, const float4 *r, float4 *y, chain f) {
  const int64_t i = int64_t{blockIdx.x} * 256 + threadIdx.x;
  const float4 a = x[i], b = r[i];
  y[i] = make_float4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}

void hand_chain(const float *x, const float *r, float *y, int64_t n, chain f, cudaStream_t stream) {
  hand_chain_kernel<<<unsigned(n / 1024), 256, 0, stream>>>(
      reinterpret_cast<const float4 *>(x), reinterpret_cast<const float4 *>(r), reinterpret_cast<float4 *>(y), f);
  BENCH_CHECK(cudaGetLastError());
}

void add_chain(workload &work, int64_t n, skips skip = {}) {
  float *x = work.array<float>(n, skip.in), *r = work.array<float>(n, skip.in), *y = work.output<float>(n, skip.out);
  fill_normal(x, n, 11);
  fill_normal(r, n, 12);
  const chain f = {1.25f, 0.5f};
  const auto s = f.scale, b = f.bias;
  const auto extent = op::extent(n);
  work.bytes = 3.0 * double(n) * sizeof(float);
  work.check = [=](double slack) { return compare(y, n, chain_exactly{x, r, f}, slack); };

  const auto pipeline = op::load(x) | op::multiply(s) | op::add(b) | op::gelu | op::add(op::load(r)) |
                        op::clamp(-1.f, 6.f) | op::store(y);
  work.add("onepass", one_type, fused(work, pipeline, extent));
  add_merge_roof(work, x - skip.in, r - skip.in, y - skip.out);
  if (!skip.none()) return;
  work.add("hand", one_type, [=](cudaStream_t stream) { hand_chain(x, r, y, n, f, stream); });
  work.add("cub", one_type, [=](cudaStream_t stream) {
    BENCH_CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(x, r), y, int(n), f, stream));
  });
  work.add("unfused", one_type,
           in_turn({fused(work, op::load(x) | op::multiply(s) | op::store(y), extent),
                    fused(work, op::load(y) | op::add(b) | op::store(y), extent),
                    fused(work, op::load(y) | op::gelu | op::store(y), extent),
                    fused(work, op::load(y) | op::add(op::load(r)) | op::store(y), extent),
                    fused(work, op::load(y) | op::clamp(-1.f, 6.f) | op::store(y), extent)}));
}

// ---- y = clamp(|x * 1.5 + 0.25| * 0.5 - 1, -0.5, 6): six stages that cost next to nothing

struct chain6 {
  __host__ __device__ float operator()(float x) const {
    return fminf(fmaxf(fabsf(x * 1.5f + 0.25f) * 0.5f + -1.0f, -0.5f), 6.0f);
  }
};

struct chain6_exactly {
  const float *x;
  __device__ expected operator()(int64_t i) const {
    const double t = fabs(double(x[i]) * 1.5 + 0.25);
    return {fmin(fmax(t * 0.5 - 1, -0.5), 6.0), t + 1};
  }
};

void add_chain6(workload &work, int64_t n) {
  float *x = work.array<float>(n), *y = work.output<float>(n);
  fill_normal(x, n, 13);
  const auto extent = op::extent(n);
  work.bytes = 2.0 * double(n) * sizeof(float);
  work.check = [=](double slack) { return compare(y, n, chain6_exactly{x}, slack); };

  const auto pipeline = op::load(x) | op::multiply(1.5f) | op::add(0.25f) | op::abs | op::multiply(0.5f) |
                        op::add(-1.f) | op::clamp(-0.5f, 6.f) | op::store(y);
  work.add("onepass", one_type, fused(work, pipeline, extent));
  add_copy_roof(work, x, y);
  work.add("cub", one_type,
           [=](cudaStream_t stream) { BENCH_CHECK(cub::DeviceTransform::Transform(x, y, int(n), chain6{}, stream)); });
  work.add("unfused", one_type,
           in_turn({fused(work, op::load(x) | op::multiply(1.5f) | op::store(y), extent),
                    fused(work, op::load(y) | op::add(0.25f) | op::store(y), extent),
                    fused(work, op::load(y) | op::abs | op::store(y), extent),
                    fused(work, op::load(y) | op::multiply(0.5f) | op::store(y), extent),
                    fused(work, op::load(y) | op::add(-1.f) | op::store(y), extent),
                    fused(work, op::load(y) | op::clamp(-0.5f, 6.f) | op::store(y), extent)}));
}

// ---- y = gelu(x + bias), a bias per column

constexpr int64_t gelu_rows = 16384, gelu_columns = 4096;

template <class T, class Gelu>
struct bias_gelu {
  const T *bias;
  __host__ __device__ T operator()(T x, int i) const {
    return T(Gelu::of(float(x) + float(bias[i & (gelu_columns - 1)])));
  }
};

template <class T, class Gelu>
struct bias_gelu_exactly {
  const T *x, *bias;
  __device__ expected operator()(int64_t i) const {
    const double t = wide(x[i]) + wide(bias[i % gelu_columns]);
    return {Gelu::exactly(t), fabs(t)};
  }
};

template <class T, class Gelu, class Stage>
void add_bias_gelu(workload &work, Stage gelu, skips skip = {}) {
  constexpr int64_t n = gelu_rows * gelu_columns;
  T *x = work.array<T>(n, skip.in), *bias = work.array<T>(gelu_columns), *y = work.output<T>(n, skip.out);
  fill_normal(x, n, 14);
  fill_normal(bias, gelu_columns, 15, 0, 0.5f);
  const auto extent = op::extent(gelu_rows, gelu_columns);
  work.bytes = 2.0 * double(n) * sizeof(T);  // and the bias, 8 KiB of 256 MiB
  work.check = [=](double slack) { return compare(y, n, bias_gelu_exactly<T, Gelu>{x, bias}, slack); };

  work.add("onepass", in_registers,
           fused(work, op::load(x) | op::add(op::per_column(bias)) | gelu | op::store(y), extent));
  add_copy_roof(work, x - skip.in, y - skip.out);
  if (!skip.none()) return;
  work.add("cub", textbook, [=](cudaStream_t stream) {
    const auto inputs = cuda::std::make_tuple(x, thrust::counting_iterator<int>(0));
    BENCH_CHECK(cub::DeviceTransform::Transform(inputs, y, int(n), bias_gelu<T, Gelu>{bias}, stream));
  });
  work.add("unfused", stored_between,
           in_turn({fused(work, op::load(x) | op::add(op::per_column(bias)) | op::store(y), extent),
                    fused(work, op::load(y) | gelu | op::store(y), extent)}));
}

// ---- y = silu(g) * u

template <class T>
struct swiglu {
  __host__ __device__ T operator()(T g, T u) const { return T(float(g) / (1 + expf(-float(g))) * float(u)); }
};

template <class T>
struct swiglu_exactly {
  const T *g, *u;
  __device__ expected operator()(int64_t i) const {
    const double y = wide(g[i]) / (1 + exp(-wide(g[i]))) * wide(u[i]);
    return {y, fabs(y)};
  }
};

template <class T>
void add_swiglu(workload &work, int64_t rows, int64_t columns) {
  const int64_t n = rows * columns;
  T *g = work.array<T>(n), *u = work.array<T>(n), *y = work.output<T>(n);
  fill_normal(g, n, 16);
  fill_normal(u, n, 17);
  const auto extent = op::extent(rows, columns);
  work.bytes = 3.0 * double(n) * sizeof(T);
  work.check = [=](double slack) { return compare(y, n, swiglu_exactly<T>{g, u}, slack); };

  work.add("onepass", in_registers,
           fused(work, op::load(g) | op::silu | op::multiply(op::load(u)) | op::store(y), extent));
  add_merge_roof(work, g, u, y);
  work.add("cub", in_registers, [=](cudaStream_t stream) {
    BENCH_CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(g, u), y, int(n), swiglu<T>{}, stream));
  });
  work.add("unfused", stored_between,
           in_turn({fused(work, op::load(g) | op::silu | op::store(y), extent),
                    fused(work, op::load(y) | op::multiply(op::load(u)) | op::store(y), extent)}));
}

}  // namespace

void add_maps(suite &all) {
  constexpr int64_t large = int64_t{1} << 28;
  const auto add = [&](const char *name, std::function<void(workload &)> build) {
    all.push_back({name, timing::cold, std::move(build)});
  };
  add("chain/f32/2^28", [](workload &work) { add_chain(work, large); });
  add("chain/f32/2^24", [](workload &work) { add_chain(work, large >> 4); });
  add("chain/f32/2^28/misaligned_in", [](workload &work) { add_chain(work, large, {1, 0}); });
  add("chain/f32/2^28/misaligned_out", [](workload &work) { add_chain(work, large, {0, 1}); });
  add("chain/f32/2^28/misaligned_both", [](workload &work) { add_chain(work, large, {1, 1}); });
  add("chain6/f32/2^28", [](workload &work) { add_chain6(work, large); });

  using f16 = __half;
  using bf16 = __nv_bfloat16;
  add("bias_gelu/f16/16384x4096", [](workload &w) { add_bias_gelu<f16, gelu_erf>(w, op::gelu); });
  add("bias_gelu/bf16/16384x4096", [](workload &w) { add_bias_gelu<bf16, gelu_erf>(w, op::gelu); });
  add("bias_gelu/bf16/16384x4096/misaligned_in", [](workload &w) {
    add_bias_gelu<bf16, gelu_erf>(w, op::gelu, {1, 0});
  });
  add("bias_gelu/bf16/16384x4096/misaligned_out", [](workload &w) {
    add_bias_gelu<bf16, gelu_erf>(w, op::gelu, {0, 1});
  });
  add("bias_gelu_tanh/f16/16384x4096", [](workload &w) { add_bias_gelu<f16, gelu_tanh>(w, op::gelu_tanh); });
  add("bias_gelu_tanh/bf16/16384x4096", [](workload &w) { add_bias_gelu<bf16, gelu_tanh>(w, op::gelu_tanh); });
  add("bias_gelu_tanh/bf16/16384x4096/misaligned_in", [](workload &w) {
    add_bias_gelu<bf16, gelu_tanh>(w, op::gelu_tanh, {1, 0});
  });
  add("bias_gelu_tanh/bf16/16384x4096/misaligned_out", [](workload &w) {
    add_bias_gelu<bf16, gelu_tanh>(w, op::gelu_tanh, {0, 1});
  });
  add("swiglu/bf16/16384x8192", [](workload &w) { add_swiglu<bf16>(w, 16384, 8192); });
}

}  // namespace bench
