// SPDX-License-Identifier: Apache-2.0
// A pipeline with a sink has no values to iterate over.
// expect: onepass: as_iterator takes a source with pointwise stages, such as load(p) | abs
#include <onepass/onepass.cuh>
#include <onepass/iterator.cuh>

namespace op = onepass;

void run(const float *x, float *y) { op::as_iterator(op::load(x) | op::store(y)); }
