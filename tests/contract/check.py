# SPDX-License-Identifier: Apache-2.0
"""What nvcc made of an exported pipeline: passes if its kernels are as the `// contract:` lines of the source say.

    // contract: map of 2 groups of 4 lanes, flat; 4 entries
    // contract: whole tile: loads 4 x 16, stores 2 x 16

The first line names the family, how many groups a thread has in a tile and how many lanes a group has, whether rows are
told apart (`flat` or `by row`), and the number of kernels. The second counts what a thread reads and writes in global
memory in the body for whole tiles, as `count x bytes`, several widths joined by `+`, or `none`.

In PTX, for each --arch:
 - every entry is a kernel of the family, for aligned and for other arrays, for a count that the host knows and for one
   in device memory; none touches local or generic memory, and none but one by row for other arrays divides 64-bit
   integers
 - in the aligned kernels every path through the body for whole tiles has exactly these accesses, and no load stands
   behind a store
 - the body for the last tile, a loop over groups, has a path with exactly those of one group, beside narrower ones
The exported constant has the family, the lanes and the rows of the first line (a static_assert).
In machine code, for each --machine: no stack frame and no spills.
In the object file: no kernel is a symbol that another binary can see.
"""
import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TYPE_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}
SPACES = {"param", "global", "shared", "shared::cta", "shared::cluster", "const", "local"}


class Access:
    """A load or store of global memory: what (`loads` or `stores`) and how many bytes."""

    def __init__(self, opcode):
        words = opcode.split(".")
        self.what = {"ld": "loads", "ldu": "loads", "st": "stores"}[words[0]]
        self.space = next((word for word in words if word in SPACES), "generic")
        vector = next((int(word[1]) for word in words if re.fullmatch(r"v[248]", word)), 1)
        self.bytes = vector * TYPE_BYTES[re.fullmatch(r"[a-z]+(\d+)", words[-1]).group(1)]


def accesses(instructions, space="global"):
    found = [Access(i.split()[0]) for i in instructions if re.match(r"(ld|ldu|st)\.", i)]
    return [a for a in found if a.space == space]


def count(instructions):
    return collections.Counter((a.what, a.bytes) for a in accesses(instructions))


def text(counts):
    def side(what):
        widths = sorted((b for w, b in counts if w == what), reverse=True)
        return f"{what} " + (" + ".join(f"{counts[what, b]} x {b}" for b in widths) or "none")
    return f"{side('loads')}, {side('stores')}"


class Entry:
    """A kernel in PTX: its basic blocks (lists of instructions without their predicates) and who follows whom."""

    def __init__(self, name, body):
        self.name = name
        self.blocks, self.next = [[]], [set()]
        labels, branches, ended = {}, [], False
        tables = dict(re.findall(r"^(\$\w+): \.branchtargets\s+([^;]+);", body, re.M))
        for line in re.findall(r"^\s*(\$\w+:(?! *\.branch)|@?!?[%a-z][^;{}]*(?:\{[^;{}]*\}[^;{}]*)*;)", body, re.M):
            label = re.match(r"(\$\w+):", line)
            match = re.fullmatch(r"(?:@!?(%\w+)\s+)?(.+);", line, re.S)
            if label or ended:  # a new block, reached from the last one if that falls through
                falls = not ended or ended == "perhaps"
                self.blocks.append([])
                self.next.append(set())
                if falls:
                    self.next[-2].add(len(self.blocks) - 1)
                ended = False
                if label:
                    labels[label.group(1)] = len(self.blocks) - 1
                    continue
            predicate, instruction = match.groups()
            self.blocks[-1].append(instruction)
            opcode = instruction.split()[0]
            if opcode.startswith(("bra", "brx", "ret", "exit", "trap")):
                ended = "perhaps" if predicate else "surely"
            if opcode.startswith("bra"):
                branches.append((len(self.blocks) - 1, [instruction.split()[-1]]))
            elif opcode.startswith("brx"):
                targets = tables.get(instruction.split()[-1], "")
                branches.append((len(self.blocks) - 1, re.findall(r"\$\w+", targets)))
        for block, targets in branches:
            self.next[block].update(labels[target] for target in targets)
        self.back = self.back_edges()

    def back_edges(self):
        back, state, stack = set(), {0: "open"}, [(0, iter(sorted(self.next[0])))]
        while stack:
            block, rest = stack[-1]
            follower = next(rest, None)
            if follower is None:
                state[block] = "done"
                stack.pop()
            elif state.get(follower) == "open":
                back.add((block, follower))
            elif follower not in state:
                state[follower] = "open"
                stack.append((follower, iter(sorted(self.next[follower]))))
        return back

    def behind(self, block):
        """The blocks that follow without going round a loop, the block itself included."""
        reached, pending = set(), [block]
        while pending:
            here = pending.pop()
            if here not in reached:
                reached.add(here)
                pending += [b for b in self.next[here] if (here, b) not in self.back]
        return reached

    def instructions(self, blocks):
        return [i for b in sorted(blocks) for i in self.blocks[b]]

    def bodies(self):
        """The blocks for whole tiles and those for the last: the two sides, both with loads of global memory, of the
        first branch that has such sides; the last tile's is the one that is a loop."""
        best = None
        for block, followers in enumerate(self.next):
            if len(followers) != 2:
                continue
            a, b = (self.behind(f) for f in followers)
            sides = [a - b, b - a]
            if not all(any(what == "loads" for what, _ in count(self.instructions(side))) for side in sides):
                continue
            if best is None or len(self.behind(block)) > best[0]:
                best = len(self.behind(block)), sides
        if best is None:
            return None
        loops = [any(u in side and v in side for u, v in self.back) for side in best[1]]
        if loops == [False, True]:
            return best[1]
        return best[1][::-1] if loops == [True, False] else None

    def paths(self, blocks):
        """The different counts of accesses over all ways through `blocks`, loops run once."""
        first = [b for b in blocks if not any(b in self.next[u] and (u, b) not in self.back for u in blocks)]
        ways, found = {b: {frozenset()} for b in first}, set()
        order = sorted(blocks, key=lambda b: -len(self.behind(b)))  # a block before those that follow it
        for block in order:
            own = count(self.blocks[block])
            here = {frozenset((own + collections.Counter(dict(way))).items()) for way in ways.get(block, set())}
            followers = [b for b in self.next[block] if (block, b) not in self.back]
            for follower in followers:
                if follower in blocks:
                    ways.setdefault(follower, set()).update(here)
            if not followers or any(b not in blocks for b in followers):
                found |= here
        return [collections.Counter(dict(way)) for way in found]

    def load_behind_store(self, blocks):
        def position(block, what):
            return [i for i, line in enumerate(self.blocks[block]) if any(a.what == what for a in accesses([line]))]
        for block in blocks:
            stores = position(block, "stores")
            if not stores:
                continue
            if any(load > stores[0] for load in position(block, "loads")):
                return True
            if any(position(other, "loads") for other in (self.behind(block) & blocks) - {block}):
                return True
        return False


def parse_counts(what, words):
    return {(what, int(b)): int(n) for n, b in re.findall(r"(\d+) x (\d+)", words)}


def read_contract(source):
    lines = "\n".join(re.findall(r"^// contract: (.+)$", source.read_text(encoding="utf-8"), re.M))
    head = re.search(r"^(\w+) of (\d+) groups? of (\d+) lanes, (flat|by row); (\d+) entries$", lines, re.M)
    tile = re.search(r"^whole tile: loads (.+), stores (.+)$", lines, re.M)
    if not head or not tile:
        sys.exit(f"{source}: its `// contract:` lines do not read as this program's own text says:\n\n{__doc__}")
    family, groups, lanes, rows, entries = head.groups()
    whole = collections.Counter({**parse_counts("loads", tile.group(1)), **parse_counts("stores", tile.group(2))})
    return family, int(groups), int(lanes), rows, int(entries), whole


def entries_of(ptx):
    return [Entry(name, body) for name, body in re.findall(r"\.entry (\w+)\(.*?\n\{\n(.*?)\n\}\n", ptx, re.S)]


def check_entry(entry, contract, say):
    family, groups, _, rows, _, whole = contract
    everything = entry.instructions(range(len(entry.blocks)))
    arguments = re.findall(r"Lb([01])ELb([01])E", entry.name)
    if f"{family}_kernel" not in entry.name or not arguments:
        say(f"{entry.name} is no {family} kernel")
        return None
    aligned, by_row = arguments[-1][0] == "1", rows == "by row"
    for space in ("local", "generic"):
        if accesses(everything, space):
            say(f"{len(accesses(everything, space))} accesses to {space} memory")
    divisions = [i for i in everything if re.match(r"(div|rem)\.[su]64", i)]
    if divisions and (aligned or not by_row):
        say(f"{len(divisions)} divisions of 64 bits")
    if not aligned:
        return f"other arrays: {text(count(everything))}"
    bodies = entry.bodies()
    if bodies is None:
        say("no branch between a body for whole tiles and a loop for the last one")
        return None
    body, tail = (entry.paths(side) for side in bodies)
    for path in body:
        if path != whole:
            say(f"a path through the body for whole tiles has {text(path)}, not {text(whole)}")
    if entry.load_behind_store(bodies[0]):
        say("a load behind a store in the body for whole tiles")
    one_group = collections.Counter({access: times // groups for access, times in whole.items()})
    if one_group not in tail:
        say(f"no path through the body for the last tile has {text(one_group)}")
    return f"whole tile: {text(body[0])}; last tile: {text(count(entry.instructions(bodies[1])))}"


def check_machine_code(log, names, say):
    seen = set()
    pattern = (r"Compiling entry function '(\w+)' for '(\w+)'\n.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
               r"(\d+) bytes spill loads\n.*?Used (\d+) registers")
    for name, arch, *amounts, registers in re.findall(pattern, log, re.S):
        seen.add((arch, name))
        print(f"{arch}: {registers} registers")
        for amount, what in zip(amounts, ("stack frame", "spill stores", "spill loads")):
            if amount != "0":
                say(f"{arch}: {amount} bytes {what} in {name}")
    for missing in set(names) - seen:
        say(f"{missing[0]}: ptxas says nothing about {missing[1]}")


def check_symbols(table, family, say):
    symbols = [line.split() for line in table.splitlines() if f"{family}_kernelI" in line]
    symbols = [s for s in symbols if len(s) >= 8 and s[3] == "FUNC"]
    if not symbols:
        say("the object file has no kernel")
    for _, _, _, _, binding, visibility, _, name, *_ in symbols:
        if binding != "LOCAL" and visibility != "HIDDEN":
            say(f"{name} can be seen from outside: {binding}, {visibility}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--readelf", default="readelf")
    parser.add_argument("--arch", default="75,80,90,100", help="compute capabilities of the PTX")
    parser.add_argument("--machine", default="80,90", help="those of the machine code")
    parser.add_argument("source", type=Path)
    args = parser.parse_args()
    contract = read_contract(args.source)
    family, entries = contract[0], contract[4]
    arches, machines = args.arch.split(","), args.machine.split(",")
    faults, names = [], []

    with tempfile.TemporaryDirectory() as scratch:
        name = re.search(r"ONEPASS_EXPORT\((\w+),", args.source.read_text(encoding="utf-8")).group(1)
        checked = Path(scratch) / "checked.cu"
        checked.write_text(f'#include "{args.source.resolve()}"\nstatic_assert({name}_kernel.geometry.family == '
                           f'ONEPASS_{family.upper()} && {name}_kernel.geometry.lanes == {contract[2]} && '
                           f'{name}_kernel.geometry.by_row == {int(contract[3] == "by row")}, "not as the contract says");\n',
                           encoding="utf-8")
        targets = [f"-gencode=arch=compute_{a},code=[compute_{a}{f',sm_{a}' if a in machines else ''}]" for a in arches]
        command = [args.nvcc, "-c", "-std=c++17", "-Xptxas", "-v", *targets, "-I", args.include, "--keep",
                   "--keep-dir", scratch, "-o", f"{scratch}/out.o", str(checked)]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        if run.returncode != 0:
            sys.exit(f"{args.source}: nvcc failed\n{run.stdout}")
        ptx = {p.read_text(encoding="utf-8") for p in Path(scratch).glob("*.ptx")}
        symbols = subprocess.run([args.readelf, "--symbols", "--wide", f"{scratch}/out.o"], stdout=subprocess.PIPE,
                                 encoding="utf-8", check=True).stdout

    by_arch = {re.search(r"^\.target sm_(\d+)", module, re.M).group(1): module for module in ptx}
    if sorted(by_arch) != sorted(arches):
        faults.append(f"PTX for {sorted(by_arch)}")
    for arch in sorted(by_arch, key=int):
        kernels = entries_of(by_arch[arch])
        if len(kernels) != entries:
            faults.append(f"compute_{arch}: {len(kernels)} entries, not {entries}")
        reports = [check_entry(k, contract, lambda fault: faults.append(f"compute_{arch}: {fault}")) for k in kernels]
        names += [(f"sm_{arch}", k.name) for k in kernels if arch in machines]
        for what in ("whole tile", "other arrays"):
            if not any(report and report.startswith(what) for report in reports):
                faults.append(f"compute_{arch}: no kernel for {what}")
        print("\n".join(f"compute_{arch}: {report}" for report in reports if report))
    check_machine_code(run.stdout, names, faults.append)
    check_symbols(symbols, family, faults.append)
    if faults:
        sys.exit(f"{args.source}: " + "\n  ".join(["not as its contract says:", *faults]))


if __name__ == "__main__":
    main()
