// SPDX-License-Identifier: Apache-2.0
// A stage that sees its whole row.
// expect: onepass: a row stage needs the whole row before its first result
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::softmax | op::store(y), op::extent(4, 8));
}
