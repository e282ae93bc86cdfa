"""Joints whose gears have play."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import solidbody as sb

PLAY = 0.2
NAMES = ("HingeJointWithBacklash", "Hinge2JointWithBacklash")


def arm(folder: Path, joint: str, fields: str) -> sb.Sim:
    """Return a rod of 0.4 m without weight on a joint of the world."""
    path = folder / "w.wbt"
    path.write_text(
        f"""#VRML_SIM R2025a utf8
EXTERNPROTO "https://example.org/{joint}.proto"
WorldInfo {{ gravity 0 basicTimeStep 8 }}
Robot {{ children [ {joint} {{ {fields} endPoint Solid {{ translation 0 0 -0.2 name "rod"
  boundingObject Box {{ size 0.02 0.02 0.4 }} physics Physics {{ }} }} }} ] }}
"""
    )
    scene = sb.load(path)
    assert not [item for item in scene.diagnostics if item.severity.value == "error"]
    return sb.Sim(scene)


@pytest.mark.parametrize("joint", NAMES)
def test_the_end_stays_within_the_play_and_goes_along_behind_it(tmp_path: Path, joint: str) -> None:
    """The gear takes it along half of the play behind; then it glides to the other end of the play."""
    motor = 'RotationalMotor { name "m" maxVelocity 0.2 } PositionSensor { name "gear" }'
    fields = (
        f"jointParameters HingeJointParameters {{ axis 1 0 0 }} backlash {PLAY} device [ {motor} ] "
        'outputSensor PositionSensor { name "out" }'
    )
    sim = arm(tmp_path, joint, fields)
    handle = next(h for name in sim.joint_names if (h := sim.joint(name)).has_motor)
    rod = next(sim.link(name) for name in sim.link_names if name.endswith("rod"))
    start = rod.position.copy()
    handle.target_position = 0.45 * PLAY
    sim.run(2.0)
    assert rod.position == pytest.approx(start, abs=1e-9)
    handle.target_position = 0.5
    sim.run(1.5)  # the gear is still turning
    _, y, z = rod.position
    # the rod went past the stop by less than one step (0.2 rad/s, 8 ms): stopERP 0 never corrects that
    assert math.atan2(y, -z) == pytest.approx(handle.position - PLAY / 2, abs=0.0016)
    sim.run(4.0)
    _, y, z = rod.position
    assert math.atan2(y, -z) == pytest.approx(0.5 + PLAY / 2, abs=0.0016 + 5e-3)


@pytest.mark.parametrize("joint", NAMES)
def test_without_play_it_is_the_plain_joint(tmp_path: Path, joint: str) -> None:
    """Nothing stands between motor and end."""
    second = "backlash2 0" if joint == NAMES[1] else ""
    sim = arm(tmp_path, joint, f"backlash 0 {second}")
    assert len(sim.link_names) == 2
