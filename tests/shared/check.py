# SPDX-License-Identifier: Apache-2.0
"""Two libraries with the same pipelines in one process: of two versions, built for two architectures, each with a CUDA
runtime of its own, opened for all to see in either order. Both must be right, and export nothing of onepass.

    check.py --nvcc nvcc --include <directory> --host <host compiler> --cc <C compiler>
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nvcc", required=True)
parser.add_argument("--include", required=True, type=Path)
parser.add_argument("--host", required=True)
parser.add_argument("--cc", required=True)
args = parser.parse_args()
here = Path(__file__).parent

# The other version: the constant of a kernel and exec begin with another field.
CHANGES = [
    ("launch.h", "typedef struct onepass_kernel {\n", "typedef struct onepass_kernel {\n  int64_t added;\n"),
    ("launch.h", "typedef struct onepass_exec {\n", "typedef struct onepass_exec {\n  int64_t added[4];\n"),
    ("launch.cuh", "return {program<Tag>::text(),", "return {0, program<Tag>::text(),"),
]


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


with tempfile.TemporaryDirectory() as scratch:
    scratch = Path(scratch)
    changed = scratch / "include"
    shutil.copytree(args.include, changed)
    for header, old, new in CHANGES:
        path = changed / "onepass" / header
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"{header} has {text.count(old)} times, not once: {old}")
        path.write_text(text.replace(old, new), encoding="utf-8")

    libraries = []
    for name, include, arch in (("run_one", args.include, "sm_80"), ("run_other", changed, "sm_90")):
        library = scratch / f"{name}.so"
        run(args.nvcc, "-ccbin", args.host, "-std=c++17", f"-arch={arch}", "-O0", "-cudart", "static", "-shared",
            "-Xcompiler", "-fPIC", "-I", include, f"-DNAME={name}", here / "pipeline.cu", "-o", library)
        symbols = run("nm", "-DC", "--defined-only", library).splitlines()
        if not any(re.search(rf" T {name}$", s) for s in symbols):
            sys.exit(f"{name} is not exported")
        leaked = [s for s in symbols if "onepass::" in s]
        if leaked:
            sys.exit(f"exported by {name}:\n" + "\n".join(leaked))
        libraries.append([library, name])

    run(args.cc, here / "main.c", "-o", scratch / "main", "-ldl")
    for order in (libraries, libraries[::-1]):
        print(run(scratch / "main", *sum(order, [])), end="")
print("both right, in either order")
