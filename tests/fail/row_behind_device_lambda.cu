// SPDX-License-Identifier: Apache-2.0
// The size of a row's state hangs on a type that the host does not see.
// flags: --extended-lambda
// expect: onepass: the result type of a __device__ lambda does not exist on the host, where the size of a row's state
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::fn([] __device__(float v) { return v * v; }) | op::softmax | op::store(y),
                    op::extent(4, 8));
}
