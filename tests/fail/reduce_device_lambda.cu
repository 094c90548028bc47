// SPDX-License-Identifier: Apache-2.0
// The size of the reduction's state hangs on a type that the host does not see.
// flags: --extended-lambda
// expect: onepass: the result type of a __device__ lambda does not exist on the host
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *sum) {
  return op::launch(op::load(x) | op::fn([] __device__(float v) { return v * v; }) | op::reduce(op::sum, sum),
                    op::extent(8));
}
