# SPDX-License-Identifier: Apache-2.0
# What the tests and examples are built with. Nothing here reaches a parent project.

# Strict warnings, as errors, on all three compilers. (What nvcc hands to the host compiler has casts of C and line
# markers in every function: it cannot be asked for the rest.)
set(onepass_warnings -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Werror)
set(onepass_c_warnings -pedantic ${onepass_warnings} -Wstrict-prototypes)
set(onepass_cxx_warnings -pedantic ${onepass_warnings} -Wold-style-cast)
list(JOIN onepass_warnings "," xcompiler)
# GCC, where it has inlined the host executor over an array of a test's few constants, also warns of reads that are not
# made there: those warnings are shown.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(APPEND xcompiler ",-Wno-error=array-bounds,-Wno-error=maybe-uninitialized,-Wno-error=stringop-overflow")
endif()
add_library(onepass_warnings INTERFACE)
target_compile_options(onepass_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:C>:${onepass_c_warnings}>"
  "$<$<COMPILE_LANGUAGE:CXX>:${onepass_cxx_warnings}>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Werror=all-warnings;-Xcompiler=${xcompiler}>")

# What never launches is compiled for one device: half of the build time where the list has two.
list(GET CMAKE_CUDA_ARCHITECTURES -1 onepass_one_architecture)
# What needs a device is compiled for the oldest, which runs on the others too.
list(GET CMAKE_CUDA_ARCHITECTURES 0 onepass_oldest_architecture)

# Compiler flags that a source asks for itself, in a line `// flags: --extended-lambda`.
function(onepass_source_flags source)
  file(STRINGS ${source} flags REGEX "^// flags: ")
  list(TRANSFORM flags REPLACE "^// flags: " "")
  if(flags)
    set_property(SOURCE ${source} APPEND_STRING PROPERTY COMPILE_FLAGS " ${flags}")
  endif()
endfunction()

# tests/stage/gelu.cu: the test is stage/gelu, its target test_stage_gelu.
function(onepass_test_name source name_out target_out)
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${onepass_SOURCE_DIR}/tests OUTPUT_VARIABLE name)
  cmake_path(REMOVE_EXTENSION name LAST_ONLY)
  string(MAKE_C_IDENTIFIER test_${name} target)
  set(${name_out} ${name} PARENT_SCOPE)
  set(${target_out} ${target} PARENT_SCOPE)
endfunction()

# A test that is a command. 77 means "cannot run here" (no device), as in automake.
function(onepass_add_test name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# In the place of a test whose program is not there.
function(onepass_skipped_test name reason)
  onepass_add_test(${name} ${CMAKE_COMMAND} -E env sh -c "echo '${reason}'; exit 77")
endfunction()

# onepass_test(<source> [LIBRARIES ...] [LABELS ...]): one Catch2 program out of one source. LIBRARIES replaces
# Catch2's own main (onepass_catch_main) where it names another.
function(onepass_test source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;LABELS")
  onepass_test_name(${source} name target)
  onepass_source_flags(${source})
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES onepass_catch_main)
  endif()
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE onepass::onepass onepass_warnings onepass_catch ${arg_LIBRARIES})
  onepass_add_test(${name} ${target})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
  if("gpu" IN_LIST arg_LABELS)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK gpu)  # one at a time: each may fill the memory of the device
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${onepass_oldest_architecture}")
  else()
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${onepass_one_architecture}")
  endif()
endfunction()

# onepass_c_test(<source>): one program in strict C11, built by the C compiler in use and, where there is one, by clang.
# A .cpp or .cu of the same name beside it is its other half and is linked in.
function(onepass_c_test source)
  onepass_test_name(${source} name target)
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(REPLACE_EXTENSION source LAST_ONLY OUTPUT_VARIABLE stem)
  file(GLOB half CONFIGURE_DEPENDS ${stem}.cpp ${stem}.cu)

  add_executable(${target} ${source} ${half})
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -UNDEBUG)  # a test may use assert
  target_link_libraries(${target} PRIVATE onepass::c onepass_warnings m)
  onepass_add_test(${name} ${target})
  set(targets ${target})

  find_program(ONEPASS_CLANG clang)
  if(ONEPASS_CLANG AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.clang.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${ONEPASS_CLANG} -std=c11 ${onepass_c_warnings} -O2 -I ${onepass_SOURCE_DIR}/include
        -MD -MF ${object}.d -MT ${object} -o ${object} -c ${source}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building ${name} with clang" VERBATIM)
    add_executable(${target}_clang ${object} ${half})
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_link_libraries(${target}_clang PRIVATE onepass::c onepass_warnings m)
    if(NOT half)
      set_target_properties(${target}_clang PROPERTIES LINKER_LANGUAGE C)  # an object says nothing of its language
    endif()
    onepass_add_test(${name}.clang ${target}_clang)
    list(APPEND targets ${target}_clang)
  endif()
  if(half MATCHES "\\.cu$")
    foreach(target IN LISTS targets)
      target_link_libraries(${target} PRIVATE onepass::onepass)
    endforeach()
  endif()
endfunction()

# onepass_header_tests(): one translation unit per header, which includes it twice and nothing else. A .h is compiled as
# C and as C++, a .cuh as CUDA. All of them are linked into one program, so that a function that a header defines and
# does not make inline is a duplicate.
function(onepass_header_tests)
  set(include_dir ${onepass_SOURCE_DIR}/include)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${include_dir} ${include_dir}/*.h ${include_dir}/*.cuh)
  foreach(header IN LISTS headers)
    set(languages c cpp)
    if(header MATCHES "\\.cuh$")
      set(languages cu)
    endif()
    foreach(language IN LISTS languages)
      string(MAKE_C_IDENTIFIER ${header}_${language} name)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language})
      # Something of its own, since strict C has no empty translation unit.
      file(CONFIGURE OUTPUT ${unit} CONTENT
        "#include <${header}>\n#include <${header}>\nextern int ${name};\nint ${name};\n")
      list(APPEND units_${language} ${unit})
    endforeach()
  endforeach()

  add_library(test_headers_c OBJECT ${units_c} ${units_cpp})
  set_target_properties(test_headers_c PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
  target_link_libraries(test_headers_c PRIVATE onepass::c onepass_warnings)
  foreach(dialect 99 23)
    add_library(test_headers_c${dialect} OBJECT ${units_c})
    set_target_properties(test_headers_c${dialect} PROPERTIES C_STANDARD ${dialect} C_EXTENSIONS OFF)
    target_link_libraries(test_headers_c${dialect} PRIVATE onepass::c onepass_warnings)
  endforeach()
  add_library(test_headers_cxx11 OBJECT ${units_cpp})
  set_target_properties(test_headers_cxx11 PROPERTIES CXX_STANDARD 11 CXX_EXTENSIONS OFF)
  target_link_libraries(test_headers_cxx11 PRIVATE onepass::c onepass_warnings)

  set(main ${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp)
  file(CONFIGURE OUTPUT ${main} CONTENT "int main() { return 0; }\n")
  add_executable(test_headers ${main} ${units_cu} $<TARGET_OBJECTS:test_headers_c>)
  set_target_properties(test_headers PROPERTIES CUDA_ARCHITECTURES "${onepass_one_architecture}")
  target_link_libraries(test_headers PRIVATE onepass::onepass onepass_warnings)
  onepass_add_test(headers test_headers)

  onepass_add_test(includes ${Python3_EXECUTABLE} ${onepass_SOURCE_DIR}/tests/includes.py ${include_dir})
endfunction()

# onepass_must_not_compile(<source>): nvcc must refuse the source, in the words of its `// expect:` lines.
function(onepass_must_not_compile source)
  onepass_test_name(${source} name target)
  cmake_path(ABSOLUTE_PATH source)
  onepass_add_test(${name} ${Python3_EXECUTABLE} ${onepass_SOURCE_DIR}/tests/fail/check.py
    --nvcc ${CMAKE_CUDA_COMPILER} --include ${onepass_SOURCE_DIR}/include ${source})
endfunction()

# onepass_contract(<source>): what the compiled kernels of the source must and must not contain.
function(onepass_contract source)
  onepass_test_name(${source} name target)
  cmake_path(ABSOLUTE_PATH source)
  onepass_add_test(${name} ${Python3_EXECUTABLE} ${onepass_SOURCE_DIR}/tests/contract/check.py
    --nvcc ${CMAKE_CUDA_COMPILER} --include ${onepass_SOURCE_DIR}/include ${source})
endfunction()
