// SPDX-License-Identifier: Apache-2.0
// The operand's tee gets a tuple.
// expect: onepass: a store takes one value per element, and a tuple reaches it: bring it together with fn(f)
#include <onepass/onepass.cuh>

namespace op = onepass;

struct sum_of {
  template <class Tuple>
  __host__ __device__ float operator()(float a, Tuple) const {
    return a;
  }
};

onepass_status_t run(const float *a, const float *b, float *kept, float *y) {
  return op::launch(op::load(a) | op::fn(sum_of{}, op::zip(op::load(a), op::load(b)) | op::tee(op::store(kept))) |
                        op::store(y),
                    op::extent(8));
}
