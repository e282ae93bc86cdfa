"""`python -m benchmarks.running [FILE or FOLDER ...]`: every world runs ten simulated seconds.

One line for each world that loads without errors: whether it stayed finite, how far it came, processor time
per step, the deepest contact (of the whole run, and of its second half), steps that were not solved to the
end, steps in which something moved too far. Without arguments: the examples, then the corpus beside the
repository. Worlds with errors (most miss files that are not public) are counted, `--all` runs them too.
Each world has a process and a budget of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = (ROOT / "examples", ROOT.parent / "shared" / "corpus")
KINDS = (".wbt", ".body", ".cnoid")
LOOKS = 100
"""How often a run is looked at."""
LOST = 20.0
"""Factor by which the clock may be behind the processor's time before a process counts as lost."""


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one world; lengths in mm, times in s, step time in us."""

    file: str
    outcome: str
    seconds: float = 0.0
    links: int = 0
    step_time: float = 0.0
    deepest: float = 0.0
    deepest_late: float = 0.0
    unsolved: int = 0
    too_fast: int = 0
    dropped: int = 0
    lost: int = 0

    def row(self) -> str:
        """Return the line of the table."""
        return (
            f"{self.outcome:12} {self.seconds:6.2f} s {self.links:5d} {self.step_time:9.1f} us "
            f"{self.deepest:8.2f} {self.deepest_late:8.2f} mm {self.unsolved:6d} {self.too_fast:6d} "
            f"{self.dropped:8d} {self.lost:6d}  "
            f"{self.file}"
        )


def run_one(path: Path, *, seconds: float, budget: float, everything: bool, cut: bool) -> Run:
    """Read and run a world; ends early when `budget` seconds of processor time are spent."""
    from solidbody.base.errors import SimulationError, SolidbodyError
    from solidbody.formats.loading import read_scene
    from solidbody.sim import Sim

    name, began = str(path), time.process_time()
    scene, log = read_scene(path)
    if scene is None or (log.has_errors and not everything):
        return Run(name, "incomplete")
    if not any(True for _ in scene.links()):
        return Run(name, "empty")
    try:
        sim = Sim(scene, cut_meshes=cut)
    except SolidbodyError as error:
        return Run(name, f"refused: {error}"[:60])
    spent, deepest, late, outcome = 0.0, 0.0, 0.0, "finite"
    steps = round(seconds / sim.time_step)
    chunk = max(1, steps // LOOKS)
    while sim.stats.steps < steps:
        start = time.process_time()
        try:
            sim.step(min(chunk, steps - sim.stats.steps))
        except SimulationError:
            outcome = "NOT FINITE"
            break
        spent += time.process_time() - start
        depth = -min((float(c.dist) for c in sim.data.contact if not c.exclude), default=0.0)
        deepest = max(deepest, depth)
        if 2 * sim.stats.steps >= steps:
            late = max(late, depth)
        if time.process_time() - began > budget:
            outcome = "slow"
            break
    return Run(
        name,
        outcome,
        sim.time,
        sum(1 for _ in scene.links()),
        1e6 * spent / max(1, sim.stats.steps),
        1e3 * deepest,
        1e3 * late,
        sim.stats.not_converged,
        sim.stats.too_fast,
        sim.stats.contacts_dropped,
        sim.stats.contacts_lost,
    )


def worlds(places: list[Path]) -> Iterator[Path]:
    """Return the world files below some places, in order."""
    for place in places:
        if place.is_dir():
            yield from sorted(p for p in place.rglob("*") if p.suffix in KINDS and p.is_file())
        elif place.exists():
            yield place


def _in_process(path: Path, options: argparse.Namespace) -> Run:
    command = [sys.executable, "-m", "benchmarks.running", "--one", str(path)]
    command += ["--seconds", str(options.seconds), "--budget", str(options.budget)]
    command += ["--all"] * options.all + ["--cut-meshes"] * options.cut_meshes
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LOST * options.budget, check=False
        )
    except subprocess.TimeoutExpired:
        return Run(str(path), "lost")
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        said = done.stderr.strip().splitlines()
        return Run(str(path), f"CRASHED: {said[-1] if said else done.returncode}"[:60])
    return Run(**json.loads(lines[-1]))


def main() -> int:
    """Run and print; 1 if a world crashed or did not stay finite."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.running", description=__doc__)
    parser.add_argument("places", nargs="*", type=Path, default=list(PLACES))
    parser.add_argument("--seconds", type=float, default=10.0, help="simulated")
    parser.add_argument("--budget", type=float, default=60.0, help="processor time for each world")
    parser.add_argument("--all", action="store_true", help="worlds with errors too")
    parser.add_argument("--cut-meshes", action="store_true", help="moving meshes as convex parts")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        found = run_one(
            options.places[0],
            seconds=options.seconds,
            budget=options.budget,
            everything=options.all,
            cut=options.cut_meshes,
        )
        print(json.dumps(asdict(found)))
        return 0
    counts: Counter[str] = Counter()
    print(
        "outcome        reached links      step  deepest     late  unsolved  fast  dropped   lost  file"
    )
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for found in pool.map(lambda path: _in_process(path, options), worlds(options.places)):
            counts[found.outcome.partition(":")[0]] += 1
            counts["unsolved steps"] += found.unsolved
            if found.outcome not in ("incomplete", "empty"):
                print(found.row(), flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["NOT FINITE"] or counts["CRASHED"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
