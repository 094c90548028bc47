# SPDX-License-Identifier: Apache-2.0
"""Part of the peers: rows in Triton as a user writes them, for peers.py to time. Needs Triton 3.

Up to 65536 columns a program holds whole rows in registers, several where they are narrow; from 32768 columns on it may
also go over one row in blocks, twice. Each function here takes its inputs, allocates its outputs once, and returns
launches to choose from: pairs of a label and a function that launches the kernel and returns the outputs. Everything is
contiguous, has fewer than 2^31 elements, and is computed in f32.
"""
import torch
import triton
import triton.language as tl

# ---- whole rows: ROWS rows per program, of COLUMNS columns in a tile of WIDTH, a power of two


@triton.jit
def tile_of(rows, COLUMNS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    return row, column, row * COLUMNS + column, (row < rows) & (column < COLUMNS)


@triton.jit
def gelu_tanh(t):
    return t / (1 + tl.exp(-1.5957691216057308 * (t + 0.044715 * t * t * t)))


@triton.jit(do_not_specialize=["rows"])
def softmax_tile(x, y, rows, COLUMNS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row, column, at, mask = tile_of(rows, COLUMNS, ROWS, WIDTH)
    value = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
    powers = tl.exp(value - tl.max(value, 1, keep_dims=True))
    tl.store(y + at, powers * (1 / tl.sum(powers, 1, keep_dims=True)), mask=mask)


# r and kept count with RESIDUAL only, beta with LAYER.
@triton.jit(do_not_specialize=["rows"])
def norm_tile(x, r, gamma, beta, y, kept, rows, epsilon, LAYER: tl.constexpr, RESIDUAL: tl.constexpr,
              GELU: tl.constexpr, COLUMNS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row, column, at, mask = tile_of(rows, COLUMNS, ROWS, WIDTH)
    value = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    if RESIDUAL:
        value += tl.load(r + at, mask=mask, other=0.0).to(tl.float32)
        tl.store(kept + at, value, mask=mask)
    if LAYER:
        value = tl.where(mask, value - tl.sum(value, 1, keep_dims=True) / COLUMNS, 0.0)
    scale = 1 / tl.sqrt(tl.sum(value * value, 1, keep_dims=True) / COLUMNS + epsilon)
    value = value * scale * tl.load(gamma + column, mask=column < COLUMNS, other=0.0).to(tl.float32)
    if LAYER:
        value += tl.load(beta + column, mask=column < COLUMNS, other=0.0).to(tl.float32)
    if GELU:
        value = gelu_tanh(value)
    tl.store(y + at, value, mask=mask)


@triton.jit(do_not_specialize=["rows"])
def cross_entropy_tile(x, labels, loss, lse, rows, COLUMNS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row, column, at, mask = tile_of(rows, COLUMNS, ROWS, WIDTH)
    value = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
    most = tl.max(value, 1, keep_dims=True)
    total = most + tl.log(tl.sum(tl.exp(value - most), 1, keep_dims=True))
    label = tl.load(labels + row, mask=row < rows, other=0)
    chosen = tl.load(x + row * COLUMNS + label, mask=row < rows, other=0.0).to(tl.float32)
    tl.store(loss + row, total - chosen, mask=row < rows)
    tl.store(lse + row, total, mask=row < rows)


@triton.jit(do_not_specialize=["rows"])
def bias_gelu_row_sum_tile(x, bias, y, sums, rows, COLUMNS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row, column, at, mask = tile_of(rows, COLUMNS, ROWS, WIDTH)
    value = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    value += tl.load(bias + column, mask=column < COLUMNS, other=0.0).to(tl.float32)
    value = 0.5 * value * (1 + tl.erf(value * 0.7071067811865476))
    tl.store(y + at, value, mask=mask)
    tl.store(sums + row, tl.sum(tl.where(mask, value, 0.0), 1, keep_dims=True), mask=row < rows)


# One row per program, of COLUMNS columns, a power of two; GROUP of them, a power of two, share a scale.
@triton.jit
def rms_norm_f8_row(x, gamma, q, scales, epsilon, COLUMNS: tl.constexpr, GROUP: tl.constexpr):
    group = tl.arange(0, COLUMNS // GROUP)[:, None]
    column = group * GROUP + tl.arange(0, GROUP)[None, :]
    at = tl.program_id(0) * COLUMNS + column
    value = tl.load(x + at).to(tl.float32)
    squares = tl.sum(tl.sum(value * value, 1), 0)
    value = value * (1 / tl.sqrt(squares / COLUMNS + epsilon)) * tl.load(gamma + column).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(value), 1, keep_dims=True) * (1 / 448), 1e-30)
    tl.store(q + at, (value * (1 / scale)).to(tl.float8e4nv))
    tl.store(scales + tl.program_id(0) * (COLUMNS // GROUP) + group, scale)


# ---- rows in blocks: one row per program, COLUMNS >= BLOCK


@triton.jit
def softmax_loop(x, y, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * COLUMNS
    most = float("-inf")
    powers = tl.zeros([BLOCK], tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(x + first + column, mask=column < COLUMNS, other=float("-inf"),
                        eviction_policy="evict_last").to(tl.float32)
        more = tl.maximum(most, tl.max(value, 0))
        powers = powers * tl.exp(most - more) + tl.exp(value - more)
        most = more
    inverse = 1 / tl.sum(powers, 0)
    for start in range(0, COLUMNS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(x + first + column, mask=column < COLUMNS, other=0.0,
                        eviction_policy="evict_first").to(tl.float32)
        tl.store(y + first + column, tl.exp(value - most) * inverse, mask=column < COLUMNS)


# The mean and the variance of each lane of a block by Welford's updates; lanes differ by one element at most.
@triton.jit
def norm_loop(x, gamma, beta, y, epsilon, LAYER: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * COLUMNS
    mean = tl.zeros([BLOCK], tl.float32)
    squares = tl.zeros([BLOCK], tl.float32)
    seen = 0.0
    for start in range(0, COLUMNS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(x + first + column, mask=column < COLUMNS, other=0.0,
                        eviction_policy="evict_last").to(tl.float32)
        if LAYER:
            seen += 1.0
            off = tl.where(column < COLUMNS, value - mean, 0.0)
            mean += off * (1 / seen)
            squares += off * (value - mean)
        else:
            squares += value * value
    if LAYER:
        count = ((COLUMNS - 1 - tl.arange(0, BLOCK)) // BLOCK + 1).to(tl.float32)
        middle = tl.sum(mean * count, 0) / COLUMNS
        squares += count * (mean - middle) * (mean - middle)
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / COLUMNS + epsilon)
    for start in range(0, COLUMNS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(x + first + column, mask=column < COLUMNS, other=0.0,
                        eviction_policy="evict_first").to(tl.float32)
        if LAYER:
            value -= middle
        value = value * scale * tl.load(gamma + column, mask=column < COLUMNS, other=0.0).to(tl.float32)
        if LAYER:
            value += tl.load(beta + column, mask=column < COLUMNS, other=0.0).to(tl.float32)
        tl.store(y + first + column, value, mask=column < COLUMNS)


@triton.jit
def cross_entropy_loop(x, labels, loss, lse, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = row * COLUMNS
    most = float("-inf")
    powers = tl.zeros([BLOCK], tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(x + first + column, mask=column < COLUMNS, other=float("-inf")).to(tl.float32)
        more = tl.maximum(most, tl.max(value, 0))
        powers = powers * tl.exp(most - more) + tl.exp(value - more)
        most = more
    total = most + tl.log(tl.sum(powers, 0))
    chosen = tl.load(x + first + tl.load(labels + row)).to(tl.float32)
    tl.store(loss + row, total - chosen)
    tl.store(lse + row, total)


# ---- launches


def launch(kernel, programs, outputs, arguments, constants):
    def call(*_):
        kernel[(programs,)](*arguments, **constants)
        return outputs
    return call


def tiles(kernel, rows, columns, outputs, arguments, **constants):
    """Launches of a kernel of whole rows; none above 65536 columns."""
    width = triton.next_power_of_2(columns)
    if width > 65536:
        return []
    # Elements of a program, and of each of its threads.
    cuts = [(width, each) for each in (8, 16, 32, 64)]
    if width < 2048:
        cuts = [(2048, 16), (2048, 32), (8192, 16), (8192, 32)]
    found = {}
    for elements, each in cuts:
        held, warps = elements // width, min(32, max(1, elements // (32 * each)))
        found[f"{held} rows, {warps} warps"] = launch(
            kernel, triton.cdiv(rows, held), outputs, arguments,
            dict(COLUMNS=columns, ROWS=held, WIDTH=width, num_warps=warps, **constants))
    return list(found.items())


def loops(kernel, rows, columns, outputs, arguments, **constants):
    """Launches of a kernel that goes over rows in blocks; none below 32768 columns."""
    if columns < 32768:
        return []
    return [(f"blocks of {block}, {warps} warps",
             launch(kernel, rows, outputs, arguments, dict(COLUMNS=columns, BLOCK=block, num_warps=warps, **constants)))
            for block, warps in ((4096, 8), (8192, 8), (8192, 16), (16384, 32))]


def softmax(x):
    rows, columns = x.shape
    y = torch.empty_like(x)
    return (tiles(softmax_tile, rows, columns, (y,), (x, y, rows)) +
            loops(softmax_loop, rows, columns, (y,), (x, y)))


def norm(layer, x, gamma, beta, residual=None, gelu=False):
    """layer_norm, or rms_norm without beta; with a residual, x + residual too; GELU by tanh. No loops with either."""
    rows, columns = x.shape
    epsilon, adds = (1e-5 if layer else 1e-6), residual is not None
    y = torch.empty_like(x)
    kept = torch.empty_like(x) if adds else y
    whole = tiles(norm_tile, rows, columns, (y, kept) if adds else (y,),
                  (x, residual if adds else x, gamma, beta, y, kept, rows, epsilon),
                  LAYER=layer, RESIDUAL=adds, GELU=gelu)
    if adds or gelu:
        return whole
    return whole + loops(norm_loop, rows, columns, (y,), (x, gamma, beta, y, epsilon), LAYER=layer)


def cross_entropy(x, labels):
    rows, columns = x.shape
    loss, lse = (torch.empty(rows, device=x.device) for _ in range(2))
    return (tiles(cross_entropy_tile, rows, columns, (loss, lse), (x, labels, loss, lse, rows)) +
            loops(cross_entropy_loop, rows, columns, (loss, lse), (x, labels, loss, lse)))


def bias_gelu_row_sum(x, bias):
    rows, columns = x.shape
    y, sums = torch.empty_like(x), torch.empty(rows, device=x.device)
    return tiles(bias_gelu_row_sum_tile, rows, columns, (y, sums), (x, bias, y, sums, rows))


def rms_norm_f8(x, gamma, group):
    rows, columns = x.shape
    q = torch.empty(rows, columns // group, group, device=x.device, dtype=torch.float8_e4m3fn)
    scales = torch.empty(rows, columns // group, 1, device=x.device)
    return [(f"{warps} warps", launch(rms_norm_f8_row, rows, (q, scales), (x, gamma, q, scales, 1e-6),
                                      dict(COLUMNS=columns, GROUP=group, num_warps=warps)))
            for warps in (4, 8, 16)]
