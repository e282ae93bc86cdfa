"""Which links count as wheels, that may turn far in a step without carrying their momenta."""

from __future__ import annotations

import mujoco
import pytest

from benchmarks.scenes import two_wheeled_robot
from solidbody.contact.reference.momentum import is_wheel
from solidbody.sim import Sim

BODY = """<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>
  <body><joint name="j" axis="0 1 0"/><inertial pos="{pos}" mass="1" diaginertia="{moments}"
   quat="{quat}"/>{child}</body></body></worldbody></mujoco>"""
CHILD = '<body pos="0 0 1"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'


def is_round(pos: str, moments: str, quat: str = "1 0 0 0", child: str = "") -> bool:
    """Return whether a link with this mass on a hinge about y is a wheel."""
    text = BODY.format(pos=pos, moments=moments, quat=quat, child=child)
    model = mujoco.MjModel.from_xml_string(text)
    return is_wheel(model, model.joint("j").id)


@pytest.mark.parametrize(
    ("pos", "moments", "quat", "expected"),
    [
        ("0 0 0", "1 2 1", "1 0 0 0", True),
        ("0 0.3 0", "1 2 1", "1 0 0 0", True),  # along its axis
        ("0 0 0", "1 1 1", "0.5 0.5 0.5 0.5", True),  # a ball, however its axes are named
        ("0 0 0", "1 1 2", "0.707106781 0.707106781 0 0", True),  # its z lies along y
        ("0.01 0 0", "1 2 1", "1 0 0 0", False),  # out of true
        ("0 0 0", "1 2 1.1", "1 0 0 0", False),  # oval
        ("0 0 0", "1 1 2", "1 0 0 0", False),  # round about another axis
        ("0 0 0", "1 2 1", "0.9238795 0.3826834 0 0", False),  # tilted
    ],
)
def test_a_wheel_is_round_about_its_axis(pos: str, moments: str, quat: str, expected: bool) -> None:
    """Its centre lies on the axis and its moments across are equal."""
    assert is_round(pos, moments, quat) is expected


def test_a_link_that_carries_another_is_no_wheel() -> None:
    """What hangs on it turns with it."""
    assert not is_round("0 0 0", "1 2 1", child=CHILD)


def test_the_wheels_of_a_robot_are_wheels() -> None:
    """Of the native step, twins of this robot at 0.32 rad per step tell that it decides alike."""
    model = Sim(two_wheeled_robot(), engine="native").model
    hinges = [k for k in range(model.njnt) if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_HINGE]
    assert len(hinges) == 2
    assert all(is_wheel(model, joint) for joint in hinges)
