# SPDX-License-Identifier: Apache-2.0
"""Compiles a source with strict warnings as errors, and passes if the compilers say nothing and the object exports
nothing of onepass.

    check.py --nvcc nvcc --include <directory> [--host <host compiler>] <source> -- <flags of nvcc>...
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nvcc", required=True)
parser.add_argument("--include", required=True)
parser.add_argument("--host")
parser.add_argument("source", type=Path)
parser.add_argument("flags", nargs="*")
args = parser.parse_args()


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


with tempfile.TemporaryDirectory() as scratch:
    output = f"{scratch}/out.o"
    host = ["-ccbin", args.host] if args.host else []
    said = run(args.nvcc, *host, "-I", args.include, "-Werror", "all-warnings",
               "-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Wsign-conversion,-Werror", *args.flags,
               "-c", str(args.source), "-o", output)
    if said.strip():
        sys.exit(said)
    exported = []
    for line in run("readelf", "--symbols", "--wide", output).splitlines():
        field = line.split()  # number, value, size, type, binding, visibility, section, name
        if len(field) == 8 and field[4] != "LOCAL" and field[5] == "DEFAULT" and field[6] != "UND" and "7onepass" in field[7]:
            exported.append(field[7])
    if exported:
        sys.exit("exported:\n" + "\n".join(exported))
