// SPDX-License-Identifier: Apache-2.0
// Both results are wanted, but the first sink is not a tee.
// expect: onepass: a pipeline has one sink: make the first a tee, as in tee(store(p))
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y, float *sum) {
  return op::launch(op::load(x) | op::relu | op::store(y) | op::reduce(op::sum, sum), op::extent(8));
}
