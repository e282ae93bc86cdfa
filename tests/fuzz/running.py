"""Runs inputs of many kinds in processes that may crash, and counts."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.fuzz.child import write
from tests.fuzz.kind import Kind

ROOT = Path(__file__).parents[2]

CLOCK = 120.0
"""[s] By the clock, without a word: then the process hangs."""

LOOK = 0.2
"""[s] How often it is looked how much memory the process takes."""

ROOM = 3_000_000_000
"""Bytes of memory at which the process is ended."""


@dataclass
class Tally:
    """What came of the inputs of one kind."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    faults: dict[int, str] = field(default_factory=dict[int, str])
    slowest: float = 0.0
    slowest_seed: int = 0
    peak: int = 0
    seconds: float = 0.0

    def add(self, answer: Mapping[str, Any]) -> None:
        """Count one input."""
        self.inputs += 1
        self.accepted += answer["verdict"] == "accepted"
        self.refused += answer["verdict"] == "refused"
        if answer["fault"]:
            self.faults[answer["end"]] = answer["fault"]
        if answer["s"] > self.slowest:
            self.slowest, self.slowest_seed = answer["s"], answer["end"]
        self.peak = max(self.peak, answer["peak"])
        self.seconds += answer["s"]

    def add_crash(self, seed: int, text: str) -> None:
        """Count an input that ended the process."""
        self.inputs += 1
        self.faults[seed] = text


class _Child:
    """A process that reads inputs."""

    def __init__(self, module: str) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._home = tempfile.TemporaryDirectory(prefix="solidbody-fuzz-")
        paths = (str(ROOT / "src"), str(ROOT))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.child", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("FUZZ_TRACE") else self._errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
            cwd=self._home.name,
            text=True,
            start_new_session=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def run(self, kind: str, first: int, count: int, tally: Tally) -> int | None:
        """Run a job; return the seed that ended the process, None if none did."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{kind} {first} {count}\n")
        self._process.stdin.flush()
        seed, heard = first, time.monotonic()
        while True:
            try:
                line = self._lines.get(timeout=LOOK)
                heard = time.monotonic()
            except queue.Empty:
                problem = ""
                if time.monotonic() - heard > CLOCK:
                    problem = f"it hangs: no answer within {CLOCK:g} s by the clock"
                elif self._memory() > ROOM:
                    problem = f"it took more than {ROOM // 1_000_000} MB and was ended"
                if problem:
                    self.close()
                    tally.add_crash(seed, problem)
                    return seed
                continue
            if not line:
                tally.add_crash(seed, self._last_words())
                return seed
            answer = json.loads(line)
            if "begin" in answer:
                seed = answer["begin"]
            elif "end" in answer:
                tally.add(answer)
            else:
                return None

    def _memory(self) -> int:
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def _last_words(self) -> str:
        status = self._process.wait()
        how = f"exit status {status}"
        if status < 0:
            how = f"signal {signal.Signals(-status).name}"
        if -status == signal.SIGPROF:
            how = "it took far too much processor time"
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip()
        lines = [line.strip() for line in said.splitlines()]
        top = [line for line in lines if line.startswith("File ")][:4]
        return f"the process ended: {how}; {' < '.join(top) or said[-300:]}"

    def close(self) -> None:
        """End it and what it has started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        self._errors.close()
        self._home.cleanup()


class Runner:
    """Runs inputs one after the other, in one process as long as that lives."""

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        kept: Path | None = None,
        module: str = "tests.fuzz.kinds",
    ) -> None:
        self._kinds = kinds
        self._module = module
        self._kept = kept
        self._child: _Child | None = None
        self.tallies = {name: Tally() for name in kinds}

    def run(self, name: str, first: int, count: int) -> None:
        """Run the inputs of a kind with these seeds."""
        tally, end = self.tallies[name], first + count
        before = set(tally.faults)
        while first < end:
            self._child = self._child or _Child(self._module)
            crashed = self._child.run(name, first, end - first, tally)
            if crashed is None:
                break
            self._child.close()
            self._child = None
            first = crashed + 1
        for seed in sorted(set(tally.faults) - before):
            self._keep(name, seed, tally.faults[seed])

    def _keep(self, name: str, seed: int, fault: str) -> None:
        if self._kept is not None:
            folder = self._kept / f"{name}-{seed}"
            write(self._kinds[name].input(seed), folder)
            (folder / "FAULT.txt").write_text(
                f"{fault}\npython -m tests.fuzz --kind {name} --seed {seed} --count 1\n"
            )

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close()
            self._child = None


def run_for(
    kinds: Mapping[str, Kind],
    *,
    seconds: float,
    seed: int,
    batch: int,
    jobs: int,
    kept: Path | None,
    say: Callable[[str], None],
) -> dict[str, Tally]:
    """Run batches of all kinds in turn until the time is over."""
    end = time.monotonic() + seconds
    turns: queue.Queue[tuple[str, int]] = queue.Queue()
    lock = threading.Lock()
    state = {"round": 0}

    def next_turn() -> tuple[str, int]:
        with lock:
            if turns.empty():
                for name, kind in kinds.items():
                    turns.put((name, seed + state["round"] * batch * kind.share))
                state["round"] += 1
            return turns.get()

    runners = [Runner(kinds, kept) for _ in range(jobs)]

    def work(runner: Runner) -> None:
        while time.monotonic() < end:
            name, first = next_turn()
            before = len(runner.tallies[name].faults)
            runner.run(name, first, batch * kinds[name].share)
            for number, fault in list(runner.tallies[name].faults.items())[before:]:
                say(f"{name} {number}: {fault}")
        runner.close()

    threads = [threading.Thread(target=work, args=(runner,)) for runner in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {name: _sum([runner.tallies[name] for runner in runners]) for name in kinds}


def _sum(tallies: list[Tally]) -> Tally:
    out = Tally()
    for item in tallies:
        out.inputs += item.inputs
        out.accepted += item.accepted
        out.refused += item.refused
        out.faults |= item.faults
        out.seconds += item.seconds
        out.peak = max(out.peak, item.peak)
        if item.slowest > out.slowest:
            out.slowest, out.slowest_seed = item.slowest, item.slowest_seed
    return out


def table(tallies: Mapping[str, Tally]) -> str:
    """Return the counts as lines of text."""
    head = f"{'kind':<12}{'inputs':>9}{'accepted':>10}{'refused':>9}{'faults':>8}"
    head += f"{'slowest s':>11}{'(seed)':>9}{'mean ms':>9}{'peak MB':>9}"
    rows = [head]
    for name, item in tallies.items():
        mean = 1000.0 * item.seconds / max(item.inputs, 1)
        rows.append(
            f"{name:<12}{item.inputs:>9}{item.accepted:>10}{item.refused:>9}{len(item.faults):>8}"
            f"{item.slowest:>11.2f}{item.slowest_seed:>9}{mean:>9.1f}{item.peak / 1e6:>9.0f}"
        )
    all_of = _sum(list(tallies.values()))
    rows.append(
        f"{'all':<12}{all_of.inputs:>9}{all_of.accepted:>10}{all_of.refused:>9}"
        f"{sum(len(item.faults) for item in tallies.values()):>8}{all_of.slowest:>11.2f}"
    )
    return "\n".join(rows)
