#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an op costs in machine instructions per element, beyond load and store: f32 in and out, bf16 in and out.

    cost.py [--arch sm_90] [--cuobjdump PATH] [--jobs N] [name ...]

Each op is compiled into a map of its own; counted is what the whole-tile body holds up to its exit, slow paths that
are not taken included, less the same count of a copy. No device is needed, but nvcc and cuobjdump are.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OPS = {
    "add": "add(2)", "multiply": "multiply(3)", "divide": "divide(op::value_at(b))", "multiply_add": "multiply_add(3, 2)",
    "remainder": "remainder(op::value_at(b))", "minimum": "minimum(1)", "clamp": "clamp(-1, 2)", "negate": "negate",
    "abs": "abs", "sign": "sign", "square": "square", "reciprocal": "reciprocal", "sqrt": "sqrt", "rsqrt": "rsqrt",
    "power": "power(op::value_at(b))", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
    "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos", "tanh": "tanh", "erf": "erf", "sigmoid": "sigmoid",
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "round", "less": "less(1)", "is_nan": "is_nan",
    "where": "where(op::value_at(b), 1)", "relu": "relu", "relu6": "relu6", "squared_relu": "squared_relu",
    "leaky_relu": "leaky_relu(0.01)", "hardtanh": "hardtanh", "hardsigmoid": "hardsigmoid", "hardswish": "hardswish",
    "softsign": "softsign", "elu": "elu(1)", "selu": "selu", "celu": "celu(0.5)", "softplus": "softplus",
    "log_sigmoid": "log_sigmoid", "silu": "silu", "mish": "mish", "gelu": "gelu", "gelu_tanh": "gelu_tanh",
    "quick_gelu": "quick_gelu", "swiglu": "swiglu(2)", "geglu": "geglu(2)", "geglu_tanh": "geglu_tanh(2)",
    "reglu": "reglu(2)", "dropout": "dropout(0.25, 7)",
}
SOURCE = """#include <onepass/onepass.cuh>
struct arguments {{ const {type} *x; const float *b; {type} *y; }};
ONEPASS_DECLARE(one);
namespace {{ [[maybe_unused]] const float *b; }}
ONEPASS_EXPORT(one, arguments, [](const arguments &a) {{ [[maybe_unused]] const float *b = a.b; return op::load(a.x) {stage} | op::store(a.y); }}(args));
"""


def body_length(listing):
    """Instructions of the kernel for aligned arrays and a count known on the host, up to its first exit."""
    for kernel in re.split(r"Function : ", listing)[1:]:
        if not re.search(r"Lb1ELb0EE", kernel.splitlines()[0]):
            continue
        count = 0
        for line in kernel.splitlines()[1:]:
            match = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?\s*([A-Z0-9_.]+)", line)
            if match:
                count += 1
                if match[1] == "EXIT" and "@" not in line.split("*/")[1]:
                    return count
    sys.exit("no kernel for aligned arrays in the listing")


def count(name, stage, type_, options, folder):
    source = folder / f"{name}_{type_.strip('_')}.cu"
    source.write_text(SOURCE.format(type=type_, stage=f"| op::{stage}" if stage else ""), encoding="utf-8")
    cubin = source.with_suffix(".cubin")
    include = Path(__file__).resolve().parent.parent / "include"
    subprocess.run([options.nvcc, "-std=c++17", f"-arch={options.arch}", "-cubin", "-I", include, source, "-o", cubin], check=True)
    listing = subprocess.run([options.cuobjdump, "-sass", cubin], check=True, capture_output=True, text=True).stdout
    return body_length(listing)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--cuobjdump", default=shutil.which("cuobjdump") or "/usr/local/cuda/bin/cuobjdump")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or list(OPS)
    types = {"float": 8, "__nv_bfloat16": 16}  # elements of a thread
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = {(name, t): pool.submit(count, name, OPS.get(name), t, options, Path(scratch)) for name in ["copy", *names] for t in types}
        for name in names:
            per_element = [(work[name, t].result() - work["copy", t].result()) / n for t, n in types.items()]
            print(f"{name} {per_element[0]:.0f} {per_element[1]:.0f}", flush=True)


if __name__ == "__main__":
    main()
