# SPDX-License-Identifier: Apache-2.0
"""Makes the table of ops, include/onepass/stage/README.md, out of what was measured.

    op_table.py <output of tests/device.sh> <output of bench/cost.py>

The errors are those that tests/kernel/{numerics,activation}.cu print: over all 2^32 inputs in f32, over all 65536 in f16
and bf16, where 1 ulp is the distance from the correctly rounded result.
"""
import math
import re
import sys
from pathlib import Path

# word: (as written, formula, source of the form that is not the textbook's)
OPS = {
    "add": ("add(b)", "x + b"), "subtract": ("subtract(b)", "x - b"), "multiply": ("multiply(b)", "x b"),
    "divide": ("divide(b)", "x / b; of integers by 0: 0"),
    "remainder": ("remainder(b)", "x - b trunc(x / b), exact, of the sign of x; of integers by 0: 0"),
    "multiply_add": ("multiply_add(a, b)", "x a + b, rounded once"), "minimum": ("minimum(b)", "the lesser; NaN if one is"),
    "maximum": ("maximum(b)", "the greater; NaN if one is"), "clamp": ("clamp(low, high)", "min(max(x, low), high)"),
    "negate": ("negate", "-x"), "abs": ("abs", "\\|x\\|; of an i32 an i64"), "sign": ("sign", "-1, 0, 1; -0 stays"),
    "square": ("square", "x²"), "reciprocal": ("reciprocal", "1 / x"), "power": ("power(b)", "x^b, as C's pow"),
    "sqrt": ("sqrt", "√x"), "rsqrt": ("rsqrt", "1 / √x"), "exp": ("exp", "e^x"), "exp2": ("exp2", "2^x"),
    "expm1": ("expm1", "e^x - 1"), "log": ("log", "ln x"), "log2": ("log2", "log₂ x"), "log10": ("log10", "log₁₀ x"),
    "log1p": ("log1p", "ln(1 + x)"), "sin": ("sin", "sin x"), "cos": ("cos", "cos x"), "tanh": ("tanh", "tanh x"),
    "erf": ("erf", "2 / √π ∫₀ˣ e^-t² dt"), "sigmoid": ("sigmoid", "1 / (1 + e^-x)"),
    "floor": ("floor", "towards -∞"), "ceil": ("ceil", "towards +∞"), "trunc": ("trunc", "towards 0"),
    "round": ("round", "to nearest, halves to even"),
    "less": ("less(b), less_equal(b), greater(b), greater_equal(b), equal(b), not_equal(b)", "bool; integers of mixed sign by value"),
    "is_nan": ("is_nan, is_inf, is_finite", "bool"),
    "logical_and": ("logical_and(b), logical_or(b), logical_xor(b), logical_not", "bool"),
    "bit_and": ("bit_and(b), bit_or(b), bit_xor(b), bit_not", "integers"),
    "shift_left": ("shift_left(b), shift_right(b)", "integers; by the width or more 0, or the sign"),
    "where": ("where(mask, b)", "x where mask is not 0, else b"),
    "conjugate": ("conjugate, real, imag", "of a complex value"),
    "relu": ("relu", "max(x, 0)"), "relu6": ("relu6", "min(max(x, 0), 6)"), "squared_relu": ("squared_relu", "max(x, 0)²; So et al. 2021"),
    "leaky_relu": ("leaky_relu(slope), prelu(slope)", "x, below 0 slope x; He et al. 2015"),
    "hardtanh": ("hardtanh", "min(max(x, -1), 1)"), "hardsigmoid": ("hardsigmoid", "min(max(x + 3, 0), 6) / 6"),
    "hardswish": ("hardswish", "x hardsigmoid(x); Howard et al. 2019"), "softsign": ("softsign", "x / (1 + \\|x\\|)"),
    "elu": ("elu(alpha)", "x, below 0 alpha (e^x - 1); Clevert et al. 2016"),
    "selu": ("selu", "1.0507 elu(1.6733); Klambauer et al. 2017"),
    "celu": ("celu(alpha)", "x, below 0 alpha (e^(x / alpha) - 1); Barron 2017"),
    "softplus": ("softplus", "ln(1 + e^x)"), "log_sigmoid": ("log_sigmoid", "-ln(1 + e^-x)"),
    "silu": ("silu", "x sigmoid(x); Elfwing et al. 2017"), "mish": ("mish", "x tanh(softplus(x)); Misra 2019"),
    "gelu": ("gelu", "x Φ(x); Hendrycks and Gimpel 2016"),
    "gelu_tanh": ("gelu_tanh", "x / 2 (1 + tanh(√(2 / π) (x + 0.044715 x³)))"),
    "quick_gelu": ("quick_gelu", "x sigmoid(1.702 x)"), "swiglu": ("swiglu, swiglu(up)", "silu(gate) up; Shazeer 2020"),
    "geglu": ("geglu, geglu(up)", "gelu(gate) up"), "geglu_tanh": ("geglu_tanh, geglu_tanh(up)", "gelu_tanh(gate) up"),
    "reglu": ("reglu, reglu(up)", "max(gate, 0) up"),
    "swiglu_clamped": ("swiglu_clamped(alpha, limit), swiglu_clamped(alpha, limit)(up)",
                       "g sigmoid(alpha g) (u + 1), g = min(gate, limit), u = clamp(up, -limit, limit)"),
    "dropout": ("dropout(p, seed, offset, tee(store(mask)))", "x / (1 - p), with probability p 0"),
}
ROUNDED_ONCE = {"add", "subtract", "multiply", "divide", "multiply_add", "square", "reglu"}  # 0.5 ulp by construction
EXACT = {"minimum", "maximum", "clamp", "negate", "abs", "relu", "relu6", "hardtanh", "where"}

HEAD = """# The ops

Every op, its formula, its largest error on an NVIDIA H200, and what it costs there. f32: over all 2³² inputs, in ulp of
the exact value. f16 and bf16: over all 65536 inputs, stored in the same type, in ulp from the correctly rounded value.
`power` is measured over all x for the exponents 3, 0.5, -1.625 and 11000, ops of a parameter for one parameter. Cost:
machine instructions per element for sm_90 beyond load and store, of a map of f32 and of one of bf16, slow paths that
are not taken included. f64 is computed by CUDA's math library or by the same forms; on the host it is sampled by the
tests beside each header's. Where no error stands, the result is exact or an integer.

| op | formula | f32, ulp | f16 | bf16 | instructions, f32 | bf16 |
|---|---|---|---|---|---|---|"""


def main(log, cost):
    errors = {}
    for name, error in re.findall(r"^f32 (\S+)\s+\[.*?\]: ([0-9.]+) ulp", log, re.M):
        word = name.split("(")[0]
        errors[word, "f32"] = max(float(error), errors.get((word, "f32"), 0))
    for kind, name, error in re.findall(r"^(b?f16) (\S+): (\d+) ulp", log, re.M):
        gate = re.fullmatch(r"times_up64<(\w+)64>", name)
        word = {"silu": "swiglu", "gelu": "geglu", "gelu_tanh": "geglu_tanh"}[gate[1]] if gate else re.split(r"_?64", name)[0]
        word = {"clamped": "swiglu_clamped", "third": "divide"}.get(word, word)
        errors[word, kind] = max(int(error), errors.get((word, kind), 0))
    costs = {name: (a, b) for name, a, b in (line.split() for line in cost.splitlines())}
    print(HEAD)
    for word, (written, formula) in OPS.items():
        measured = [errors.get((word, kind)) for kind in ("f32", "f16", "bf16")]
        f32 = "0.5" if word in ROUNDED_ONCE else "0" if word in EXACT or measured[0] == 0 else f"{math.ceil(measured[0] * 100 - 1e-6) / 100:.2f}" if measured[0] is not None else ""
        halves = ["" if error is None else str(error) for error in measured[1:]]
        print("| " + " | ".join([f"`{written}`", formula, f32, *halves, *costs.get(word, ("", ""))]) + " |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*(Path(path).read_text(encoding="utf-8") for path in sys.argv[1:]))
