// SPDX-License-Identifier: Apache-2.0
// Part of onepass: size_t, NULL and the integers of C with their limits, also where there is no C library: under NVRTC.
#ifndef ONEPASS_INTEGER_H
#define ONEPASS_INTEGER_H

#ifdef __CUDACC_RTC__
#include <cuda/std/climits>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#endif
