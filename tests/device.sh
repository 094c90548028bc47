#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All that needs a device, in one go: builds the tests under tests/kernel and runs them, then a reduced set under the
# four tools of compute-sanitizer. Ends with one line per test program and tool. It takes about 10 minutes on 16 cores;
# where that is too long for one go, two calls do the same, the second with what the first has built.
#   tests/device.sh <scratch directory> <directory that contains catch2/catch.hpp> [--no-sanitizer | --only-sanitizer]
set -uo pipefail
scratch=$1 catch=$2 sanitizer=${3:-}
tests=$(cd "$(dirname "$0")" && pwd)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
mkdir -p "$scratch"
flags=(-std=c++17 -O2 -arch=native -DONEPASS_CATCH2_MAJOR=2 -I "$tests/../include" -I "$tests" -I "$catch"
       --extended-lambda -Xcompiler -Wall,-Wextra,-Wconversion,-Wsign-conversion -Werror all-warnings)

summary=() failed=0
note() { summary+=("$1: $2"); [ "$2" = passed ] || failed=1; }

declare -A fuzzing
if [ "$sanitizer" != --only-sanitizer ]; then
  pids=()
  "$nvcc" "${flags[@]}" -c "$tests/kernel/main.cpp" -o "$scratch/main.o" & pids+=($!)
  for source in "$tests"/kernel/*.cu; do
    "$nvcc" "${flags[@]}" -c "$source" -o "$scratch/$(basename "$source" .cu).o" & pids+=($!)
  done
  seed=$(date +%s)  # random pipelines, compared with float64
  echo "fuzz: make.py $seed 12 to $((seed + 7)) 12"
  for i in 0 1 2 3 4 5 6 7; do
    python3 "$tests/fuzz/make.py" $((seed + i)) 12 > "$scratch/fuzz_$i.cu" || exit 1
    "$nvcc" "${flags[@]}" -DONEPASS_FUZZ_DEVICE -I "$tests/fuzz" "$scratch/fuzz_$i.cu" -o "$scratch/fuzz_$i" & pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || exit 1; done

  for source in "$tests"/kernel/*.cu; do
    name=$(basename "$source" .cu)
    "$nvcc" -arch=native "$scratch/main.o" "$scratch/$name.o" -o "$scratch/$name" || exit 1
    if timeout 200 "$scratch/$name" > "$scratch/$name.log" 2>&1; then note "$name" passed; else note "$name" FAILED; tail -n 60 "$scratch/$name.log"; fi
    grep -E '^b?f(16|32) |^All tests|^test cases|^assertions' "$scratch/$name.log"
  done
  major=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | cut -d. -f1)
  other=$([ "$major" = 10 ] && echo 120 || echo 100)
  "$nvcc" -std=c++17 -gencode "arch=compute_$other,code=sm_$other" -I "$tests/../include" "$tests/device/foreign_image.cu" \
    -o "$scratch/foreign_image" || exit 1
  if "$scratch/foreign_image"; then note foreign_image passed; else note foreign_image FAILED; fi
  seconds=$([ -n "${ONEPASS_TEST_REDUCED:-}" ] && echo 5 || echo 120)
  for i in 0 1 2 3 4 5 6 7; do
    timeout $((seconds + 60)) "$scratch/fuzz_$i" "$seed" "$seconds" > "$scratch/fuzz_$i.log" 2>&1 & fuzzing[fuzz_$i]=$!
  done
fi
if [ "$sanitizer" != --no-sanitizer ]; then
  declare -A running
  for tool in memcheck racecheck initcheck synccheck; do
    for source in "$tests"/kernel/*.cu; do
      name=$(basename "$source" .cu)
      ONEPASS_TEST_REDUCED=1 timeout 400 compute-sanitizer --tool "$tool" --error-exitcode 9 \
        $([ "$tool" = memcheck ] && echo --report-api-errors no) \
        "$scratch/$name" > "$scratch/$name.$tool.log" 2>&1 &
      running["$name under $tool"]=$!
    done
  done
  for run in "${!running[@]}"; do
    if wait "${running[$run]}"; then note "$run" passed
    else note "$run" FAILED; tail -n 25 "$scratch/${run/ under /.}.log"; fi
  done
fi
for run in "${!fuzzing[@]}"; do
  if wait "${fuzzing[$run]}"; then note "$run" passed; else note "$run" FAILED; fi
  cat "$scratch/$run.log"
done
printf '%s\n' "${summary[@]}"
exit $failed
