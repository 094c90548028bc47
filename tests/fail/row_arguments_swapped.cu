// SPDX-License-Identifier: Apache-2.0
// The functor stands where the statistic belongs.
// expect: onepass: a row stage begins with a statistic of the value that reaches it, such as mean
#include <onepass/onepass.cuh>

namespace op = onepass;

struct center {
  __host__ __device__ float operator()(float x, float mean) const { return x - mean; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::by_row(center{}, op::mean) | op::store(y), op::extent(4, 8));
}
