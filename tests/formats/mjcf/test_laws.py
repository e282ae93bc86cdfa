"""The same scene under MuJoCo's law and ours: the figures of docs/robots.md.

Referee: MuJoCo, and closed forms where there are any.
"""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

import solidbody as sb
from tests.formats.mjcf.models import start, written

BOX = """<worldbody><geom type="plane" size="9 9 1" friction=".5"/><body name="b" pos="0 0 .05"><freejoint/>
<geom type="box" size=".1 .1 .05" mass="1" friction=".5"/></body></worldbody>"""

TILT = math.radians(20)


def both(path: Path, steps: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where the body "b" was after each step, under MuJoCo's law and ours."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data, sim = start(model), sb.Sim(sb.load(path))
    theirs, ours = np.zeros((steps, 3)), np.zeros((steps, 3))
    for k in range(steps):
        mujoco.mj_step(model, data)
        sim.step()
        theirs[k], ours[k] = data.body("b").xpos, sim.link("b").position
    return theirs, ours


def test_a_box_slides_as_far(tmp_path: Path) -> None:
    text = (
        '<option timestep="0.002" cone="elliptic"/>'
        + BOX
        + '<keyframe><key qpos="0 0 .05 1 0 0 0" qvel="2 0 0 0 0 0"/></keyframe>'
    )
    theirs, ours = both(written(tmp_path, text), 1000)
    way = 2.0**2 / (2 * 0.5 * 9.81)
    # half a step at 2 m/s, and what the first contact takes
    assert theirs[-1][0] == pytest.approx(way, abs=4e-3)
    assert ours[-1][0] == pytest.approx(way, abs=4e-3)


def test_friction_of_a_slope_creeps_less(tmp_path: Path) -> None:
    gravity = f"{9.81 * math.sin(TILT)} 0 {-9.81 * math.cos(TILT)}"
    text = f'<option timestep="0.002" cone="elliptic" gravity="{gravity}"/>' + BOX
    theirs, ours = both(written(tmp_path, text), 2500)
    assert theirs[-1][0] == pytest.approx(4.4e-3, rel=0.1)
    assert 0 <= ours[-1][0] < 1e-5


def test_a_ball_that_falls_sinks_in_less_and_bounces_as_little(tmp_path: Path) -> None:
    text = """<option timestep="0.002"/><worldbody><geom type="plane" size="9 9 1"/>
      <body name="b" pos="0 0 .6"><freejoint/><geom size=".1" mass="1"/></body></worldbody>"""
    theirs, ours = (places[:, 2] - 0.1 for places in both(written(tmp_path, text), 1000))
    assert -theirs.min() == pytest.approx(22.9e-3, rel=0.05)
    assert -ours.min() == pytest.approx(6.4e-3, rel=0.05)
    for depth in (theirs, ours):
        assert depth[int(depth.argmin()) :].max() < 0.0  # it never leaves the ground again


def test_a_pendulum_falls_on_its_limit(tmp_path: Path) -> None:
    text = """<option timestep="0.002"/><worldbody><body name="b">
      <joint name="j" axis="0 1 0" range="-10 10"/><geom size=".1" pos=".5 0 0" mass="1"/>
      </body></worldbody>"""
    path = written(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data, sim = mujoco.MjData(model), sb.Sim(sb.load(path))
    theirs, ours = [], []
    for _ in range(2000):
        mujoco.mj_step(model, data)
        sim.step()
        theirs.append(float(data.qpos[0]))
        ours.append(sim.joint("j").position)
    end = math.radians(10)
    assert max(theirs) - end == pytest.approx(16.5e-3, rel=0.05)
    assert max(ours) - end == pytest.approx(2.3e-3, rel=0.05)
    assert theirs[-1] - end == pytest.approx(0.55e-3, rel=0.05)
    assert ours[-1] - end == pytest.approx(0.38e-3, rel=0.05)
