// SPDX-License-Identifier: Apache-2.0
// softmax keeps one result, and two pointers are given.
// expect: onepass: keep takes one pointer for each result of a row stage's statistic, or none at all
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *most, float *sum, float *y) {
  return op::launch(op::load(x) | op::softmax(op::keep(most, sum)) | op::store(y), op::extent(4, 8));
}
