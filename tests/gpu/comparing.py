"""Scenes on a device beside the native step, and how far they may be apart.

    python -m tests.gpu.comparing cuda 14        # all of them, on a graphics card, 14 at a time

Tests do the same on Warp's processor device; `SOLIDBODY_TEST_DEVICE=cuda` lets them use a card.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from benchmarks.gpu_scenes import quadruped
from benchmarks.scenes import (
    ARM_SPEEDS,
    four_bar,
    humanoid,
    pile,
    six_joint_arm,
    stack,
    two_wheeled_robot,
)
from solidbody.formats.loading import read_scene_text
from solidbody.gpu.coverage import refusals
from solidbody.model.scene import Scene, Sleeping
from solidbody.sim import Sim
from solidbody.sim.batch.device_batch import DeviceBatch
from tests.physics import building as b
from tests.physics.test_tracks import GRIP, tank
from tests.physics.twins import BOUNCING, FORMS, JOINTS, SURFACES, Twin

DEVICE: Final = os.environ.get("SOLIDBODY_TEST_DEVICE", "cpu")

SAME: Final = 1e-10
"""Positions [m, rad] and velocities: both solve in double precision to 1e-11 m/s; motion amplifies it."""
STEPS: Final = 50

_SERVO: Final = """
<mujoco><option timestep="0.004"/><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05"/>
    <body pos=".2 0 0"><joint name="a" axis="0 1 0" stiffness="8" springref="40" damping=".2"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
      <body pos=".3 0 0"><joint name="c" axis="0 1 0" range="-60 60" limited="true"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/></body></body>
    <body pos="-.2 0 0"><joint name="d" type="slide" axis="1 0 0" stiffness="80" springref="-.1"/>
      <geom type="sphere" size=".06"/></body></body>
</worldbody><actuator>
  <position joint="a" kp="30" kv="2" ctrlrange="-2 2"/><velocity joint="c" kv="3"/>
</actuator></mujoco>
"""


def servos() -> Scene:
    """A box with springs that rest elsewhere than at zero, and motors that pull as springs do."""
    scene, messages = read_scene_text(_SERVO, "servo.xml")
    assert scene is not None, list(messages)
    return scene


def sleeping_robot() -> Scene:
    """A robot that sleeps until its wheels are told to turn."""
    scene = two_wheeled_robot()
    return replace(scene, physics=replace(scene.physics, sleeping=Sleeping(0.1, 0.05, 0.2)))


def cases() -> list[Twin]:
    """Return all scenes."""
    figure, speeds = humanoid()
    bars, turning = four_bar()
    legs, gait = quadruped()
    driven = {"left": 0.5, "right": 0.3}
    return [
        *(*BOUNCING, *SURFACES, *FORMS, *JOINTS),
        Twin("robot", two_wheeled_robot(), speeds={"left motor": 8.0, "right motor": 10.0}),
        Twin("arm", six_joint_arm(), speeds=ARM_SPEEDS),
        Twin("stack of 3", stack(3, jitter=0.003)),
        Twin("stack of 10", stack(10, jitter=0.003)),
        Twin("pile of 5", pile(5)),
        Twin("humanoid of 30 joints", figure, speeds=speeds),
        Twin("quadruped", legs, speeds=gait),
        Twin("four-bar", bars, speeds=turning),
        Twin(
            "tracked vehicle", b.scene(b.floor(), tank(around=False), surface=GRIP), speeds=driven
        ),
        Twin("belts around", b.scene(b.floor(), tank(around=True), surface=GRIP), speeds=driven),
        Twin("servos and springs", servos(), speeds={"c": 1.5}),
    ]


def compare(
    twin: Twin, device: str = DEVICE, *, change: Callable[[DeviceBatch], DeviceBatch] | None = None
) -> float:
    """Step both; return the worst difference of a position or velocity.

    Args:
        twin: The scene.
        device: Where many worlds are.
        change: What is done to their batch before anything runs.

    Raises:
        AssertionError: They are too far apart, or have other contacts.
    """
    sim = Sim(twin.scene, engine="native")
    assert not refusals(sim.compiled)
    for name, speed in (twin.speeds or {}).items():
        sim.joint(name).target_velocity = speed
    sim.core.keep_commands()
    batch = sim.batch(2, device=device)
    if change is not None:
        batch = change(batch)
    worst = 0.0
    for step in range(min(STEPS, twin.steps)):
        sim.step()
        batch.step()
        for got, wanted in ((batch.qpos(), sim.data.qpos), (batch.qvel(), sim.data.qvel)):
            apart = np.abs(got[0] - wanted).max(initial=0.0)
            scale = max(1.0, np.abs(wanted).max(initial=0.0))
            assert apart <= SAME * scale, f"step {step}: {apart:g} of {scale:g}"
            assert (got[0] == got[1]).all(), "two worlds differ"
            worst = max(worst, float(apart / scale))
        found = batch.stats
        assert found["contacts"][0] == sim.stats.contacts, f"step {step}: other contacts"
        assert found["unsolved"].max() == 0
        assert found["lost"].max() == 0
    return worst


def _run(name: str, device: str) -> tuple[str, float, str]:
    twin = next(twin for twin in cases() if twin.name == name)
    try:
        return name, compare(twin, device), ""
    except Exception as error:
        return name, float("nan"), f"{type(error).__name__}: {error}"


def main() -> None:
    """Compare all scenes on a device, and say how far each is apart."""
    device = sys.argv[1] if len(sys.argv) > 1 else DEVICE
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    began, wrong, worst = time.monotonic(), 0, 0.0
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        jobs = [pool.apply_async(_run, (twin.name, device)) for twin in cases()]
        for job in jobs:
            name, apart, problem = job.get()
            wrong += bool(problem)
            worst = max(worst, 0.0 if problem else apart)
            print(f"{name:44} {problem or format(apart, '.1e')}", flush=True)
    print(
        f"{len(jobs)} scenes on {device}, {wrong} apart, worst of the others {worst:.1e},"
        f" {time.monotonic() - began:.0f} s"
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
