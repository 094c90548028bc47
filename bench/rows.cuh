// SPDX-License-Identifier: Apache-2.0
// Part of the benchmarks: what workloads over rows share: the statistics of each row in float64, and the shapes.
#ifndef ONEPASS_BENCH_ROWS_CUH
#define ONEPASS_BENCH_ROWS_CUH

#include <cstdint>  // int64_t
#include <string>

#include "calls.cuh"
#include "data.cuh"

namespace bench {

using f16 = __half;
using bf16 = __nv_bfloat16;

struct row_truth {
  double most, powers, mean, variance, squares;  // powers: the sum of e^(x - most); squares: their mean
};

// value(i): element i of the array in float64.
template <class Value>
__global__ void row_truth_kernel(Value value, int64_t columns, row_truth *out) {
  __shared__ double shared[4][256];
  const int64_t first = int64_t{blockIdx.x} * columns;
  double most = -INFINITY, sum = 0, squares = 0, powers = 0, centred = 0;
  for (int64_t i = threadIdx.x; i < columns; i += 256) {
    const double x = value(first + i);
    most = fmax(most, x);
    sum += x;
    squares += x * x;
  }
  const auto add_up = [&](double *slot, double x) {
    slot[threadIdx.x] = x;
    __syncthreads();
    double all = 0;
    for (int i = 0; i < 256; ++i) all += slot[i];
    return all;
  };
  shared[3][threadIdx.x] = most;
  __syncthreads();
  for (int i = 0; i < 256; ++i) most = fmax(most, shared[3][i]);
  const double mean = add_up(shared[0], sum) / double(columns);
  squares = add_up(shared[1], squares) / double(columns);
  for (int64_t i = threadIdx.x; i < columns; i += 256) {
    const double x = value(first + i);
    powers += exp(x - most);
    centred += (x - mean) * (x - mean);
  }
  powers = add_up(shared[2], powers);
  __syncthreads();
  centred = add_up(shared[0], centred) / double(columns);
  if (threadIdx.x == 0) out[blockIdx.x] = {most, powers, mean, centred, squares};
}
template <class Value>
const row_truth *row_truths(workload &work, Value value, int64_t rows, int64_t columns) {
  row_truth *out = work.array<row_truth>(rows);
  row_truth_kernel<<<unsigned(rows), 256>>>(value, columns, out);
  BENCH_CHECK(cudaGetLastError());
  return out;
}

template <class T>
struct element_of {
  const T *x;
  __device__ double operator()(int64_t i) const { return wide(x[i]); }
};

// What the check allows of a norm or softmax in f32: some roundings of the values on the way.
template <class T>
constexpr double row_slack = sizeof(T) == 4 ? 16 : 0.02;

inline std::string shape_name(const char *what, int64_t rows, int64_t columns) {
  return std::string(what) + "/" + std::to_string(rows) + "x" + std::to_string(columns);
}

// 2^27 elements by widths, and widths at which rows start misaligned.
constexpr int64_t row_elements = int64_t{1} << 27;
inline const int64_t row_widths[] = {64, 256, 1024, 4096, 16384, 32768, 65536, 131072, 262144};
inline const int64_t odd_widths[] = {257, 1000, 1001, 4095, 4097, 12289, 50257, 128257};

// add(rows, columns) for each; the odd ones with as many rows as fit.
template <class Add>
void each_row_shape(const Add &add) {
  for (const int64_t columns : row_widths) add(row_elements / columns, columns);
  for (const int64_t columns : odd_widths) add(row_elements / columns, columns);
}

// One row, a few, and as many as an H200 has multiprocessors.
template <class Add>
void each_few_rows(const Add &add) {
  for (const int64_t rows : {1, 8, 132})
    for (const int64_t columns : {4096, 32768, 262144}) add(rows, columns);
}

// Few rows, wider than the chip holds: blocks that share a row.
template <class Add>
void each_wide_shape(const Add &add) {
  for (const int power : {20, 22, 24}) add(1, int64_t{1} << power);
  add(8, int64_t{1} << 22);
}

// The roof of x read and y written, of whole tiles (the bytes are then a little fewer or the same).
template <class T>
void add_row_roof(workload &work, const T *x, T *y, int64_t n) {
  const int64_t bytes = n * int64_t(sizeof(T)) / roof::copy_tile_bytes * roof::copy_tile_bytes;
  work.add("roof", [=](cudaStream_t stream) { roof::copy(x, y, bytes, stream); });
}

}  // namespace bench

#endif
