#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a program of random pipelines for fuzz.hpp to the standard output: make.py <seed> <count>

Each pipeline is a function: its arrays, the launch, and beside it the same words of reference.hpp for every element. A
value is f32, an integer that is small enough for i32 (`bound` says how small), or a u32 that wraps."""
import random
import re
import sys

FLOATS = ['f32', 'f16', 'f16', 'bf16', 'bf16', 'e4m3', 'e5m2']
INTEGERS = ['i8', 'u8', 'i16', 'u16']
LIMIT = {'i8': 2**7, 'u8': 2**8, 'i16': 2**15, 'u16': 2**16}

# Words of one f32 value, by what has to stand before them for most results to be finite and well conditioned.
ANY = ['negate', 'abs', 'sign', 'square', 'floor', 'ceil', 'trunc', 'round', 'tanh', 'sigmoid', 'erf', 'relu', 'relu6',
       'squared_relu', 'hardtanh', 'hardsigmoid', 'hardswish', 'softsign', 'selu', 'softplus', 'log_sigmoid', 'silu',
       'mish', 'gelu', 'gelu_tanh', 'quick_gelu']
SMALL = ['exp', 'exp2', 'expm1', 'sin', 'cos']
POSITIVE = ['reciprocal', 'sqrt', 'rsqrt', 'log', 'log2', 'log10', 'log1p']
UNROUNDED = {'minimum', 'maximum', 'prelu', 'remainder'}  # words that have no bound
GATES = ['swiglu', 'geglu', 'geglu_tanh', 'reglu', 'swiglu_clamped(1.5f, 3.f)']
CLASSES = ['is_nan', 'is_inf', 'is_finite', 'logical_not']
COMPARISONS = ['less', 'less_equal', 'greater', 'greater_equal', 'equal', 'not_equal', 'logical_and', 'logical_or',
               'logical_xor']
STATISTICS = ['sum', 'sum_of_squares', 'norm2', 'mean', 'minimum', 'maximum', 'log_sum_exp', 'variance',
              'standard_deviation', 'mean_variance', 'count', 'any', 'all', 'argmin', 'argmax']
INTEGER_STATISTICS = ['sum', 'minimum', 'maximum', 'count', 'any', 'all', 'argmin', 'argmax']


class Pipeline:
    def __init__(self, rng):
        self.rng = rng
        self.declared = []   # arrays, and values that are kept for a reduction
        self.kinds = {}      # of arrays
        self.parts = []      # (text, reference, what it stores: None, 'full', 'f16' or 'bf16')
        self.after = []      # checks of reductions
        self.iterator = False
        self.kind, self.bound = 'f32', 0

    def one_in(self, n):
        return self.rng.randrange(n) == 0

    def array(self, how, kind, arguments=''):
        name = f'x{len(self.declared)}'
        self.declared.append(f'const auto {name} = r.{how}<{kind}>({arguments});')
        self.kinds[name] = kind
        return name

    # ---- numbers and sources: the text, and what it is at a place

    def number(self, low=-3.0, high=3.0):
        x = f'{self.rng.uniform(low, high):.3f}f'
        return x, f'exact({x})'

    def load(self, kind):
        """An array of `kind` in one of its layouts."""
        how = self.rng.choice(['dense'] * 4 + ['pitched'] * 3 + ['strided', 'strided_flat', 'gather', 'sized_gather'])
        if how.endswith('gather'):
            table = self.array('table', kind, '61')
            sized = how == 'sized_gather'
            low, high = (-3, 64) if sized else (0, 61)
            index = self.array('indices', self.rng.choice(['i32', 'i64', 'i16', 'i8']), f'{low}, {high}')
            size = ', 61' if sized else ''
            return f'op::gather({table}.p, op::load({index}.p){size})', f'ref::gather({table}, {index}(at), 61)'
        x = self.array(how, kind)
        arguments = {'dense': '', 'pitched': f', {x}.pitch', 'strided': f', {x}.pitch, {x}.step',
                     'strided_flat': f', {x}.step'}[how]
        return f'op::{"strided" if "strided" in how else "load"}({x}.p{arguments})', f'{x}(at)'

    def vector(self, kind):
        how = self.rng.choice(['column_vector', 'row_vector', 'scalar'])
        x = self.array(how, kind)
        word = {'column_vector': 'per_column', 'row_vector': 'per_row', 'scalar': 'value_at'}[how]
        return f'op::{word}({x}.p)', f'{x}(at)'

    def f32_source(self):
        """Of an f32 value, which may come by a cast."""
        roll = self.rng.randrange(10)
        if roll < 6:
            return self.load(self.rng.choice(FLOATS))
        if roll < 8:
            text, value = self.load(self.rng.choice(INTEGERS))
        elif roll == 8:
            word = self.rng.choice(['index', 'row', 'column'])
            value = {'index': 'at.row * r.columns + at.column', 'row': 'at.row', 'column': 'at.column'}[word]
            text, value = f'op::{word}()', f'exact(static_cast<double>({value}))'
        else:
            self.iterator = True
            text = 'op::from(thrust::counting_iterator<i32>(-7))'
            value = 'exact(static_cast<double>(at.row * r.columns + at.column - 7))'
        return (f'{text} | op::cast<f32>() | op::multiply(0.01f)',
                f'ref::multiply(ref::cast<f32>({value}), exact(0.01f))')

    def operand(self):
        roll = self.rng.randrange(10)
        if roll < 2:
            return self.number()
        if roll == 2:
            x, value = self.number()
            return f'op::value({x})', value
        if roll < 6:
            return self.vector(self.rng.choice(FLOATS))
        text, value = self.f32_source()
        if self.one_in(6) and 'cast' not in text:
            tee, reference = self.store('e5m2')
            self.tees_of_operands.append(reference.replace('v)', f'{value})'))
            text += f' | op::tee({tee})'
        for _ in range(self.rng.randrange(3)):
            word = self.rng.choice(ANY)
            text, value = f'{text} | op::{word}', self.call(word, value)
        return text, value

    def call(self, word, *values):
        m = '' if word in UNROUNDED else ', {m}'
        return f'ref::{word}({", ".join(values)}{m})'

    # ---- stages

    def push(self, text, reference, stores=None):
        self.parts.append((text, reference, stores))

    def stage(self, word, *operands, exact=False):
        texts, values = [o[0] for o in operands], [o[1] for o in operands]
        text = f'op::{word}' + (f'({", ".join(texts)})' if operands else '')
        reference = f'v = {self.call(word, "v", *values)};'
        if exact:
            text, reference = f'op::exact({text})', reference.replace('{m}', 'math::full')
        self.push(text, reference)

    def tame(self):
        """Makes most values small."""
        if self.one_in(8):
            return
        word = self.rng.choice(['clamp'] * 6 + ['softsign', 'tanh', 'remainder'])
        if word == 'clamp':
            self.push('op::clamp(-8.f, 8.f)', 'v = ref::clamp(v, exact(-8), exact(8));')
        elif word == 'remainder':
            self.stage(word, ('5.f', 'exact(5)'))
        else:
            self.stage(word)

    def make_positive(self):
        if self.one_in(8):
            return
        self.stage('abs')
        self.stage('add', ('0.5f', 'exact(0.5)'))

    def positive(self, operand):
        return f'{operand[0]} | op::abs | op::add(0.5f)', f'ref::add(ref::abs({operand[1]}), exact(0.5))'

    def f32_stage(self):
        roll = self.rng.randrange(23)
        if roll < 5:
            self.stage(self.rng.choice(ANY), exact=self.one_in(8))
        elif roll < 7:
            self.tame()
            self.stage(self.rng.choice(SMALL))
        elif roll < 9:
            self.make_positive()
            self.stage(self.rng.choice(POSITIVE))
        elif roll < 13:
            self.stage(self.rng.choice(['add', 'subtract', 'multiply', 'minimum', 'maximum', 'prelu', 'leaky_relu']),
                       self.operand())
        elif roll == 13:
            word = self.rng.choice(['divide', 'remainder', 'power'])
            if word != 'power':
                self.stage(word, self.positive(self.f32_source()))
            else:
                self.make_positive()
                self.push('op::minimum(4.f)', 'v = ref::minimum(v, exact(4));')
                self.stage(word, self.number())
        elif roll == 14:
            self.stage(self.rng.choice(['elu', 'celu']), self.number(0.2, 2))
        elif roll == 15:
            a, b = self.operand(), self.operand()
            self.push(f'op::multiply_add({a[0]}, {b[0]})', f'v = ref::multiply_add(v, {a[1]}, {b[1]});')
        elif roll == 16:
            a, b = self.operand(), self.operand()
            self.push(f'op::clamp({a[0]}, {b[0]})', f'v = ref::clamp(v, {a[1]}, {b[1]});')
        elif roll == 17:
            self.cast_to_f32(*self.comparison(None if self.one_in(4) else self.operand()))
        elif roll == 18:
            mask, other = self.load(self.rng.choice(['u8', 'i8', 'f16'])), self.operand()
            self.push(f'op::where({mask[0]}, {other[0]})', f'v = ref::where(v, {mask[1]}, {other[1]});')
        elif roll == 19:
            kind = self.rng.choice(FLOATS + INTEGERS)
            self.cast_to_f32(f'op::cast<{kind}>() | ', f'ref::cast<{kind}>(v)')
        elif roll == 20:
            word, a = self.rng.choice(GATES), self.operand()
            self.push(f'op::{word}({a[0]})', self.gate(word, 'v', a[1]))
        elif roll == 21:
            a = self.operand()
            self.push(f'op::fn(difference{{}}, {a[0]})', f'v = ref::subtract(v, {a[1]});')
        else:
            self.tee()

    def gate(self, word, gate, up):
        if '(' in word:
            return f'v = ref::swiglu_clamped({gate}, {up}, 1.5, 3, {{m}});'
        return f'v = ref::{word}({gate}, {up}' + (');' if word == 'reglu' else ', {m});')

    def comparison(self, operand):
        if operand is None:
            word = self.rng.choice(CLASSES)
            return f'op::{word} | ', f'ref::{word}(v)'
        word = self.rng.choice(COMPARISONS)
        return f'op::{word}({operand[0]}) | ', f'ref::{word}(v, {operand[1]})'

    def cast_to_f32(self, text, value):
        self.push(f'{text}op::cast<f32>()', f'v = ref::cast<f32>({value});')
        self.kind = 'f32'

    def integer_stage(self):
        """Of a small integer or a u32."""
        u32 = self.kind == 'u32'
        if u32 and self.one_in(6):
            self.tee()
            return
        space = 'ref::whole<u32>::' if u32 else 'ref::whole<i64>::'
        words = ['add', 'subtract', 'multiply', 'divide', 'remainder', 'minimum', 'maximum', 'bit_and', 'bit_or',
                 'bit_xor', 'multiply_add', 'bit_not', 'square', 'shift_right', 'shift_left', 'comparison', 'where']
        word = self.rng.choice(words)
        if u32:
            n = self.rng.choice([self.rng.randrange(9), self.rng.randrange(2**32)])
            number, size = (f'{n}u', f'exact({n}u)'), 0
            source, kind = self.rng.choice([None, self.load, self.load, self.vector]), 'u32'
        else:
            n = self.rng.randrange(-99, 99)
            number, size = (f'{n}', f'exact({n})'), 99
            source, kind = self.rng.choice([None, self.load, self.vector]), self.rng.choice(INTEGERS)
            size = LIMIT[kind] if source else size
            if word == 'shift_left':
                word = 'add'
        unary = word in ('bit_not', 'square') or word.startswith('shift')
        a, v = number if unary or not source else source(kind)
        grown = {'multiply': self.bound * size, 'square': self.bound**2, 'multiply_add': self.bound * size + 99}.get(
            word, 2 * max(self.bound, size))
        if not u32 and grown >= 2**31:
            self.push('op::clamp(-30, 30)', 'v = ref::clamp(v, exact(-30), exact(30));')
            grown = max(30 * max(30, size) + 99, 2 * size)
        self.bound = grown
        if word in ('bit_not', 'square'):
            self.push(f'op::{word}', f'v = {space}{word}(v);')
        elif word.startswith('shift'):
            by = self.rng.randrange(40)
            self.push(f'op::{word}({by})', f'v = {space}{word}(v, exact({by}));')
        elif word == 'multiply_add':
            self.push(f'op::{word}({a}, {number[0]})', f'v = {space}{word}(v, {v}, {number[1]});')
        elif word == 'where':
            mask = self.load('u8')
            self.push(f'op::where({mask[0]}, {a})', f'v = ref::where(v, {mask[1]}, {v});')
        elif word == 'comparison':
            word, kind = self.rng.choice(COMPARISONS), 'u32' if u32 else 'i32'
            self.push(f'op::{word}({a}) | op::cast<{kind}>()', f'v = ref::{word}(v, {v});')
        else:
            self.push(f'op::{word}({a})', f'v = {space}{word}(v, {v});')

    # ---- sinks

    def store(self, kind):
        how = self.rng.choice(['output', 'output', 'output_pitched'])
        y = self.array(how, kind)
        return f'op::store({y}.p{f", {y}.pitch" if "pitched" in how else ""})', f'r.stored({y}, at, v);'

    def a_store(self, in_place=False):
        first = re.fullmatch(r'op::load\((x\d+)\.p\)', self.parts[0][0])
        if in_place and first:
            kind = self.kinds[first[1]]
            text, reference = f'op::store({first[1]}.p)', f'r.stored({first[1]}, at, v);'
        elif self.kind == 'f32':
            kind = self.rng.choice(['f16'] * 4 + ['bf16'] * 4 + ['f32', 'f32', 'e4m3', 'e5m2', 'i8', 'u16'])
        else:
            kind = self.rng.choice(['u32', 'u32', 'u8', 'i8', 'i16'] if self.kind == 'u32' else ['i32'] + INTEGERS)
        if not (in_place and first):
            text, reference = self.store(kind)
        stores = {'bf16': 'bf16', 'f16': 'f16', 'e4m3': 'f16', 'e5m2': 'f16'}.get(kind, 'full')
        return text, reference, stores

    def reduction(self):
        """The text of a reduce; its values are kept on the way, its results are checked behind."""
        values = f's{sum("values s" in d for d in self.declared)}'
        self.declared.append(f'ref::values {values};')
        words = self.rng.sample(STATISTICS if self.kind == 'f32' else INTEGER_STATISTICS, 1 + self.one_in(3))
        outputs, statistics = [], []

        def result(kind, value):
            outputs.append(self.array('result', kind))
            self.after.append(f'r.reduced({outputs[-1]}, {value});')

        for word in words:
            kind = {'count': 'i64', 'any': 'bool', 'all': 'bool'}.get(word)
            if not kind and self.kind == 'f32':
                kind = self.rng.choice(['f32', 'f32', 'f64', 'bf16'])
            elif not kind:
                kind = 'i64' if self.kind == 'int' else 'u64' if word == 'sum' else 'u32'
            statistic, value = f'op::{word}', f'ref::{word}({values})'
            if word == 'mean_variance':
                result(kind, f'ref::mean_of_moments({values})')
                value = f'ref::variance({values})'
            elif word in ('argmin', 'argmax'):
                value = f'ref::first_zero(ref::{word[3:]}imum({values}))'
            elif word == 'sum' and self.kind != 'f32':
                value = f'ref::exact_sum({values})'
            elif word in ('sum', 'minimum', 'maximum') and self.kind == 'f32' and self.one_in(3):
                statistic, value = f'op::with_initial(op::{word}, 1.5f)', f'ref::{word}(ref::with({values}, 1.5))'
            if self.kind != 'f32' and 'imum' in value:  # of nothing: the end of a type that is not known here
                value = f'{values}.empty() ? any_number() : {value}'
            result(kind, value)
            if word in ('argmin', 'argmax'):
                result('i64', f'ref::{word}({values})')
            statistics.append(statistic)
        statistic = f'op::several({", ".join(statistics)})' if len(words) > 1 else statistics[0]
        return f'op::reduce({statistic}, {", ".join(o + ".p" for o in outputs)})', f'{values}.push_back(v);', 'full'

    def tee(self):
        text, reference, stores = self.a_store() if self.one_in(2) else self.reduction()
        self.push(f'op::tee({text})', reference, stores)

    # ---- the whole

    def start(self):
        roll = self.rng.randrange(10)
        if roll < 2:
            self.kind = 'u32'
            self.push(*self.load('u32'))
        elif roll < 4:
            kind = self.rng.choice(INTEGERS)
            self.kind, self.bound = 'int', LIMIT[kind]
            self.push(*self.load(kind))
        elif roll < 6:
            self.pair()
            return
        else:
            self.push(*self.f32_source())
        text, value, _ = self.parts[0]
        self.parts[0] = (text, f'near v = {value};', None)

    def pair(self):
        how = self.rng.choice(['zip', 'zip', 'halves', 'pairs', 'three'])
        if how in ('zip', 'three'):
            all_of_them = [self.operand() for _ in range(3 if how == 'three' else 2)]
            text, values = f'op::zip({", ".join(a[0] for a in all_of_them)})', [a[1] for a in all_of_them]
        else:
            x = self.array(how, self.rng.choice(['f32', 'f16', 'bf16', 'e4m3']))
            text = f'op::{how}({x}.p{", r.columns" if how == "halves" else ""})'
            values = [f'{x}.gate(at)', f'{x}.up(at)']
        word = self.rng.choice(GATES + ['difference', 'dot'])
        if how == 'three':
            a, b, c = values
            behind, reference = 'op::fn(sum_of_three{})', f'v = ref::add(ref::add({a}, {b}), {c});'
        elif word == 'difference':
            behind, reference = 'op::fn(difference{})', f'v = ref::subtract({", ".join(values)});'
        elif word == 'dot':
            z = self.array('result', 'f32')
            self.declared.append('ref::values s0;')
            self.push(text, f's0.push_back(ref::product({", ".join(values)}));')
            self.push(f'op::reduce(op::dot, {z}.p)', '', 'full')
            self.after.append(f'r.reduced({z}, ref::sum(s0));')
            self.kind = 'done'
            return
        else:
            behind, reference = f'op::{word}', self.gate(word, *values)
        self.push(text, '')
        self.push(behind, f'near {reference}')

    def make(self):
        self.tees_of_operands = []
        self.start()
        if self.kind in ('u32', 'int'):
            for _ in range(self.rng.randrange(1, 5)):
                self.integer_stage()
            if self.kind == 'int' and not self.one_in(3):
                self.cast_to_f32('', 'v')
        if self.kind == 'f32':
            for _ in range(self.rng.randrange(1, 6)):
                self.f32_stage()
        if self.kind != 'done':
            self.push(*(self.a_store(self.one_in(2)) if self.rng.random() < 0.65 else self.reduction()))
        return self

    def code(self, name):
        texts, lines, behind = [], [], set()
        for text, reference, stores in reversed(self.parts):  # the sinks behind a stage decide on its math
            m = 'full' if 'full' in behind else 'both' if len(behind) > 1 else ''.join(behind)
            lines.insert(0, reference.replace('{m}', f'math::{m}'))
            texts.insert(0, text)
            if stores:
                behind.add(stores)
        text = ' | '.join(texts)
        if len(texts) > 3 and self.one_in(2):  # a list of stages is a value
            text = ' | '.join([texts[0], '(' + ' | '.join(texts[1:-1]) + ')', texts[-1]])
        shown = re.sub(r'(x\d+)\.p\b', lambda x: f'{self.kinds[x[1]]} {x[1]}', text).replace('op::', '')
        shown = re.sub(r'x\d+\.(pitch|step)', r'\1', shown)
        each = [f'  {line}' for line in self.tees_of_operands + lines if line]
        body = [*self.declared, f'r.go({text});', 'r.each([&]([[maybe_unused]] place at) {', *each, '});', *self.after]
        body = '\n'.join(f'  {line}' for line in body)
        return shown, f'// {shown}\nvoid {name}(run &r) {{\n{body}\n}}\n'


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    made = [Pipeline(rng).make() for _ in range(count)]
    functions = [p.code(f'pipeline_{i}') for i, p in enumerate(made)]
    print(f'// Written by make.py {seed} {count}.\n#include "fuzz.hpp"')
    if any(p.iterator for p in made):
        print('#include <onepass/iterator.cuh>\n#include <thrust/iterator/counting_iterator.h>')
    print('\nusing namespace fuzz;\n\nnamespace {\n')
    print('\n'.join(code for _, code in functions))
    print('const fuzz::pipeline pipelines[] = {')
    print('\n'.join(f'    {{"{shown}", pipeline_{i}}},' for i, (shown, _) in enumerate(functions)))
    print('};\n\n}  // namespace\n')
    run_all = f'fuzz::run_all(pipelines, "make.py {seed} {count}", argc, argv)'
    print(f'int main(int argc, char **argv) {{ return {run_all}; }}')


main()
