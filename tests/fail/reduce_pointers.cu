// SPDX-License-Identifier: Apache-2.0
// The statistic has two results, and one pointer is given.
// expect: onepass: reduce takes one pointer for each result of its statistic
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *mean) {
  return op::launch(op::load(x) | op::reduce(op::mean_variance, mean), op::extent(8));
}
