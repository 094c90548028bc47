// SPDX-License-Identifier: Apache-2.0
// A row stage in a kernel of one's own, where a group is at hand and not the row.
// expect: onepass: a row stage needs the whole row, and get and apply have a group of it
#include <onepass/onepass.cuh>

namespace op = onepass;

template <class Source>
__global__ void rows(Source source, float *y) {
  const auto v = source.template get<4>(op::place<4>(0, 4 * threadIdx.x, 1, 4 * blockDim.x));
  y[threadIdx.x] = v[0];
}

void run(const float *x, float *y) { rows<<<1, 32>>>(op::load(x) | op::softmax, y); }
