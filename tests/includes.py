# SPDX-License-Identifier: Apache-2.0
"""Reads the #include lines of the library's headers and fails on one that points up, leaves the library, or closes a
circle; and on a namespace that is opened for others to see.

    includes.py <include directory>
"""
import re
import sys
from pathlib import Path

# The layers, lowest first. A header may include its own layer and those below; C headers (.h) only C headers.
# A new header belongs into one of these lines: the first pattern that matches decides.
LAYERS = [
    ("C words", r"(integer|version|status|extent|leaf|traffic|geometry|plan_rows|plan)\.h"),
    ("words", r"(config|meta|pack|words|image|memory|convert|name|nvtx)\.cuh"),
    ("grammar and collectives", r"(source|stage|sink|collective|statistic)/\w+\.cuh|(statistic|refused)\.cuh"),
    ("pipeline", r"(pipeline|check|capability|reduction|row|describe|unfused)\.cuh"),
    ("kernels and host", r"kernel/\w+\.cuh|(host|iterator)\.cuh"),
    ("doors", r"(launch|report)\.h|(launch|export|kernel_of_plan)\.cuh"),
    ("everything", r"onepass\.(h|cuh)"),
]
# What else may be included. C headers see the C library alone (under NVRTC its integers are in cuda/std; the C tests,
# built without CUDA, see to it that only there). The device side sees CUDA alone, because it compiles under NVRTC too;
# what stands in `#ifndef __CUDACC_RTC__` is the host's own and may come from anywhere.
C_LIBRARY = r"(assert|float|inttypes|limits|math|stdalign|stdbool|stddef|stdint|string)\.h|cuda/std/c(limits|stddef|stdint)"
CUDA = r"(cuda|cub|nv|nvtx3|cooperative_groups)(/.*|_\w+\.h|\.h)?|mma\.h|cooperative_groups\.h"
HOST_SIDE = {"host.cuh", "iterator.cuh", "kernel_of_plan.cuh", "launch.cuh", "export.cuh"}


def layer(header):
    return next((rank for rank, (_, pattern) in enumerate(LAYERS) if re.fullmatch(pattern, header)), None)


def main(include_dir):
    root = (include_dir / "onepass").resolve()
    headers = sorted(p for p in root.rglob("*") if p.suffix in (".h", ".cuh"))
    if not headers:
        sys.exit(f"no headers under {root}")
    faults, edges = [], {}
    for path in headers:
        header = path.relative_to(root).as_posix()
        edges[header] = []
        if layer(header) is None:
            faults.append(f"{header}: in no layer; say in tests/includes.py where it belongs")
            continue
        conditions = []  # the open #if lines
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"namespace onepass\b", line):
                faults.append(f"{header}:{number}: no ONEPASS_LOCAL: a library would export what it instantiates here")
            if re.match(r"\s*#\s*if", line):
                conditions.append(line)
            elif re.match(r"\s*#\s*el", line) and conditions:
                conditions[-1] = "#else"
            elif re.match(r"\s*#\s*endif", line) and conditions:
                conditions.pop()
            match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if not match:
                continue
            quote, name = match.groups()
            where = f"{header}:{number}: includes {name}"
            beside = (path.parent / name).resolve()
            target = beside if quote == '"' and beside.exists() else (include_dir / name).resolve()
            if not target.exists():  # not ours
                host_only = path.suffix == ".cuh" and any("#ifndef __CUDACC_RTC__" in line for line in conditions)
                allowed = C_LIBRARY if path.suffix == ".h" else CUDA
                if quote == '"' or name.startswith("onepass/"):
                    faults.append(f"{where}, which does not exist")
                elif header not in HOST_SIDE and not host_only and not re.fullmatch(allowed, name):
                    faults.append(f"{where}, which is neither of the library nor allowed here")
                continue
            if root not in target.parents:
                faults.append(f"{where}, which leaves the library")
                continue
            included = target.relative_to(root).as_posix()
            edges[header].append(included)
            if path.suffix == ".h" and target.suffix == ".cuh":
                faults.append(f"{where}: a C header includes device code")
            elif layer(included) is not None and layer(included) > layer(header):
                up, down = LAYERS[layer(included)][0], LAYERS[layer(header)][0]
                faults.append(f"{where}, which points up: {down} -> {up}")

    def circle(header, trail):
        if header in trail:
            return trail[trail.index(header):] + [header]
        if header not in done:
            for included in edges.get(header, []):
                found = circle(included, trail + [header])
                if found:
                    return found
            done.add(header)
        return None

    done = set()
    for header in edges:
        found = circle(header, [])
        if found:
            faults.append("a circle: " + " -> ".join(found))
            break
    print("\n".join(faults) if faults else f"{len(headers)} headers, no include points up")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
