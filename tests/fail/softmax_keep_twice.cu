// SPDX-License-Identifier: Apache-2.0
// Two keeps, of a softmax.
// expect: onepass: softmax and log_softmax take nothing but one keep: softmax(keep(lse))
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *most, float *sum, float *y) {
  return op::launch(op::load(x) | op::softmax(op::keep(most), op::keep(sum)) | op::store(y), op::extent(4, 8));
}
