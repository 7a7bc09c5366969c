#!/usr/bin/env python3
"""Compares `symx exec` with native runs over a copy of the Open POSIX Test Suite: threads, semaphores, scheduling, sleeping,
signals, timers and message queues.

A program counts if it passes natively (status 0). It agrees if symx, without a finding, ends it with status 0 too. The
others must stand in the list of differences with their reason, and each one in the list must still differ. What symx refuses
by design (other programs, stopped processes) is counted apart, as *refused*.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

FAMILIES = ("pthread_", "sem_", "sched_", "nanosleep", "clock_", "sig", "timer_", "mq_", "raise", "kill")
# What symx refuses by design: another program, a process that stops, a group of processes, a fork beside timers.
REFUSED = re.compile(r"\b(clone|execv\w*|posix_spawn\w*|stops the process|group of processes|fork in a process with timers)\b")


def run(command, limit, memory, folder, **more):
    """Status, output and messages of a command; `None` as its status if `limit` seconds were up."""
    def restrict():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                               preexec_fn=restrict, start_new_session=True, **more)
    try:
        output, messages = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        # Its own session: what it forked goes with it.
        subprocess.run(["kill", "-KILL", "--", f"-{process.pid}"], check=False)
        process.communicate()
        return None, b"", b""
    return process.returncode, output, messages


class Comparison:
    """The tools, and how a program goes through them."""

    def __init__(self, options):
        self.options = options
        self.cache = options.work / "posix-cache"
        self.cache.mkdir(parents=True, exist_ok=True)

    def compiler(self, source):
        """The compiler with what the suite's own build gives it; some versions put a `main` in front of `test_main`."""
        return [self.options.clang, "-w", "-O1", "-std=gnu99", "-D_GNU_SOURCE", "-Dtest_main=main", "-pthread",
                f"-I{self.options.suite / 'include'}", f"-I{source.parent}"]

    def native(self, source):
        """The native run's status: a number, or a word that says why there is none. Kept by the program's text."""
        kept = self.cache / hashlib.sha256(repr(self.compiler(source)).encode() + source.read_bytes()).hexdigest()[:32]
        if kept.exists():
            return json.loads(kept.read_text())
        with tempfile.TemporaryDirectory() as folder:
            status, _, _ = run([*self.compiler(source), source, "-o", f"{folder}/program", "-lrt"], 60, 0, folder)
            answer = "does not compile"
            if status == 0:
                # Some set the clock, ask for real-time scheduling, or signal every process they may.
                os.chmod(folder, 0o777)
                nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
                answer, _, _ = run([f"{folder}/program"], self.options.native_limit, 0, folder, **nobody)
                answer = "too long" if answer is None else answer
        kept.write_text(json.dumps(answer))
        return answer

    def difference(self, source):
        """How symx's run differs from one that passes, in a line; nothing if it does not."""
        with tempfile.TemporaryDirectory() as folder:
            command = [*self.compiler(source), "-g", "-emit-llvm", "-c", source, "-o", f"{folder}/program.bc"]
            if run(command, 60, 0, folder)[0] != 0:
                return "the compiler makes no bitcode of it"
            report = pathlib.Path(folder, "report.json")
            command = [self.options.symx, self.options.command, "--quiet", "--json", report, f"{folder}/program.bc"]
            status, output, messages = run(command, self.options.limit, self.options.memory, folder)
            if status is None:
                return "time: takes more than the limit"
            if not report.exists():
                return f"no report: status {status}: {messages.decode(errors='replace').strip()[:200]}"
            last = output.decode(errors="replace").strip().splitlines()[-1:]
            return judge(json.loads(report.read_text()), last)


def judge(report, last):
    """Holds what symx reports against a run that passes."""
    for violation in report["violations"]:
        return f"finding: {violation['kind']}/{violation['detail']}: {violation['message']} ({place(violation['location'])})"
    for cut in report["incomplete"]:
        if cut["reason"] != "single-execution":
            return f"incomplete: {cut['reason']}: {cut.get('what', '')} ({place(cut.get('location'))})"
    # Of an exploration, every outcome.
    for end in report.get("outcomes") or [report]:
        if end["exit_status"] != 0:
            return f"status {end['exit_status']}: {' '.join(end.get('stdout', '').splitlines()[-1:] or last)[:120]}"
    return ""


def place(location):
    """File and line of a place in a report."""
    if not location:
        return "no place"
    return f"{pathlib.Path(location.get('file') or '?').name}:{location.get('line')}"


def known_differences(path):
    """Name to reason; `#` begins a comment."""
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return dict(line.split(None, 1) for line in lines)


def main():
    """Compares, prints what differs and how many agree; the status says whether all is as the list says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--symx", required=True)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--suite", type=pathlib.Path, required=True, help="the suite's folder, with include/ and conformance/")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="where native results are kept")
    parser.add_argument("--differences", type=pathlib.Path, required=True)
    parser.add_argument("--command", default="exec", choices=["exec", "run"])
    parser.add_argument("--limit", type=int, default=60, help="seconds for symx's run of a program")
    parser.add_argument("--native-limit", type=int, default=20, help="seconds for a native run")
    parser.add_argument("--memory", type=int, default=4000, help="MiB of addresses for symx")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("only", nargs="*", help="programs, or beginnings of their names; all if none")
    options = parser.parse_intermixed_args()
    options.suite = options.suite.resolve()
    comparison = Comparison(options)
    interfaces = options.suite / "conformance/interfaces"
    programs = {str(path.relative_to(interfaces))[:-2]: path for path in sorted(interfaces.glob("*/[0-9]*-[0-9]*.c"))
                if path.parent.name.startswith(FAMILIES)}
    if options.only:
        programs = {name: path for name, path in programs.items() if name.startswith(tuple(options.only))}
    # Most of a native run is sleep.
    with concurrent.futures.ThreadPoolExecutor(4 * options.jobs) as pool:
        passing = [name for name, status in zip(programs, pool.map(comparison.native, programs.values())) if status == 0]
    print(f"{len(programs)} programs, {len(passing)} pass natively", flush=True)
    known, counts, sound = known_differences(options.differences), collections.Counter(), True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, what in zip(passing, pool.map(lambda name: comparison.difference(programs[name]), passing)):
            refused = what.startswith("incomplete") and REFUSED.search(what)
            kind = "refused" if refused else "differ" if what else "agree"
            counts[kind] += 1
            listed = known.get(name)
            if kind == "differ":
                sound &= listed is not None
                print(f"{name}: {what}" + (f" [listed: {listed}]" if listed else " [NOT LISTED]"), flush=True)
            elif listed is not None:
                sound = False
                print(f"{name}: does not differ, but stands in the list of differences", flush=True)
    print(f"posix: {counts['agree']} of {len(passing) - counts['refused']} agree; {counts['refused']} more are refused by name: "
          "they start another program, or stop a process")
    sys.exit(0 if sound else 1)


main()
