#!/usr/bin/env python3
"""How often programs with a bug fail: as they are, instrumented, recorded, and recorded with noise.

Called by `./x rates [RUNS]`: SYMX CLANG CORPUS OUT RUNS. The runs of a round follow each other, so that what else the
machine does concerns all alike. A rate is beyond chance where Fisher's exact test says so at the level below, divided by
the number of comparisons (Bonferroni). With noise a higher rate is what is wanted; its factor is printed.
"""

import math
import subprocess
import sys
from pathlib import Path

# Of those of the corpus that fail natively now and then when they are compiled with -O1.
PROGRAMS = [
    "explained/bounded_buffer.c",
    "explained/null_mutex.c",
    "explained/stringbuffer.c",
    "explained/two_flows.c",
    "fail/creations_in_any_order.c",
    "fail/null_before_initialisation.c",
    "fail/read_before_private_release.c",
    "fail/second_comes_first.c",
    "near/loader.c",
    "sketches/transmission_1818.c",
]
LEVEL = 0.05
SECONDS = 5


def fails(command):
    """Whether a run ends with another status than 0, or not in time."""
    quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return subprocess.run(command, timeout=SECONDS, **quiet).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def chance(one, other, runs):
    """Probability by Fisher's exact test that two counts of `runs` each differ as much as these, or more."""
    both = one + other

    def weight(count):
        return math.comb(runs, count) * math.comb(runs, both - count)

    counts = range(max(0, both - runs), min(runs, both) + 1)
    rare = sum(weight(count) for count in counts if weight(count) <= weight(one))
    return rare / math.comb(2 * runs, both)


def measure(symx, clang, source, out, runs):
    """Failures of the program: as it is, instrumented, recorded, and with noise."""
    name = source.stem
    bitcode, plain, instrumented = out / f"{name}.bc", out / name, out / f"{name}-recorded"
    flags = ["-w", "-g", "-O1", "-pthread"]
    subprocess.run([clang, *flags, "-emit-llvm", "-c", source, "-o", bitcode], check=True)
    subprocess.run([clang, *flags, bitcode, "-o", plain], check=True)
    subprocess.run([symx, "instrument", bitcode, "-o", instrumented], check=True, stdout=subprocess.DEVNULL)
    record = [symx, "record", "--quiet", "--timeout", str(SECONDS), "-o", out / f"{name}.prof"]
    counts = [0, 0, 0, 0]
    for seed in range(runs):
        commands = [
            [plain],
            [instrumented],
            [*record, "--", instrumented],
            [*record, f"--noise={seed}", "--", instrumented],
        ]
        for index, command in enumerate(commands):
            counts[index] += fails(command)
    return counts


def main():
    symx, clang, corpus, out, runs = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]), int(sys.argv[5])
    out.mkdir(parents=True, exist_ok=True)
    level = LEVEL / (2 * len(PROGRAMS))
    print(f"| program, failures of {runs} runs | plain | instrumented | recorded | with noise | factor of noise |")
    print("|---|---|---|---|---|---|")
    beyond = []
    for program in PROGRAMS:
        plain, instrumented, recorded, noisy = measure(symx, clang, corpus / program, out, runs)
        cells = []
        for what, count in [("instrumented", instrumented), ("recorded", recorded)]:
            probability = chance(plain, count, runs)
            cells.append(f"{count} (p = {probability:.3f})")
            if probability < level:
                beyond.append(f"{program} {what}")
        factor = f"{noisy / plain:.1f}" if plain else "-"
        print(f"| `{program}` | {plain} | {cells[0]} | {cells[1]} | {noisy} | {factor} |", flush=True)
    print(f"beyond chance at {level}: {', '.join(beyond) or 'none'}")


main()
