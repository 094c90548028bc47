// SPDX-License-Identifier: Apache-2.0
// The oldest C++ is 17.
// flags: -std=c++14
// more: libcu++ asks for it too
// expect: onepass: the .cuh headers need C++17 or newer
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) { return op::launch(op::load(x) | op::store(y), op::extent(8)); }
