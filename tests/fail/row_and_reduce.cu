// SPDX-License-Identifier: Apache-2.0
// A state of the whole array beside a row stage.
// expect: onepass: reduce keeps one state of the whole array, and beside a row stage or reduce_rows
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *sum) {
  return op::launch(op::load(x) | op::softmax | op::reduce(op::sum, sum), op::extent(4, 8));
}
