// SPDX-License-Identifier: Apache-2.0
// A row stage of one's own, with its statistic kept.
// expect: onepass: a row stage needs the whole row before its first result
#include <onepass/onepass.cuh>

namespace op = onepass;

struct center {
  __host__ __device__ float operator()(float x, float mean, float) const { return x - mean; }
};

onepass_status_t run(const float *x, float *mean, float *variance, float *y) {
  return op::launch(op::load(x) | op::by_row(op::mean_variance, center{}, op::keep(mean, variance)) | op::store(y),
                    op::extent(4, 8));
}
