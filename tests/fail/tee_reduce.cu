// SPDX-License-Identifier: Apache-2.0
// A reduction on the way.
// expect: onepass: a reduction has no place on the way yet
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *sum, float *y) {
  return op::launch(op::load(x) | op::tee(op::reduce(op::sum, sum)) | op::relu | op::store(y), op::extent(8));
}
