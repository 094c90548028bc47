// SPDX-License-Identifier: Apache-2.0
// Benchmarks of cross-entropy: the loss and log_sum_exp of each row of logits, over the size of the vocabulary.
#include "rows.cuh"
#include "suites.cuh"

namespace bench {
namespace {

template <class Void = void>
__global__ void fill_labels(int64_t *labels, int64_t rows, int64_t columns) {
  for (int64_t r = threadIdx.x; r < rows; r += blockDim.x) labels[r] = int64_t(uint64_t(r) * 0x9e3779b97f4a7c15u >> 1) % columns;
}

template <class T>
struct loss_exactly {
  const T *x;
  const int64_t *labels;
  const row_truth *truth;
  int64_t columns;
  __device__ expected operator()(int64_t row) const {
    const double lse = truth[row].most + log(truth[row].powers);
    return {lse - wide(x[row * columns + labels[row]]), lse};
  }
};
struct lse_exactly {
  const row_truth *truth;
  __device__ expected operator()(int64_t row) const {
    const double lse = truth[row].most + log(truth[row].powers);
    return {lse, lse};
  }
};

template <class T>
void cross_entropy(workload &work, int64_t rows, int64_t columns) {
  T *x = work.array<T>(rows * columns);
  int64_t *labels = work.array<int64_t>(rows);
  float *loss = work.output<float>(rows), *lse = work.output<float>(rows);
  fill_normal(x, rows * columns, 71);
  fill_labels<><<<1, 1024>>>(labels, rows, columns);
  BENCH_CHECK(cudaGetLastError());
  const row_truth *truth = row_truths(work, element_of<T>{x}, rows, columns);
  work.bytes = double(rows * columns) * sizeof(T) + 16.0 * double(rows);
  work.check = [=](double slack) {
    return compare(loss, rows, loss_exactly<T>{x, labels, truth, columns}, slack) + compare(lse, rows, lse_exactly{truth}, slack);
  };
  work.add("onepass", 16, fused(work, op::load(x) | op::cross_entropy(labels, loss, lse), op::extent(rows, columns)));
  const int64_t all = rows * columns * int64_t(sizeof(T)), tile = roof::tile_bytes<1024, 4>;
  unsigned *sink = work.array<unsigned>(1);
  work.add("roof", [=](cudaStream_t stream) { roof::read<1024, 4, 2>(x, all / tile * tile, sink, stream); });
}

}  // namespace

void add_losses(suite &all) {
  const auto add = [&](int64_t rows, int64_t columns) {
    all.push_back({shape_name("cross_entropy/bf16", rows, columns), timing::cold, [=](workload &w) { cross_entropy<bf16>(w, rows, columns); }});
    all.push_back({shape_name("cross_entropy/f32", rows, columns), timing::cold, [=](workload &w) { cross_entropy<float>(w, rows, columns); }});
  };
  for (const int64_t columns : {4096, 32768, 131072, 262144}) add(row_elements / columns, columns);
  for (const int64_t columns : {131072, 262144}) add(8, columns);
  each_wide_shape(add);
  all.push_back({shape_name("cross_entropy/bf16", 2048, 50257), timing::cold, [=](workload &w) { cross_entropy<bf16>(w, 2048, 50257); }});
}

}  // namespace bench
