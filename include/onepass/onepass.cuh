// SPDX-License-Identifier: Apache-2.0
// onepass, all of the device side: pipelines and their launch from C++ (launch.cuh), and their export to C
// (export.cuh).
#ifndef ONEPASS_CUH
#define ONEPASS_CUH

#include "config.cuh"  // first: what it asks of the compiler is the first thing said

#include "export.cuh"
#include "onepass.h"

#endif
