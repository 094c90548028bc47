// SPDX-License-Identifier: Apache-2.0
// Three ranks are neither rows nor columns.
// expect: onepass: an mdspan of one or two ranks: view others as rows and columns
#include <onepass/onepass.cuh>
#include <cuda/std/mdspan>

namespace op = onepass;

using cube = cuda::std::mdspan<const float, cuda::std::dextents<int, 3>>;

onepass_status_t run(cube x, float *y) { return op::launch(op::load(x) | op::store(y), op::extent(8)); }
