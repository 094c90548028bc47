# SPDX-License-Identifier: Apache-2.0
# onepass::c needs nothing; onepass::onepass needs the CUDA runtime. So the toolkit is looked for and not demanded: a
# C project on a machine without CUDA finds the package too. COMPONENTS cuda makes the toolkit a condition.
find_package(CUDAToolkit QUIET)
include(${CMAKE_CURRENT_LIST_DIR}/onepassTargets.cmake)

set(onepass_c_FOUND TRUE)
set(onepass_cuda_FOUND ${CUDAToolkit_FOUND})
foreach(component IN LISTS onepass_FIND_COMPONENTS)
  if(onepass_FIND_REQUIRED_${component} AND NOT onepass_${component}_FOUND)
    set(onepass_FOUND FALSE)
    set(onepass_NOT_FOUND_MESSAGE "onepass: component ${component} not available (cuda needs the CUDA toolkit)")
  endif()
endforeach()
