#!/usr/bin/env python3
"""Compares `symx exec` with native runs over programs that others wrote, and checks the list of known differences.

Every program is compiled natively and to bitcode with the same compiler and flags. Only programs that compile and,
for GCC's tests, that end natively with status 0 are counted. A program agrees if symx, without a finding, ends with the
same status and the same standard output. A program whose finding is undefined behaviour with an obvious effect on a
machine is run again with --undefined all=ignore; if it agrees then, it counts as *tolerated*. Each program that is tolerated
or differs must stand in the list of differences with its reason, and each one in the list must still do so.

A GCC test counts as *special* if it uses something beyond plain C: it lies in ieee/ or builtins/, names options,
effective targets or other requirements of the test suite, or holds one of the constructs in SPECIAL below.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

# One line says all that GCC 12 accepts and clang by default does not: the tests predate today's defaults.
LENIENT = [
    "-w", "-std=gnu17", "-fgnu89-inline", "-Wno-implicit-int", "-Wno-implicit-function-declaration", "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types", "-Wno-incompatible-function-pointer-types", "-Wno-return-mismatch", "-Wno-return-type",
]
# Options of the test suite that mean the same to clang.
UNDERSTOOD = re.compile(r"-(fwrapv|f(no-)?inline|fno-strict-(overflow|aliasing)|std=\S+|fno-common|fno-builtin\S*|finput-charset\S*"
                        r"|finstrument-functions|fomit-frame-pointer|D\S+)$")
SPECIAL = {
    "computed goto": r"__label__|&&\s*[a-zA-Z_]\w*\s*[,;})+-]|goto\s*\*",
    "128 bits": r"__int128|mode\s*\(\s*(__)?TI",
    "vectors": r"vector_size|__m(64|128)",
    "complex": r"_Complex|__complex__",
    "assembly": r"\b(asm|__asm__|__asm)\b",
    "long jumps": r"__builtin_(setjmp|longjmp)|\bsetjmp\s*\(",
    "wide floats": r"__float128|_Float\d|long double",
    "frames": r"__builtin_(return_address|frame_address|apply|va_arg_pack)|no_instrument_function",
    "layout": r"scalar_storage_order|\bmode\s*\(",
    "linkage": r"attribute__?\s*\(\(\s*(__)?(alias|weak|constructor|destructor|cleanup|section)",
    "signals": r"\bsignal\s*\(|mmap\s*\(",
}
# Findings that --undefined all=ignore lets pass.
TOLERABLE = ("finding: arithmetic/signed-overflow", "finding: memory/uninitialised", "finding: memory/misaligned")
REQUIREMENT = re.compile(r"dg-(options|additional-options|require|skip-if|xfail)")


@dataclasses.dataclass
class Program:
    """A program to compare: its sources, its flags beside the level, and whether it counts as special."""
    name: str
    sources: list
    flags: list
    special: bool


@dataclasses.dataclass
class Outcome:
    """What became of a program at a level: `agrees`, `tolerated` or `differs` (with what), or `excluded` (why)."""
    program: Program
    level: str
    kind: str
    what: str = ""

    @property
    def name(self):
        return f"{self.program.name} {self.level}"


def gcc_programs(folder):
    """The tests of gcc.c-torture/execute, its ieee/ and its builtins/."""
    for source in sorted(folder.glob("*.c")) + sorted((folder / "ieee").glob("*.c")):
        text = source.read_text(errors="replace")
        special = source.parent.name == "ieee" or bool(REQUIREMENT.search(text))
        special = special or any(re.search(pattern, text) for pattern in SPECIAL.values())
        yield Program(str(source.relative_to(folder))[:-2], [source], LENIENT + options(text), special)
    for source in sorted((folder / "builtins").glob("*.c")):
        library = source.with_name(source.stem + "-lib.c")
        if library.exists():
            sources = [source, library, folder / "builtins/lib/main.c"]
            flags = LENIENT + options(source.read_text(errors="replace"))
            yield Program(f"builtins/{source.stem}", sources, flags, True)


def options(text):
    """Options that a test names and clang understands."""
    named = re.findall(r'dg-(?:additional-)?options\s+[{\s]*"([^"]*)"', text)
    return [option for line in named for option in line.split() if UNDERSTOOD.match(option)]


def csmith_programs(comparison, folder, count, headers, levels):
    """The first `count` programs, by seeds from 1 on, that csmith makes and that end natively: some loop for ever."""
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    found, seed = [], 0
    while len(found) < count:
        seed += 1
        source = folder / f"csmith-{seed}.c"
        if not source.exists():
            command = ["csmith", "--seed", str(seed), "--output", source]
            # It leaves a `platform.info` wherever it runs.
            with tempfile.TemporaryDirectory() as elsewhere:
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=elsewhere)
        program = Program(source.stem, [source], ["-w", f"-I{headers}"], False)
        if not any("excluded" in comparison.native(program, level) for level in levels):
            found.append(program)
    return found


def run(command, limit, folder=None):
    """Status, output and messages of a command; `None` as its status says that its `limit` seconds of processor time
    were up, or ten times as many by the clock."""
    def restrict():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * limit, cwd=folder,
                              preexec_fn=restrict)
    except subprocess.TimeoutExpired:
        return None, b"", b""
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, b"", b""
    return done.returncode, done.stdout, done.stderr


class Comparison:
    """The tools, and how a program goes through them."""

    def __init__(self, options):
        self.symx, self.clang, self.limit = options.symx, options.clang, options.limit
        self.cache = options.work / "cache"
        self.cache.mkdir(parents=True, exist_ok=True)

    def of(self, program, level, must_pass):
        """What becomes of `program` at `level`."""
        native = self.native(program, level)
        if "excluded" in native:
            return Outcome(program, level, "excluded", native["excluded"])
        if must_pass and native["status"] != 0:
            return Outcome(program, level, "excluded", f"ends natively with {native['status']}")
        with tempfile.TemporaryDirectory() as folder:
            what = self.difference(program, level, native, pathlib.Path(folder))
        if not what:
            return Outcome(program, level, "agrees")
        if what.startswith(TOLERABLE):
            with tempfile.TemporaryDirectory() as folder:
                if not self.difference(program, level, native, pathlib.Path(folder), ["--undefined", "all=ignore"]):
                    return Outcome(program, level, "tolerated", what)
        return Outcome(program, level, "differs", what)

    def native(self, program, level):
        """Status and output of the native run, kept by all that they depend on."""
        key = hashlib.sha256(repr((self.clang, level, program.flags)).encode())
        for source in program.sources:
            key.update(source.read_bytes())
        kept = self.cache / key.hexdigest()[:32]
        if kept.exists():
            return json.loads(kept.read_text())
        with tempfile.TemporaryDirectory() as folder:
            compile_it = [self.clang, *program.flags, f"-{level}", *program.sources, "-o", "program", "-lm", "-pthread"]
            status, _, messages = run(compile_it, 6 * self.limit, folder)
            if status != 0:
                first = next((line for line in messages.decode(errors="replace").splitlines() if "error" in line), "")
                answer = {"excluded": "clang does not compile it: " + first.split("error:")[-1].strip()}
            else:
                status, output, _ = run([f"{folder}/program"], max(1, self.limit // 10), folder)
                answer = {"status": status, "output": output.decode(errors="replace")}
                if status is None:
                    answer = {"excluded": "takes too long natively"}
        kept.write_text(json.dumps(answer))
        return answer

    def difference(self, program, level, native, folder, more=()):
        """How symx's run differs from the native one, in a line; nothing if they agree."""
        modules = []
        for index, source in enumerate(program.sources):
            module = folder / f"{index}.bc"
            command = [self.clang, *program.flags, f"-{level}", "-g", "-emit-llvm", "-c", source, "-o", module]
            if run(command, 6 * self.limit)[0] != 0:
                return "the compiler makes no bitcode of it"
            modules.append(module)
        if len(modules) > 1:
            linker = shutil.which("llvm-link", path=str(pathlib.Path(self.clang).parent)) or "llvm-link-22"
            if run([linker, *modules, "-o", folder / "all.bc"], self.limit)[0] != 0:
                return "llvm-link refuses it"
            modules = [folder / "all.bc"]
        report = folder / "report.json"
        command = [self.symx, "exec", "--quiet", "--json", report, *more, modules[0]]
        status, output, messages = run(command, self.limit, folder)
        if status is None:
            return "time: takes more than the limit"
        if not report.exists():
            return f"no report: status {status}: {messages.decode(errors='replace').strip()[:200]}"
        return judge(json.loads(report.read_text()), native, output.decode(errors="replace"))


def judge(report, native, output):
    """Holds what symx reports against the native run."""
    for violation in report["violations"]:
        return f"finding: {violation['kind']}/{violation['detail']}: {violation['message']} ({place(violation['location'])})"
    for cut in report["incomplete"]:
        if cut["reason"] != "single-execution":
            return f"incomplete: {cut['reason']}: {cut['what']} ({place(cut.get('location'))})"
    # A shell's number for what Python gives as minus the signal.
    expected = native["status"] if native["status"] >= 0 else 128 - native["status"]
    if report["exit_status"] != expected:
        return f"status {report['exit_status']}, natively {expected}"
    if output != native["output"]:
        return f"output {output[:60]!r}, natively {native['output'][:60]!r}"
    return ""


def place(location):
    """File and line of a place in a report."""
    if not location:
        return "no place"
    return f"{pathlib.Path(location.get('file') or '?').name}:{location.get('line')}"


def known_differences(path):
    """`name level` to reason. A line is: name, level or `*`, reason; `#` begins a comment."""
    known = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, level, reason = line.split(None, 2)
            for one in ["O0", "O2"] if level == "*" else [level]:
                known[f"{name} {one}"] = reason
    return known


def rates(title, outcomes, least):
    """Prints how many agree; says whether that is enough."""
    counted = [outcome for outcome in outcomes if outcome.kind != "excluded"]
    tolerated = sum(outcome.kind == "tolerated" for outcome in counted)
    agree = tolerated + sum(outcome.kind == "agrees" for outcome in counted)
    share = 100 * agree / max(len(counted), 1)
    print(f"{title}: {agree} of {len(counted)} agree ({share:.2f} %, at least {least} % wanted), {tolerated} of them with "
          "undefined behaviour that is reported and then tolerated")
    return share >= least


def main():
    """Compares, prints what differs and the rates; the status says whether all is as the list says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=["gcc", "csmith"])
    parser.add_argument("--symx", required=True)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--source", type=pathlib.Path, help="gcc.c-torture/execute")
    parser.add_argument("--headers", default="/usr/include/csmith", help="csmith's headers")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="where programs and native results are kept")
    parser.add_argument("--differences", type=pathlib.Path, required=True)
    parser.add_argument("--levels", default="O0,O2")
    parser.add_argument("--limit", type=int, default=10, help="seconds of processor time for each run")
    parser.add_argument("--count", type=int, default=200, help="how many csmith programs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--excluded", action="store_true", help="also list what is not compared, and why")
    parser.add_argument("only", nargs="*", help="programs by name; all if none")
    options = parser.parse_intermixed_args()
    comparison, levels = Comparison(options), options.levels.split(",")
    if options.suite == "gcc":
        programs = list(gcc_programs(options.source))
    else:
        programs = csmith_programs(comparison, options.work / "csmith", options.count, options.headers, levels)
    if options.only:
        programs = [program for program in programs if program.name in options.only]
    known = known_differences(options.differences)
    sound = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for level in levels:
            outcomes = list(pool.map(lambda program: comparison.of(program, level, options.suite == "gcc"), programs))
            sound &= report_level(level, outcomes, known, options)
    sys.exit(0 if sound else 1)


def report_level(level, outcomes, known, options):
    """Prints one level's results; says whether they are as the list says and the rates are reached."""
    sound = True
    for outcome in outcomes:
        if outcome.kind in ("differs", "tolerated"):
            listed = outcome.name in known
            sound &= listed
            print(f"{outcome.name}: {outcome.kind}: {outcome.what}" + (f" [listed: {known[outcome.name]}]" if listed else " [NOT LISTED]"))
        elif outcome.name in known:
            sound = False
            print(f"{outcome.name}: {outcome.kind}, but stands in the list of differences")
        elif outcome.kind == "excluded" and options.excluded:
            print(f"{outcome.name}: not compared: {outcome.what}")
    if options.suite == "csmith":
        return rates(f"csmith {level}", outcomes, 100) and sound
    plain = rates(f"gcc {level} plain", [outcome for outcome in outcomes if not outcome.program.special], 99.5)
    special = rates(f"gcc {level} special", [outcome for outcome in outcomes if outcome.program.special], 95)
    return plain and special and sound


main()
