// SPDX-License-Identifier: Apache-2.0
// A row that is read again would find its residual doubled again.
// expect: onepass: beside a row stage a tee in an operand, or in a member of zip, would store each time
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *r, float *y) {
  return op::launch(op::load(x) | op::add(op::load(r) | op::multiply(2) | op::tee(op::store(r))) | op::softmax |
                        op::store(y),
                    op::extent(4, 8));
}
