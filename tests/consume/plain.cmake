# SPDX-License-Identifier: Apache-2.0
# nvcc without a build system, with no flag but where the headers are: builds SOURCE without a word, and it runs.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NVCC} -I ${INCLUDE} -DEXPECTED_VERSION="${EXPECTED_VERSION}" ${SOURCE} -o ${OUTPUT}
  OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
if(failed OR said)
  message(FATAL_ERROR "${said}")
endif()
execute_process(COMMAND ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
