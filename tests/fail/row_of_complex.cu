// SPDX-License-Identifier: Apache-2.0
// Complex numbers have no greatest.
// expect: onepass: a row stage begins with a statistic of the value that reaches it, such as mean
#include <onepass/onepass.cuh>

#include <cuda/std/complex>

namespace op = onepass;

onepass_status_t run(const cuda::std::complex<float> *x, cuda::std::complex<float> *y) {
  return op::launch(op::load(x) | op::softmax | op::store(y), op::extent(4, 8));
}
