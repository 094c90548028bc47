// SPDX-License-Identifier: Apache-2.0
// Benchmarks of row pipelines: norms over the widths of a row, with gamma and beta of the type of the row.
#include "rows.cuh"
#include "suites.cuh"

namespace bench {
namespace {

template <class T>
struct norm_exactly {
  const T *x, *gamma, *beta;  // beta null: rms_norm
  const row_truth *truth;
  int64_t columns;
  __device__ expected operator()(int64_t i) const {
    const row_truth &t = truth[i / columns];
    const double g = wide(gamma[i % columns]);
    if (beta == nullptr) {
      const double y = wide(x[i]) / sqrt(t.squares + 1e-6) * g;
      return {y, fabs(y)};
    }
    const double b = wide(beta[i % columns]), y = (wide(x[i]) - t.mean) / sqrt(t.variance + 1e-5) * g + b;
    return {y, fabs(y) + fabs(b) + 1};
  }
};

template <class T>
void norm(workload &work, bool layer, int64_t rows, int64_t columns) {
  const auto room = [](int64_t count) { return (count + 127) / 128 * 128; };
  const int64_t n = rows * columns, vectors = (layer ? 2 : 1) * columns;
  T *x = work.array<T>(room(n) + 2 * room(columns)), *y = work.output<T>(n);  // vectors behind the rows, aligned
  T *gamma = x + room(n), *beta = gamma + room(columns);
  fill_normal(x, n, 62);
  fill_normal(gamma, columns, 63, 1, 0.25f);
  fill_normal(beta, columns, 64, 0, 0.5f);
  const row_truth *truth = row_truths(work, element_of<T>{x}, rows, columns);
  work.bytes = double(2 * n + vectors) * sizeof(T);
  work.check = [=](double slack) {
    return compare(y, n, norm_exactly<T>{x, gamma, layer ? beta : nullptr, truth, columns}, slack);
  };
  const auto extent = op::extent(rows, columns);
  if (layer)
    work.add("onepass", row_slack<T>, fused(work, op::load(x) | op::layer_norm(gamma, beta, 1e-5) | op::store(y), extent));
  else work.add("onepass", row_slack<T>, fused(work, op::load(x) | op::rms_norm(gamma, 1e-6) | op::store(y), extent));
  if (rows > 1) return add_row_roof(work, x, y, n);
  work.add("roof", [=](cudaStream_t stream) {  // one row: vectors are as large
    if (layer) roof::stream<3, 1>(x, y, n * int64_t(sizeof(T)) / 16, stream);
    else roof::stream<2, 1>(x, y, n * int64_t(sizeof(T)) / 16, stream);
  });
}

}  // namespace

void add_norms(suite &all) {
  const auto add = [&](int64_t rows, int64_t columns) {
    for (const bool layer : {true, false}) {
      const std::string name = layer ? "layer_norm" : "rms_norm";
      all.push_back({shape_name((name + "/bf16").c_str(), rows, columns), timing::cold, [=](workload &w) { norm<bf16>(w, layer, rows, columns); }});
      all.push_back({shape_name((name + "/f32").c_str(), rows, columns), timing::cold, [=](workload &w) { norm<float>(w, layer, rows, columns); }});
    }
  };
  each_row_shape(add);
  each_few_rows(add);
  each_wide_shape(add);
}

}  // namespace bench
