// SPDX-License-Identifier: Apache-2.0
// The device side in plain C++.
// flags: -x c++
// more: what is CUDA C++ stays unknown
// expect: onepass: the .cuh headers are CUDA C++
#include <onepass/onepass.cuh>

namespace op = onepass;
