"""`python -m benchmarks`: microseconds per step of ours, mj_step, ODE and PyBullet, as table and picture."""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
from functools import partial
from pathlib import Path

from benchmarks.accuracy import State
from benchmarks.bullet import BulletRunner
from benchmarks.cases import BenchScene, bench_scenes
from benchmarks.chart import draw
from benchmarks.ode_loop import OdeRunner, complaints
from benchmarks.plain_mujoco import MujocoRunner
from benchmarks.sr1 import time_sr1
from benchmarks.threads import thread_gains
from benchmarks.timing import Column, Timing, time_scene
from solidbody.sim import Sim

ROUNDS = 9


class OurRunner:
    """The product on one benchmark scene."""

    def __init__(self, bench: BenchScene) -> None:
        self._sim = Sim(bench.scene, engine="native", threads=1)
        for name, speed in bench.speeds.items():
            self._sim.joint(name).target_velocity = speed

    def settle(self, steps: int) -> None:
        """Advance untimed."""
        self._sim.step(steps)

    def step(self, steps: int) -> None:
        """Advance by one native call."""
        self._sim.step(steps)

    def start_from(self, state: State) -> None:
        """Never asked: others start from ours."""
        raise RuntimeError("starts by itself")

    def state(self) -> State:
        """Return where all links are."""
        depth = self._sim.contacts().depth
        return State(
            self._sim.poses().copy(), self._sim.velocities(), float(depth.max(initial=0.0))
        )

    def close(self) -> None:
        """Nothing to free."""

    def remark(self) -> str:
        """Return what a reader of the timing must know: how well steps are solved."""
        stats = self._sim.stats
        text = f"worst residual {stats.worst_residual:.0e} m/s"
        if stats.not_converged:
            text += f", {stats.not_converged} of {stats.steps} steps not converged"
        return text


OURS, MUJOCO, ODE, QUICK, BULLET = (
    "solidbody",
    "mj_step",
    "ODE dWorldStep",
    "ODE QuickStep",
    "PyBullet",
)
COLUMNS = (
    Column(OURS, OurRunner),
    Column(MUJOCO, MujocoRunner, takes_state=True),
    Column(ODE, OdeRunner, is_ode=True, takes_state=True),
    Column(QUICK, partial(OdeRunner, quick=True), takes_state=True),
    Column(BULLET, BulletRunner, takes_state=True),
)


def main() -> int:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("scenes", nargs="*", help="names of scenes to run; default: all")
    parser.add_argument("--quick", action="store_true", help="leave out piles of 300 and more")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default {ROUNDS}")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the rounds to FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="also draw a bar chart")
    options = parser.parse_args()
    known = {bench.name: bench for bench in bench_scenes()}
    unknown = [name for name in options.scenes if name not in known]
    if unknown:
        parser.error(f"unknown scene {unknown[0]!r}; known: {', '.join(known)}")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    chosen = [known[name] for name in options.scenes] or [
        bench for bench in known.values() if not (options.quick and bench.is_long)
    ]
    print(heading(options.rounds))
    print(row("scene", *(column.name for column in COLUMNS), "ODE/ours", "ours/mj_step"))
    results: list[Timing] = []
    for bench in chosen:
        timings = time_scene(bench, COLUMNS, options.rounds)
        results += timings
        print(row(bench.name, *(cell(timing) for timing in timings), *ratios(timings)), flush=True)
    if not options.scenes:
        results.append(time_sr1(options.rounds))
        print(row(results[-1].scene, cell(results[-1])))
    print_notes(results)
    if not options.scenes:
        print("\nislands on several threads, microseconds per step by the clock:")
        for line in thread_gains():
            print(line)
    if options.csv:
        write_csv(options.csv, results)
        print(f"rounds: {options.csv}")
    if options.plot:
        draw(options.plot, results)
        print(f"picture: {options.plot}")
    return 0


def heading(rounds: int) -> str:
    """Return what the numbers are."""
    return (
        f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, "
        f"load {os.getloadavg()[0]:.1f}; microseconds of processor time per step, best / median of "
        f"{rounds} interleaved rounds,\none thread each; {MUJOCO} and {BULLET} solve other contact laws"
    )


def print_notes(results: list[Timing]) -> None:
    """Print how good each run was, and why some are missing."""
    print(f"\n{'scene':<28}{'engine':<16}accuracy")
    for timing in results:
        parts = [timing.accuracy.text()] if timing.accuracy else []
        if timing.rounds and (parts or timing.remark):
            text = ", ".join(part for part in (*parts, timing.remark) if part)
            print(f"{timing.scene:<28}{timing.engine:<16}{text}")
    if any(timing.engine == ODE and timing.rounds for timing in results) and complaints():
        print(f"ODE's solver complained {complaints()} times (LCP internal error)")
    for reason in sorted({f"{t.scene}, {t.engine}: {t.missing}" for t in results if t.missing}):
        print(f"missing: {reason}")


def row(*cells: str) -> str:
    """Return one line of the table."""
    return f"{cells[0]:<28}" + "".join(f"{text:>22}" for text in cells[1:])


def cell(timing: Timing) -> str:
    """Return best / median, or a dash."""
    return f"{timing.best:,.1f} / {timing.median:,.1f}" if timing.rounds else "-"


def ratios(timings: list[Timing]) -> tuple[str, str]:
    """Return ODE's time by ours, and ours by mj_step's; by best and by median rounds."""
    known = {timing.engine: timing for timing in timings if timing.rounds}
    return _ratio(known.get(ODE), known.get(OURS)), _ratio(known.get(OURS), known.get(MUJOCO))


def _ratio(one: Timing | None, other: Timing | None) -> str:
    if one is None or other is None:
        return "-"
    return f"{one.best / other.best:.1f}x / {one.median / other.median:.1f}x"


def write_csv(path: Path, results: list[Timing]) -> None:
    """Write one line per round, with the machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(
            ["machine", "python", "scene", "engine", "round", "microseconds_per_step", "accuracy"]
        )
        for timing in results:
            for number, value in enumerate(timing.rounds):
                writer.writerow(
                    [
                        platform.machine(),
                        platform.python_version(),
                        timing.scene,
                        timing.engine,
                        number,
                        f"{value:.3f}",
                        timing.accuracy.text() if timing.accuracy else "",
                    ]
                )


if __name__ == "__main__":
    sys.exit(main())
