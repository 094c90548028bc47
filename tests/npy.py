# SPDX-License-Identifier: Apache-2.0
"""Runs the demonstration over .npy files, sound and broken: each must give its sum, or be refused in the right words.

    npy.py <onepass_demo>
"""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def npy(descr="'<f4'", order="False", shape="(3,)", data=struct.pack("<3f", 1, -2, 3), version=1, header=None):
    """The bytes of a file, written by hand so that it can be wrong."""
    text = header or f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    size = "<H" if version == 1 else "<I"
    start = 8 + struct.calcsize(size)
    text = text.encode() + b" " * (-(start + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(size, len(text)) + text + data


SUMS = [  # a file, and the result that the demonstration prints
    (npy(), "6"),
    (npy(version=2), "6"),
    (npy(version=3), "6"),
    (npy(shape="(1, 3)"), "6"),
    (npy(shape="(3L,)"), "6"),
    (npy("'<f8'", data=struct.pack("<3d", 1, -2, 3)), "6"),
    (npy("'<f2'", data=struct.pack("<3e", 1, -2, 3)), "6"),
    (npy(shape="()"), "1"),
    (npy(shape="(0, 5)", data=b""), "0"),
    (npy(data=struct.pack("<3f", 1, float("-inf"), 3)), "inf"),
    (npy(data=struct.pack("<3f", 3e38, -3e38, 3)), "inf"),
]
FAULTS = [  # a file, and words of the refusal
    (b"", "not a .npy file"),
    (b"PK\x03\x04" + bytes(60), "not a .npy file"),
    (npy(version=4), "unknown version"),
    (npy()[:40], "ends inside its header"),
    (npy(data=bytes(11)), "ends before its last number"),
    (npy("'>f4'"), "big-endian"),
    (npy("'<i4'"), "not float16, float32 or float64"),
    (npy("'<f16'"), "not float16, float32 or float64"),
    (npy("[('a', '<f4')]"), "records"),
    (npy(order="True"), "Fortran order"),
    (npy(shape="(-3,)"), "shape is damaged"),
    (npy(shape="(3"), "shape is damaged"),
    (npy(shape="(99999999999999999999,)"), "too large"),
    (npy(shape="(4611686018427387904, 4)"), "too large"),
    (npy(header="nonsense"), "header is damaged"),
    (npy(header="{'descr': '<f4', 'fortran_order': False, }"), "header is damaged"),
    (npy(version=2, header="{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" + " " * 70000), "longer than"),
]


def main(demo):
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "array.npy"

        def run(content):
            path.write_bytes(content)
            return subprocess.run([demo, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

        for content, result in SUMS:
            done = run(content)
            if done.returncode != 0 or f"result {result}, " not in done.stdout:
                faults.append(f"{content[:80]}: expected {result}, got {done.returncode}, {done.stdout}{done.stderr}")
        for content, words in FAULTS:
            done = run(content)
            if done.returncode != 1 or done.stdout or words not in done.stderr:
                faults.append(f"{content[:80]}: expected '{words}', got {done.returncode}, {done.stdout}{done.stderr}")
    print("\n".join(faults) if faults else f"{len(SUMS)} files summed, {len(FAULTS)} refused")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
