// SPDX-License-Identifier: Apache-2.0
// layer_norm keeps a mean and a reciprocal deviation, and one pointer is given.
// expect: onepass: keep takes one pointer for each result of a row stage's statistic, or none at all
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *mean, float *y) {
  return op::launch(op::load(x) | op::layer_norm(1e-5, op::keep(mean)) | op::gelu | op::store(y), op::extent(4, 8));
}
