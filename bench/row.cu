// SPDX-License-Identifier: Apache-2.0
// Benchmarks of row pipelines with something in front and behind: residuals, activations, results of rows.
#include "rows.cuh"
#include "suites.cuh"

namespace bench {
namespace {

constexpr int64_t rows = 16384, columns = 4096, elements = rows * columns;

struct added {
  const bf16 *x, *r;
  __device__ double operator()(int64_t i) const { return double(float(x[i]) + float(r[i])); }
};

struct gelu_tanh_of {
  __device__ static double of(double x) { return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }
};

template <class Value, class After>
struct layer_norm_exactly {
  Value value;
  const bf16 *gamma, *beta;
  const row_truth *truth;
  __device__ expected operator()(int64_t i) const {
    const row_truth &t = truth[i / columns];
    const double y = (value(i) - t.mean) / sqrt(t.variance + 1e-5) * wide(gamma[i % columns]) + wide(beta[i % columns]);
    return {After::of(y), fabs(y) + 1};
  }
};
struct as_it_is {
  __device__ static double of(double x) { return x; }
};
struct rms_norm_exactly {
  added value;
  const bf16 *gamma;
  const row_truth *truth;
  __device__ expected operator()(int64_t i) const {
    const double y = value(i) / sqrt(truth[i / columns].squares + 1e-6) * wide(gamma[i % columns]);
    return {y, fabs(y) + 1};
  }
};
struct sum_exactly {
  added value;
  __device__ expected operator()(int64_t i) const { return {value(i), fabs(value(i))}; }
};

struct vectors {
  bf16 *gamma, *beta;
  explicit vectors(workload &work) : gamma(work.array<bf16>(columns)), beta(work.array<bf16>(columns)) {
    fill_normal(gamma, columns, 63, 1, 0.25f);
    fill_normal(beta, columns, 64, 0, 0.5f);
  }
};

void layer_norm_gelu(workload &work) {
  bf16 *x = work.array<bf16>(elements), *y = work.output<bf16>(elements);
  const vectors v(work);
  fill_normal(x, elements, 65);
  const row_truth *truth = row_truths(work, element_of<bf16>{x}, rows, columns);
  work.bytes = 4.0 * double(elements);
  work.check = [=](double slack) {
    return compare(y, elements, layer_norm_exactly<element_of<bf16>, gelu_tanh_of>{{x}, v.gamma, v.beta, truth}, slack);
  };
  const auto extent = op::extent(rows, columns);
  work.add("onepass", 0.05, fused(work, op::load(x) | op::layer_norm(v.gamma, v.beta, 1e-5) | op::gelu_tanh | op::store(y), extent));
  work.add("two kernels", 2, in_turn({fused(work, op::load(x) | op::layer_norm(v.gamma, v.beta, 1e-5) | op::store(y), extent),
                                      fused(work, op::load(y) | op::gelu_tanh | op::store(y), extent)}));
  add_row_roof(work, x, y, elements);
}

// Two reads and two writes of 16 bytes per thread.
template <class Void = void>
__global__ void __launch_bounds__(256) two_and_two_kernel(const uint4 *a, const uint4 *b, uint4 *y, uint4 *z) {
  const int64_t i = int64_t{blockIdx.x} * 256 + threadIdx.x;
  const uint4 p = a[i], q = b[i];
  y[i] = make_uint4(p.x ^ q.x, p.y ^ q.y, p.z ^ q.z, p.w ^ q.w);
  z[i] = make_uint4(p.x & q.x, p.y & q.y, p.z & q.z, p.w & q.w);
}

void residual_norm(workload &work, bool layer) {
  bf16 *x = work.array<bf16>(elements), *r = work.array<bf16>(elements), *y = work.output<bf16>(elements), *kept = work.output<bf16>(elements);
  const vectors v(work);
  fill_normal(x, elements, 66);
  fill_normal(r, elements, 67);
  const row_truth *truth = row_truths(work, added{x, r}, rows, columns);
  work.bytes = 8.0 * double(elements);
  work.check = [=](double slack) {
    return (layer ? compare(y, elements, layer_norm_exactly<added, as_it_is>{{x, r}, v.gamma, v.beta, truth}, slack)
                  : compare(y, elements, rms_norm_exactly{{x, r}, v.gamma, truth}, slack)) +
           compare(kept, elements, sum_exactly{{x, r}}, slack);
  };
  const auto extent = op::extent(rows, columns);
  const auto sum = op::load(x) | op::add(op::load(r)) | op::tee(op::store(kept));
  if (layer) work.add("onepass", 0.05, fused(work, sum | op::layer_norm(v.gamma, v.beta, 1e-5) | op::store(y), extent));
  else work.add("onepass", 0.05, fused(work, sum | op::rms_norm(v.gamma, 1e-6) | op::store(y), extent));
  work.add("roof", [=](cudaStream_t stream) {
    two_and_two_kernel<><<<unsigned(elements / 2048), 256, 0, stream>>>(
        reinterpret_cast<const uint4 *>(x), reinterpret_cast<const uint4 *>(r), reinterpret_cast<uint4 *>(y), reinterpret_cast<uint4 *>(kept));
    BENCH_CHECK(cudaGetLastError());
  });
}

// ---- RMSNorm and an 8-bit store whose scale follows the data

template <int Columns>  // that share a scale
struct quantised_exactly {
  element_of<bf16> value;
  const bf16 *gamma;
  const row_truth *truth;
  const float *scale;
  __device__ expected operator()(int64_t i) const {
    const double y = value(i) / sqrt(truth[i / columns].squares + 1e-6) * wide(gamma[i % columns]) / double(scale[i / Columns]);
    return {y, fabs(y)};
  }
};

template <int Columns>
void rms_norm_f8(workload &work) {
  bf16 *x = work.array<bf16>(elements);
  auto *q = work.output<__nv_fp8_e4m3>(elements);
  float *scale = work.output<float>(elements / Columns);
  const vectors v(work);
  fill_normal(x, elements, 70);
  const row_truth *truth = row_truths(work, element_of<bf16>{x}, rows, columns);
  work.bytes = 3.0 * double(elements) + 4.0 * double(elements / Columns);
  work.check = [=](double slack) { return compare(q, elements, quantised_exactly<Columns>{{x}, v.gamma, truth, scale}, slack); };
  const auto norm = op::load(x) | op::rms_norm(v.gamma, 1e-6);
  const auto extent = op::extent(rows, columns);
  if constexpr (Columns == columns) work.add("onepass", 0.05, fused(work, norm | op::quantize_rows(op::store(q), scale), extent));
  else work.add("onepass", 0.05, fused(work, norm | op::quantize_groups<Columns>(op::store(q), scale), extent));
  work.add("roof", [=](cudaStream_t stream) { roof::stream<2, 1>(x, q, elements / 16, stream); });
}

// ---- bias, GELU, and the sum of each row beside the array

constexpr int64_t side = 8192;

struct bias_gelu_of {
  const f16 *x, *bias;
  __device__ double operator()(int64_t i) const {
    const double t = wide(x[i]) + wide(bias[i % side]);
    return 0.5 * t * erfc(-t * 0.70710678118654752440);
  }
};
struct bias_gelu_exactly {
  bias_gelu_of value;
  __device__ expected operator()(int64_t i) const { return {value(i), fabs(value(i)) + 0.01}; }
};
struct row_sum_exactly {
  const row_truth *truth;
  __device__ expected operator()(int64_t i) const { return {truth[i].mean * double(side), sqrt(truth[i].squares) * double(side)}; }
};

void bias_gelu_row_sum(workload &work) {
  constexpr int64_t n = side * side;
  f16 *x = work.array<f16>(n), *bias = work.array<f16>(side), *y = work.output<f16>(n);
  float *sums = work.output<float>(side);
  fill_normal(x, n, 68);
  fill_normal(bias, side, 69, 0, 0.5f);
  const row_truth *truth = row_truths(work, bias_gelu_of{x, bias}, side, side);
  work.bytes = 4.0 * double(n);
  work.check = [=](double slack) {
    return compare(y, n, bias_gelu_exactly{{x, bias}}, slack) + compare(sums, side, row_sum_exactly{truth}, 400);  // of rounded values
  };
  const auto extent = op::extent(side, side);
  const auto value = op::load(x) | op::add(op::per_column(bias)) | op::gelu | op::cast<f16>();  // the sum of what is stored
  work.add("onepass", 0.2, fused(work, value | op::tee(op::reduce_rows(op::sum, sums)) | op::store(y), extent));
  work.add("split", 0.2, in_turn({fused(work, value | op::store(y), extent), fused(work, op::load(y) | op::reduce_rows(op::sum, sums), extent)}));
  add_row_roof(work, x, y, n);
}

}  // namespace

void add_rows(suite &all) {
  all.push_back({"layer_norm_gelu/bf16/16384x4096", timing::cold, layer_norm_gelu});
  all.push_back({"residual_layer_norm/bf16/16384x4096", timing::cold, [](workload &w) { residual_norm(w, true); }});
  all.push_back({"residual_rms_norm/bf16/16384x4096", timing::cold, [](workload &w) { residual_norm(w, false); }});
  all.push_back({"rms_norm_f8_rows/bf16/16384x4096", timing::cold, rms_norm_f8<columns>});
  all.push_back({"rms_norm_f8_groups/bf16/16384x4096", timing::cold, rms_norm_f8<128>});
  all.push_back({"bias_gelu_row_sum/f16/8192x8192", timing::cold, bias_gelu_row_sum});
}

}  // namespace bench
