// SPDX-License-Identifier: Apache-2.0
// The functor takes the value and the mean; the statistic has a variance too.
// expect: onepass: the functor of a row stage is called as f(value, result, operand...)
#include <onepass/onepass.cuh>

namespace op = onepass;

struct center {
  __host__ __device__ float operator()(float x, float mean) const { return x - mean; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::by_row(op::mean_variance, center{}) | op::relu | op::store(y), op::extent(4, 8));
}
