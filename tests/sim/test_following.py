"""A simulation that follows a small change has the constants that compiling gives, and goes on alike."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solidbody.compiler import compile_scene
from solidbody.compiler.differences import Difference, difference
from solidbody.formats.webots.edit.document import World, load_world
from solidbody.sim import Sim
from solidbody.sim.following import follow

TEXT = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 contactProperties [
  DEF GRIP ContactProperties { material1 "rubber" coulombFriction 0.5 }
  ContactProperties { material1 "ice" material2 "rubber" coulombFriction 0.01 } ] }
Viewpoint { }
DEF FLOOR Solid { name "floor" boundingObject Plane { size 20 20 } }
DEF BOX Solid { name "box" translation 0 0 0.11 rotation 0 0 1 0.3
  contactMaterial "rubber" linearVelocity 1 0 0
  children [ DEF SHAPE Shape { appearance DEF LOOK PBRAppearance { baseColor 1 0 0 }
    geometry Box { size 0.2 0.2 0.2 } } ]
  boundingObject Box { size 0.2 0.2 0.2 } physics DEF MASS Physics { density -1 mass 2 } }
DEF ROD Solid { name "rod" translation 1 0 0.5 rotation 1 1 0 0.7
  boundingObject Pose { translation 0.1 0 0 rotation 1 0 1 0.5 children [ Box { size 0.1 0.2 0.3 } ] }
  physics DEF HEAVY Physics { density 300 } }
DEF ARM Robot { name "arm" translation 2 0 1 children [
    DEF EYE DistanceSensor { name "eye" }
    HingeJoint { jointParameters DEF TURN HingeJointParameters { axis 0 1 0 dampingConstant 0.1 }
      device [ DEF MOTOR RotationalMotor { name "turn" maxVelocity 20 maxTorque 5 }
        DEF SENSOR PositionSensor { name "angle" } ]
      endPoint DEF UPPER Solid { name "upper" translation 0.2 0 0
        children [ SliderJoint {
            jointParameters DEF SLIDE JointParameters { axis 1 0 0 springConstant 40 }
            endPoint DEF LOWER Solid { name "lower" translation 0.3 0 0
              boundingObject Sphere { radius 0.05 }
              physics DEF TIP Physics { density -1 mass 0.3 } } } ]
        boundingObject Box { size 0.3 0.05 0.05 } physics Physics { density -1 mass 0.5 } } } ]
  boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 5 } }
"""

PATCHES: list[tuple[str, Any, Difference]] = [
    ("GRIP.coulombFriction", [0.9], Difference(surfaces=True)),
    ("GRIP.material2", "wood", Difference(surfaces=True)),
    ("GRIP.bounce", 0.9, Difference(surfaces=True)),
    ("MASS.mass", 7.0, Difference(masses=(1,))),
    ("HEAVY.density", 900.0, Difference(masses=(2,))),
    ("TIP.mass", 3.0, Difference(masses=(5,))),
    ("TURN.dampingConstant", 0.7, Difference(axes=(4,))),
    ("TURN.springConstant", 3.0, Difference(axes=(4,))),
    ("TURN.maxStop", 0.5, Difference(axes=(4,))),
    ("SLIDE.staticFriction", 0.2, Difference(axes=(5,))),
    ("MOTOR.maxVelocity", 3.0, Difference(axes=(4,), devices=(4,))),
    ("MOTOR.controlPID", (3.0, 1.0, 0.1), Difference(axes=(4,), devices=(4,))),
    ("SENSOR.noise", 0.1, Difference(axes=(4,), devices=(4,))),
    ("LOOK.baseColor", (0.0, 1.0, 0.0), Difference(shapes=True)),
    ("SHAPE.castShadows", False, Difference(shapes=True)),
    ("EYE.aperture", 0.5, Difference(devices=(3,))),
    ("BOX.translation", (0.5, 0.1, 0.3), Difference(poses=(1,))),
    ("BOX.rotation", (0.0, 0.6, 0.8, 1.1), Difference(poses=(1,))),
    ("ROD.translation", (0.5, 0.1, 0.3), Difference(poses=(2,))),
    ("FLOOR.translation", (0.0, 0.0, -0.1), Difference(poses=(0,))),
    ("ARM.rotation", (0.0, 0.6, 0.8, 1.1), Difference(poses=(3,))),
    ("UPPER.translation", (0.25, 0.0, 0.1), Difference(poses=(4,))),
    ("LOWER.rotation", (0.6, 0.0, 0.8, -0.7), Difference(poses=(5,))),
    ("ARM.controller", "other", Difference(robots=True)),
    ("BOX.description", "a box", Difference(looks=True)),
]


MECHANISMS = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { }
DEF FLOOR Solid { name "floor" boundingObject Plane { size 20 20 } }
DEF CHAIN Robot { name "chain" translation 0 0 1 children [
    DEF GATE HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
      device [ RotationalMotor { name "turn" } ]
      endPoint DEF CRANK Solid { name "crank" translation 0.2 0 0
        children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.1 0 0 }
            endPoint DEF ROD Solid { name "rod" translation 0.2 0 0.1 rotation 0 1 0 0.3
              children [ HingeJoint {
                  jointParameters HingeJointParameters { axis 0 1 0 anchor 0.1 0 0 minStop -2 maxStop 2 }
                  endPoint SolidReference { solidName "slide" } } ]
              boundingObject Box { size 0.2 0.02 0.02 } physics Physics { density -1 mass 0.2 } } } ]
        boundingObject Box { size 0.2 0.02 0.02 } physics Physics { density -1 mass 0.3 } } }
    SliderJoint { jointParameters JointParameters { axis 1 0 0 }
      endPoint DEF SLIDE Solid { name "slide" translation 0.5 0 0.1
        boundingObject Box { size 0.05 0.05 0.05 } physics Physics { density -1 mass 0.4 } } } ]
  boundingObject Box { size 0.05 0.05 0.05 } }
DEF SWING Robot { name "swing" translation 2 0 2 children [
    BallJoint { jointParameters BallJointParameters { anchor 0 0 0.1 dampingConstant 0.05 }
      jointParameters2 JointParameters { axis 1 0 0 dampingConstant 0.02 }
      jointParameters3 JointParameters { axis 0 0 1 springConstant 0.5 }
      device [ RotationalMotor { name "first" } ]
      endPoint DEF BOB Solid { name "bob" translation 0 0.1 -0.3 rotation 1 0 0 0.4
        boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 0.3 } } }
    BallJoint { jointParameters BallJointParameters { anchor 0.5 0 0 }
      endPoint DEF PLAIN Solid { name "plain" translation 0.5 0.1 -0.3
        boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 0.3 } } } ] }
DEF TANK Robot { name "tank" translation -2 0 0.1 children [
    DEF LEFT Track { name "left" translation 0 0.2 0 rotation 0 0 1 0.1
      children [ DEF TREAD Shape { geometry Box { size 0.5 0.1 0.1 } } ] boundingObject USE TREAD
      physics Physics { density -1 mass 1 } device [ LinearMotor { name "belt" } ] }
    DEF CAB Solid { name "cab" translation 0 0 0.1 boundingObject Box { size 0.2 0.2 0.1 }
      physics Physics { density -1 mass 0.5 } } ]
  boundingObject Box { size 0.4 0.2 0.1 } physics Physics { density -1 mass 2 } }
DEF DOOR Robot { name "door" translation 0 3 0 children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0.1 0 0 position 0.2 }
      device [ RotationalMotor { name "leaf" } ]
      endPoint DEF WING Solid { name "wing" translation 0.5 0 0.5 rotation 0 0 1 0.2
        children [ SliderJoint { jointParameters JointParameters { axis 0 0 1 }
            device [ LinearMotor { name "latch" } ]
            endPoint DEF BOLT Solid { name "bolt" translation 0.1 0 0
              boundingObject Box { size 0.1 0.02 0.02 } } } ]
        boundingObject Box { size 0.8 0.05 1 } } } ] }
"""

PLACED = [
    ("CHAIN.translation", (0.1, 0.2, 1.5)),
    ("CHAIN.rotation", (0.0, 0.6, 0.8, 1.1)),
    ("CRANK.rotation", (0.0, 1.0, 0.0, 0.2)),
    ("ROD.translation", (0.2, 0.0, 0.15)),
    ("ROD.rotation", (0.0, 1.0, 0.0, 0.5)),
    ("SLIDE.rotation", (0.0, 1.0, 0.0, -0.3)),
    ("SWING.rotation", (0.0, 0.6, 0.8, 0.3)),
    ("BOB.rotation", (0.6, 0.0, 0.8, 0.9)),
    ("BOB.translation", (0.0, 0.2, -0.3)),
    ("PLAIN.rotation", (0.6, 0.0, 0.8, 0.9)),
    ("TANK.translation", (-2.0, 1.0, 0.15)),
    ("TANK.rotation", (0.0, 0.0, 1.0, 0.7)),
    ("LEFT.rotation", (0.0, 0.0, 1.0, -0.2)),
    ("LEFT.translation", (0.0, 0.25, 0.01)),
    ("DOOR.translation", (0.0, 3.5, 0.1)),
    ("DOOR.rotation", (0.0, 0.0, 1.0, 0.7)),
    ("WING.translation", (0.4, 0.1, 0.5)),
    ("WING.rotation", (0.0, 0.0, 1.0, 0.6)),
    ("BOLT.rotation", (1.0, 0.0, 0.0, 0.6)),
]
"""Poses of links in loops, on ball joints, of tracks, and of driven ones without physics."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A sliding box, a rod that is no cube, and an arm with two joints."""
    path = tmp_path / "world.wbt"
    path.write_text(TEXT)
    return load_world(path)


def arrays_of(sim: Sim) -> dict[str, Any]:
    """Return every array of the constants, as bytes."""
    found: dict[str, Any] = {}
    model = sim.compiled.model
    for name in dir(model):
        value = getattr(model, name) if not name.startswith("_") else None
        if isinstance(value, np.ndarray):
            found[name] = value.tobytes()
    # the others tell MuJoCo's viewer where to look
    found["stat"] = model.stat.meanmass, model.stat.meaninertia
    tables = sim.compiled.tables
    for item in fields(tables):
        value = getattr(tables, item.name)
        if isinstance(value, np.ndarray):
            found[f"tables.{item.name}"] = value.tobytes()
    found["start"] = sim.compiled.start.rows.tobytes()
    found["axes"] = sim.compiled.axes
    found["qvel"] = sim.compiled.initial_qvel.tobytes()
    return found


def state_of(sim: Sim) -> tuple[bytes, ...]:
    """Return where everything is and how it moves."""
    sim.step(25)
    return sim.data.qpos.tobytes(), sim.data.qvel.tobytes(), sim.joint_states().tobytes()


@pytest.mark.parametrize(("path", "value", "expected"), PATCHES)
def test_the_same_as_compiled(world: World, path: str, value: Any, expected: Difference) -> None:
    """Constants are those of a compilation to the byte, and so are the steps that follow."""
    sim, other = Sim(world.scene), Sim(world.scene)
    for one in (sim, other):
        one.step(20)
        one.joint("turn").target_velocity = 1.5
        one.step(20)
    world.set(path, value)
    assert difference(sim.scene, world.scene) == expected
    assert follow(sim, world.scene) == expected
    assert sim.scene is world.scene
    if expected.is_physical:
        other.replace_scene(world.scene)
        assert arrays_of(sim) == arrays_of(other)
        assert sim.state.commands.tobytes() == other.state.commands.tobytes()
        assert sim.compiled.axes == compile_scene(world.scene).axes
    assert state_of(sim) == state_of(other)
    sim.reset()
    other.reset()
    assert state_of(sim) == state_of(other)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "value"), PLACED)
def test_mechanisms_are_placed_as_compiled(tmp_path: Path, path: str, value: Any) -> None:
    """The same of poses in mechanisms: constants, steps, and what was put elsewhere before."""
    file = tmp_path / "mechanisms.wbt"
    file.write_text(MECHANISMS)
    world = load_world(file)
    sim, other = Sim(world.scene), Sim(world.scene)
    for one in (sim, other):
        one.step(10)
        for motor, speed in (("turn", 1.5), ("belt", 0.3), ("leaf", 0.5), ("latch", 0.1)):
            one.joint(motor).target_velocity = speed
        one.link("bolt").set_pose((0.7, 3.2, 0.6), (1.0, 0.0, 0.0, 0.0))
        one.step(10)
    world.set(path, value)
    change = follow(sim, world.scene)
    assert change is not None
    assert len(change.poses) == 1
    other.replace_scene(world.scene)
    assert arrays_of(sim) == arrays_of(other)
    assert sim.state.kinematics.tobytes() == other.state.kinematics.tobytes()
    assert sim.state.commands.tobytes() == other.state.commands.tobytes()
    assert state_of(sim) == state_of(other)
    sim.reset()
    other.reset()
    assert state_of(sim) == state_of(other)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("BOX.boundingObject", "Sphere { radius 0.1 }"),
        ("MASS.centerOfMass", [(0.0, 0.0, 0.1)]),
        ("BOX.contactMaterial", "ice"),
        ("BOX.name", "crate"),
        ("MOTOR.name", "other"),
        ("TURN.axis", (0.0, 0.0, 1.0)),
        ("ARM.selfCollision", True),
        ("0.gravity", 3.0),
        ("0.basicTimeStep", 4.0),
    ],
)
def test_other_layouts_are_compiled(world: World, path: str, value: Any) -> None:
    sim = Sim(world.scene)
    sim.step(3)
    before = sim.compiled
    world.set(path, value)
    assert follow(sim, world.scene) is None
    assert sim.compiled is not before
    assert sim.scene is world.scene
    sim.step(3)


def test_constants_are_not_written(world: World) -> None:
    """Other simulations of the same scene go on as they were."""
    sim = Sim(world.scene)
    other = sim.copy()
    before = arrays_of(other)
    for path, value, _ in PATCHES:
        world.set(path, value)
        follow(sim, world.scene)
    assert arrays_of(other) == before
    assert arrays_of(sim) != before


def test_nothing_to_do(world: World) -> None:
    """A change of the file that changes nothing is followed by taking the scene."""
    sim = Sim(world.scene)
    before = sim.compiled
    world.set("MASS.mass", 2.0)
    assert follow(sim, world.scene) == Difference()
    assert sim.compiled is before
    assert sim.scene is world.scene


def test_pictures_show_other_looks(tmp_path: Path) -> None:
    """The ray engine is painted anew, not made anew; pictures are those of one that is."""
    path = tmp_path / "world.wbt"
    path.write_text(
        TEXT + "DirectionalLight { direction 1 0 -1 }\n"
        'Robot { name "eye" translation -1 0 0.2 children [ Camera { name "lens" width 8 height 8 } ] }'
    )
    world = load_world(path)
    sim = Sim(world.scene)
    lens = sim.devices.names["lens"]
    sim.devices.enable(lens, 0.008)
    sim.step(1)
    engines = [sim.devices.world.rays]
    seen: list[bytes] = []
    for color in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)):
        world.set("LOOK.baseColor", color)
        follow(sim, world.scene)
        other = Sim(world.scene)
        other.devices.enable(other.devices.names["lens"], 0.008)
        for one in (sim, other):
            one.reset()
            one.step(1)
        pictures = [np.asarray(one.device("lens").value).tobytes() for one in (sim, other)]
        assert pictures[0] == pictures[1]
        seen.append(pictures[0])
        engines.append(sim.devices.world.rays)
    assert all(engine is engines[0] for engine in engines)
    assert seen[0] == seen[2] != seen[1]
