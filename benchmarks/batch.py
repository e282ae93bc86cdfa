"""`python -m benchmarks.batch`: many copies at once, beside batches of MuJoCo and environments of Gymnasium.

All in one run, one after the other in each round, the best round of each: microseconds per copy. A learning
step is four steps and what is observed, from the same state each time; exploring is the mean of 25 of them in
which each copy is told something else. One thread is timed by the processor's clock, which other programs do
not disturb much; several by the wall's.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import mujoco.batch
import mujoco.rollout
import numpy as np

from benchmarks.plain_mujoco import build_model
from benchmarks.scenes import humanoid, two_wheeled_robot
from solidbody.model import devices as d
from solidbody.model.joints import JointHinge
from solidbody.model.links import Link
from solidbody.model.motors import PositionSensor
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from solidbody.sim.batch.batch import Batch

SUBSTEPS = 4
"""Steps between two observations."""

EXPLORED = 25
"""Learning steps of an exploration: each copy is told something else in each of them."""

GOALS = {
    ("robot", "learning step"): 1.3,
    ("robot", "exploring"): 1.3,
    ("robot", "reset"): 1.5,
    ("humanoid", "learning step"): 1.4,
    ("humanoid", "exploring"): 1.4,
}
"""Most times what mujoco.batch takes."""

SENSOR_GOAL = 1.2
MEMORY_GOAL = 0.3
"""[MB] of a copy."""

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Case:
    """A scene, and how fast its motors turn."""

    name: str
    scene: Scene
    speed: float
    root: str


def with_sensors(scene: Scene) -> Scene:
    """Return the robot with the sensors of a usual small robot: 7 on the chassis, 2 on the wheels."""
    body = next(body for body in scene.bodies if len(body.links) > 1)
    found = (
        d.DeviceGps(name="gps"),
        d.DeviceGyro(name="gyro"),
        d.DeviceAccelerometer(name="accelerometer"),
        d.DeviceCompass(name="compass"),
        d.DeviceInertialUnit(name="inertial unit"),
        d.DeviceDistanceSensor(name="left"),
        d.DeviceDistanceSensor(name="right"),
    )

    def sensing(link: Link) -> Link:
        if isinstance(link.joint, JointHinge):
            axis = replace(link.joint.axis, sensor=PositionSensor(f"{link.name} turn"))
            return replace(link, joint=replace(link.joint, axis=axis))
        return replace(link, devices=found) if link is body.links[0] else link

    made = replace(body, links=tuple(map(sensing, body.links)))
    return replace(scene, bodies=tuple(made if one is body else one for one in scene.bodies))


def cases() -> list[Case]:
    """Return the robot on two wheels, and the figure of 31 boxes."""
    figure, speeds = humanoid()
    return [
        Case("robot", two_wheeled_robot(), 3.0, "chassis"),
        Case("humanoid", figure, float(next(iter(speeds.values()))), "trunk"),
    ]


def observed(batch: Batch, root: str) -> None:
    """Bind what a policy reads."""
    for name in ("joint.position", "joint.velocity"):
        batch.bind(name)
    for name in ("link.pose", "link.twist"):
        batch.bind(name, root)


def drawn(case: Case, count: int, motors: int) -> Any:
    """Return (EXPLORED, copies, motors): what an exploration tells the motors."""
    return np.random.default_rng(0).uniform(-case.speed, case.speed, (EXPLORED, count, motors))


def ours(case: Case, count: int, threads: int) -> dict[str, Work]:
    """Return what is timed of ours."""
    batch = Sim(case.scene).batch(count, threads=threads)
    observed(batch, case.root)
    told = batch.bind("joint.target_velocity")
    told[:] = case.speed
    batch.step(100)
    start, commands = batch.snapshot(), drawn(case, count, told.shape[1])

    def learn() -> None:
        told[:] = case.speed
        batch.step(SUBSTEPS)

    def explore() -> None:
        for command in commands:
            told[:] = command
            batch.step(SUBSTEPS)

    def again() -> None:
        batch.restore(start)
        told[:] = case.speed

    return {
        "again": again,
        "step(1)": lambda: batch.step(1),
        "learning step": learn,
        "exploring": explore,
        "reset": batch.reset,
    }


def theirs(case: Case, count: int, threads: int) -> dict[str, Work]:
    """Return the same of mujoco.batch: the same bodies under MuJoCo's own law."""
    batch = mujoco.batch.Batch(build_model(case.scene), count, nthread=threads, persistent=True)
    told = batch.bind("ctrl")
    for name in ("qpos", "qvel"):
        batch.bind(name)
    told[:] = case.speed
    batch.step(nstep=100)
    kept = {name: batch.bind(name).copy() for name in ("qpos", "qvel")}
    commands = drawn(case, count, told.shape[1])

    def learn() -> None:
        told[:] = case.speed
        batch.step(nstep=SUBSTEPS)

    def explore() -> None:
        for command in commands:
            told[:] = command
            batch.step(nstep=SUBSTEPS)

    def again() -> None:
        for name, values in kept.items():
            batch.bind(name)[:] = values
        told[:] = case.speed

    return {
        "again": again,
        "step(1)": batch.step,
        "learning step": learn,
        "exploring": explore,
        "reset": lambda: batch.reset(stage=0),
    }


def rollouts(case: Case, count: int, threads: int) -> dict[str, Work]:
    """Return the learning step by mujoco.rollout, which takes and gives whole states."""
    model = build_model(case.scene)
    found = [mujoco.MjData(model) for _ in range(threads)]
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = mujoco.MjData(model)
    data.ctrl[:] = case.speed
    mujoco.mj_step(model, data, 100)
    state = np.zeros(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, data, state, spec)
    states = np.tile(state, (count, 1))
    told = np.full((count, SUBSTEPS, model.nu), case.speed)
    pool = mujoco.rollout.Rollout(nthread=threads)
    return {
        "again": lambda: None,
        "learning step": lambda: pool.rollout(
            [model] * count, found, initial_state=states, control=told
        ),
    }


def best(
    columns: dict[str, dict[str, Work]],
    count: int,
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, dict[str, float]]:
    """Return microseconds per copy of each work, the best of rounds in which all take turns."""
    out: dict[str, dict[str, float]] = {name: {} for name in columns}
    for _ in range(rounds):
        for name, works in columns.items():
            for what, work in works.items():
                works["again"]()
                if what == "again":
                    continue
                start = clock()
                work()
                taken = (clock() - start) / count * 1e6
                taken /= EXPLORED if what == "exploring" else 1
                out[name][what] = min(out[name].get(what, np.inf), taken)
    return out


def gymnasium_steps(count: int, rounds: int) -> Iterator[str]:
    """Yield what a step of Gymnasium's own MuJoCo environments takes, one after the other as they come."""
    try:
        import gymnasium
        import imageio  # noqa: F401  (they want it)
    except ImportError as error:
        yield f"  Gymnasium's own environments: not measured, {error} (pip install gymnasium imageio)"
        return
    for name in ("InvertedPendulum-v5", "Humanoid-v5"):
        env: Any = gymnasium.make_vec(name, num_envs=count, vectorization_mode="sync")
        env.reset(seed=1)
        action = 0.1 * env.action_space.sample()
        substeps, taken = env.envs[0].unwrapped.frame_skip, np.inf
        for _ in range(rounds):
            start = time.perf_counter()
            env.step(action)
            taken = min(taken, (time.perf_counter() - start) / count * 1e6)
        env.close()
        yield f"  {name:<20} {taken:8.1f} us a copy for {substeps} substeps ({taken / substeps:.1f} each)"


def resident() -> float:
    """Return the memory in use [MB]."""
    gc.collect()
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            ctypes.CDLL("libc.so.6").malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def memory_of(case: Case, count: int, *, varied: bool = False) -> float:
    """Return the memory of a copy that has made some steps [MB]."""
    sim = Sim(case.scene)
    before = resident()
    batch = sim.batch(count)
    observed(batch, case.root)
    if varied:
        batch.vary(
            "link.mass", np.linspace(0.8, 1.2, count)[:, None] * batch.constants("link.mass")
        )
    batch.step(20)
    return (resident() - before) / count


def sensor_share(count: int, rounds: int) -> tuple[float, float]:
    """Return the learning step of the robot [us] without and with sensors that are read."""
    scene, columns = with_sensors(two_wheeled_robot()), dict[str, dict[str, Work]]()
    for name in ("without", "with"):
        case = Case(name, scene, 3.0, "chassis")
        batch = Sim(scene).batch(count, threads=1)
        observed(batch, case.root)
        for channel in batch.channels if name == "with" else ():
            if channel.startswith("sensor."):
                batch.bind(channel)
        told = batch.bind("joint.target_velocity")
        told[:] = 3.0
        batch.step(100)
        columns[name] = {"again": lambda: None, "learning step": lambda b=batch: b.step(SUBSTEPS)}
    found = best(columns, count, rounds)
    return found["without"]["learning step"], found["with"]["learning step"]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch", description=__doc__)
    parser.add_argument("--copies", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    count, rounds = options.copies, options.rounds
    processors = os.cpu_count() or 1
    threads = sorted({1, 2, processors} & set(range(1, processors + 1)))
    load = os.getloadavg()[0]
    print(f"{count} copies, microseconds per copy, best of {rounds} rounds; load {load:.1f}")
    for case in cases():
        one: dict[str, dict[str, float]] = {}
        for used in threads:
            columns = {
                "solidbody": ours(case, count, used),
                "mujoco.batch": theirs(case, count, used),
                "mujoco.rollout": rollouts(case, count, used),
            }
            own_rounds = rounds if case.name == "robot" else max(rounds // 5, 5)
            clock = time.process_time if used == 1 else time.perf_counter
            found = best(columns, count, own_rounds, clock)
            one = one or found
            print(f"{case.name}, {used} thread{'s' if used > 1 else ''}")
            for what in ("step(1)", "learning step", "exploring", "reset"):
                mine, other = found["solidbody"][what], found["mujoco.batch"][what]
                goal = GOALS.get((case.name, what))
                says = f"  (goal {goal:g})" if goal else ""
                third = found["mujoco.rollout"].get(what)
                rest = "" if third is None else f"  mujoco.rollout {third:8.2f}"
                gain = one["solidbody"][what] / mine
                print(
                    f"  {what:<14} solidbody {mine:8.2f}  mujoco.batch {other:8.2f}{rest}"
                    f"  ratio {mine / other:.2f}{says}  {gain:.2f}x of 1 thread"
                )
    without, sensing = sensor_share(count, rounds)
    share = sensing / without
    print(f"sensors: {without:.2f} -> {sensing:.2f} us, ratio {share:.2f}  (goal {SENSOR_GOAL})")
    for case in cases():
        plain, varied = memory_of(case, 500), memory_of(case, 500, varied=True)
        print(
            f"memory of a copy: {case.name} {plain:.3f} MB, with masses of its own {varied:.3f} MB"
            f"  (goal {MEMORY_GOAL})"
        )
    print("Gymnasium, one process, 16 copies")
    for line in gymnasium_steps(16, max(rounds // 5, 5)):
        print(line)


if __name__ == "__main__":
    main()
