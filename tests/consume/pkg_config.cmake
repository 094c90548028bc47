# SPDX-License-Identifier: Apache-2.0
# FOLDER/onepass.pc of a PREFIX that was moved there: its version, and a C program (COMPILER, SOURCE) built by its flags alone.
cmake_minimum_required(VERSION 3.25)
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${FOLDER})

function(ask)
  execute_process(COMMAND ${PKG_CONFIG} ${ARGN} onepass
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(answer "${answer}" PARENT_SCOPE)
endfunction()

ask(--modversion)
if(NOT answer STREQUAL EXPECTED_VERSION)
  message(SEND_ERROR "onepass.pc is of version ${answer}, expected ${EXPECTED_VERSION}")
endif()
ask(--libs)
if(NOT answer STREQUAL "")
  message(SEND_ERROR "headers alone, and onepass.pc asks for ${answer}")
endif()
foreach(how --keep-system-cflags --define-prefix)
  ask(--cflags ${how})
  separate_arguments(flags NATIVE_COMMAND "${answer}")
  execute_process(COMMAND ${COMPILER} -DEXPECTED_VERSION="${EXPECTED_VERSION}" ${flags} ${SOURCE} -o ${PREFIX}/consumer
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${PREFIX}/consumer COMMAND_ERROR_IS_FATAL ANY)
endforeach()
