#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch and Triton on the workloads of onepass_bench: the same names, bytes and JSON lines.

    python3 bench/peers.py [--json file] [--filter text] [--only eager,compile,triton] [--rounds n] [--seconds s]

As there: checked against float64 first, on poisoned outputs, a cold L2 cache before every sample, rounds that take one
sample of each implementation, medians. What is wrong or fails is reported, not timed, and makes the exit status 1.
Needs a CUDA device and PyTorch 2; without Triton the kernels written in it are skipped.

Processes beside each other first fill the caches of compiled code, in a folder of their own below that of temporary
files, which a later run finds filled. Nothing is timed meanwhile.
"""
import argparse
import contextlib
import datetime
import functools
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import peers_torch

WARMUPS = 3
IMPLEMENTATIONS = ("eager", "compile", "triton")
CACHE = pathlib.Path(tempfile.gettempdir()) / "onepass_peers"


class Clock:
    """Samples of device time behind a cleared L2 cache."""

    def __init__(self):
        size = 4 * torch.cuda.get_device_properties(0).L2_cache_size
        self.clearing = torch.ones(size // 4, device=peers_torch.DEVICE)

    def sample(self, function, inputs):
        # By reading, so that the lines left behind are clean. The device is busy with it while the host enqueues the
        # rest; an eager chain is slow to enqueue, so it is cleared often enough to hide that too.
        for _ in range(6):
            self.clearing.sum()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        function(*inputs)
        end.record()
        return begin, end

    def measure(self, functions, inputs, rounds):
        """Microseconds per call: a list of samples for each name of `functions`."""
        samples = {name: [] for name in functions}
        names = list(functions)
        for taken in range(-WARMUPS, rounds):
            first = taken % max(1, len(names))
            events = {name: self.sample(functions[name], inputs) for name in names[first:] + names[:first]}
            torch.cuda.synchronize()
            for name, (begin, end) in events.items():
                if taken >= 0:
                    samples[name].append(1e3 * begin.elapsed_time(end))
        return samples


def text_of(error):
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:300]


def parts_of(results):
    return results if isinstance(results, tuple) else (results,)


def exact_results(work):
    wide = (each.double() if each.is_floating_point() else each for each in work.inputs)
    return parts_of((work.exact or work.function)(*wide))


def fault_of(work, function, wanted):
    """Empty, or what is wrong: compares the norms of the differences with those of the results."""
    # Outputs lie in the same memory again, in that of the launch or that which the allocator hands out next.
    for result in parts_of(function(*work.inputs)):
        result.reshape(-1).view(torch.uint8).fill_(0xff)
    del result
    results = parts_of(function(*work.inputs))
    results = parts_of(work.seen(*results)) if work.seen else results
    for index, (got, want) in enumerate(zip(results, wanted, strict=True)):
        usual = 1e-5 if work.inputs[0].dtype == torch.float32 else 1e-2
        tolerance = work.tolerances[index] if index < len(work.tolerances) else usual
        if got.shape != want.shape:
            return f"result {index} has the shape {tuple(got.shape)}, not {tuple(want.shape)}"
        error = float((got.double() - want).norm() / want.norm())
        if not error <= tolerance:  # a NaN is wrong
            return f"wrong: result {index} is off by {error:.2e} of its norm"
    return ""


def tuned(clock, work, workload):
    """The fastest of the launches of the kernel in Triton."""
    functions, failed = {}, []
    for label, call in work.launches():
        try:
            call()
            torch.cuda.synchronize()
            functions[label] = call
        except Exception as error:  # it may take more registers or shared memory than there are
            failed.append((label, error))
    if not functions:
        raise failed[0][1]
    times = {label: statistics.median(us) for label, us in clock.measure(functions, (), 7).items()}
    best = min(times, key=times.get)
    others = ", ".join(f"{label} {us:.1f}" for label, us in times.items() if label != best)
    others += "".join(f"; {label} failed: {text_of(error)}" for label, error in failed)
    print(f"{workload:40} triton: {best} {times[best]:.1f} us ({others})", flush=True)
    return functions[best]


def reason_without_triton():
    """Empty, or why there are no kernels in Triton."""
    try:
        importlib.import_module("peers_triton")
        return ""
    except ImportError as error:
        return text_of(error)


def implementation(name, clock, work, workload):
    if name == "eager":
        return work.function
    if name == "compile":
        torch.compiler.reset()
        return torch.compile(work.function, dynamic=False)
    return tuned(clock, work, workload)


class Report:
    def __init__(self, json_path):
        self.json_path = json_path
        self.date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.device = torch.cuda.get_device_name()

    def add(self, workload, name, us, size):
        quarters = statistics.quantiles(us, n=4)
        result = {
            "workload": workload,
            "impl": name,
            "median_us": round(statistics.median(us), 4),
            "min_us": round(min(us), 4),
            "max_us": round(max(us), 4),
            "spread_us": round(quarters[2] - quarters[0], 4),
            "bytes": size,
            "roof_us": None,  # measured by onepass_bench
            "device": self.device,
            "date": self.date,
            "rounds": len(us),
            "cuda": torch.version.cuda,
        }
        speed = size / result["median_us"] * 1e-6
        print(f"{workload:40} {name:8} {result['median_us']:10.2f} us {speed:7.3f} TB/s", flush=True)
        if self.json_path:
            with open(self.json_path, "a", encoding="utf-8") as file:
                print(json.dumps(result), file=file)


def run(workload, build, options, clock, report):
    """Builds, checks, times and reports one workload; false if an implementation was wrong or failed."""
    work = build()
    wanted, functions, right = exact_results(work), {}, True
    for name in options.only:
        if name == "triton" and (work.launches is None or options.no_triton):
            if work.launches is not None:
                print(f"{workload}, triton: skipped: {options.no_triton}", flush=True)
            continue
        try:
            function = implementation(name, clock, work, workload)
            fault = fault_of(work, function, wanted)
        except Exception as error:
            fault = text_of(error)
        if fault:
            print(f"{workload}, {name}: ERROR, not timed: {fault}", flush=True)
            right = False
        else:
            functions[name] = function
    del wanted
    for name, us in clock.measure(functions, work.inputs, options.rounds).items():
        report.add(workload, name, us, work.bytes)
    return right


# ---- compiled code, made in advance


def use_caches():
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(CACHE / "inductor")
    os.environ["TRITON_CACHE_DIR"] = str(CACHE / "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # in each of the processes


def compile_one(build, options):
    """Calls once whatever has to be compiled. Failures are met again, and reported, by the process that times."""
    work = build()
    calls = []
    if "compile" in options.only:
        torch.compiler.reset()
        calls.append(functools.partial(torch.compile(work.function, dynamic=False), *work.inputs))
    if "triton" in options.only and work.launches and not options.no_triton:
        calls += [call for _, call in work.launches()]
    for call in calls:
        with contextlib.suppress(Exception):
            call()
    torch.cuda.synchronize()


def compile_all(count, options, seconds):
    """Runs compile_one for every workload in `count` processes, which are ended after `seconds`."""
    command = [sys.executable, os.path.abspath(__file__), "--filter", options.filter, "--only", ",".join(options.only)]
    begin, late = time.monotonic(), 0
    with contextlib.ExitStack() as files:
        running = []
        try:
            for k in range(count):
                errors = files.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
                process = subprocess.Popen([*command, "--part", f"{k}/{count}"], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=errors)
                running.append((process, errors))
            for process, errors in running:
                try:
                    process.wait(max(0.01, begin + seconds - time.monotonic()))
                except subprocess.TimeoutExpired:
                    late += 1
                    continue
                if process.returncode:
                    errors.seek(0)
                    lines = errors.read().strip().splitlines() or ["no message"]
                    print(f"a process that compiles failed: {lines[-1][:300]}", flush=True)
        finally:
            for process, _ in running:
                if process.poll() is None:
                    process.kill()
                    process.wait()
    # Their choices among several compiled kernels were timed beside each other: they are made again.
    for choice in CACHE.rglob("*.best_config"):
        choice.unlink()
    left = f", {late} of them ended unfinished" if late else ""
    print(f"compiled in {time.monotonic() - begin:.0f} s by {count} processes{left}", flush=True)


def names_of_implementations(text):
    names = text.split(",")
    if not set(names) <= set(IMPLEMENTATIONS):
        raise argparse.ArgumentTypeError(f"of {', '.join(IMPLEMENTATIONS)}")
    return names


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the workloads and stop")
    parser.add_argument("--json", help="append one object per result to this file")
    parser.add_argument("--filter", default="", help="only workloads whose name contains this text")
    parser.add_argument("--only", type=names_of_implementations, default=list(IMPLEMENTATIONS),
                        help="implementations, with commas between (all)")
    parser.add_argument("--rounds", type=int, default=41, help="samples of each implementation (41)")
    parser.add_argument("--seconds", type=float, default=240,
                        help="no workload begins after that many; those left out are named (240)")
    parser.add_argument("--jobs", type=int, default=min(12, os.cpu_count() or 1),
                        help="processes that compile in advance; 1: none (the cores, at most 12)")
    parser.add_argument("--part", help=argparse.SUPPRESS)  # k/n: only compile every n-th workload, from the k-th on
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds: at least 2")
    return options


def main():
    begin = time.monotonic()
    options = parse()
    chosen = {name: build for name, build in peers_torch.workloads().items() if options.filter in name}
    if options.list:
        print(*chosen, sep="\n")
        return 0
    use_caches()
    torch.manual_seed(1)
    options.no_triton = reason_without_triton()
    if options.part:
        first, step = map(int, options.part.split("/"))
        for build in list(chosen.values())[first::step]:
            compile_one(build, options)
            torch.cuda.empty_cache()
        return 0

    triton = options.no_triton or f"Triton {importlib.import_module('triton').__version__}"
    report = Report(options.json)
    print(f"{report.device}, PyTorch {torch.__version__}, {triton}, {report.date}", flush=True)
    # A process takes seconds to start; alone, it would not pay.
    count = min(options.jobs, len(chosen) // 3)
    if count > 1 and set(options.only) != {"eager"}:
        compile_all(count, options, 0.55 * options.seconds)

    clock, right, left_out = Clock(), True, []
    for workload, build in chosen.items():
        if time.monotonic() - begin > options.seconds:
            left_out.append(workload)
            continue
        try:
            right = run(workload, build, options, clock, report) and right
        except Exception as error:
            print(f"{workload}: ERROR: {text_of(error)}", flush=True)
            right = False
    print(f"{time.monotonic() - begin:.0f} s")
    if left_out:
        print(f"left out for want of time, {len(left_out)} of {len(chosen)}: {' '.join(left_out)}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
