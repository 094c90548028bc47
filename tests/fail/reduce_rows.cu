// SPDX-License-Identifier: Apache-2.0
// One result per row.
// expect: onepass: reduce_rows keeps a state per row
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *sums) {
  return op::launch(op::load(x) | op::abs | op::reduce_rows(op::sum, sums), op::extent(4, 8));
}
