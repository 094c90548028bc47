#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the workloads of onepass_bench, eager and compiled: the same names, bytes and JSON lines.

    python3 bench/peers.py [--json file] [--filter text] [--rounds n]

As there: checked against float64 first, a cold L2 cache before every sample, rounds that take one sample of each
implementation, medians. Needs a CUDA device and PyTorch 2.
"""
import argparse
import datetime
import json
import statistics
import sys

import torch
import torch.nn.functional as F

WARMUPS = 3
DEVICE = "cuda"


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=DEVICE, dtype=torch.float32).to(dtype)


# Each workload gives its function, its inputs and the fewest bytes that it must move.


def sum_abs(n, dtype):
    x = normal(n, dtype=dtype)
    return lambda x: x.abs().sum(), (x,), x.nbytes


def chain(n):
    x, r = normal(n), normal(n)
    return lambda x, r: torch.clamp(F.gelu(x * 1.25 + 0.5) + r, -1.0, 6.0), (x, r), 3 * x.nbytes


def bias_gelu(dtype, approximate):
    x, bias = normal(16384, 4096, dtype=dtype), normal(4096, dtype=dtype)
    return lambda x, bias: F.gelu(x + bias, approximate=approximate), (x, bias), 2 * x.nbytes


def swiglu(dtype):
    g, u = normal(16384, 8192, dtype=dtype), normal(16384, 8192, dtype=dtype)
    return lambda g, u: F.silu(g) * u, (g, u), 3 * g.nbytes


def softmax(rows, columns, dtype):
    x = normal(rows, columns, dtype=dtype)
    return lambda x: F.softmax(x, -1), (x,), 2 * x.nbytes


def vectors(columns, dtype):
    return 1 + 0.25 * normal(columns, dtype=dtype), 0.5 * normal(columns, dtype=dtype)


def layer_norm(rows, columns, dtype):
    x, (gamma, beta) = normal(rows, columns, dtype=dtype), vectors(columns, dtype)
    return lambda x, g, b: F.layer_norm(x, (columns,), g, b, 1e-5), (x, gamma, beta), 2 * x.nbytes


def rms_norm(rows, columns, dtype):
    x, (gamma, _) = normal(rows, columns, dtype=dtype), vectors(columns, dtype)
    return lambda x, g: F.rms_norm(x, (columns,), g, 1e-6), (x, gamma), 2 * x.nbytes


def layer_norm_gelu():
    x, (gamma, beta) = normal(16384, 4096, dtype=torch.bfloat16), vectors(4096, torch.bfloat16)
    return (lambda x, g, b: F.gelu(F.layer_norm(x, (4096,), g, b, 1e-5), approximate="tanh"), (x, gamma, beta),
            2 * x.nbytes)


def residual_norm(layer):
    x, r = normal(16384, 4096, dtype=torch.bfloat16), normal(16384, 4096, dtype=torch.bfloat16)
    gamma, beta = vectors(4096, torch.bfloat16)

    def both(x, r, g, b):
        kept = x + r
        return (F.layer_norm(kept, (4096,), g, b, 1e-5) if layer else F.rms_norm(kept, (4096,), g, 1e-6)), kept
    return both, (x, r, gamma, beta), 4 * x.nbytes


def bias_gelu_row_sum():
    x, bias = normal(8192, 8192, dtype=torch.float16), normal(8192, dtype=torch.float16)

    def both(x, bias):
        y = F.gelu(x + bias)
        return y, y.sum(-1, dtype=torch.float64 if y.dtype == torch.float64 else torch.float32)
    return both, (x, bias), 2 * x.nbytes


def rows_of(name, build):
    """2^27 elements of bf16 by some widths."""
    return {f"{name}/bf16/{2**27 // c}x{c}": lambda c=c: build(2**27 // c, c, torch.bfloat16)
            for c in (1024, 4096, 16384, 32768, 131072)}


WORKLOADS = {
    **rows_of("softmax", softmax),
    **rows_of("layer_norm", layer_norm),
    **rows_of("rms_norm", rms_norm),
    "layer_norm_gelu/bf16/16384x4096": layer_norm_gelu,
    "residual_layer_norm/bf16/16384x4096": lambda: residual_norm(True),
    "residual_rms_norm/bf16/16384x4096": lambda: residual_norm(False),
    "bias_gelu_row_sum/f16/8192x8192": bias_gelu_row_sum,
    "sum_abs/f32/2^28": lambda: sum_abs(2**28, torch.float32),
    "chain/f32/2^28": lambda: chain(2**28),
    "chain/f32/2^24": lambda: chain(2**24),
    "bias_gelu/f16/16384x4096": lambda: bias_gelu(torch.float16, "none"),
    "bias_gelu/bf16/16384x4096": lambda: bias_gelu(torch.bfloat16, "none"),
    "bias_gelu_tanh/f16/16384x4096": lambda: bias_gelu(torch.float16, "tanh"),
    "bias_gelu_tanh/bf16/16384x4096": lambda: bias_gelu(torch.bfloat16, "tanh"),
    "swiglu/bf16/16384x8192": lambda: swiglu(torch.bfloat16),
}


def is_right(function, reference, inputs):
    """Compares with the eager function in float64, by the norm of the difference."""
    def flat(result):
        parts = result if isinstance(result, tuple) else (result,)
        return torch.cat([part.double().flatten() for part in parts])
    got = flat(function(*inputs))
    want = flat(reference(*(each.double() for each in inputs)))
    tolerance = 1e-5 if inputs[0].dtype == torch.float32 else 1e-2
    return bool((got - want).norm() <= tolerance * want.norm())


class Clock:
    """Samples of device time behind a cleared L2 cache."""

    def __init__(self):
        size = 4 * torch.cuda.get_device_properties(0).L2_cache_size
        self.clearing = torch.ones(size // 4, device=DEVICE)

    def sample(self, function, inputs):
        # By reading, so that the lines left behind are clean. The device is busy with it while the host enqueues the
        # rest; an eager chain is slow to enqueue, so it is cleared often enough to hide that too.
        for _ in range(4):
            self.clearing.sum()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        function(*inputs)
        end.record()
        return begin, end


def measure(clock, functions, inputs, rounds):
    """Microseconds per call: a list of samples for each name of `functions`."""
    samples = {name: [] for name in functions}
    names = list(functions)
    for taken in range(-WARMUPS, rounds):
        first = taken % len(names)
        events = {name: clock.sample(functions[name], inputs) for name in names[first:] + names[:first]}
        torch.cuda.synchronize()
        for name, (begin, end) in events.items():
            if taken >= 0:
                samples[name].append(1e3 * begin.elapsed_time(end))
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="append one object per result to this file")
    parser.add_argument("--filter", default="", help="only workloads whose name contains this text")
    parser.add_argument("--rounds", type=int, default=41)
    wanted = parser.parse_args()

    torch.manual_seed(1)
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {date}")
    clock = Clock()
    right = True
    for workload, build in WORKLOADS.items():
        if wanted.filter not in workload:
            continue
        reference, inputs, size = build()
        torch.compiler.reset()
        functions = {"torch_eager": reference, "torch_compile": torch.compile(reference, dynamic=False)}
        for name in list(functions):
            if not is_right(functions[name], reference, inputs):
                print(f"{workload}, {name}: WRONG, not timed")
                del functions[name]
                right = False
        for name, us in measure(clock, functions, inputs, wanted.rounds).items():
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
                "device": torch.cuda.get_device_name(),
                "date": date,
                "rounds": len(us),
                "cuda": torch.version.cuda,
            }
            print(f"{workload:34} {name:14} {result['median_us']:10.2f} us {size / result['median_us'] * 1e-6:7.3f} TB/s")
            if wanted.json:
                with open(wanted.json, "a") as file:
                    print(json.dumps(result), file=file)
        del inputs, functions
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
