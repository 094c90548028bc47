// SPDX-License-Identifier: Apache-2.0
// More arrays than a launch checks.
// expect: onepass: a pipeline with more than ONEPASS_MAX_LEAVES arrays
#include <onepass/onepass.cuh>

namespace op = onepass;

template <int Count, class Source>
auto with_operands(const float *p, Source source) {
  if constexpr (Count == 0)
    return source;
  else
    return with_operands<Count - 1>(p + 1024, source | op::add(op::load(p)));
}

onepass_status_t run(const float *x, float *y) {
  return op::launch(with_operands<ONEPASS_MAX_LEAVES>(x, op::load(x)) | op::store(y), op::extent(8));
}
