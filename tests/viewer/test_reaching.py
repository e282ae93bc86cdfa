"""Joints of a model at rest that follow the mouse: reach, limits, ends that stay."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.protocol_work import CommandReach
from solidbody.viewer.reaching import PointReach

LENGTH = 0.5
"""[m] Of each part of the arm, which stretches along z."""

HINGE = """HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 %(anchor)s }
  device [ RotationalMotor { name "%(name)s motor" minPosition %(low)s maxPosition %(high)s } ]
  endPoint Solid {
    translation 0 0 %(anchor)s
    name "%(name)s"
    children [ Shape { geometry Box { size 0.05 0.05 0.05 } } %(inner)s ]
    boundingObject Box { size 0.05 0.05 0.05 }
    physics Physics { density -1 mass 1 }
  }
}"""


def hinge(name: str, anchor: float, inner: str = "", low: float = -3.0, high: float = 3.0) -> str:
    values = {"name": name, "anchor": anchor, "inner": inner, "low": low, "high": high}
    return HINGE % values


def robot(children: str, *, physics: str = "", place: str = "0 0 0") -> str:
    return f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 gravity 0 }}
Robot {{ translation {place} name "robot" controller "<none>" {physics}
  boundingObject Box {{ size 0.1 0.1 0.1 }} children [ {children} ] }}
"""


def make(tmp_path: Path, text: str) -> sb.Sim:
    path = tmp_path / "arm.wbt"
    path.write_text(text, encoding="utf-8")
    return sb.Sim(sb.load(str(path)))


@pytest.fixture
def arm(tmp_path: Path) -> sb.Sim:
    """Return an arm of two parts on a fixed base; its elbow bends to one side only."""
    return make(tmp_path, robot(hinge("upper", 0.1, hinge("fore", LENGTH, low=0.0, high=2.0))))


GRIP = np.array([0.0, 0.0, LENGTH])
"""The hand, in the frame of the fore arm."""


def hand(sim: sb.Sim) -> np.ndarray:
    fore = sim["fore"]
    w, _, y, _ = fore.orientation
    angle = 2 * math.atan2(y, w)
    return fore.position + LENGTH * np.array([math.sin(angle), 0, math.cos(angle)])


@pytest.mark.parametrize("target", [(0.6, 0.0, 0.5), (-0.4, 0.0, 0.7), (0.5, 0.0, -0.2)])
def test_the_hand_goes_where_it_can(arm: sb.Sim, target: tuple[float, float, float]) -> None:
    """To the point, and motors hold it there; the elbow stays within its limits."""
    reach = PointReach(arm, arm.link_names.index("fore"), GRIP)
    for _ in range(3):
        reach.to(np.array(target))
    np.testing.assert_allclose(hand(arm), target, atol=1e-4)
    elbow = arm.joint("fore motor")
    assert -1e-9 <= elbow.position <= 2.0 + 1e-9
    assert elbow.target_position == pytest.approx(elbow.position)
    assert arm.step_count == 0


def test_what_is_out_of_reach_is_pointed_at(arm: sb.Sim) -> None:
    """The arm stretches; beside its plane it goes as near as it can."""
    reach = PointReach(arm, arm.link_names.index("fore"), GRIP)
    for _ in range(20):
        reach.to(np.array([3.0, 2.0, 0.1]))
    np.testing.assert_allclose(hand(arm), (2 * LENGTH, 0, 0.1), atol=0.01)


def test_only_joints_above_move(arm: sb.Sim) -> None:
    """Dragging the upper arm turns the shoulder, the elbow keeps its angle."""
    arm.joint("fore motor").position = 1.0
    PointReach(arm, arm.link_names.index("upper"), GRIP).to(np.array([LENGTH, 0, 0.1]))
    assert arm.joint("fore motor").position == 1.0
    np.testing.assert_allclose(arm["fore"].position, (LENGTH, 0, 0.1), atol=1e-3)


def leg(name: str, x: float) -> str:
    knee = hinge(f"{name} shin", -0.3, hinge(f"{name} foot", -0.3))
    return f"Pose {{ translation {x} 0 0 children [ {hinge(f'{name} thigh', 0.0, knee)} ] }}"


def test_feet_stay_while_the_body_is_dragged(tmp_path: Path) -> None:
    """A free body on two legs squats: its feet keep place and angle, its own place follows the mouse."""
    physics = "physics Physics { density -1 mass 5 }"
    sim = make(
        tmp_path, robot(leg("left", -0.1) + leg("right", 0.1), physics=physics, place="0 0 0.7")
    )
    for side in ("left", "right"):  # not stretched
        sim.joint(f"{side} shin motor").position = 0.3
    feet = [sim[f"{side} foot"] for side in ("left", "right")]
    before = [(foot.position.copy(), foot.orientation.copy()) for foot in feet]
    target = sim["robot"].position + np.array([0.03, 0.0, -0.12])
    reach = PointReach(sim, sim.link_names.index("robot"), np.zeros(3), holds=True)
    for _ in range(5):
        reach.to(target)
    np.testing.assert_allclose(sim["robot"].position, target, atol=2e-3)
    for foot, (place, turn) in zip(feet, before, strict=True):
        np.testing.assert_allclose(foot.position, place, atol=2e-3)
        assert abs(np.dot(foot.orientation, turn)) > 0.9999


def test_what_hangs_on_no_joint_cannot_reach(arm: sb.Sim) -> None:
    with pytest.raises(ValueError, match="hangs on no joint"):
        PointReach(arm, arm.link_names.index("robot"), np.zeros(3))


def test_the_page_reaches_in_a_pause_only(arm: sb.Sim) -> None:
    panels = PanelCommands(arm)
    link = arm.link_names.index("fore")
    command = CommandReach(link, (0.0, 0.0, LENGTH), (0.6, 0.0, 0.5), False, True)
    panels.obey(command, is_running=True)
    assert arm.joint("fore motor").position == 0.0
    for _ in range(3):
        panels.obey(command, is_running=False)
    np.testing.assert_allclose(hand(arm), (0.6, 0.0, 0.5), atol=1e-4)
