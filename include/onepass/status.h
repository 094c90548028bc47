// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what a call says about itself. Plain C11, no CUDA.
//
// Every call that can fail returns a status; a call that returns anything but ONEPASS_SUCCESS has written nothing
// (ONEPASS_ERROR_LAUNCH excepted: the driver refused or lost the kernel).
#ifndef ONEPASS_STATUS_H
#define ONEPASS_STATUS_H

// How the functions of the C side are defined: in each file for itself, so that two libraries built with two versions
// cannot take each other's, and without a warning where one is not used.
#ifdef __CUDACC_RTC__
#define ONEPASS_INLINE static inline __device__ __attribute__((unused))  // NVRTC takes no host functions
#elif defined(__GNUC__)
#define ONEPASS_INLINE static inline __attribute__((unused))
#else
#define ONEPASS_INLINE static inline
#endif

// Before what C++14 may also compute at compile time.
#if defined(__cplusplus) && __cplusplus >= 201402L
#define ONEPASS_CONSTEXPR constexpr
#else
#define ONEPASS_CONSTEXPR
#endif

typedef enum onepass_status {
  ONEPASS_SUCCESS = 0,
  ONEPASS_ERROR_NULL,               // a null pointer that would be read or written
  ONEPASS_ERROR_ALIGNMENT,          // a pointer that is not aligned to its element
  ONEPASS_ERROR_EXTENT,             // a negative extent, or one whose size in bytes overflows int64
  ONEPASS_ERROR_TOO_LARGE,          // more tiles than a grid has blocks
  ONEPASS_ERROR_PITCH,              // a source whose pitch is below its row width
  ONEPASS_ERROR_OVERLAPPING_ROWS,   // a sink whose pitch is below its row width
  ONEPASS_ERROR_OVERLAP,            // a sink that overlaps a source in part, or another sink
  ONEPASS_ERROR_SIZE,               // a view that is smaller than the extent asks for
  ONEPASS_ERROR_STRIDE,             // a sink whose columns are not neighbours
  ONEPASS_ERROR_SEGMENTS,           // an extent of segments, and a pipeline that sees no rows
  ONEPASS_ERROR_GROUPS,             // rows of one element per group without a pitch, and columns that are no multiple
  ONEPASS_ERROR_WORKSPACE_MISSING,  // this pipeline needs a workspace and exec has none
  ONEPASS_ERROR_WORKSPACE_SIZE,     // the workspace is smaller than onepass_workspace_bytes
  ONEPASS_ERROR_WORKSPACE_ALIGNMENT,
  ONEPASS_ERROR_PASSES,           // exec.require_one_pass, and this extent takes more than one
  ONEPASS_ERROR_STRATEGY,         // exec.row_strategy cannot hold a row of this extent, or is none
  ONEPASS_ERROR_DEVICE_ONLY,      // a host launch of a pipeline with a device-only functor
  ONEPASS_ERROR_NO_DEVICE,        // no usable CUDA device or driver
  ONEPASS_ERROR_CAPABILITY,       // the device lacks a capability that the pipeline asks for
  ONEPASS_ERROR_NO_KERNEL_IMAGE,  // the program was not built for this device
  ONEPASS_ERROR_ARGUMENT,         // a null kernel, args or exec, or a field of exec out of range
  ONEPASS_ERROR_LAUNCH,           // the driver refused the launch for another reason
  ONEPASS_STATUS_COUNT
} onepass_status_t;

// One sentence for a status, never null; the string is static.
ONEPASS_INLINE const char *onepass_status_string(onepass_status_t status) {
  switch (status) {
    case ONEPASS_SUCCESS: return "success";
    case ONEPASS_ERROR_NULL: return "a pointer of the pipeline is null, and would be read or written";
    case ONEPASS_ERROR_ALIGNMENT: return "a pointer of the pipeline is not aligned to its element";
    case ONEPASS_ERROR_EXTENT: return "the extent is negative, or its size in bytes overflows a signed 64-bit integer";
    case ONEPASS_ERROR_TOO_LARGE: return "the extent needs more blocks than a grid can have";
    case ONEPASS_ERROR_PITCH: return "the pitch of a source is smaller than its row";
    case ONEPASS_ERROR_OVERLAPPING_ROWS: return "the pitch of a sink is smaller than its row, so that its rows overlap";
    case ONEPASS_ERROR_OVERLAP:
      return "a sink overlaps a source in part, or another sink; only the same pointer and pitch may be read and written";
    case ONEPASS_ERROR_SIZE:
      return "an array is smaller than the extent asks for, or its rows have another length than those of the extent";
    case ONEPASS_ERROR_STRIDE: return "a sink's columns are not neighbours: a store writes rows of unit stride";
    case ONEPASS_ERROR_SEGMENTS: return "segments are for a pipeline of rows: one with a row stage or reduce_rows";
    case ONEPASS_ERROR_GROUPS:
      return "the columns are no multiple of a group: give the array of one element per group the pitch of its rows";
    case ONEPASS_ERROR_WORKSPACE_MISSING: return "the pipeline needs a workspace for this extent and exec has none";
    case ONEPASS_ERROR_WORKSPACE_SIZE: return "the workspace is smaller than onepass_workspace_bytes asks for";
    case ONEPASS_ERROR_WORKSPACE_ALIGNMENT: return "the workspace is not aligned to 16 bytes";
    case ONEPASS_ERROR_PASSES: return "one pass was required, and this extent does not fit on the chip in one";
    case ONEPASS_ERROR_STRATEGY: return "the row strategy that exec asks for cannot hold a row of this extent";
    case ONEPASS_ERROR_DEVICE_ONLY:
      return "the pipeline has a functor that exists on the device only: it has no host launch";
    case ONEPASS_ERROR_NO_DEVICE: return "there is no CUDA device, or its driver is missing or too old";
    case ONEPASS_ERROR_CAPABILITY: return "the device lacks a compute capability that the pipeline asks for";
    case ONEPASS_ERROR_NO_KERNEL_IMAGE:
      return "the program holds no kernel image for this device: build it for its architecture";
    case ONEPASS_ERROR_ARGUMENT: return "the kernel, the args or exec is null, or a field of exec is out of range";
    case ONEPASS_ERROR_LAUNCH: return "the driver refused the launch";
    case ONEPASS_STATUS_COUNT: break;
  }
  return "not a status of onepass";
}

#endif
