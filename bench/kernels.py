#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each kernel of a row pipeline costs a multiprocessor of sm_90: registers, spilled bytes, occupancy.

    kernels.py [--json FILE, appended to] [--cuobjdump PATH] [--jobs N] [name ...]

Each pipeline is compiled with all its kernels: one for each line of the table in plan_rows.h and for wider rows, by
aligned groups, by misaligned ones or by single elements. The occupancy is the one that registers allow; images of misaligned rows and rows in shared memory may leave less.
No device is needed, but nvcc and cuobjdump are.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PIPELINES = {
    "softmax": "load(x) | op::softmax | op::store(y)",
    "rms_norm": "load(x) | op::rms_norm(x, 1e-6) | op::store(y)",
    "layer_norm": "load(x) | op::layer_norm(x, x, 1e-5) | op::store(y)",
    "layer_norm_gelu": "load(x) | op::layer_norm(x, x, 1e-5) | op::gelu_tanh | op::store(y)",
    "residual_layer_norm": "load(x) | op::add(op::load(x)) | op::tee(op::store(y)) | op::layer_norm(x, x, 1e-5) | op::store(y)",
    "rms_norm_f8_rows": "load(x) | op::rms_norm(x, 1e-6) | op::quantize_rows(op::store(q), f)",
    "rms_norm_f8_groups": "load(x) | op::rms_norm(x, 1e-6) | op::quantize_groups<128>(op::store(q), f)",
    "cross_entropy": "load(x) | op::cross_entropy(labels, f, f)",
    "bias_gelu_row_sum": "load(x) | op::add(op::per_column(x)) | op::gelu | op::cast<T>() | op::tee(op::reduce_rows(op::sum, f)) | op::store(y)",
}
TYPES = {"bf16": "__nv_bfloat16", "f32": "float"}
SOURCE = """#include <onepass/onepass.cuh>
namespace op = onepass;
using T = {type};
onepass_status_t run(const T *x, const int64_t *labels, T *y, __nv_fp8_e4m3 *q, float *f) {{
  return op::launch(op::{pipeline}, op::extent(4, 4096));
}}
"""
WARP_ROW_THREADS = 128  # of a block of several rows: ONEPASS_WARP_ROW_THREADS


def blocks_of(registers, threads):
    """That the registers of a multiprocessor hold: each quarter has 16384, and gives a warp 256 at a time."""
    per_warp = (registers * 32 + 255) // 256 * 256
    warps = min(16384 // per_warp, 16) * 4
    return min(warps // ((threads + 31) // 32), 32)


MODES = {1: "aligned", 5: "misaligned", 9: "single", 10: "single"}  # of enum class access in pack.cuh; 10: from shared memory


def describe(mangled):
    """Strategy, threads, packs and how rows are taken, from the template arguments at the end of a name."""
    strategy = re.search(r"row_(cluster_|shared_|stream_)?kernel", mangled)[1]
    arguments = re.search(r"((?:L(?:[jb]|N\w*?6accessE)\d+E)+)EEv", mangled)[1]
    numbers = [int(n) for n in re.findall(r"L(?:[jb]|N\w*?6accessE)(\d+)E", arguments)]
    if strategy == "stream_":
        return "stream", numbers[1], None, MODES[1 if numbers[0] else 5]
    if strategy == "shared_":
        return "shared", numbers[0], None, MODES[1 if numbers[1] else 5]
    threads, packs, mode = numbers
    return "cluster" if strategy else "warp" if threads <= 32 else "block", threads, packs, MODES[mode]


def measure(name, type_, options, folder):
    source = folder / f"{name}_{type_}.cu"
    source.write_text(SOURCE.format(type=TYPES[type_], pipeline=PIPELINES[name]), encoding="utf-8")
    cubin = source.with_suffix(".cubin")
    include = Path(__file__).resolve().parent.parent / "include"
    subprocess.run([options.nvcc, "-std=c++17", "-O3", "-arch=sm_90", "-cubin", "-I", include, source, "-o", cubin], check=True)
    listing = subprocess.run([options.cuobjdump, "--dump-resource-usage", cubin], check=True, capture_output=True, text=True).stdout
    rows = []
    for mangled, registers, stack in re.findall(r"Function (\w*row_\w*kernelI\w*):\s+REG:(\d+) STACK:(\d+)", listing):
        strategy, threads, packs, taken = describe(mangled)
        block = WARP_ROW_THREADS if strategy == "warp" else threads
        blocks = blocks_of(int(registers), block)
        rows.append({"pipeline": f"{name}/{type_}", "strategy": strategy, "threads": threads, "packs": packs, "rows": taken,
                     "registers": int(registers), "spilled_bytes": int(stack), "blocks_per_sm": blocks,
                     "occupancy": round(blocks * block / 2048, 3)})
    order = ["warp", "block", "cluster", "shared", "stream"]
    return sorted(rows, key=lambda r: (order.index(r["strategy"]), r["threads"] * (r["packs"] or 1), r["rows"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--cuobjdump", default=shutil.which("cuobjdump") or "/usr/local/cuda/bin/cuobjdump")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(measure, name, type_, options, Path(scratch)) for name in options.names or PIPELINES for type_ in TYPES]
        for rows in (one.result() for one in work):
            for r in rows:
                width = f"{r['threads']} x {r['packs']}" if r["packs"] else str(r["threads"])
                print(f"{r['pipeline']:28} {r['strategy']:8} {width:8} {r['rows']:10} "
                      f"{r['registers']:4} registers {r['spilled_bytes']:4} spilled  {r['blocks_per_sm']:3} blocks  {r['occupancy']:.2f}", flush=True)
            if options.json:
                with open(options.json, "a", encoding="utf-8") as out:
                    out.writelines(json.dumps(r) + "\n" for r in rows)


if __name__ == "__main__":
    main()
