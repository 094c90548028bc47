// SPDX-License-Identifier: Apache-2.0
// An integer times 0.5 would be an integer times 0.
// expect: onepass: a fractional number meets a value of integer type and would be cut to an integer
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const int *x, int *y) {
  return op::launch(op::load(x) | op::multiply(0.5) | op::store(y), op::extent(8));
}
