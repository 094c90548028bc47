// SPDX-License-Identifier: Apache-2.0
// Part of the benchmarks: no CUDA return code goes unread.
#ifndef ONEPASS_BENCH_CHECK_CUH
#define ONEPASS_BENCH_CHECK_CUH

#include <stdexcept>  // runtime_error
#include <string>

namespace bench {

inline void check(cudaError_t error, const char *what, const char *file, int line) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error) + " (" + file + ":" +
                           std::to_string(line) + ")");
}

}  // namespace bench

#define BENCH_CHECK(call) ::bench::check((call), #call, __FILE__, __LINE__)

#endif
