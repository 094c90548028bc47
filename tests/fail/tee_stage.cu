// SPDX-License-Identifier: Apache-2.0
// tee of a stage.
// expect: onepass: tee takes a sink, as in tee(store(p))
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::tee(op::relu) | op::store(y), op::extent(8));
}
