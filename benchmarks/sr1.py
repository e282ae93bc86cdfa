"""Choreonoid's humanoid SR1 standing at 1 ms under the PD control of its sample, beside its own time.

The body comes from the corpus beside the repository and the start from the reference run. Choreonoid's
own solver takes 74 to 86 us per step (`speed.txt` of the reference runs); 40 us is our goal.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import Timing

SCENE = "SR1 standing, 1 ms"
ENGINE = "solidbody"
GAIN_ARM, GAIN_LEG, DAMPING = 3000.0, 8000.0, 100.0
"""[N m/rad, N m s/rad] of the sample controller."""
SETTLE = 300
STEPS = 40


class Standing:
    """SR1 on its feet."""

    def __init__(self, folder: Path) -> None:
        from tests.physics.choreonoid_runs import prepared

        self.sim, rows = prepared("sr1_stand", folder, until=0.0)
        names = [column.split(".")[1] for column in rows[0] if column.endswith(".q")]
        self._joints = [self.sim.joint(name) for name in names]
        self._wanted = np.array([joint.position for joint in self._joints])
        self._gain = np.array([GAIN_ARM if "ARM" in name else GAIN_LEG for name in names])
        self._before, self._effort = self._wanted, np.zeros(len(names))

    def control(self) -> None:
        """Command what the last state asked for, and note what this one does."""
        now = np.array([joint.position for joint in self._joints])
        for joint, value in zip(self._joints, self._effort.tolist(), strict=True):
            joint.effort = value
        speed = (now - self._before) / self.sim.time_step
        self._effort = self._gain * (self._wanted - now) - DAMPING * speed
        self._before = now

    def step(self) -> float:
        """Advance; return the processor time of the step [s], without the controller's."""
        self.control()
        start = time.process_time()
        self.sim.core.step.run(1)
        took = time.process_time() - start
        self.sim.core.note_steps(1)
        return took


def time_sr1(rounds: int) -> Timing:
    """Return our microseconds per step, or why there are none."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            standing = Standing(Path(folder))
    except OSError as error:
        return Timing(SCENE, ENGINE, missing=f"{SCENE}: {error}")
    for _ in range(SETTLE):
        standing.step()
    single = 1e6 * float(np.median([standing.step() for _ in range(SETTLE)]))
    state = standing.sim.snapshot()
    times: list[float] = []
    for _ in range(rounds):
        # as Choreonoid's figure: one step after the other without an interpreter between; efforts
        # are held meanwhile, in which it hardly moves
        standing.sim.restore(state)
        start = time.process_time()
        standing.sim.core.step.run(STEPS)
        times.append((time.process_time() - start) / STEPS * 1e6)
    text = f"{standing.sim.stats.contacts} contacts; {single:.0f} us with control in Python between steps"
    return Timing(SCENE, ENGINE, tuple(times), remark=f"{text}; Choreonoid takes 74 to 86 us")
