"""Batteries: they are emptied by computing and motors, filled by chargers, and robots stop without."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import solidbody as sb
from tests.devices.worlds import sim_of
from tests.render.seeing import PAPER, shown


def _robot(battery: str, *, at: str = "0 0 0", children: str = "", fields: str = "") -> str:
    return f'Robot {{ name "R" translation {at} battery [ {battery} ] children [ {children} ] {fields} }}'


def _charge(sim: sb.Sim) -> float:
    return sim.devices.power.robots[0].charge


def test_computing_empties_a_battery() -> None:
    """100 J, 10 W: 90 J after a second; the simulation does so though nobody asks; reset fills it."""
    sim = sim_of(_robot("100 200 5"), step_ms=10)
    sim.run(1.0)
    assert _charge(sim) == pytest.approx(90.0)
    sim.reset()
    assert _charge(sim) == pytest.approx(100.0)


def test_a_robot_without_battery_has_no_charge() -> None:
    """NaN."""
    sim = sim_of('Robot { name "R" }')
    assert math.isnan(sim.devices.power.charge("R", "R"))


HINGE = (
    "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } "
    'device [ RotationalMotor { name "m" maxTorque 50 consumptionFactor 2 } '
    'PositionSensor { name "p" } ] endPoint Solid { translation 0.5 0 0 '
    "boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 1 } } }"
)


def test_a_motor_takes_power_by_its_effort() -> None:
    """1 kg held out at 0.5 m: 4.905 N*m, times 2 W/(N*m), beside 3 W of computing."""
    sim = sim_of(_robot("100 100 5", children=HINGE, fields="cpuConsumption 3"), step_ms=8)
    sim.run(2.0)
    before = _charge(sim)
    sim.step(125)
    # the arm hangs a little below the horizontal, held by the controller's error: cosine above 0.999
    assert before - _charge(sim) == pytest.approx(3.0 + 2.0 * 1.0 * 9.81 * 0.5, rel=2e-3)


def test_a_battery_drains_before_sensors_are_sampled() -> None:
    """10 W for 10 ms take 0.1 J: after the third step 0.3 J are gone, and nothing is sensed in it."""
    sim = sim_of(_robot("0.3 100 5", children='GPS { name "gps" }'), step_ms=10)
    gps = sim.device("gps")
    gps.enable()
    sim.step(2)
    last = sim.devices.clock.last.item(gps._bound.index)
    assert (_charge(sim), last) == (pytest.approx(0.1), 2)
    sim.step(1)
    assert _charge(sim) == 0.0
    assert sim.devices.clock.last.item(gps._bound.index) == 2


def test_without_charge_motors_have_no_force_and_sensors_keep_their_values() -> None:
    """Empty after 0.2 s: the arm falls, the sensor does not notice, and the log says so."""
    sim = sim_of(_robot("0.6 100 5", children=HINGE, fields="cpuConsumption 3"), step_ms=8)
    sim.device("p").enable()
    sim.run(0.4)
    said = [item.text for item in sim.devices.world.log]
    assert len(said) == 1
    assert said[0].startswith("the battery is empty at t = 0.0")
    held = sim.device("p").value
    sim.run(0.3)
    assert sim.joint("m").position > 0.5
    assert sim.device("p").value == held
    sim.devices.power.set_charge(sim.scene.bodies[0].name, "R", 50.0)
    sim.run(0.1)
    assert sim.device("p").value == pytest.approx(sim.joint("m").position)
    assert sim.joint("m").available_effort == 50.0


@pytest.mark.parametrize(
    ("at", "robot", "charger"),
    [
        # 0.03 m away, radius 0.04: 5 W in, 10 W out; the charger loses what it gives
        ("0.03 0 0", 100 - 10 + 5, 60 - 5),
        # out of reach: the charger fills itself at 7 W
        ("0.1 0 0", 100 - 10, 60 + 7),
    ],
)
def test_a_charger_fills_robots_that_are_near(at: str, robot: float, charger: float) -> None:
    """By the robot's own rate, for a second."""
    sim = sim_of("Charger { battery [ 60, 100, 7 ] } " + _robot("100 200 5", at=at), step_ms=10)
    sim.step(100)
    assert sim.devices.power.robots[0].charge == pytest.approx(robot)
    assert sim.devices.power.chargers[0].charge == pytest.approx(charger)


def test_neither_battery_nor_charger_holds_more_than_it_can() -> None:
    """Capacity 201 J; a charger of 61 J."""
    sim = sim_of(
        "Charger { battery [ 60, 61, 700 ] translation 5 0 0 } "
        "Charger { battery [ 60, 61, 7 ] radius 1 } "
        + _robot("200 201 500", fields="cpuConsumption 0"),
        step_ms=10,
    )
    sim.step(100)
    assert sim.devices.power.robots[0].charge == pytest.approx(201.0)
    charges = [charger.charge for charger in sim.devices.power.chargers]
    assert np.sort(charges) == pytest.approx([59.0, 61.0])


def test_the_charge_outlives_a_change_of_the_scene() -> None:
    """90 J of 100 J are left after a second, also with another title."""
    sim = sim_of(_robot("100 200 5"), step_ms=10)
    sim.run(1.0)
    sim.describe_anew(replace(sim.scene, title="another"))
    assert _charge(sim) == pytest.approx(90.0)


def _lamp(battery: str, *, gradual: str) -> sb.Sim:
    """A charger with a box in front of a camera."""
    return sim_of(
        f"Charger {{ translation 2 0 0 battery [ {battery} ] gradual {gradual} emissiveColor 0 1 0 "
        "children [ Shape { appearance PBRAppearance { baseColor 0 0 0 roughness 1 metalness 0 } "
        "geometry Box { size 0.1 2 2 } } ] } Robot { children [ Camera { width 8 height 8 } ] }",
        step_ms=100,
    )


def test_the_lamp_of_a_charger_grows_with_its_content() -> None:
    """40 J of 100 J, 20 W: green 0.42 after the first step, 0.62 after ten more; 0.4 after a reset.

    A picture shows what the lamp is when the step has ended: Webots fills chargers before the physics.
    """
    sim = _lamp("40 100 20", gradual="TRUE")
    camera = sim.device("camera")
    camera.enable()
    sim.step(1)
    assert camera.value[4, 4].tolist() == [0, round(float(shown(round(0.42 * 255) / 255))), 0]
    sim.step(10)
    assert camera.value[4, 4].tolist() == [0, round(float(shown(round(0.62 * 255) / 255))), 0]
    sim.reset()
    assert sim.devices.world.surfaces.glow[0, 0][1] == round(0.4 * 255) / 255


def test_a_lamp_that_is_not_gradual_shines_when_the_charger_is_full() -> None:
    """97 J of 100 J, 20 W in steps of 0.1 s: 99 J, then full."""
    sim = _lamp("97 100 20", gradual="FALSE")
    camera = sim.device("camera")
    camera.enable()
    sim.step(1)
    assert camera.value[4, 4].tolist() == [0, 0, 0]
    sim.step(1)
    assert camera.value[4, 4].tolist() == [0, PAPER, 0]
