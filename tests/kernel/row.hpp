// SPDX-License-Identifier: Apache-2.0
// What the tests of row pipelines share: the statistics of each row in float64, and the comparison of every element.
#ifndef ONEPASS_TESTS_KERNEL_ROW_HPP
#define ONEPASS_TESTS_KERNEL_ROW_HPP

#include "gpu.hpp"

// Of the values of a row as they are stored.
struct row_truth {
  double most, powers, mean, variance, squares, count;  // powers: the sum of e^(x - most)
};

__device__ inline double sum_of_block(double x) {
  __shared__ double all[256];
  __syncthreads();
  all[threadIdx.x] = x;
  for (unsigned step = 128; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) all[threadIdx.x] += all[threadIdx.x + step];
  }
  __syncthreads();
  return all[0];
}

template <class T>
__global__ void find_truth(const T *x, std::int64_t pitch, std::int64_t columns, row_truth *out) {
  const T *row = x + static_cast<std::int64_t>(blockIdx.x) * pitch;
  const auto value = [&](std::int64_t i) { return static_cast<double>(op::detail::widen(row[i])); };
  __shared__ double mosts[256];
  double most = -INFINITY, sum = 0, squares = 0, powers = 0, centred = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += 256) {
    most = fmax(most, value(i));
    sum += value(i);
    squares += value(i) * value(i);
  }
  mosts[threadIdx.x] = most;
  __syncthreads();
  for (int i = 0; i < 256; ++i) most = fmax(most, mosts[i]);
  const double mean = sum_of_block(sum) / static_cast<double>(columns);
  for (std::int64_t i = threadIdx.x; i < columns; i += 256) {
    powers += exp(value(i) - most);
    centred += (value(i) - mean) * (value(i) - mean);
  }
  squares = sum_of_block(squares);
  powers = sum_of_block(powers);
  centred = sum_of_block(centred);
  if (threadIdx.x == 0)
    out[blockIdx.x] = {most, powers, mean, centred / static_cast<double>(columns), squares / static_cast<double>(columns),
                       static_cast<double>(columns)};
}

// want(x, truth of its row, column) against y, with an error of `units` roundings of the storage type relative to
// scale(x, truth, column).
template <class In, class Out, class Want>
__global__ void check_rows(const In *x, std::int64_t in_pitch, const Out *y, std::int64_t out_pitch, std::int64_t rows,
                           std::int64_t columns, const row_truth *truth, Want want, double relative,
                           unsigned long long *errors) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * columns;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const std::int64_t row = i / columns, column = i % columns;
    const double in = static_cast<double>(op::detail::widen(x[row * in_pitch + column]));
    double scale = 0;
    const double right = want(in, truth[row], column, scale);
    const double got = static_cast<double>(op::detail::widen(y[row * out_pitch + column]));
    const bool both_nan = got != got && right != right;
    if (!both_nan && !(fabs(got - right) <= relative * (fabs(right) + scale) + (op::detail::is_half<Out> ? 0x1p-24 : 1e-37))) atomicAdd(errors, 1ull);
  }
}

// Half an ulp of a stored value near 1, and what f32 arithmetic adds.
template <class T>
constexpr double rounding() {
  return sizeof(T) == 4 ? 0x1p-20 : op::detail::is_half<T> ? 0x1.1p-11 : 0x1.02p-8;
}

struct softmax_truth {
  __device__ double operator()(double x, const row_truth &t, std::int64_t, double &scale) const {
    scale = 0;
    return exp(x - t.most) / t.powers;
  }
};
struct log_softmax_truth {
  __device__ double operator()(double x, const row_truth &t, std::int64_t, double &scale) const {
    scale = fabs(x) + fabs(t.most);
    return x - t.most - log(t.powers);
  }
};
// Of gamma and beta, null for none.
template <class Gamma, class Beta>
struct layer_norm_truth {
  const Gamma *gamma;
  const Beta *beta;
  double eps;
  __device__ double operator()(double x, const row_truth &t, std::int64_t column, double &scale) const {
    const double y = (x - t.mean) / sqrt(t.variance + eps);
    const double g = gamma ? static_cast<double>(op::detail::widen(gamma[column])) : 1;
    const double b = beta ? static_cast<double>(op::detail::widen(beta[column])) : 0;
    // In f32 the roundings of the sums, of 2^-24 each of the size of the row's values, show: some, and one more for each
    // doubling of the row.
    const double roundings = sizeof(Beta) == 4 ? (8 + log2(t.count)) * 0x1p-4 : 0x1p-8;
    scale = ((fabs(x) + sqrt(t.squares)) / sqrt(t.variance + eps) * fabs(g) + fabs(b)) * roundings;
    return y * g + b;
  }
};
template <class Gamma>
struct rms_norm_truth {
  const Gamma *gamma;
  double eps;
  __device__ double operator()(double x, const row_truth &t, std::int64_t column, double &scale) const {
    scale = 0;
    return x / sqrt(t.squares + eps) * (gamma ? static_cast<double>(op::detail::widen(gamma[column])) : 1);
  }
};

// Rows of x against y = want; both with guards, `y` filled with 0xA5 before.
template <class In, class Out, class Want>
unsigned long long wrong_in_rows(const In *x, std::int64_t in_pitch, const Out *y, std::int64_t out_pitch,
                                 std::int64_t rows, std::int64_t columns, const Want &want,
                                 double relative = rounding<Out>()) {
  if (rows == 0 || columns == 0) return 0;
  const device_array<row_truth> truth(rows);
  const error_counter errors;
  find_truth<<<static_cast<unsigned>(rows), 256>>>(x, in_pitch, columns, truth.at());
  check_rows<<<1024, 256>>>(x, in_pitch, y, out_pitch, rows, columns, truth.at(), want, relative, errors.pointer());
  CUDA_CHECK(cudaGetLastError());
  return errors.get();
}

using f16 = __half;
using bf16 = __nv_bfloat16;



inline const std::int64_t wide[] = {1536, 2048, 3001, 4095, 4096, 4097, 5000, 8192, 12289, 16384, 24576, 32768, 50257, 65537, 128257, 1000003};

// All widths up to 1100, or some of them, then the wide ones.
inline std::vector<std::int64_t> widths() {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 1; n <= 1100; n += reduced() ? 61 : 1) all.push_back(n);
  for (const std::int64_t n : wide)
    if (!reduced() || n < 20000) all.push_back(n);
  return all;
}

// What lies outside of [first, last) of an array filled with 0xA5 is untouched.
template <class T>
unsigned long long touched(const device_array<T> &y, std::int64_t offset, std::int64_t n) {
  const error_counter errors;
  errors.check(y, offset, y.at(offset), n);
  return errors.get();
}

// y = stages(x) for every width, both alignments; `want` is made for a shift of the vectors.
template <class In, class Out, class Make, class Want>
void check_widths(std::int64_t rows, const Make &stages, const Want &want, double relative = rounding<Out>()) {
  const std::int64_t most = rows * (1000003 + 8) + 8;
  const device_array<In> x(random_values<In>(most));
  const device_array<Out> y(most);
  unsigned long long wrong = 0, outside = 0;
  for (const std::int64_t n : widths())
    for (const std::int64_t skip : {0, 1}) {
      y.fill(0xA5);
      OP_CHECK(op::launch(op::load(x.at(skip)) | stages(skip) | op::store(y.at(2 * skip)), op::extent(rows, n)));
      const auto here = wrong_in_rows(x.at(skip), n, y.at(2 * skip), n, rows, n, want(skip), relative);
      if (here > 0) WARN("width " << n << ", skip " << skip << ": " << here);
      wrong += here;
      outside += touched(y, 2 * skip, rows * n);
    }
  CHECK(wrong == 0);
  CHECK(outside == 0);
}

constexpr std::int64_t vector_length = 1000003 + 16;


inline onepass_exec_t forced(onepass_row_strategy_t strategy) {
  onepass_exec_t exec{};
  exec.row_strategy = strategy;
  return exec;
}

#endif
