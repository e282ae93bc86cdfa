"""Worlds that are saved and loaded again."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solidbody.base.errors import LoadError
from solidbody.base.transforms import quat_from_axis_angle, quat_multiply
from solidbody.formats.loading import load
from solidbody.formats.webots.edit.document import load_world
from solidbody.formats.webots.write.text import file_text
from solidbody.model.joints import JointBall
from solidbody.model.plain import plain_value
from solidbody.model.scene import Scene
from solidbody.sim import Sim

SAME = 1e-9
"""[m, rad, m/s] A hundred steps after saving: rotations go through axis and angle, and the solver
starts without its last forces, which changes the last digits only."""

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\nViewpoint { }\n"
FLOOR = 'Solid { name "floor" boundingObject Plane { } }\n'
RESTING = (
    HEAD
    + FLOOR
    + (
        "DEF BOX Solid { translation 0 0 0.5 rotation 0 0 1 0.3 boundingObject Box { size 1 1 1 }"
        " physics Physics { } }\n"
        'DEF BALL Solid { name "ball" translation 3 0 2 linearVelocity 1 0.2 0'
        " boundingObject Sphere { radius 0.2 } physics Physics { } }\n"
    )
)
ARM = HEAD + (
    "Pose { translation 0 0 1 rotation 0 1 0 0.4 children [ DEF ARM Robot {"
    " translation 0.1 0 0 children [ HingeJoint {"
    " jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 0.1 position 0.2"
    " dampingConstant 0.1 }"
    ' device [ RotationalMotor { name "shoulder" maxTorque 100 } ]'
    " endPoint DEF UPPER Solid { translation 0.5 0 0.1 rotation 0 0 1 0.2"
    " boundingObject Box { size 1 0.1 0.1 } physics Physics { }"
    " children [ Pose { translation 0.5 0 0 children [ SliderJoint {"
    " jointParameters JointParameters { axis 1 0 0 springConstant 30 }"
    " endPoint Solid { translation 0.2 0 0 boundingObject Box { size 0.2 0.1 0.1 }"
    " physics Physics { centerOfMass 0 0 0.01 } } } ] } ] } } HingeJoint {"
    ' endPoint Solid { name "free" rotation 0 1 0 1.1'
    " boundingObject Pose { translation 0 0 -0.5 children Box { size 0.1 0.1 1 } }"
    " physics Physics { } } } ] } ] }\n"
)


HINGE2 = HEAD + (
    "Robot { translation 0 0 3 children [ Hinge2Joint {"
    " jointParameters HingeJointParameters { axis 0 0 1 anchor 0.1 0 0 position 0.3 }"
    " jointParameters2 JointParameters { axis 0 1 0 position -0.2 }"
    " endPoint Solid { translation 0.6 0 0 rotation 0 1 0 0.1 angularVelocity 0 0 1"
    " boundingObject Box { size 1 0.1 0.2 } physics Physics { } } } ] }\n"
)
BALL_JOINT = HEAD + (
    "Robot { translation 0 0 3 children [ BallJoint {"
    " jointParameters BallJointParameters { anchor 0.1 0 0 position 0.2 }"
    " jointParameters2 JointParameters { axis 0 0 1 position 0.1 }"
    " jointParameters3 JointParameters { axis 1 0 0 position -0.1 }"
    " endPoint Solid { translation 0.6 0 0 rotation 0 1 0 0.1 angularVelocity 1 0.2 1"
    " boundingObject Box { size 1 0.1 0.2 } physics Physics { } } } ] }\n"
)
WORLDS = {
    "resting and rolling": RESTING,
    "moving arm": ARM,
    "hinge of two axes": HINGE2,
    "ball joint": BALL_JOINT,
}


def comparable(scene: Scene) -> object:
    """Return a scene without places in files."""
    return plain_value(replace(scene, name="", source="", diagnostics=()))


def saved(text: str, folder: Path) -> Path:
    """Return a world file with that text."""
    path = folder / "world.wbt"
    path.write_text(text, encoding="utf-8")
    return path


def test_scene_of_a_document_is_that_of_the_file(tmp_path: Path) -> None:
    path = saved(ARM, tmp_path)
    assert load_world(path).scene == load(path)


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("steps", [0, 77])
def test_saved_simulation_goes_on_as_it_would_have(name: str, steps: int, tmp_path: Path) -> None:
    path = saved(WORLDS[name], tmp_path)
    world = load_world(path)
    sim = Sim(world.scene)
    sim.step(steps)
    world.save(tmp_path / "later.wbt", sim=sim)
    later = Sim(load(tmp_path / "later.wbt"))
    for other in (sim, later):
        if "shoulder" in other.joint_names:  # commands are not part of a world file
            other.joint("shoulder").target_position = 0.6
    np.testing.assert_allclose(later.poses(), aligned(sim, later), atol=1e-12, rtol=0)
    np.testing.assert_allclose(later.velocities(), sim.velocities(), atol=1e-12, rtol=0)
    np.testing.assert_allclose(later.joint_states(), sim.joint_states(), atol=1e-12, rtol=0)
    for other in (sim, later):
        other.step(100)
    np.testing.assert_allclose(later.poses(), aligned(sim, later), atol=SAME, rtol=0)
    np.testing.assert_allclose(later.velocities(), sim.velocities(), atol=SAME, rtol=0)
    np.testing.assert_allclose(later.joint_states(), sim.joint_states(), atol=SAME, rtol=0)


def aligned(sim: Sim, other: Sim) -> np.ndarray:
    """Return the poses of `sim`, quaternions with the signs that they have in `other`."""
    poses = sim.poses()
    signs = np.sign((poses[:, 3:] * other.poses()[:, 3:]).sum(axis=1, keepdims=True))
    poses[:, 3:] *= signs
    return poses


def test_what_has_not_moved_keeps_its_text(tmp_path: Path) -> None:
    path = saved(ARM, tmp_path)
    world = load_world(path)
    assert world.text(sim=Sim(world.scene)) == world.text()


def test_end_points_are_written_from_joint_positions(tmp_path: Path) -> None:
    world = load_world(saved(ARM, tmp_path))
    sim = Sim(world.scene)
    sim.step(50)
    text = world.text(sim=sim)
    position = sim.joint("shoulder").position
    assert f"position {position!r}" in text
    assert "linearVelocity" in text and "angularVelocity" in text


def test_zero_pose_of_a_ball_joint_stays_the_same(tmp_path: Path) -> None:
    """Zero pose = stored rotation with the stored positions taken back."""
    world = load_world(saved(BALL_JOINT, tmp_path))
    sim = Sim(world.scene)
    sim.step(60)
    world.save(tmp_path / "later.wbt", sim=sim)
    zero = []
    for scene in (world.scene, load(tmp_path / "later.wbt")):
        link = scene.bodies[0].links[-1]
        assert isinstance(link.joint, JointBall)
        turn = (1.0, 0.0, 0.0, 0.0)
        for axis in (link.joint.axis3, link.joint.axis2, link.joint.axis1):
            # the axes are given as carried by those before them: the last turns first
            turn = quat_multiply(quat_from_axis_angle(axis.direction, -axis.position), turn)
        zero.append(quat_multiply(turn, link.pose.rotation))
    np.testing.assert_allclose(zero[0], zero[1], atol=1e-12)


def test_state_of_another_scene_is_refused(tmp_path: Path) -> None:
    path = saved(ARM, tmp_path)
    world = load_world(path)
    with pytest.raises(ValueError, match="not one of this world's scene"):
        world.text(sim=Sim(load(path)))


def test_a_crash_while_saving_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(ARM, tmp_path)
    world = load_world(path)

    def crash(source: object, target: object) -> None:
        raise OSError("power cut")

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(OSError, match="power cut"):
        world.save()
    assert path.read_text(encoding="utf-8") == ARM
    assert os.listdir(tmp_path) == ["world.wbt"]


def test_saving_keeps_the_permissions_of_the_file(tmp_path: Path) -> None:
    path = saved(ARM, tmp_path)
    path.chmod(0o640)
    world = load_world(path)
    world.save()
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_text(encoding="utf-8") == file_text(world.tree)


def test_files_that_are_no_worlds_raise(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="invalid header"):
        load_world(saved("Solid { }", tmp_path))
    with pytest.raises(LoadError, match="no such file"):
        load_world(tmp_path / "none.wbt")


def test_old_worlds_are_saved_in_their_release_and_with_state_in_todays(tmp_path: Path) -> None:
    text = (
        "#VRML_SIM R2019a utf8\nWorldInfo { basicTimeStep 8 }\nViewpoint { }\n"
        'Solid { boundingObject Plane { } }\nDEF ROD Solid { name "rod" translation 0 1 0'
        " boundingObject Capsule { } physics Physics { } }\n"
    )
    world = load_world(saved(text, tmp_path))
    assert world.text().startswith("#VRML_SIM R2019a utf8\n")
    sim = Sim(world.scene)
    sim.step(30)
    world.save(tmp_path / "later.wbt", sim=sim)
    later = load(tmp_path / "later.wbt")
    assert (tmp_path / "later.wbt").read_text(encoding="utf-8").startswith("#VRML_SIM R2025a utf8")
    assert later.physics.gravity == (0.0, -9.81, 0.0)
    np.testing.assert_allclose(Sim(later).poses(), sim.poses(), atol=1e-12, rtol=0)
