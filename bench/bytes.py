#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bytes that a kernel of onepass moves in DRAM, as Nsight Compute counts them, beside those that the work needs.

    bytes.py --bench <onepass_bench> [--ncu <ncu>] [--json <file, appended to>] <workload> ...

A workload is a name as onepass_bench --list prints it. Its kernel runs once on cold caches; a small part of what it
writes may still be in the L2 cache when it ends. Fails where more is moved than needed, by over 5 %.
"""
import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

METRICS = {"dram__bytes_read.sum": "dram_read_bytes", "dram__bytes_write.sum": "dram_written_bytes"}


def measure(args, workload):
    """One line of results: the benchmark's own of this workload, with the bytes counted."""
    with tempfile.TemporaryDirectory() as folder:
        timed = Path(folder) / "timed.jsonl"
        call = [args.bench, "--filter", workload, "--rounds", "1", "--json", str(timed)]
        counted = subprocess.run(
            [args.ncu, "--csv", "--print-units", "base", "--metrics", ",".join(METRICS), "--launch-skip", "1",
             "--launch-count", "1", "--kernel-name", "regex:^(row|row_cluster|row_shared|row_stream|map|reduce)_kernel"] + call,
            check=True, capture_output=True, text=True).stdout.splitlines()
        result = next(line for line in map(json.loads, timed.read_text(encoding="utf-8").splitlines())
                      if (line["workload"], line["impl"]) == (workload, "onepass"))
    for name in [name for name in result if name.endswith("_us") or name == "rounds"]:
        del result[name]  # taken under a profiler
    table = counted[next(i for i, line in enumerate(counted) if line.startswith('"ID"')):]
    for row in csv.DictReader(table):
        if row["Metric Name"] in METRICS:
            result[METRICS[row["Metric Name"]]] = int(float(row["Metric Value"].replace(",", "")))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--json")
    parser.add_argument("workloads", nargs="+")
    args = parser.parse_args()
    failed = False
    for workload in args.workloads:
        result = measure(args, workload)
        moved = result["dram_read_bytes"] + result["dram_written_bytes"]
        share = moved / result["bytes"]
        failed |= share > 1.05
        print(f"{workload:40s} read {result['dram_read_bytes']:12d}  written {result['dram_written_bytes']:12d}  "
              f"of {result['bytes']:12d} needed: {share:.3f}{'  TOO MANY' if share > 1.05 else ''}", flush=True)
        if args.json:
            with open(args.json, "a", encoding="utf-8") as out:
                out.write(json.dumps(result) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
