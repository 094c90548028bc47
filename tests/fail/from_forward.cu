// SPDX-License-Identifier: Apache-2.0
// An iterator that has no place n steps on.
// expect: onepass: from takes a random-access iterator: *(it + n) gives its value type
#include <onepass/onepass.cuh>
#include <onepass/iterator.cuh>

#include <forward_list>

namespace op = onepass;

onepass_status_t run(const std::forward_list<float> &x, float *y) {
  return op::launch(op::from(x.begin()) | op::store(y), op::extent(8));
}
