"""Connectors, vacuum grippers and radars, from controllers in processes of their own."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.control.projects import Project

PEER = """
Solid { name "part" translation 0.2 0 3 children [
    Connector { name "peer" translation -0.1 0 0 rotation 0 0 1 3.14159265 model "plug" } ]
  boundingObject Box { size 0.2 0.1 0.1 } physics Physics { } }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_connector_holds_a_part_until_it_lets_go(project: Project) -> None:
    """While it is locked the part hangs there; then it falls."""
    heights: list[float] = []
    out = project.exercise(
        """
        plug, passive = robot.getDevice("plug"), robot.getDevice("passive")
        out["off"] = [plug.getPresence(), plug.getPresenceSamplingPeriod(), plug.isLocked()]
        plug.enablePresence(8)
        passive.enablePresence(8)
        plug.lock()
        passive.lock()
        for _ in range(25):
            robot.step(8)
        out["held"] = [plug.getPresence(), plug.presence, plug.isLocked(), plug.locked,
            plug.presence_sampling_period, passive.getPresence()]
        plug.unlock()
        for _ in range(25):
            robot.step(8)
        out["free"] = [plug.getPresence(), plug.isLocked()]
        plug.disablePresence()
        out["over"] = plug.getPresenceSamplingPeriod()
        """,
        devices='Connector { name "plug" translation 0.1 0 3 model "plug" }'
        'Connector { name "passive" type "passive" translation 0 0 6 }',
        nodes=PEER,
        seconds=0.6,
        beside=lambda sim, hub: heights.append(float(sim.link("part").position[2])),
    )
    assert out["off"] == [0, 0, False]
    assert out["held"] == [1, 1, True, True, 8, -1]
    assert out["free"] == [0, False] and out["over"] == 0
    assert heights[24] == pytest.approx(3.0, abs=1e-3), "held"
    # 0.2 s of free fall: g t^2 / 2 = 0.196 m
    assert heights[49] < 3.0 - 0.15
    errors = "\n".join(project.errors())
    assert "call enablePresence() first" in errors
    assert "a passive connector cannot lock" in errors


def test_a_gripper_is_turned_on_and_off(project: Project) -> None:
    """It lifts what lies below it."""
    out = project.exercise(
        """
        gripper, lift = robot.getDevice("gripper"), robot.getDevice("motor")
        out["off"] = [gripper.isOn(), gripper.getPresence(), gripper.getPresenceSamplingPeriod()]
        gripper.enablePresence(8)
        gripper.turnOn()
        robot.step(8)
        out["on"] = [gripper.isOn(), gripper.on, gripper.presence, gripper.is_on]
        gripper.turnOff()
        out["again off"] = gripper.isOn()
        gripper.disablePresence()
        out["over"] = gripper.presence_sampling_period
        """,
        devices='VacuumGripper { name "gripper" translation 0 0 4'
        " boundingObject Box { size 0.1 0.1 0.1 } }",
    )
    assert out["off"] == [False, False, 0]
    assert out["on"] == [True, True, False, True], "nothing touches it"
    assert out["again off"] is False and out["over"] == 0


def test_a_radar_sees_what_reflects(project: Project) -> None:
    """A ball 5 m ahead, with the power of the radar equation."""
    out = project.exercise(
        """
        radar = robot.getDevice("radar")
        out["facts"] = [radar.getMinRange(), radar.getMaxRange(), radar.getHorizontalFov(),
            radar.getVerticalFov()]
        out["properties"] = [radar.min_range, radar.max_range, radar.horizontal_fov,
            radar.vertical_fov]
        out["off"] = [radar.getNumberOfTargets(), radar.getTargets()]
        radar.enable(8)
        robot.step(8)
        out["count"] = [radar.getNumberOfTargets(), radar.number_of_targets, len(radar.targets)]
        echo = radar.getTargets()[0]
        out["echo"] = [echo.distance, echo.received_power, echo.speed, echo.azimuth]
        out["same"] = echo.receiver_power == echo.received_power
        """,
        devices='Radar { name "radar" minRange 0.5 maxRange 20 horizontalFieldOfView 1'
        " verticalFieldOfView 0.2 translation 0 0 2 }",
        nodes='Solid { name "ball" translation 5 0 2 radarCrossSection 2'
        " boundingObject Sphere { radius 0.1 } }",
    )
    assert out["facts"] == out["properties"] == [0.5, 20, 1, 0.2]
    assert out["off"] == [0, []] and out["count"] == [1, 1, 1]
    distance, power, speed, azimuth = out["echo"]
    assert (distance, speed, azimuth) == pytest.approx((5, 0, 0), abs=1e-9)
    # 20 dBm, twice 20 dBi, 24 GHz, 2 m^2: P G^2 l^2 s / ((4 pi)^3 d^4)
    wave = 299792458 / 24e9
    watts = 0.1 * 100**2 * wave**2 * 2 / ((4 * math.pi) ** 3 * 5**4)
    assert power == pytest.approx(10 * math.log10(watts / 1e-3), abs=1e-6)
    assert out["same"]
