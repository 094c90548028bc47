// SPDX-License-Identifier: Apache-2.0
// The tee gets a tuple.
// expect: onepass: a store takes one value per element, and a tuple reaches it: bring it together with fn(f)
#include <onepass/onepass.cuh>

namespace op = onepass;

struct sum_of {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

onepass_status_t run(const float *a, const float *b, float *kept, float *y) {
  return op::launch(op::zip(op::load(a), op::load(b)) | op::tee(op::store(kept)) | op::fn(sum_of{}) | op::store(y),
                    op::extent(8));
}
