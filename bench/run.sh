#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the benchmark for the device of this machine and runs it:
#   bench/run.sh <scratch directory> <JSON file, appended to> [options of onepass_bench]
# The peers in PyTorch and Triton are a second run, into the same file: python3 bench/peers.py --json <JSON file>
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n '3,5s/^# //p' "$0" >&2
  exit 2
fi
scratch=$1 results=$2
shift 2

bench=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$scratch" "$(dirname "$results")"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

builds=()
for source in "$bench"/*.cu; do
  "$nvcc" -std=c++17 -O3 -arch=native -I "$bench/../include" -c "$source" \
    -o "$scratch/$(basename "$source" .cu).o" &
  builds+=($!)
done
for build in "${builds[@]}"; do wait "$build"; done
"$nvcc" -arch=native "$scratch"/*.o -o "$scratch/onepass_bench"

"$scratch/onepass_bench" --json "$results" "$@"
