"""Sensors of force and touch."""

from __future__ import annotations

import math

import numpy as np
import pytest

import solidbody as sb
from solidbody.contact.engine import EngineName
from solidbody.devices.radio.packets import Emitters
from tests.devices.worlds import sim_of

G = 9.81

FLOOR = "Solid { boundingObject Plane { } } "


def _standing(
    kind: str, *, table: str = "", turn: str = "rotation 0 1 0 1.5707963267948966"
) -> str:
    """A 2 kg robot that stands on a sensor of 0.5 kg; the sensor's +x points down."""
    return (
        FLOOR
        + "Robot { translation 0 0 0.25 boundingObject Box { size 0.2 0.2 0.1 } "
        + "physics Physics { density -1 mass 2 } children [ "
        + f'TouchSensor {{ type "{kind}" {table} translation 0 0 -0.15 {turn} '
        + "boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 0.5 } } ] }"
    )


def test_a_force_sensor_under_a_robot_carries_its_weight() -> None:
    """The floor pushes along -x of the sensor; the weight of the robot above goes through it."""
    sim = sim_of(_standing("force", table="lookupTable [ 0 0 0, 5000 5000 0 ]"))
    sim.device("touch sensor").enable()
    sim.run(2.0)
    # settling: 1e-4 of the weight after 2 s
    assert sim.device("touch sensor").value == pytest.approx(2 * G, rel=1e-3)


def test_a_force_3d_sensor_reports_the_vector_in_its_own_axes() -> None:
    """Up in the world is -x of the sensor."""
    table = "lookupTable [ -5000 -5000 0, 5000 5000 0 ]"
    sim = sim_of(_standing("force-3d", table=table))
    sim.device("touch sensor").enable()
    sim.run(2.0)
    assert sim.device("touch sensor").value == pytest.approx([-2 * G, 0.0, 0.0], abs=0.02)


def test_without_negative_inputs_a_force_3d_table_clamps_negative_forces() -> None:
    """The default table begins at 0: pushes along -x read as its first output."""
    sim = sim_of(_standing("force-3d"))
    sim.device("touch sensor").enable()
    sim.run(0.5)
    assert sim.device("touch sensor").value[0] == 0.0


def test_the_default_table_gives_ten_counts_per_newton() -> None:
    """0 0, 5000 50000."""
    sim = sim_of(_standing("force"))
    sim.device("touch sensor").enable()
    sim.run(2.0)
    assert sim.device("touch sensor").value == pytest.approx(20 * G, rel=1e-3)


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("physics", ["", "physics Physics { }"])
def test_a_bumper_is_touched_in_the_step_that_ends_with_the_touch(
    engine: EngineName, physics: str
) -> None:
    """After n steps of h a falling ball is g h^2 n(n+1)/2 lower: 0.1 m for n = 17.4 at 8 ms."""
    text = (
        "Robot { children [ TouchSensor { boundingObject Box { size 1 1 0.1 } "
        + physics
        + " } ] } Solid { translation 0 0 0.25 boundingObject Sphere { radius 0.1 } physics Physics { } }"
    )
    sim = sb.Sim(sim_of(text).scene, engine=engine)
    sim.device("touch sensor").enable()
    sim.step(17)
    assert sim.device("touch sensor").value == 0.0
    assert len(sim.touches()) == 0
    sim.step()
    assert sim.device("touch sensor").value == 1.0
    assert len(sim.contacts()) == 0
    fallen = G * 0.008**2 * 18 * 19 / 2
    if physics:
        assert sim.touches().depth == pytest.approx([fallen - 0.1], abs=1e-12)


def test_a_bumper_remembers_a_touch_until_it_is_read() -> None:
    """A robot that bounces off between two samples was touched; in the air it is not."""
    text = (
        FLOOR
        + "Robot { translation 0 0 0.5 boundingObject Sphere { radius 0.05 } "
        + "physics Physics { density -1 mass 1 } children [ TouchSensor { translation 0 0 -0.1 "
        + "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 0.1 } } ] }"
    )
    sim = sim_of(text, world="contactProperties ContactProperties { bounce 1 }")
    sim.device("touch sensor").enable(0.064)
    readings = []
    for _ in range(12):
        sim.step(8)
        readings.append(sim.device("touch sensor").value)
    assert set(readings) == {0.0, 1.0}
    # it falls 0.3 m in sqrt(2*0.3/g) = 0.247 s: the touch is in the fourth interval of 64 ms
    assert readings.index(1.0) == 3
    assert readings[4] == 0.0


def test_contacts_carry_the_weight() -> None:
    """Four points under a box; their forces add up to its weight."""
    sim = sim_of(
        FLOOR
        + "Solid { translation 0 0 0.1 boundingObject Box { size 0.2 0.2 0.2 } physics Physics { "
        "density -1 mass 3 } }"
    )
    sim.run(1.0)
    contacts = sim.contacts()
    assert len(contacts) == 4
    # which link comes first is MuJoCo's choice: the force on the box points up
    up = np.where(contacts.normal[:, 2:] > 0, 1.0, -1.0)
    assert (up * contacts.force).sum(axis=0) == pytest.approx([0.0, 0.0, 3 * G], abs=1e-3)
    assert (contacts.depth > 0).all()
    assert np.abs(np.abs(contacts.position[:, :2]) - 0.1).max() < 1e-6


# sensors without physics

BALL = (
    "Robot { %s translation 0 0 0.5 boundingObject Sphere { radius 0.1 } physics Physics { } "
    "children [ TouchSensor { translation 0 0 -0.15 boundingObject %s } ] }"
)
TIP = "Sphere { radius 0.03 }"


def test_a_bumper_without_physics_feels_the_floor_and_is_not_held_by_it() -> None:
    """The robot rests on its own sphere, the bumper deep in the floor."""
    sim = sim_of(FLOOR + BALL % ("", TIP))
    bumper = sim.device("touch sensor")
    bumper.enable()
    sim.step(1)
    assert bumper.value == 0.0
    sim.run(2.0)
    assert bumper.value == 1.0
    assert sim["robot"].position[2] == pytest.approx(0.1, abs=0.005)  # sinks by its softness


SLAB = """IndexedFaceSet {
  coord Coordinate { point [
    -1 -1 -1, 1 -1 -1, 1 1 -1, -1 1 -1, -1 -1 0, 1 -1 0, 1 1 0, -1 1 0
  ] }
  coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 3 7 6 -1 3 0 4 7 -1 ]
}"""
GRID = (
    "Pose { translation -1 -1 0 children ElevationGrid { "
    "xDimension 2 yDimension 2 xSpacing 2 ySpacing 2 height [ 0 0 0 0 ] } }"
)
SPIKE = """IndexedFaceSet {
  coord Coordinate { point [ 0 0 -0.03, 0.02 0 0.02, -0.01 0.02 0.02, -0.01 -0.02 0.02 ] }
  coordIndex [ 0 1 2 -1 0 2 3 -1 0 3 1 -1 1 3 2 -1 ]
}"""


@pytest.mark.parametrize("tip", [TIP, SPIKE], ids=["sphere", "mesh"])
@pytest.mark.parametrize("ground", ["Plane { }", SLAB, GRID], ids=["plane", "mesh", "grid"])
def test_a_bumper_without_physics_feels_any_form_with_any_form(ground: str, tip: str) -> None:
    """Its tip, 0.18 m below the origin, falls from 0.5 m into the ground after sqrt(2*0.32/g) = 0.255 s."""
    sim = sim_of(f"Solid {{ boundingObject {ground} }}" + BALL % ("", tip), step_ms=1)
    assert sim.compiled.diagnostics == ()
    bumper = sim.device("touch sensor")
    bumper.enable()
    while bumper.value != 1.0 and sim.time < 1.0:
        sim.step(1)
    # a step for Euler's fall, one because values tell of the start of a step, one for the sampling
    assert sim.time == pytest.approx(math.sqrt(2 * 0.32 / 9.81), abs=0.003)


@pytest.mark.parametrize(("fields", "felt"), [("", 0.0), ("selfCollision TRUE", 1.0)])
def test_a_bumper_without_physics_feels_its_own_robot_only_if_that_collides_with_itself(
    fields: str, felt: float
) -> None:
    arm = (
        "HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } endPoint Solid { "
        'name "arm" boundingObject Sphere { radius 0.2 } physics Physics { } } }'
    )
    text = BALL.replace("children [", f"children [ {arm}") % (fields, TIP)
    sim = sim_of(text, world="gravity 0")
    bumper = sim.device("touch sensor")
    bumper.enable()
    sim.step(3)
    assert bumper.value == felt


def test_a_bumper_without_physics_feels_what_passes_by() -> None:
    ball = (
        'Solid { name "ball" translation -1 0 0.35 linearVelocity 10 0 0 '
        "boundingObject Sphere { radius 0.02 } physics Physics { } }"
    )
    sim = sim_of(BALL % ("", TIP) + ball, world="gravity 0")
    bumper = sim.device("touch sensor")
    bumper.enable()
    readings = []
    for _ in range(40):
        sim.step(1)
        readings.append(bumper.value)
    assert set(readings) == {0.0, 1.0} and readings[0] == readings[-1] == 0.0
    # it went through: nothing pushed it
    assert sim.velocities()[sim.link_names.index("ball"), 0] == pytest.approx(10.0, rel=1e-9)


# sensors of robots that nothing but programs move

FIXED = (
    "Robot { %s children [ TouchSensor { boundingObject Box { size 0.2 0.2 0.2 } } "
    "SliderJoint { jointParameters JointParameters { axis 0 0 1 } "
    'device [ LinearMotor { name "lift" } ] endPoint Solid { name "plunger" '
    "translation 0 0 0.25 boundingObject Box { size 0.1 0.1 0.1 } } } ] }"
)


@pytest.mark.parametrize(("fields", "felt"), [("", 0.0), ("selfCollision TRUE", 1.0)])
def test_a_bumper_of_a_robot_without_physics_feels_its_moving_parts(
    fields: str, felt: float
) -> None:
    """The plunger ends 0.1 m above the bumper and comes down by 0.12 m."""
    sim = sim_of(FIXED % fields)
    bumper = sim.device("touch sensor")
    bumper.enable()
    sim.step(3)
    assert bumper.value == 0.0
    sim.joint("lift").target_position = -0.12
    sim.run(1.0)
    assert bumper.value == felt


@pytest.mark.parametrize(("target", "felt"), [(-0.0999, 0.0), (-0.1, 1.0)])
@pytest.mark.parametrize("height", [0.0, 0.368527, 1 / 3])
def test_a_bumper_without_physics_feels_what_lies_on_it(
    target: float, felt: float, height: float
) -> None:
    """As in ODE, surfaces at one place touch; rounding does not decide it. Its mount is not felt."""
    mount = "boundingObject Pose { translation 0 0 -0.2 children Box { size 0.2 0.2 0.2 } }"
    sim = sim_of(FIXED % f"selfCollision TRUE translation 0 0 {height} {mount}")
    bumper = sim.device("touch sensor")
    bumper.enable()
    sim.joint("lift").target_position = target
    sim.run(1.0)
    assert bumper.value == felt


def test_a_bumper_of_a_robot_without_physics_feels_a_wall_that_it_is_driven_into() -> None:
    """Neither of them is moved by the step, so there is no contact; it is felt all the same."""
    wall = 'Solid { name "wall" translation 1 0 0 boundingObject Box { size 0.2 1 1 } }'
    sim = sim_of(wall + FIXED % "")
    bumper = sim.device("touch sensor")
    bumper.enable()
    sim.step(2)
    assert bumper.value == 0.0
    sim.link("robot").set_pose((0.85, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    sim.step(2)
    assert len(sim.contacts().link) == 0
    assert bumper.value == 1.0
    sim.link("robot").set_pose((0.7, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    sim.step(2)
    assert bumper.value == 0.0


def test_force_is_read_in_a_step_in_which_a_robot_sends() -> None:
    """Who delivers packets asks for poses; the forces of the step are worked out before."""
    sim = sim_of(
        _standing("force", table="lookupTable [ 0 0 0, 5000 5000 0 ]")
        + ' Robot { name "a" children [ Emitter { } ] } Robot { name "b" children [ Receiver { } ] }'
    )
    for name in ("touch sensor", "receiver"):
        sim.device(name).enable()
    sim.run(2.0)
    emitters, row = sim.devices.group_of(sim.devices.names["emitter"])
    assert isinstance(emitters, Emitters) and emitters.send(row, b"x")
    sim.step()
    assert sim.device("receiver").value == 1.0
    assert sim.device("touch sensor").value == pytest.approx(2 * G, rel=1e-3)
