// SPDX-License-Identifier: Apache-2.0
// The statistic has two results, and one vector is given.
// expect: onepass: reduce_rows takes one pointer for each result of its statistic
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *means) {
  return op::launch(op::load(x) | op::abs | op::reduce_rows(op::mean_variance, means), op::extent(4, 8));
}
