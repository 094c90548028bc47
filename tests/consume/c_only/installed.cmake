# SPDX-License-Identifier: Apache-2.0
# Installs BUILD; the headers of onepass must be there if EXPECTED, and not otherwise.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${BUILD}/prefix)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${BUILD}/prefix COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files RELATIVE ${BUILD}/prefix ${BUILD}/prefix/*onepass*)
if(EXPECTED AND NOT "include/onepass/onepass.h" IN_LIST files)
  message(FATAL_ERROR "onepass was to be installed: '${files}'")
elseif(NOT EXPECTED AND files)
  message(FATAL_ERROR "installed unasked: '${files}'")
endif()
