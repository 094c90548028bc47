#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All that needs a device, in one go: builds the tests under tests/kernel and runs them, then a reduced set under the
# four tools of compute-sanitizer. Ends with one line per test program and tool.
#   tests/device.sh <scratch directory> <directory that contains catch2/catch.hpp> [--no-sanitizer]
set -uo pipefail
scratch=$1 catch=$2 sanitizer=${3:-}
tests=$(cd "$(dirname "$0")" && pwd)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
mkdir -p "$scratch"
flags=(-std=c++17 -O2 -arch=native -DONEPASS_CATCH2_MAJOR=2 -I "$tests/../include" -I "$tests" -I "$catch"
       --extended-lambda -Xcompiler -Wall,-Wextra,-Wconversion,-Wsign-conversion -Werror all-warnings)

pids=()
"$nvcc" "${flags[@]}" -c "$tests/kernel/main.cpp" -o "$scratch/main.o" & pids+=($!)
for source in "$tests"/kernel/*.cu; do
  "$nvcc" "${flags[@]}" -c "$source" -o "$scratch/$(basename "$source" .cu).o" & pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || exit 1; done

summary=() failed=0
note() { summary+=("$1: $2"); [ "$2" = passed ] || failed=1; }
for source in "$tests"/kernel/*.cu; do
  name=$(basename "$source" .cu)
  "$nvcc" -arch=native "$scratch/main.o" "$scratch/$name.o" -o "$scratch/$name" || exit 1
  if timeout 200 "$scratch/$name" > "$scratch/$name.log" 2>&1; then note "$name" passed; else note "$name" FAILED; tail -n 60 "$scratch/$name.log"; fi
  grep -E '^f32 |^All tests|^test cases|^assertions' "$scratch/$name.log"
done
if [ "$sanitizer" != --no-sanitizer ]; then
  for tool in memcheck racecheck initcheck synccheck; do
    for source in "$tests"/kernel/*.cu; do
      name=$(basename "$source" .cu)
      if ONEPASS_TEST_REDUCED=1 timeout 240 compute-sanitizer --tool "$tool" --error-exitcode 9 \
           "$scratch/$name" > "$scratch/$name.$tool.log" 2>&1; then note "$name under $tool" passed
      else note "$name under $tool" FAILED; tail -n 25 "$scratch/$name.$tool.log"; fi
    done
  done
fi
printf '%s\n' "${summary[@]}"
exit $failed
