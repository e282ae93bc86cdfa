"""`python -m benchmarks`: microseconds per step of ours, plain mj_step and ODE's dWorldStep."""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
from functools import partial
from pathlib import Path

from benchmarks.bullet import BulletRunner
from benchmarks.chart import draw
from benchmarks.ode_loop import OdeRunner, complaints
from benchmarks.plain_mujoco import MujocoRunner
from benchmarks.scenes import BenchScene, bench_scenes
from benchmarks.timing import Column, Timing, time_scene
from solidbody.sim import Sim

ROUNDS = 9


class OurRunner:
    """The product on one benchmark scene."""

    def __init__(self, bench: BenchScene) -> None:
        self._sim = Sim(bench.scene, engine="native")
        for name, speed in bench.speeds.items():
            self._sim.joint(name).target_velocity = speed

    def settle(self, steps: int) -> None:
        """Advance untimed."""
        self._sim.step(steps)

    def step(self, steps: int) -> None:
        """Advance by one native call."""
        self._sim.step(steps)

    def close(self) -> None:
        """Nothing to free."""

    def remark(self) -> str:
        """Return what a reader of the timing must know: steps that are not solved well."""
        stats = self._sim.stats
        depth = self._sim.contacts().depth
        text = f"penetration {1000 * float(depth.max(initial=0.0)):.2f} mm, "
        text += f"worst residual {stats.worst_residual:.0e} m/s"
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
    Column(MUJOCO, MujocoRunner),
    Column(ODE, OdeRunner, is_ode=True),
    Column(QUICK, partial(OdeRunner, quick=True)),
    Column(BULLET, BulletRunner),
)


def main() -> int:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("scenes", nargs="*", help="names of scenes to run; default: all short ones")
    parser.add_argument("--long", action="store_true", help="also run the pile of 500 (minutes)")
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
        bench for bench in known.values() if options.long or not bench.is_long
    ]
    print(
        f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, ", end=""
    )
    print(
        f"load {os.getloadavg()[0]:.1f}; microseconds per step, best / median of {options.rounds}"
    )
    print(f"interleaved rounds; {MUJOCO} solves another contact law")
    print(row("scene", *(column.name for column in COLUMNS), "ODE/ours", "ours/mj_step"))
    results: list[Timing] = []
    for bench in chosen:
        timings = time_scene(bench, COLUMNS, options.rounds)
        results += timings
        print(row(bench.name, *(cell(timing) for timing in timings), *ratios(timings)), flush=True)
    if any(timing.engine == ODE and timing.rounds for timing in results) and complaints():
        print(f"ODE's solver complained {complaints()} times (LCP internal error)")
    for timing in results:
        if timing.remark:
            print(f"{timing.scene}, {timing.engine}: {timing.remark}")
    for reason in sorted({f"{t.engine}: {t.missing}" for t in results if t.missing}):
        print(f"missing: {reason}")
    if options.csv:
        write_csv(options.csv, results)
    if options.plot:
        draw(options.plot, results)
    return 0


def row(*cells: str) -> str:
    """Return one line of the table."""
    return f"{cells[0]:<22}" + "".join(f"{text:>24}" for text in cells[1:])


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
        writer.writerow(["machine", "python", "scene", "engine", "round", "microseconds_per_step"])
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
                    ]
                )


if __name__ == "__main__":
    sys.exit(main())
