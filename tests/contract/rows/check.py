# SPDX-License-Identifier: Apache-2.0
"""What nvcc made of an exported row pipeline with one source and one store of 16-bit floats.

    check.py --nvcc <nvcc> --include <directory> <source>

In PTX: there is one kernel for each size of the table in plan_rows.h that a thread can hold, for aligned rows and for
others, and for wide rows that are not whole groups; two each that hold a row in shared memory and that stream, and
five whose blocks stay, of one size of wide rows by single elements and two of others; none touches local memory. A
kernel for aligned rows has two bodies, of which each reads each of a thread's packs once, by 16 bytes, and writes it
once; one of single elements reads each once, and writes those of its last chunk in one of two places; where they land
in shared memory they are read there, and global memory by bulk copies. In machine code: no stack frame and no spills.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("source")
    args = parser.parse_args()
    faults = []

    headers = Path(args.include) / "onepass"
    table = (headers / "plan_rows.h").read_text(encoding="utf-8")
    constants = (headers / "geometry.h").read_text(encoding="utf-8")
    most = int(re.search(r"ONEPASS_THREAD_ELEMENTS = (\d+)", constants)[1])  # a pack has 8 of 16 bits
    wide = int(re.search(r"ONEPASS_SINGLE_GROUPS = (\d+)", constants)[1])
    modes = {name: str(number) for number, name in enumerate(
        re.findall(r"^  (\w+),? +//", re.search(r"enum class access \{(.*?)\};", (headers / "pack.cuh").read_text(encoding="utf-8"), re.S)[1], re.M))}
    wanted = set()
    for threads, packs, lanes, by in re.findall(r"\{ONEPASS_ROW_\w+, (\d+), (\d+), (\d+), ONEPASS_BY_(\w+)\}", table):
        if int(packs) == 0 or int(lanes) > 8 or (by != "SINGLES" and int(packs) * 8 > most):
            continue
        if by != "SINGLES":
            wanted |= {(threads, packs, modes["entire"]), (threads, packs, modes["image"])}
        if by != "GROUPS" and int(threads) * int(packs) > wide:
            wanted.add((threads, packs, modes["single"]))
    if len(wanted) < 20:
        sys.exit("the table of plan_rows.h was not found")

    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "rows.ptx"
        common = [args.nvcc, "-std=c++17", "-O3", "-I", args.include, args.source]
        subprocess.run(common + ["-arch=compute_90", "-ptx", "-o", str(ptx)], check=True)
        text = ptx.read_text(encoding="utf-8")
        usage = subprocess.run([args.nvcc.replace("nvcc", "ptxas"), "-arch=sm_90", "-v", str(ptx), "-o", str(Path(folder) / "rows.cubin")],
                               check=True, capture_output=True, text=True).stderr
    landing = 0
    names, found, others = set(), set(), {"row_stream_kernel": 0, "row_shared_kernel": 0, "row_cluster_kernel": 0}
    for name, body in re.findall(r"\.entry (\w+)\((.*?)^\}", text, re.M | re.S):
        names.add(name)
        size = re.search(r"row_kernelI.*Lj(\d+)ELj(\d+)EL\w*?6accessE(\d+)", name)
        if re.search(r"\b(ld|st)\.local|\.local \.", body):
            faults.append(f"{name}: touches local memory")
        if size is None:
            kind = next((kind for kind in others if kind in name), None)
            if kind is None:
                faults.append(f"{name}: is no kernel of rows")
            else:
                others[kind] += 1
            if kind == "row_cluster_kernel" and f"6accessE{modes['landed']}E" in name:
                landing += 1
                copies = len(re.findall(r"cp\.async\.bulk", body))
                elements = [len(re.findall(rf"{access}\S*[ub]16", body)) for access in (r"ld\.shared", r"st\.\S*global\S*\.")]
                if copies != 2 or elements != [8 * 8, 8 * (8 + 1)]:
                    faults.append(f"{name}: {copies} bulk copies, {elements} loads and stores of an element")
            continue
        threads, packs, mode = size.groups()
        found.add((threads, packs, mode))
        loads = [m.start() for m in re.finditer(r"ld\.global\S*\.v4", body)]
        stores = [m.start() for m in re.finditer(r"st\.\S*global\S*\.v4", body)]
        if mode == modes["entire"] and (len(loads), len(stores)) != (2 * int(packs), 2 * int(packs)):
            faults.append(f"{name}: {len(loads)} loads and {len(stores)} stores of 16 bytes, not {2 * int(packs)} of each")
        if mode == modes["single"]:
            elements = [len(re.findall(rf"{access}\.\S*global\S*\.[ub]16", body)) for access in ("ld", "st")]
            if elements != [8 * int(packs), 8 * (int(packs) + 1)]:
                faults.append(f"{name}: {elements} loads and stores of an element")
    for size in sorted(wanted ^ found):
        faults.append(f"the table and the kernels differ in {size}")
    if landing != 1 or others != {"row_stream_kernel": 2, "row_shared_kernel": 2, "row_cluster_kernel": 5}:
        faults.append(f"not two kernels each that hold a row in shared memory and that stream, and five whose blocks stay: {others}")
    properties = re.findall(r"Function properties for (\w+)\n.*?(\d+) bytes spill stores", usage)  # of what they call, too
    spills = [int(n) for _, n in properties]
    if not names <= {name for name, _ in properties} or any(spills):
        faults.append(f"{sum(n > 0 for n in spills)} of {len(spills)} kernels spill registers")
    print("\n".join(faults) if faults else f"{len(found)} kernels of rows in registers and {sum(others.values())} others are as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
