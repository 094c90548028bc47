# SPDX-License-Identifier: Apache-2.0
"""Two translation units, compiled for link-time optimization of the device code and linked so, without a warning.

    lto.py --nvcc nvcc --include <directory> <source>...
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nvcc", required=True, type=Path)
parser.add_argument("--include", required=True)
parser.add_argument("sources", nargs="+", type=Path)
args = parser.parse_args()

toolkit = args.nvcc.resolve().parent.parent
parts = {"lib64/libnvvm.so": ["nvvm/lib64", "lib64", "lib"], "libdevice/libdevice.10.bc": ["nvvm/libdevice"]}


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    if done.returncode != 0 or done.stdout.strip():
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")


with tempfile.TemporaryDirectory() as scratch:
    # The compiler that nvlink calls: some toolkits have it elsewhere than where nvcc says it is.
    for part, folders in parts.items():
        found = [toolkit / f / Path(part).name for f in folders if (toolkit / f / Path(part).name).exists()]
        if not found:
            print(f"no {part} under {toolkit}")
            sys.exit(77)
        link = Path(scratch) / part
        link.parent.mkdir()
        link.symlink_to(found[0])
    objects = []
    for source in args.sources:
        objects.append(Path(scratch) / f"{source.stem}.o")
        run(args.nvcc, "-std=c++17", "-arch=sm_90", "-dlto", "-dc", "-I", args.include, "-Werror", "all-warnings",
            source, "-o", objects[-1])
    libraries = [f"-L{toolkit / folder}" for folder in ("lib64", "lib") if (toolkit / folder).is_dir()]
    program = Path(scratch) / "out.cubin"
    run(args.nvcc.parent / "nvlink", "--arch=sm_90", "-dlto", f"-nvvmpath={scratch}", "--warning-as-error",
        "--extra-warnings", *objects, *libraries, "-lcudadevrt", "-o", program)
    if b"map_kernel" not in program.read_bytes():
        sys.exit("no kernel is left")
