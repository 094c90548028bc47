// SPDX-License-Identifier: Apache-2.0
// The second input is not an operand.
// expect: onepass: a source stands behind another part: a second input is an operand of a stage, as in add(load(r))
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *r, float *y) {
  return op::launch(op::load(x) | op::load(r) | op::store(y), op::extent(8));
}
