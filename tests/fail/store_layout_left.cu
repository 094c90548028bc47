// SPDX-License-Identifier: Apache-2.0
// Columns of a sink that are a stride apart.
// expect: onepass: a store writes rows of unit stride, and the columns of this view are a stride apart (layout_left)
#include <onepass/onepass.cuh>
#include <cuda/std/mdspan>

namespace op = onepass;

using matrix = cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_left>;

onepass_status_t run(const float *x, matrix y) {
  return op::launch(op::load(x) | op::store(y), op::extent(y));
}
