"""Joint sensors, suction, batteries and chargers: what fields change, one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.actuators.grippers import VacuumGrippers
from solidbody.formats.loading import read_scene_text
from tests.devices.worlds import sim_of

G = 9.81
COUNT = 800
SPREAD = 4.0 / math.sqrt(2 * COUNT)
"""Relative error of a deviation of that many samples: four of its own deviations 1/sqrt(2 n)."""


def test_the_noise_of_a_position_sensor_is_absolute() -> None:
    """0.02 rad around where the joint stands, 0.3 rad; on a slider it is metres."""
    joint = (
        "{0}Joint {{ jointParameters {1}JointParameters {{ axis 0 0 1 position 0.3 }} "
        'device [ PositionSensor {{ name "{0}" noise 0.02 }} ] endPoint Solid {{ rotation 0 0 1 {2} '
        "translation 0 0 {3} boundingObject Sphere {{ radius 0.1 }} physics Physics {{ }} }} }}"
    )
    hinge, slider = joint.format("Hinge", "Hinge", 0.3, 0), joint.format("Slider", "", 0, 0.3)
    sim = sim_of(f"Robot {{ children [ {hinge} {slider} ] }}", world="gravity 0")
    for name in ("Hinge", "Slider"):
        sim.device(name).enable()
        found: list[float] = []
        for _ in range(COUNT):
            sim.step()
            found.append(float(sim.device(name).value))
        assert np.mean(found) == pytest.approx(0.3, abs=4 * 0.02 / math.sqrt(COUNT))
        assert np.std(found) == pytest.approx(0.02, rel=SPREAD)


def _held(fields: str) -> sb.Sim:
    """A box of 1 kg beside a cup that stands still and sucks along +x: its weight pulls across."""
    return sim_of(
        'Robot { name "r" children [ VacuumGripper { isOn TRUE boundingObject Box { size 0.1 0.1 0.1 } '
        f"{fields} }} ] }} "
        'Solid { name "box" translation 0.0995 0 0 boundingObject Box { size 0.1 0.1 0.1 } '
        "physics Physics { density -1 mass 1 } }"
    )


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ("shearStrength 25", True),
        ("shearStrength 5", False),
        ("tensileStrength 5", True),  # nothing pulls along +x
        ("contactPoints 5", False),  # a face has four points
    ],
)
def test_what_hangs_beside_a_cup_pulls_across(fields: str, holds: bool) -> None:
    """9.81 N of shear, no tension; stopping the fall of the first step takes as much again, in one step."""
    sim = _held(fields)
    sim.run(0.5)
    group = next(g for g in sim.devices.groups if isinstance(g, VacuumGrippers))
    assert (group.held(0) is not None) is holds
    # what is let go leans on the cup and slips down bit by bit until it is out of it
    assert bool(sim["box"].position[2] > -0.01) is holds


def _charged(nodes: str, seconds: float = 1.0) -> tuple[sb.Sim, float]:
    sim = sim_of(nodes, step_ms=10)
    sim.run(seconds)
    return sim, sim.devices.power.chargers[0].charge


CHARGER = "Charger { battery [ 50 100 20 ] radius 0.5 } "


@pytest.mark.parametrize(
    ("robot", "left"),
    [
        ("translation 0.6 0 0 battery [ 10 100 30 ]", 70.0),  # beyond the radius: it fills itself
        ("translation 0.4 0 0 battery [ 10 100 30 ]", 20.0),  # gives 30 W
        ("translation 0.4 0 0 battery [ ]", 70.0),  # has nothing to fill
        ("translation 0.4 0 0 battery [ 10 100 80 ]", 0.0),  # no more than there is
    ],
)
def test_a_charger_gives_to_who_can_take_it_else_fills_itself(robot: str, left: float) -> None:
    """50 J, 20 W of its own, for a second."""
    _, charge = _charged(f'{CHARGER} Robot {{ name "r" cpuConsumption 0 {robot} }}')
    assert charge == pytest.approx(left, abs=1e-9)


def test_power_comes_back_with_a_charge() -> None:
    """An empty robot has no torque; once it is filled by hand its motor turns again."""
    sim = sim_of(
        'Robot { name "r" battery [ 0.5 100 10 ] cpuConsumption 10 children [ HingeJoint { '
        "jointParameters HingeJointParameters { axis 0 0 1 } device [ RotationalMotor { "
        'name "m" consumptionFactor 0 } ] endPoint Solid { boundingObject Sphere { radius 0.1 } '
        "physics Physics { density -1 mass 1 } } } ] }",
        world="gravity 0",
    )
    sim.run(0.2)
    body = sim.devices.power.robots[0]
    assert sim.devices.power.charge(body.body, "r") == 0.0
    sim.joint("m").target_velocity = 1.0
    sim.run(0.1)
    assert sim.joint("m").velocity == pytest.approx(0.0, abs=1e-9)
    sim.devices.power.set_charge(body.body, "r", 50.0)
    sim.step()
    sim.joint("m").target_velocity = 1.0
    sim.run(0.2)
    assert sim.joint("m").velocity == pytest.approx(1.0, abs=1e-4)


def test_a_battery_of_four_values_is_told() -> None:
    """And its first three are used."""
    text = (
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"
        'Robot { name "r" battery [ 100 200 5 7 ] }\n'
    )
    scene, log = read_scene_text(text)
    assert scene is not None
    assert any("battery" in str(item) for item in log), [str(item) for item in log]
    sim = sb.Sim(scene)
    sim.run(1.0)
    body = sim.devices.power.robots[0]
    assert sim.devices.power.charge(body.body, "r") == pytest.approx(90.0)
