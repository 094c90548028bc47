# SPDX-License-Identifier: Apache-2.0
"""Holds README.md to what is compiled: each block of code stands in a source of the project, each status is named, each word is described.

    readme.py <directory of the project>

A block ```c or ```cpp must occur, as contiguous lines, in a C or CUDA source under examples/ or tests/; a block ```cmake
in a CMake file under tests/consume/. Indentation that all lines of the block share does not count.
"""
import re
import sys
import textwrap
from pathlib import Path

CODE = (["examples", "tests"], {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"})
CMAKE = (["tests/consume"], {".txt", ".cmake"})
WHERE = {"c": CODE, "cpp": CODE, "cmake": CMAKE}
OTHER = {"sh", "text"}  # commands, and what a program prints
NO_OPS = {"cast", "exact", "fn", "tee"}  # stages that the table of ops does not describe; nor does it row stages
ROW_STAGES = {"norm.cuh", "row.cuh", "softmax.cuh"}


def lines_of(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def dedented(lines):
    return textwrap.dedent("\n".join(lines)).splitlines()


def occurs(block, lines):
    """Whether the dedented lines of a block are a part of the lines of a file."""
    first = block[0].strip()
    return any(line.strip() == first and dedented(lines[i:i + len(block)]) == block for i, line in enumerate(lines))


def main(project):
    readme = (project / "README.md").read_text(encoding="utf-8")
    faults, counts = [], 0

    fences = [n for n, line in enumerate(readme.splitlines(), 1) if line.lstrip().startswith("```")]
    if len(fences) % 2:
        faults.append("a block of code is not closed")
    sources = {}
    for roots, suffixes in WHERE.values():
        for path in (path for root in roots for path in sorted((project / root).rglob("*")) if path.suffix in suffixes):
            sources[path] = lines_of(path.read_text(encoding="utf-8"))

    for match in re.finditer(r"^[ ]*```(\w*)\n(.*?)^[ ]*```$", readme, re.M | re.S):
        language, number = match[1], readme.count("\n", 0, match.start()) + 1
        if language in OTHER:
            continue
        if language not in WHERE:
            faults.append(f"README.md:{number}: a block of '{language}': one of {', '.join([*WHERE, *OTHER])} is expected")
            continue
        block = dedented(lines_of(match[2]))
        roots, suffixes = WHERE[language]
        inside = [project / root for root in roots]
        counts += 1
        if not block or not any(path.suffix in suffixes and any(root in path.parents for root in inside) and
                                occurs(block, lines) for path, lines in sources.items()):
            faults.append(f"README.md:{number}: this block is in no source under {' or '.join(roots)}:\n  " + "\n  ".join(block))

    header = (project / "include/onepass/status.h").read_text(encoding="utf-8")
    named, defined = (set(re.findall(r"\bONEPASS_ERROR_\w+", text)) for text in (readme, header))
    for status in sorted(named ^ defined):
        faults.append(f"{status}: " + ("not in README.md" if status in defined else "in README.md, but not in status.h"))

    words = {}  # the public words: objects and functions
    for path in sorted((project / "include/onepass").glob("s*/*.cuh")):
        header = path.read_text(encoding="utf-8")
        for declared in re.findall(r"^ONEPASS_OBJECT ([^;]+);", header, re.M):
            words.update({word: path for word in re.findall(r"(\w+)\{\}", declared)})
        public = re.sub(r"namespace detail \{.*?\n\}  // namespace detail", "", header, flags=re.S)
        words.update({word: path for word in re.findall(r"^ONEPASS_HD (?!.*operator)[^(]*?(\w+)\(", public, re.M)})
    table = project / "include/onepass/stage/README.md"
    ops = table.read_text(encoding="utf-8") if table.exists() else ""
    for word, path in words.items():
        if not re.search(rf"`[^`]*\b{word}\b[^`]*`", readme):
            faults.append(f"README.md: {word} of {path.name} is not in it")
        is_op = path.parent.name == "stage" and path.name not in ROW_STAGES and word not in NO_OPS
        if is_op and not re.search(rf"`[^`]*\b{word}\b[^`]*`", ops):
            faults.append(f"{table}: {word} of {path.name} is not in it")

    for target in re.findall(r"(?<!!)\[[^]]*\]\(([^)#:]+)\)", readme):
        if not (project / target).exists():
            faults.append(f"README.md: a link to {target}, which does not exist")

    print("\n".join(faults) if faults else f"{counts} blocks of code and {len(defined)} errors are as in the sources, {len(words)} words are described")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
