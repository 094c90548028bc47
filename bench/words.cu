// SPDX-License-Identifier: Apache-2.0
// Benchmarks of the vocabulary: a sample across ops, types, sources and statistics, each against the roof of its bytes.
#include "calls.cuh"
#include "data.cuh"
#include "harness.cuh"
#include "suites.cuh"

namespace bench {
namespace {

using f16 = __half;
using bf16 = __nv_bfloat16;
using e4m3 = __nv_fp8_e4m3;

constexpr int64_t large = int64_t{1} << 27;

// ---- y = f(x)

// Element by element against a function in float64; what it may be off beyond 2 ulp is `slack` half ulps of the result.
template <class In, class F>
struct exactly {
  const In *x;
  __device__ expected operator()(int64_t i) const {
    const double y = F::of(wide(x[i]));
    return {y, fabs(y)};
  }
};
template <class In, class Out, class F, class Stages>
void map_of(workload &work, Stages stages, int64_t n = large, float deviation = 1) {
  In *x = work.array<In>(n);
  Out *y = work.output<Out>(n);
  fill_normal(x, n, 31, 0, deviation);
  work.bytes = double(n) * (sizeof(In) + sizeof(Out));
  work.check = [=](double slack) { return compare(y, n, exactly<In, F>{x}, slack); };
  work.add("onepass", 16, fused(work, op::load(x) | stages | op::store(y), op::extent(n)));
  add_stream_roof<In, Out>(work, x, y, n);
}

#define BENCH_FUNCTION(name, ...)                               \
  struct name {                                                 \
    __device__ static double of(double x) { return __VA_ARGS__; } \
  }
BENCH_FUNCTION(f_exp2, exp2(x));
BENCH_FUNCTION(f_expm1, expm1(x));
BENCH_FUNCTION(f_log1p, log1p(fabs(x)));
BENCH_FUNCTION(f_sin, sin(x));
BENCH_FUNCTION(f_cos, cos(x));
BENCH_FUNCTION(f_erf, erf(x));
BENCH_FUNCTION(f_power, pow(fabs(x), 1.75));
BENCH_FUNCTION(f_softplus, x > 30 ? x : log1p(exp(x)));
BENCH_FUNCTION(f_log_sigmoid, x < -30 ? x : -log1p(exp(-x)));
BENCH_FUNCTION(f_mish, x * tanh(log1p(exp(x))));
BENCH_FUNCTION(f_elu, x > 0 ? x : expm1(x));
BENCH_FUNCTION(f_hardswish, x * fmin(fmax(x + 3, 0.0), 6.0) / 6);
BENCH_FUNCTION(f_quick_gelu, x / (1 + exp(-1.702 * x)));
BENCH_FUNCTION(f_gelu, 0.5 * x * erfc(-x * 0.70710678118654752440));
BENCH_FUNCTION(f_exp, exp(x));
BENCH_FUNCTION(f_quantised, rint(fmin(fmax(x * 32, -128.0), 127.0)));
BENCH_FUNCTION(f_halved, x * 0.5);
BENCH_FUNCTION(f_positive, x > 0 ? 1 : 0);

// ---- gates and masks

template <class T>
struct gated_exactly {
  const T *p;
  int64_t row, apart;  // columns of the result; from a gate to its other projection, 1 or a row
  __device__ expected operator()(int64_t i) const {
    const int64_t gate = apart == 1 ? 2 * i : i / row * 2 * row + i % row;
    const double g = wide(p[gate]), u = wide(p[gate + apart]), y = f_gelu::of(g) * u;
    return {y, fabs(y)};
  }
};

void geglu(workload &work, bool interleaved) {
  constexpr int64_t rows = 16384, columns = 4096, n = rows * columns;
  bf16 *p = work.array<bf16>(2 * n), *y = work.output<bf16>(n);
  fill_normal(p, 2 * n, 32);
  work.bytes = 3.0 * double(n) * sizeof(bf16);
  work.check = [=](double slack) {
    return compare(y, n, gated_exactly<bf16>{p, columns, interleaved ? 1 : columns}, slack);
  };
  const auto extent = op::extent(rows, columns);
  if (interleaved) work.add("onepass", 4, fused(work, op::pairs(p) | op::geglu | op::store(y), extent));
  else work.add("onepass", 4, fused(work, op::halves(p, columns) | op::geglu | op::store(y), extent));
  add_merge_roof(work, p, p + n, y);
}

template <class T>
struct dropped_exactly {  // every element is 0 or x / (1 - p)
  const T *x, *y;
  __device__ expected operator()(int64_t i) const {
    const double scaled = wide(x[i]) / 0.75;
    return {wide(y[i]) == 0 ? 0 : scaled, fabs(scaled)};
  }
};

void dropout(workload &work) {
  bf16 *x = work.array<bf16>(large), *y = work.output<bf16>(large);
  fill_normal(x, large, 33);
  work.bytes = 2.0 * double(large) * sizeof(bf16);
  work.check = [=](double slack) { return compare(y, large, dropped_exactly<bf16>{x, y}, slack); };
  work.add("onepass", fused(work, op::load(x) | op::dropout(0.25, 7) | op::store(y), op::extent(large)));
  add_copy_roof(work, x, y);
}

struct masked_exactly {
  const bf16 *x;
  const uint8_t *mask;
  __device__ expected operator()(int64_t i) const { return {mask[i] != 0 ? wide(x[i]) : 0, 0}; }
};

void masked(workload &work) {
  bf16 *x = work.array<bf16>(large), *y = work.output<bf16>(large);
  uint8_t *mask = work.array<uint8_t>(large);
  fill_normal(x, large, 34);
  fill_normal(mask, large, 35, 1.5f, 1);
  work.bytes = double(large) * 5;
  work.check = [=](double slack) { return compare(y, large, masked_exactly{x, mask}, slack); };
  work.add("onepass", fused(work, op::load(x) | op::where(op::load(mask), 0) | op::store(y), op::extent(large)));
  // A merge of as many bytes.
  char *a = work.array<char>(large / 3 * 5 + 4096), *b = work.array<char>(large / 3 * 5 + 4096);
  const int64_t each = large * 5 / 3 / 4096 * 4096;
  char *c = work.array<char>(large / 3 * 5 + 4096);
  work.add("roof", [=](cudaStream_t stream) { roof::merge(a, b, c, each, stream); });
}

// ---- by a vector, by indices

struct dequantised_exactly {
  const int8_t *x;
  const float *scale;
  int64_t columns;
  __device__ expected operator()(int64_t i) const {
    const double y = double(x[i]) * double(scale[i / columns]);
    return {y, fabs(y)};
  }
};

void dequantise(workload &work) {
  constexpr int64_t rows = 32768, columns = 4096, n = rows * columns;
  int8_t *x = work.array<int8_t>(n);
  float *scale = work.array<float>(rows);
  bf16 *y = work.output<bf16>(n);
  fill_normal(x, n, 36, 0, 40);
  fill_normal(scale, rows, 37, 1, 0.25f);
  work.bytes = 3.0 * double(n) + 4.0 * rows;
  work.check = [=](double slack) { return compare(y, n, dequantised_exactly{x, scale, columns}, slack); };
  work.add("onepass", fused(work, op::load(x) | op::cast<float>() | op::multiply(op::per_row(scale)) | op::store(y),
                            op::extent(rows, columns)));
  add_stream_roof<int8_t, bf16>(work, x, y, n);
}

struct gathered_exactly {
  const float *table;
  const int32_t *index;
  __device__ expected operator()(int64_t i) const { return {wide(table[index[i]]), 0}; }
};

template <class = void>
__global__ void fill_shuffled(int32_t *index, int64_t n) {  // within 32 neighbours: each line of the table is read once
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) index[i] = int32_t((i & ~int64_t{31}) | ((i * 13 + 5) & 31));
}

void gather(workload &work) {
  constexpr int64_t n = large / 2;
  float *table = work.array<float>(n), *y = work.output<float>(n);
  int32_t *index = work.array<int32_t>(n);
  fill_normal(table, n, 38);
  fill_shuffled<><<<unsigned(n / 256), 256>>>(index, n);
  BENCH_CHECK(cudaGetLastError());
  work.bytes = 3.0 * double(n) * sizeof(float);
  work.check = [=](double slack) { return compare(y, n, gathered_exactly{table, index}, slack); };
  work.add("onepass", fused(work, op::gather(table, op::load(index)) | op::store(y), op::extent(n)));
  add_merge_roof(work, table, table, y);
}

void random_normal(workload &work) {
  float *y = work.output<float>(large);
  work.bytes = double(large) * sizeof(float);
  work.check = [=](double) {
    const moments m = moments_of(y, large);
    return match("the mean", m.sum / double(large), 0, 5e-4) +
           match("the variance", m.sum_of_squares / double(large), 1, 1e-3);
  };
  work.add("onepass", fused(work, op::random_normal(5) | op::store(y), op::extent(large)));
  work.add("roof", [=](cudaStream_t stream) { roof::stream<0, 1>(nullptr, y, large * int64_t{sizeof(float)} / 16, stream); });
}

// ---- statistics

template <class T, class S, class Want>
void statistic(workload &work, S what, Want want, double tolerance, int64_t n) {
  T *x = work.array<T>(n);
  float *out = work.output<float>(1);
  fill_normal(x, n, 39);
  const moments m = moments_of(x, n);
  const double right = want(m, double(n));
  work.bytes = double(n) * sizeof(T);
  work.check = [=](double) { return match("the result", on_host(out), right, tolerance * fabs(right)); };
  work.add("onepass", fused(work, op::load(x) | op::reduce(what, out), op::extent(n)));
  add_read_roof(work, x);
}

void argmin(workload &work) {
  constexpr int64_t n = 2 * large;
  float *x = work.array<float>(n), *value = work.output<float>(1);
  int64_t *index = work.output<int64_t>(1);
  fill_normal(x, n, 40);
  const float least = -100;
  BENCH_CHECK(cudaMemcpy(x + n / 3, &least, sizeof least, cudaMemcpyHostToDevice));
  work.bytes = double(n) * sizeof(float);
  work.check = [=](double) {
    return match("the minimum", on_host(value), least, 0) + match("its index", double(on_host(index)), double(n / 3), 0);
  };
  work.add("onepass", fused(work, op::load(x) | op::reduce(op::argmin, value, index), op::extent(n)));
  add_read_roof(work, x);
}

void dot(workload &work) {
  constexpr int64_t n = large;
  bf16 *x = work.array<bf16>(2 * n);
  float *out = work.output<float>(1);
  fill_normal(x, 2 * n, 41, 1);
  work.bytes = 2.0 * double(n) * sizeof(bf16);
  work.check = [=](double) { return match("the product", on_host(out), double(n), 2e-3 * double(n)); };
  work.add("onepass", fused(work, op::zip(op::load(x), op::load(x + n)) | op::reduce(op::dot, out), op::extent(n)));
  add_read_roof(work, x);
}

void count(workload &work) {
  constexpr int64_t n = 4 * large;
  uint8_t *x = work.array<uint8_t>(n);
  float *out = work.output<float>(1);
  BENCH_CHECK(cudaMemset(x, 1, n / 2));
  work.bytes = double(n);
  work.check = [=](double) { return match("the count", on_host(out), double(n / 2), 0); };
  work.add("onepass", fused(work, op::load(x) | op::reduce(op::count, out), op::extent(n)));
  add_read_roof(work, x);
}

// A store and a statistic of what is stored, in one pass.
void gelu_and_sum(workload &work) {
  bf16 *x = work.array<bf16>(large), *y = work.output<bf16>(large);
  float *sum = work.output<float>(1);
  fill_normal(x, large, 42);
  work.bytes = 2.0 * double(large) * sizeof(bf16);
  work.check = [=](double slack) { return compare(y, large, exactly<bf16, f_gelu>{x}, slack); };
  const auto stages = op::as_pipeline(op::gelu);
  work.add("onepass", 4,
           fused(work, op::load(x) | stages | op::tee(op::reduce(op::sum, sum)) | op::store(y), op::extent(large)));
  add_copy_roof(work, x, y);
  work.add("unfused", 4, in_turn({fused(work, op::load(x) | stages | op::store(y), op::extent(large)),
                                  fused(work, op::load(y) | op::reduce(op::sum, sum), op::extent(large))}));
}

}  // namespace

void add_words(suite &all) {
  const auto add = [&](const char *name, std::function<void(workload &)> build) {
    all.push_back({std::string("word/") + name, timing::cold, std::move(build)});
  };
  add("exp2/f32", [](workload &w) { map_of<float, float, f_exp2>(w, op::exp2); });
  add("sin/f32", [](workload &w) { map_of<float, float, f_sin>(w, op::sin); });
  add("erf/f32", [](workload &w) { map_of<float, float, f_erf>(w, op::erf); });
  add("power/f32", [](workload &w) { map_of<float, float, f_power>(w, op::abs | op::power(1.75)); });
  add("softplus/f32", [](workload &w) { map_of<float, float, f_softplus>(w, op::softplus); });
  add("mish/f32", [](workload &w) { map_of<float, float, f_mish>(w, op::mish); });
  add("expm1/bf16", [](workload &w) { map_of<bf16, bf16, f_expm1>(w, op::expm1); });
  add("cos/bf16", [](workload &w) { map_of<bf16, bf16, f_cos>(w, op::cos); });
  add("erf/bf16", [](workload &w) { map_of<bf16, bf16, f_erf>(w, op::erf); });
  add("elu/bf16", [](workload &w) { map_of<bf16, bf16, f_elu>(w, op::elu(1)); });
  add("mish/bf16", [](workload &w) { map_of<bf16, bf16, f_mish>(w, op::mish); });
  add("log_sigmoid/bf16", [](workload &w) { map_of<bf16, bf16, f_log_sigmoid>(w, op::log_sigmoid); });
  add("power/bf16", [](workload &w) { map_of<bf16, bf16, f_power>(w, op::abs | op::power(1.75)); });
  add("hardswish/f16", [](workload &w) { map_of<f16, f16, f_hardswish>(w, op::hardswish); });
  add("softplus/f16", [](workload &w) { map_of<f16, f16, f_softplus>(w, op::softplus); });
  add("log1p/f16", [](workload &w) { map_of<f16, f16, f_log1p>(w, op::abs | op::log1p); });
  add("quick_gelu/f16", [](workload &w) { map_of<f16, f16, f_quick_gelu>(w, op::quick_gelu); });
  add("exp/f64", [](workload &w) { map_of<double, double, f_exp>(w, op::exp, large / 2); });
  add("quantise/f32_to_i8", [](workload &w) { map_of<float, int8_t, f_quantised>(w, op::multiply(32)); });
  add("quantise/bf16_to_e4m3", [](workload &w) { map_of<bf16, e4m3, f_halved>(w, op::multiply(0.5)); });
  add("gelu/e4m3_to_bf16", [](workload &w) { map_of<e4m3, bf16, f_gelu>(w, op::gelu); });
  add("greater/f32_to_bool", [](workload &w) { map_of<float, bool, f_positive>(w, op::greater(0)); });
  add("dequantise/i8_to_bf16", [](workload &w) { map_of<int8_t, bf16, f_halved>(w, op::cast<float>() | op::multiply(0.5), large, 40); });
  add("dequantise/i8_to_bf16/per_row", dequantise);
  add("geglu/bf16/halves", [](workload &w) { geglu(w, false); });
  add("geglu/bf16/pairs", [](workload &w) { geglu(w, true); });
  add("dropout/bf16", dropout);
  add("where/bf16", masked);
  add("gather/f32", gather);
  add("random_normal/f32", random_normal);
  add("norm2/f32", [](workload &w) {
    statistic<float>(w, op::norm2, [](const moments &m, double) { return sqrt(m.sum_of_squares); }, 4e-6, 2 * large);
  });
  add("log_sum_exp/f32", [](workload &w) {
    statistic<float>(w, op::log_sum_exp, [](const moments &, double n) { return log(n) + 0.5; }, 2e-4, 2 * large);
  });
  add("log_sum_exp/bf16", [](workload &w) {
    statistic<bf16>(w, op::log_sum_exp, [](const moments &, double n) { return log(n) + 0.5; }, 2e-4, 2 * large);
  });
  add("variance/f16", [](workload &w) {
    statistic<f16>(w, op::variance,
                   [](const moments &m, double n) { return m.sum_of_squares / n - m.sum / n * (m.sum / n); }, 2e-5,
                   2 * large);
  });
  add("argmin/f32", argmin);
  add("dot/bf16", dot);
  add("count/u8", count);
  add("gelu_and_sum/bf16", gelu_and_sum);
}

}  // namespace bench
