"""Replacing the scene of a running simulation: what is still there goes on as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.compiler import geoms
from solidbody.formats.loading import read_scene_text
from solidbody.formats.webots.edit.document import load_world

HEADER = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
BALL = """
Solid { translation %s 0 1 name "%s" boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 2 } }
"""
ARM = """
Robot { name "arm" controller "" translation 5 0 0 children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    device [ RotationalMotor { name "motor" maxTorque 100 } PositionSensor { name "angle" } ]
    endPoint Solid { name "hand" boundingObject Box { size 0.1 0.1 0.1 }
      physics Physics { density -1 mass 1 } } } ] }
Solid { name "cart" translation 9 0 0 linearVelocity 1 0 0 boundingObject Box { } }
"""


def scene(text: str) -> sb.Scene:
    found, log = read_scene_text(HEADER + text)
    assert found is not None, list(log)
    return found


def test_a_falling_ball_goes_on_falling_when_another_one_appears() -> None:
    """Same positions and velocities as without the change: nothing touches."""
    alone = sb.Sim(scene(BALL % (0, "a")))
    changed = sb.Sim(scene(BALL % (0, "a")))
    alone.step(20)
    changed.step(20)
    changed.replace_scene(scene(BALL % (3, "b") + BALL % (0, "a")))
    assert changed.time == alone.time
    np.testing.assert_array_equal(changed["a"].position, alone["a"].position)
    assert changed["b"].position.tolist() == [3.0, 0.0, 1.0]
    alone.step(20)
    changed.step(20)
    np.testing.assert_array_equal(changed["a"].position, alone["a"].position)
    np.testing.assert_array_equal(changed["a"].linear_velocity, alone["a"].linear_velocity)
    assert changed["b"].linear_velocity[2] == pytest.approx(-9.81 * 20 * 0.008, rel=1e-9)


def test_motors_sensors_and_kinematic_motion_go_on() -> None:
    """Commands, memory of controllers, devices that are on, velocities of kinematic links."""
    alone, changed = sb.Sim(scene(ARM)), sb.Sim(scene(ARM))
    for sim in (alone, changed):
        sim.joint("motor").target_velocity = 2.0
        sim.devices.enable(sim.devices.names["angle"], 0.016)
        sim.step(10)
    changed.replace_scene(scene(BALL % (0, "a") + ARM))
    alone.step(11)
    changed.step(11)
    assert changed.joint("motor").target_velocity == 2.0
    # rows of the solver stand in another order, so sums round differently
    assert changed.joint("motor").position == pytest.approx(alone.joint("motor").position, abs=1e-9)
    assert changed.device("angle").value == pytest.approx(alone.device("angle").value, abs=1e-9)
    np.testing.assert_allclose(changed["cart"].position, alone["cart"].position, atol=1e-12)
    assert changed["cart"].position[0] == pytest.approx(9.0 + 21 * 0.008)


def test_sensors_of_a_robot_that_gets_another_name_stay_on() -> None:
    """A supervisor may rename a robot while its program reads sensors."""
    sim = sb.Sim(scene(ARM))
    sim.devices.enable(sim.devices.names["angle"], 0.016)
    sim.step(10)
    sim.replace_scene(scene(ARM.replace('"arm"', '"limb"')))
    sim.joint("motor").target_velocity = 2.0
    sim.step(10)
    assert sim.device("angle").value == pytest.approx(sim.joint("motor").position)
    assert sim.joint("motor").position > 0.1


def test_a_swinging_chain_goes_on_as_it_was() -> None:
    """Also the acceleration that the next step starts from is kept; nothing touches, so nothing is lost."""
    joint = """HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor %s }
      endPoint Solid { translation %s name "%s" children [ %s ] boundingObject Box { size 0.1 0.1 0.1 }
        physics Physics { density -1 mass 1 } } }"""
    chain = (
        'Robot { name "base" controller "" translation 0 0 5 children [ '
        + joint % ("0 0 0", "1 0 0", "one", joint % ("0 0 0", "1 0 0", "two", ""))
        + " ] }"
    )
    alone, changed = sb.Sim(scene(chain)), sb.Sim(scene(chain))
    alone.step(40)
    changed.step(40)
    changed.replace_scene(scene(BALL % (30, "far") + chain))
    alone.step(40)
    changed.step(40)
    for name in ("one", "two"):
        # sums over two trees instead of one may round differently
        np.testing.assert_allclose(changed[name].position, alone[name].position, atol=1e-10)


def test_what_was_moved_by_hand_stays_there_and_a_reset_goes_to_the_new_start() -> None:
    """Teleported links of all kinds; the new scene's own poses count at the start only."""
    sim = sb.Sim(scene(BALL % (0, "a") + ARM))
    sim["a"].position = (0, 2, 3)
    sim["cart"].position = (0, 0, 7)
    sim["hand"].position = (5, 1, 0)
    sim.replace_scene(scene(BALL % (1, "a") + ARM))
    assert sim["a"].position.tolist() == [0, 2, 3]
    assert sim["cart"].position.tolist() == [0, 0, 7]
    np.testing.assert_allclose(sim["hand"].position, [5, 1, 0], atol=1e-12)
    sim.reset()
    assert sim["a"].position.tolist() == [1, 0, 1]
    assert sim["cart"].position.tolist() == [9, 0, 0]


def test_a_scene_that_cannot_be_compiled_changes_nothing() -> None:
    """Two bodies of one name; the simulation goes on with the old scene."""
    start = scene(BALL % (0, "a"))
    sim = sb.Sim(start)
    sim.step(3)
    before = sim["a"].position.tolist()
    with pytest.raises(ValueError, match="repeated name"):
        sim.replace_scene(replace(start, bodies=(*start.bodies, *start.bodies)))
    assert sim["a"].position.tolist() == before
    assert sim.scene is start
    sim.step(1)
    assert sim.step_count == 4


def test_looks_change_without_compiling() -> None:
    """The model stays the same object; other links are refused."""
    sim = sb.Sim(scene(BALL % (0, "a")))
    model = sim.model
    sim.describe_anew(scene(BALL % (0, "a")))
    assert sim.model is model
    with pytest.raises(ValueError, match="the scene has other links; use replace_scene"):
        sim.describe_anew(scene(BALL % (0, "b")))


def test_forms_that_stay_are_not_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Triangles of the ground are prepared once, from the second change on; the constants are the same."""
    path = tmp_path / "world.wbt"
    path.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n"
        'DEF HILL Solid { name "hill" boundingObject DEF FACES IndexedFaceSet { '
        "coord Coordinate { point [ 0 -1 -1, 0 1 -1, 1 0 -1, 0 0 1 ] } "
        "coordIndex [ 0 1 2 -1 0 3 1 -1 1 3 2 -1 2 3 0 -1 ] } }\n"
        'Solid { name "box" translation 3 0 1 boundingObject DEF FORM Box { } physics Physics { } }\n'
    )
    world = load_world(path)
    made: list[int] = []
    prepare = geoms.terrain_tables
    monkeypatch.setattr(
        geoms, "terrain_tables", lambda *given: (made.append(1), prepare(*given))[1]
    )
    sim = sb.Sim(world.scene)
    counts: list[int] = []
    for k in range(4):
        made.clear()
        world.set("FORM.size", (0.5 + 0.1 * k, 0.5, 0.5))
        sim.replace_scene(world.scene)
        counts.append(len(made))
        other = sb.Sim(world.scene)
        for name in ("terrains", "triangles", "edges", "peaks", "nodes"):
            ours = getattr(sim.compiled.tables.collision, name)
            assert ours.tobytes() == getattr(other.compiled.tables.collision, name).tobytes()
    assert counts == [1, 0, 0, 0]
    made.clear()
    world.set("FACES.coordIndex", [0, 1, 2, -1, 0, 3, 1, -1, 1, 3, 2, -1])
    sim.replace_scene(world.scene)
    assert len(made) == 1
