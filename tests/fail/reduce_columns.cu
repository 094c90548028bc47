// SPDX-License-Identifier: Apache-2.0
// One result per column.
// expect: onepass: reduce_columns keeps a state per column
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *sums) {
  return op::launch(op::load(x) | op::abs | op::reduce_columns(op::sum, sums), op::extent(4, 8));
}
