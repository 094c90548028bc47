// SPDX-License-Identifier: Apache-2.0
// A stage where the statistic belongs.
// expect: onepass: reduce begins with a statistic of the value that reaches it, such as sum
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *sum) {
  return op::launch(op::load(x) | op::reduce(op::relu, sum), op::extent(8));
}
