"""The process that reads inputs: takes jobs on standard input, tells of each input as it begins and ends.

The argument names the module that has the kinds. A job is a line `kind first count`; an answer is one JSON
object per line. An input that takes far too much processor time ends the process by a signal, after its stack
was written to standard error; the parent ends one that takes far too much memory.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from tests.fuzz.kind import Files, Kind

HARD = 3.0
"""Times the processor time of a kind, after which the process is ended."""


def main() -> None:
    """Obey until standard input ends, in a folder of its own, the current one."""
    kinds: dict[str, Kind] = importlib.import_module(sys.argv[1]).KINDS
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)
    home = Path.cwd()
    os.environ["SOLIDBODY_CACHE"] = str(home / "cache")
    os.environ.pop("WEBOTS_HOME", None)
    for line in sys.stdin:
        name, first, count = line.split()
        for seed in range(int(first), int(first) + int(count)):
            _tell(answers, {"begin": seed})
            _tell(answers, {"end": seed, **_one(kinds[name], seed, home / "input")})
        _tell(answers, {"done": name})


def _tell(answers: Any, what: dict[str, Any]) -> None:
    answers.write(json.dumps(what) + "\n")
    answers.flush()


def _one(kind: Kind, seed: int, folder: Path) -> dict[str, Any]:
    """Read one input; return what came of it."""
    write(kind.input(seed), folder)
    before = _memory("VmRSS")
    _forget_peak()
    signal.setitimer(signal.ITIMER_PROF, HARD * kind.seconds)
    start = _computed()
    fault = ""
    verdict = "fault"
    try:
        verdict = kind.judge(folder)
    except Exception as error:  # whatever it is, it is a fault
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        fault = f"{type(error).__name__} at {place}: {error}"[:300]
        if os.environ.get("FUZZ_TRACE"):
            traceback.print_exc()
        error.__traceback__ = None
    seconds = _computed() - start
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    peak = max(_memory("VmHWM") - before, 0)
    if not fault and seconds > kind.seconds * float(os.environ.get("FUZZ_PATIENCE", "1")):
        fault = f"it took {seconds:.1f} s of processor time; {kind.seconds:g} are allowed"
    if not fault and peak > kind.memory:
        fault = f"it took {peak // 1_000_000} MB; {kind.memory // 1_000_000} are allowed"
    if peak > 50_000_000:
        gc.collect()
    return {"verdict": "fault" if fault else verdict, "fault": fault, "s": seconds, "peak": peak}


def write(files: Files, folder: Path) -> None:
    """Put an input, and nothing else, into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _computed() -> float:
    """Return the seconds that this process and its ended children have computed."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _status() -> dict[str, int]:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return {}
    parts = (line.split() for line in lines)
    return {part[0][:-1]: 1024 * int(part[1]) for part in parts if part[-1] == "kB"}


def _memory(name: str) -> int:
    found = _status().get(name)
    if found is None:  # not Linux: the peak of all inputs so far
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found


def _forget_peak() -> None:
    """Let the kernel count the highest memory anew."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    main()
