// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the few macros, and what the device headers ask of the compiler.
#ifndef ONEPASS_CONFIG_CUH
#define ONEPASS_CONFIG_CUH

#ifndef __CUDACC__
#error "onepass: the .cuh headers are CUDA C++: compile this file with nvcc, or include onepass/onepass.h for the C side"
#endif
#if defined(_MSVC_LANG) ? _MSVC_LANG < 201703L : __cplusplus < 201703L
#error "onepass: the .cuh headers need C++17 or newer"
#endif

#define ONEPASS_HD __host__ __device__ __forceinline__

// Before the name of the namespace, wherever it is opened: a program or library exports nothing that it instantiates
// from here. Two of them in one process, of different versions or built for different devices, must not take each
// other's. A user's template over a type of onepass is hidden with it.
#ifdef __GNUC__
#define ONEPASS_LOCAL [[gnu::visibility("hidden")]]
#else
#define ONEPASS_LOCAL
#endif

// An object such as op::gelu. Device code may copy a host constant but not call its members, so each pass sees its own.
#ifdef __CUDA_ARCH__
#define ONEPASS_OBJECT __device__ constexpr
#else
#define ONEPASS_OBJECT inline constexpr
#endif

// Before a function template that calls a user's functor, which may exist on the device only. The device pass checks:
// a call of a functor that it does not see would leave a kernel that does nothing.
#ifdef __CUDA_ARCH__
#define ONEPASS_NO_EXEC_CHECK
#else
#define ONEPASS_NO_EXEC_CHECK _Pragma("nv_exec_check_disable")
#endif

#ifdef __CUDA_ARCH__
#define ONEPASS_UNROLL _Pragma("unroll")
#else
#define ONEPASS_UNROLL
#endif

#endif
