// SPDX-License-Identifier: Apache-2.0
// Benchmarks of row pipelines: softmax over the widths of a row.
#include "rows.cuh"
#include "suites.cuh"

namespace bench {
namespace {

template <class T>
struct softmax_exactly {
  const T *x;
  const row_truth *truth;
  int64_t columns;
  __device__ expected operator()(int64_t i) const {
    const row_truth &t = truth[i / columns];
    const double y = exp(wide(x[i]) - t.most) / t.powers;
    return {y, y};
  }
};

template <class T>
void softmax(workload &work, int64_t rows, int64_t columns) {
  const int64_t n = rows * columns;
  T *x = work.array<T>(n), *y = work.output<T>(n);
  fill_normal(x, n, 61);
  const row_truth *truth = row_truths(work, element_of<T>{x}, rows, columns);
  work.bytes = 2.0 * double(n) * sizeof(T);
  work.check = [=](double slack) { return compare(y, n, softmax_exactly<T>{x, truth, columns}, slack); };
  work.add("onepass", row_slack<T>, fused(work, op::load(x) | op::softmax | op::store(y), op::extent(rows, columns)));
  add_row_roof(work, x, y, n);
}

}  // namespace

void add_softmax(suite &all) {
  const auto add = [&](int64_t rows, int64_t columns) {
    all.push_back({shape_name("softmax/bf16", rows, columns), timing::cold, [=](workload &w) { softmax<bf16>(w, rows, columns); }});
    all.push_back({shape_name("softmax/f32", rows, columns), timing::cold, [=](workload &w) { softmax<float>(w, rows, columns); }});
  };
  each_row_shape(add);
  each_few_rows(add);
  each_wide_shape(add);
}

}  // namespace bench
