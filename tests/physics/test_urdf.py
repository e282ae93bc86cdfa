"""Joints of URDF robots, which stop and are slowed, unlike those of body files."""

from __future__ import annotations

import pytest

from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim

MASS, DAMPING, LOWEST = 2.0, 20.0, -0.3


def falling(inside: str) -> Sim:
    """Return a robot whose only joint lets a mass fall along z."""
    scene, log = read_scene_text(
        f"""<robot name="r"><link name="world"/>
        <joint name="drop" type="prismatic"><parent link="world"/><child link="weight"/>
        <axis xyz="0 0 1"/>{inside}</joint>
        <link name="weight"><inertial><mass value="{MASS}"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>""",
        "r.urdf",
    )
    assert scene is not None and [str(item) for item in log] == []
    return Sim(scene)


def test_damping_lets_a_weight_fall_at_a_constant_speed() -> None:
    """v = m g / d; after ten time constants m / d the rest is e^-10 of it."""
    sim = falling(f'<dynamics damping="{DAMPING}"/>')
    sim.step(1000)
    speed = MASS * -sim.scene.physics.gravity[2] / DAMPING
    assert sim.joint("drop").velocity == pytest.approx(-speed, rel=1e-4)


def test_limits_stop_a_weight() -> None:
    """It rests at the lower one, as deep in it as the stop's softness lets it sink."""
    sim = falling(f'<limit lower="{LOWEST}" upper="1" effort="9" velocity="9"/>')
    sim.step(2000)
    assert sim.joint("drop").position == pytest.approx(LOWEST, abs=1e-3)
    assert sim.joint("drop").velocity == pytest.approx(0.0, abs=1e-3)  # still let out of the stop


def test_friction_holds_a_weight_that_is_lighter() -> None:
    """20 N hold 19.6 N, 19 N do not."""
    held, slips = (falling(f'<dynamics friction="{effort}"/>') for effort in (20, 19))
    for sim in (held, slips):
        sim.step(500)
    assert held.joint("drop").position == pytest.approx(0.0, abs=1e-6)
    assert slips.joint("drop").position < -0.01
