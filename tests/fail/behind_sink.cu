// SPDX-License-Identifier: Apache-2.0
// A stage after the store.
// expect: onepass: a stage stands behind the sink
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::store(y) | op::relu, op::extent(8));
}
