# SPDX-License-Identifier: Apache-2.0
"""A source that must not compile: passes if nvcc refuses it in the words of its `// expect:` line, and that is all.

A line `// flags: --extended-lambda` adds compiler flags. A line `// more: <why>` allows errors behind the expected one.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nvcc", required=True)
parser.add_argument("--include", required=True)
parser.add_argument("source", type=Path)
args = parser.parse_args()

text = args.source.read_text(encoding="utf-8")
expected = re.findall(r"^// expect: (.+)$", text, re.M)
flags = " ".join(re.findall(r"^// flags: (.+)$", text, re.M)).split()
more = re.search(r"^// more: ", text, re.M)
if len(expected) != 1:
    sys.exit(f"{args.source}: has {len(expected)} lines `// expect: <sentence>`, not one")

with tempfile.TemporaryDirectory() as scratch:
    command = [args.nvcc, "-c", "-arch=sm_90", "-std=c++17", "-I", args.include, *flags]
    command += ["-o", f"{scratch}/out.o", str(args.source)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")

errors = [line for line in run.stdout.splitlines() if re.search(r": (fatal )?error\b", line)]
fault = None
if run.returncode == 0:
    fault = "compiles, and must not"
elif not errors or expected[0] not in errors[0]:
    fault = f"is refused, but not first in these words:\n  {expected[0]}"
elif len(errors) > 1 and not more:
    fault = f"is refused as expected, but says {len(errors) - 1} errors more"
if fault:
    print(run.stdout)
    sys.exit(f"{args.source}: {fault}")
