// SPDX-License-Identifier: Apache-2.0
// A complex value has no one number to be quantised.
// expect: onepass: a quantised store takes one real value per element
#include <onepass/onepass.cuh>

#include <cstdint>
#include <cuda/std/complex>

namespace op = onepass;

onepass_status_t run(const cuda::std::complex<float> *x, std::int8_t *y, float *scales) {
  return op::launch(op::load(x) | op::quantize_rows(op::store(y), scales), op::extent(4, 8));
}
