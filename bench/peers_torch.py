# SPDX-License-Identifier: Apache-2.0
"""Part of the peers: the workloads of onepass_bench as functions of PyTorch, under the same names."""
import dataclasses
import functools
import importlib
import typing

import torch
import torch.nn.functional as F

DEVICE = "cuda"
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


@dataclasses.dataclass
class Work:
    function: typing.Callable  # of inputs; a tensor or a tuple of them
    inputs: tuple
    bytes: int  # the fewest that the work must move
    launches: typing.Callable = None  # the launches of a kernel in Triton to choose from; see peers_triton
    exact: typing.Callable = None  # of inputs in float64; None: function is
    seen: typing.Callable = None  # the results in the form of those of exact; None: as they are
    tolerances: tuple = ()  # of each result, as a share of its norm; past the end 1e-5 for inputs of f32, else 1e-2


def kernel(name, *inputs, **options):
    """Imports Triton only when it is called."""
    return lambda: getattr(importlib.import_module("peers_triton"), name)(*inputs, **options)


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=DEVICE, dtype=torch.float32).to(dtype)


def vectors(columns, dtype):
    return 1 + 0.25 * normal(columns, dtype=dtype), 0.5 * normal(columns, dtype=dtype)


# ---- elementwise chains and a reduction


def sum_abs(n, dtype):
    x = normal(n, dtype=dtype)
    return Work(lambda x: x.abs().sum(), (x,), x.nbytes)


def chain(n):
    x, r = normal(n), normal(n)
    return Work(lambda x, r: torch.clamp(F.gelu(x * 1.25 + 0.5) + r, -1.0, 6.0), (x, r), 3 * x.nbytes)


def bias_gelu(approximate, rows, columns, dtype):
    x, bias = normal(rows, columns, dtype=dtype), 0.5 * normal(columns, dtype=dtype)
    return Work(lambda x, bias: F.gelu(x + bias, approximate=approximate), (x, bias), 2 * x.nbytes)


def swiglu(rows, columns, dtype):
    g, u = normal(rows, columns, dtype=dtype), normal(rows, columns, dtype=dtype)
    return Work(lambda g, u: F.silu(g) * u, (g, u), 3 * g.nbytes)


# ---- rows


def softmax(rows, columns, dtype):
    x = normal(rows, columns, dtype=dtype)
    return Work(lambda x: F.softmax(x, -1), (x,), 2 * x.nbytes, kernel("softmax", x))


def norm_of(layer, columns):
    """layer_norm or rms_norm; the latter leaves beta out."""
    if layer:
        return lambda x, gamma, beta: F.layer_norm(x, (columns,), gamma, beta, 1e-5)
    return lambda x, gamma, beta: F.rms_norm(x, (columns,), gamma, 1e-6)


def norm(layer, rows, columns, dtype):
    x, (gamma, beta) = normal(rows, columns, dtype=dtype), vectors(columns, dtype)
    return Work(norm_of(layer, columns), (x, gamma, beta), 2 * x.nbytes, kernel("norm", layer, x, gamma, beta))


def layer_norm_gelu(rows, columns, dtype):
    x, (gamma, beta), layer_norm = normal(rows, columns, dtype=dtype), vectors(columns, dtype), norm_of(True, columns)
    return Work(lambda x, gamma, beta: F.gelu(layer_norm(x, gamma, beta), approximate="tanh"), (x, gamma, beta),
                2 * x.nbytes, kernel("norm", True, x, gamma, beta, gelu=True))


def residual_norm(layer, rows, columns, dtype):
    x, r = normal(rows, columns, dtype=dtype), normal(rows, columns, dtype=dtype)
    (gamma, beta), of_sum = vectors(columns, dtype), norm_of(layer, columns)

    def both(x, r, gamma, beta):
        kept = x + r
        return of_sum(kept, gamma, beta), kept
    return Work(both, (x, r, gamma, beta), 4 * x.nbytes, kernel("norm", layer, x, gamma, beta, residual=r))


def rms_norm_f8(group, rows, columns, dtype):
    """`group` columns of a row share a scale, f32. Compared: what the quantised values stand for, and the scales."""
    x, (gamma, _) = normal(rows, columns, dtype=dtype), vectors(columns, dtype)

    def scaled(x, gamma, wide):
        y = F.rms_norm(x, (columns,), gamma, 1e-6).to(wide).view(rows, columns // group, group)
        return y, y.abs().amax(-1, keepdim=True) / 448

    def quantised(x, gamma):
        y, scale = scaled(x, gamma, torch.float32)
        return (y / scale).to(torch.float8_e4m3fn), scale
    return Work(quantised, (x, gamma), x.nbytes + x.numel() + 4 * (x.numel() // group),
                kernel("rms_norm_f8", x, gamma, group),
                exact=lambda x, gamma: scaled(x, gamma, torch.float64),
                seen=lambda q, scale: (q.float() * scale, scale),
                tolerances=(0.04,))  # rounding to 4 significant bits: 0.026


def bias_gelu_row_sum(rows, columns, dtype):
    x, bias = normal(rows, columns, dtype=dtype), 0.5 * normal(columns, dtype=dtype)

    def both(x, bias, wide=torch.float32):
        y = F.gelu(x + bias)
        return y, y.sum(-1, dtype=wide)
    return Work(both, (x, bias), 2 * x.nbytes, kernel("bias_gelu_row_sum", x, bias),
                exact=lambda x, bias: both(x, bias, torch.float64))


def cross_entropy(rows, columns, dtype):
    """The loss and log_sum_exp of each row, in the type of x from PyTorch and in f32 from Triton."""
    x, labels = normal(rows, columns, dtype=dtype), torch.randint(columns, (rows,), device=DEVICE)
    return Work(lambda x, labels: (F.cross_entropy(x, labels, reduction="none"), torch.logsumexp(x, -1)), (x, labels),
                x.nbytes + 16 * rows, kernel("cross_entropy", x, labels))


# ---- names

ROW_ELEMENTS = 2**27
ROWS = {"softmax": softmax, "rms_norm": functools.partial(norm, False), "layer_norm": functools.partial(norm, True)}


def shaped(name, build, kind, rows, columns):
    return f"{name}/{kind}/{rows}x{columns}", lambda: build(rows, columns, TYPES[kind])


def workloads():
    """{name: a function that makes the Work}, what is wanted most first."""
    def each_of_rows(rows, columns, kind):
        return [shaped(name, build, kind, rows, columns) for name, build in ROWS.items()]

    every = []
    for columns in (64, 256, 1024, 4096, 16384, 32768, 65536, 131072, 262144):
        for kind in ("bf16", "f32"):
            every += each_of_rows(ROW_ELEMENTS // columns, columns, kind)
    for columns in (4096, 32768, 131072, 262144):
        for kind in ("bf16", "f32"):
            every.append(shaped("cross_entropy", cross_entropy, kind, ROW_ELEMENTS // columns, columns))
    every += [
        shaped("cross_entropy", cross_entropy, "bf16", 2048, 50257),
        shaped("layer_norm_gelu", layer_norm_gelu, "bf16", 16384, 4096),
        shaped("residual_layer_norm", functools.partial(residual_norm, True), "bf16", 16384, 4096),
        shaped("residual_rms_norm", functools.partial(residual_norm, False), "bf16", 16384, 4096),
        shaped("rms_norm_f8_rows", functools.partial(rms_norm_f8, 4096), "bf16", 16384, 4096),
        shaped("rms_norm_f8_groups", functools.partial(rms_norm_f8, 128), "bf16", 16384, 4096),
        shaped("bias_gelu_row_sum", bias_gelu_row_sum, "f16", 8192, 8192),
    ]
    for columns in (1001, 4097, 12289, 50257):
        every += each_of_rows(ROW_ELEMENTS // columns, columns, "bf16")
    for kind in ("bf16", "f32"):
        for rows in (1, 8, 132):
            for columns in (4096, 32768, 262144):
                every += each_of_rows(rows, columns, kind)
    every += [
        ("sum_abs/f32/2^28", lambda: sum_abs(2**28, torch.float32)),
        ("chain/f32/2^28", lambda: chain(2**28)),
        ("chain/f32/2^24", lambda: chain(2**24)),
    ]
    for name, approximate in (("bias_gelu", "none"), ("bias_gelu_tanh", "tanh")):
        for kind in ("f16", "bf16"):
            every.append(shaped(name, functools.partial(bias_gelu, approximate), kind, 16384, 4096))
    every.append(shaped("swiglu", swiglu, "bf16", 16384, 8192))
    return dict(every)
