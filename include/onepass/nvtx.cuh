// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a profiler's range around each launch, named after the pipeline, where ONEPASS_NVTX is defined (for
// the whole program, before any header of onepass; CMake: the option ONEPASS_NVTX). Else nothing at all.
#ifndef ONEPASS_NVTX_CUH
#define ONEPASS_NVTX_CUH

#include "config.cuh"

#ifdef ONEPASS_NVTX
#include <nvtx3/nvToolsExt.h>  // headers alone: without a profiler a call is a test of a pointer
#endif

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct profiler_range {
#ifdef ONEPASS_NVTX
  explicit profiler_range(const char *name) { nvtxRangePushA(name); }
  ~profiler_range() { nvtxRangePop(); }
  profiler_range(const profiler_range &) = delete;
  profiler_range &operator=(const profiler_range &) = delete;
#else
  explicit profiler_range(const char *) {}
#endif
};

}  // namespace detail
}  // namespace onepass

#endif
