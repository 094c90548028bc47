# SPDX-License-Identifier: Apache-2.0
# Where onepass is the top-level project: which nvcc, and for which devices. Included before CUDA is enabled. What the
# user says (CMAKE_CUDA_COMPILER, CUDACXX; CMAKE_CUDA_ARCHITECTURES, CUDAARCHS) stands.

# CMake looks for nvcc on the PATH only; an installed toolkit often is not there.
if(NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "")
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)
    message(FATAL_ERROR "onepass: no nvcc on the PATH or in /usr/local/cuda/bin. Tests, examples and the benchmark need "
      "CUDA 13.0 or newer (CUDACXX=<path of nvcc>); installing the headers does not: "
      "-DONEPASS_BUILD_TESTS=OFF -DONEPASS_BUILD_EXAMPLES=OFF")
  endif()
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
  # What nvcc itself asks for -arch=native. It fails where there is no driver, and so does a program that is not there.
  set(nvcc "$ENV{CUDACXX}")
  if(CMAKE_CUDA_COMPILER)
    set(nvcc ${CMAKE_CUDA_COMPILER})
  endif()
  cmake_path(REPLACE_FILENAME nvcc __nvcc_device_query OUTPUT_VARIABLE device_query)
  execute_process(COMMAND ${device_query} RESULT_VARIABLE failed OUTPUT_VARIABLE devices ERROR_QUIET)
  if(NOT failed AND devices MATCHES "[0-9]")
    set(architectures native)
  else()
    set(architectures 75-virtual 90-virtual)  # the driver of any device since Turing compiles one of the two
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "CUDA architectures")
endif()
