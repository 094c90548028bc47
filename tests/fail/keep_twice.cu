// SPDX-License-Identifier: Apache-2.0
// Two keeps, where one with two pointers is meant.
// expect: onepass: by_row takes a statistic, a functor and at most one keep
#include <onepass/onepass.cuh>

namespace op = onepass;

struct center {
  __host__ __device__ float operator()(float x, float mean, float) const { return x - mean; }
};

onepass_status_t run(const float *x, float *mean, float *variance, float *y) {
  return op::launch(op::load(x) | op::by_row(op::mean_variance, center{}, op::keep(mean), op::keep(variance)) |
                        op::store(y),
                    op::extent(4, 8));
}
