// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the C door: ONEPASS_EXPORT, a pipeline as a constant that a C program launches.
#ifndef ONEPASS_EXPORT_CUH
#define ONEPASS_EXPORT_CUH

#include "launch.cuh"

// ONEPASS_EXPORT(name, args_type, pipeline) defines the onepass_kernel_t `name`, declared by ONEPASS_DECLARE(name) in a
// header that the C side reads. The pipeline is an expression over `args`, a const args_type &; inside it `op` is the
// namespace onepass. At file scope; functors are named types (a __device__ lambda cannot stand here).
#define ONEPASS_EXPORT(name, args_type, ...)                                        \
  namespace {                                                                       \
  struct name##_pipeline {                                                          \
    using args = args_type;                                                         \
    static auto build([[maybe_unused]] const args_type &args) {                     \
      namespace op = ::onepass;                                                     \
      return __VA_ARGS__;                                                           \
    }                                                                               \
    static constexpr const char *text() { return #__VA_ARGS__; }                    \
  };                                                                                \
  constexpr onepass_kernel_t name##_kernel =                                        \
      ::onepass::detail::make_kernel<name##_pipeline>();                            \
  }                                                                                 \
  extern "C" const onepass_kernel_t name = name##_kernel

#endif
