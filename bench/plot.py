#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws results/roof.svg from results/*.jsonl: how near to the roof each implementation comes.

    python3 bench/plot.py

The share is the roof's time over the implementation's. Of several results for one implementation the newest counts. The
picture has no background and two sets of colours, for light and for dark pages.
"""
import json
import pathlib
import sys
from xml.sax.saxutils import escape

RESULTS = pathlib.Path(__file__).parent / "results"

# What is shown, from top to bottom. The misaligned inputs are onepass's own matter and stand in the tables.
SHOWN = {
    "sum_abs/f32/2^28": "sum of |x|, f32, 2²⁸",
    "sum_abs/f32/2^20/graph": "sum of |x|, f32, 2²⁰, in a graph",
    "sum_abs/f32/2^10/graph": "sum of |x|, f32, 2¹⁰, in a graph",
    "sum_abs/bf16/2^28": "sum of |x|, bf16, 2²⁸",
    "sum_max_sumsq/f32/2^28": "sum, maximum, sum of squares at once",
    "mean_variance/f32/2^28": "mean and variance, f32, 2²⁸",
    "argmax/f32/2^28": "argmax, f32, 2²⁸",
    "chain/f32/2^28": "scale, bias, GELU, residual, clamp, 2²⁸",
    "chain/f32/2^24": "scale, bias, GELU, residual, clamp, 2²⁴",
    "chain6/f32/2^28": "six cheap stages, f32, 2²⁸",
    "bias_gelu/bf16/16384x4096": "bias, GELU (erf), bf16",
    "bias_gelu_tanh/bf16/16384x4096": "bias, GELU (tanh), bf16",
    "swiglu/bf16/16384x8192": "SwiGLU, bf16",
}
# Names as a reader knows them; the order is that of the bars.
IMPLEMENTATIONS = {
    "onepass": "onepass",
    "cub": "CUB",
    "hand": "by hand",
    "compile": "torch.compile",
    "triton": "Triton",
    "eager": "PyTorch eager",
    "unfused": "one kernel per stage",
}

# As results until 2026-11-30 name them.
FORMER_NAMES = {"torch_compile": "compile", "torch_eager": "eager"}

WIDTH, MARGIN = 860, 16
LABELS, SCALE = 270, 400  # pixels: the column of labels, and a share of 1
PITCH, BAR, GAP = 14, 10, 10  # of bars, and between workloads

STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #3d444d }
  .title { font-weight: 600; font-size: 14px }
  .small { font-size: 11px; fill: #6b737c }
  .onepass { fill: #2f6f9f }
  .peer { fill: #b4bbc3 }
  .roof { stroke: #6b737c; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #d0d7de }
    .small { fill: #9198a1 }
    .onepass { fill: #6cb0e0 }
    .peer { fill: #59616b }
    .roof { stroke: #9198a1 }
  }
"""


def newest(paths):
    """{workload: {implementation: result}}; dates are ISO 8601 in UTC, so they sort as text."""
    results = {}
    for path in paths:
        for line in path.read_text().splitlines():
            result = json.loads(line)
            if "median_us" not in result:  # of bytes.py
                continue
            known = results.setdefault(result["workload"], {})
            name = FORMER_NAMES.get(result["impl"], result["impl"])
            if name not in known or known[name]["date"] <= result["date"]:
                known[name] = result
    return results


def shares(known):
    """[(implementation, share of the roof)]; a peer from another program is held against the newest roof."""
    if "roof" not in known:
        return []
    roof = known["roof"]["median_us"]
    return [
        (name, (known[name]["roof_us"] or roof) / known[name]["median_us"]) for name in IMPLEMENTATIONS if name in known
    ]


def draw(results):
    rows = [(title, shares(results.get(workload, {}))) for workload, title in SHOWN.items()]
    rows = [(title, bars) for title, bars in rows if bars]
    device = next(iter(results.values()))["roof"]["device"]
    left, y = MARGIN + LABELS, MARGIN + 58
    parts = []
    for title, bars in rows:
        parts.append(f'<text x="{left - 10}" y="{y + BAR}" text-anchor="end">{escape(title)}</text>')
        for name, share in bars:
            kind = "onepass" if name == "onepass" else "peer"
            length = share * SCALE
            parts.append(f'<rect class="{kind}" x="{left}" y="{y}" width="{length:.1f}" height="{BAR}" rx="1.5"/>')
            # Behind the roof's line, where a bar ends just short of it.
            after = max(length, SCALE) if length > 0.6 * SCALE else length
            label = escape(f"{share:.2f}  {IMPLEMENTATIONS[name]}")
            parts.append(f'<text class="small" x="{left + after + 8:.1f}" y="{y + BAR - 1}">{label}</text>')
            y += PITCH
        y += GAP
    roof = left + SCALE
    head = [
        f'<text class="title" x="{MARGIN}" y="{MARGIN + 12}">Share of the roof on one {escape(device)}</text>',
        f'<text class="small" x="{MARGIN}" y="{MARGIN + 30}">The roof is a plain kernel that moves the same bytes and '
        "computes nothing, timed in the same rounds. Longer is faster.</text>",
        f'<text class="small" x="{roof}" y="{MARGIN + 44}" text-anchor="middle">roof</text>',
        f'<line class="roof" x1="{roof}" y1="{MARGIN + 48}" x2="{roof}" y2="{y - GAP}"/>',
    ]
    height = y - GAP + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            'role="img" aria-label="Share of the roof per workload and implementation">',
            f"<style>{STYLE}</style>",
            *head,
            *parts,
            "</svg>\n",
        ]
    )


def main():
    results = {name: known for name, known in newest(sorted(RESULTS.glob("*.jsonl"))).items() if shares(known)}
    if not results:
        print(f"no results with a roof in {RESULTS}", file=sys.stderr)
        return 1
    (RESULTS / "roof.svg").write_text(draw(results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
