// SPDX-License-Identifier: Apache-2.0
// A state of the whole array, in a tee before a reduction of rows.
// expect: onepass: reduce keeps one state of the whole array, and beside a row stage or reduce_rows
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *sum, float *sums) {
  return op::launch(op::load(x) | op::tee(op::reduce(op::sum, sum)) | op::abs | op::reduce_rows(op::sum, sums),
                    op::extent(4, 8));
}
