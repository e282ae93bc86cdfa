"""USD that is written: the validators of USD find nothing, and bodies, joints and looks are ours."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solidbody.base.errors import SaveError
from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.formats.usd.joints import gains
from solidbody.model.joints import JointHinge, JointSlider
from solidbody.model.links import Motion
from solidbody.model.scene import Scene, world_poses
from tests.architecture.sources import ROOT
from tests.formats.exports.comparing import joints_of
from tests.formats.exports.models import ARM, GRIPPER, ROVER, read, scene_of

pxr = pytest.importorskip("pxr")

SOURCES = {"rover.wbt": ROVER, "arm.wbt": ARM, "gripper.urdf": GRIPPER}

EVERYTHING = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
PointLight { location 0 0 3 } SpotLight { } DirectionalLight { }
Solid { name "hill" children [ DEF H Shape { geometry ElevationGrid { xDimension 3 yDimension 3
  height [ 0 0 0 0 1 0 0 0 0 ] } } ] boundingObject USE H }
Robot { name "robot 1" controller "<none>" selfCollision FALSE
  children [
    Shape { appearance PBRAppearance { transparency 0.5 metalness 0 roughness 0.3 } geometry Capsule { } }
    Shape { geometry IndexedLineSet { coord Coordinate { point [ 0 0 0, 1 1 1 ] } coordIndex [ 0 1 ] } }
    Shape { geometry PointSet { coord Coordinate { point [ 0 0 0, 1 1 1 ] } } }
    Hinge2Joint {
      jointParameters HingeJointParameters { axis 0 1 0 position 0.2 minStop -1 maxStop 1 }
      jointParameters2 JointParameters { axis 0 0 1 }
      device [ RotationalMotor { name "tilt" } ]
      endPoint Solid { name "head" translation 0 0 0.2 children [ DEF B Shape { geometry Cone { } } ]
        boundingObject USE B physics Physics { } }
    }
    BallJoint { endPoint Solid { name "ball" translation 0.4 0 0 boundingObject Sphere { radius 0.1 }
      physics Physics { } } }
    SliderJoint {
      jointParameters JointParameters { axis 1 0 0 springConstant 5 dampingConstant 2 position 0.1 }
      endPoint Solid { name "cart" translation -0.4 0 0 linearVelocity 1 0 0
      boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }
    Camera { } Gyro { }
  ]
  boundingObject Cylinder { } physics Physics { } angularVelocity 0 0 1 }
"""


def opened(path: Path) -> Any:
    """Return the stage of a file in which the validators find nothing."""
    from pxr import Usd, UsdValidation

    stage = Usd.Stage.Open(str(path))
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 20
    found = UsdValidation.ValidationContext(validators).Validate(stage)
    assert not found, [f"{item.GetName()}: {item.GetMessage()}" for item in found]
    return stage


def stage_of(scene: Scene, folder: Path, name: str = "out.usda") -> Any:
    scene.save(folder / name)
    return opened(folder / name)


def titled(stage: Any, title: str, *, is_joint: bool = False) -> Any:
    """Return the one prim that is called so."""
    found = [
        prim
        for prim in stage.Traverse()
        if prim.GetDisplayName() == title or prim.GetName() == title
        if not is_joint or prim.GetTypeName().endswith("Joint")
    ]
    assert len(found) == 1, (title, found)
    return found[0]


def pose_of(prim: Any) -> Pose:
    place, turn = (prim.GetAttribute(f"xformOp:{name}").Get() for name in ("translate", "orient"))
    return Pose(tuple(place), (turn.GetReal(), *turn.GetImaginary()))


def end_of(joint: Any, number: int) -> Pose:
    place = joint.GetAttribute(f"physics:localPos{number}").Get()
    turn = joint.GetAttribute(f"physics:localRot{number}").Get()
    return Pose(tuple(place), (turn.GetReal(), *turn.GetImaginary()))


@pytest.mark.parametrize("source", [*SOURCES, "everything.wbt"])
def test_bodies_and_joints_are_ours(source: str, tmp_path: Path) -> None:
    """Poses, masses and inertias of links; frames of joints meet, turned or moved by their position."""
    scene = scene_of(tmp_path, SOURCES.get(source, EVERYTHING), source)
    stage = stage_of(scene, tmp_path)
    for body in scene.bodies:
        for link, pose in zip(body.links, world_poses(body), strict=True):
            found = [p for p in stage.Traverse() if p.GetDisplayName() == link.name]
            prim = next(p for p in reversed(found) if p.HasAttribute("xformOp:orient"))
            assert pose_of(prim).position == pytest.approx(pose.position, abs=1e-12)
            assert pose_of(prim).direction((1.0, 2.0, 3.0)) == pytest.approx(
                pose.direction((1.0, 2.0, 3.0)), abs=1e-9
            )
            schemas = prim.GetAppliedSchemas()
            assert ("PhysicsRigidBodyAPI" in schemas) == (
                link.motion is Motion.DYNAMIC or link.parent is not None
            )
            if link.mass is not None and link.mass.mass:
                assert prim.GetAttribute("physics:mass").Get() == pytest.approx(link.mass.mass)
                xx, yy, zz, xy, xz, yz = link.mass.inertia
                moments = np.array(prim.GetAttribute("physics:diagonalInertia").Get())
                turn = prim.GetAttribute("physics:principalAxes").Get()
                axes = Pose(rotation=(turn.GetReal(), *turn.GetImaginary()))
                columns = np.array([axes.direction(tuple(row)) for row in np.eye(3)]).T
                wanted = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                assert columns @ np.diag(moments) @ columns.T == pytest.approx(
                    wanted, abs=1e-6 * float(moments.max())
                )
    for name, joint in joints_of(scene).items():
        prim = titled(stage, name, is_joint=True)
        ends: list[Pose] = []
        for number in (0, 1):
            targets = prim.GetRelationship(f"physics:body{number}").GetTargets()
            above = pose_of(stage.GetPrimAtPath(targets[0])) if targets else Pose()
            ends.append(above * end_of(prim, number))
        q = joint.axis.position
        moved = Pose((q, 0.0, 0.0))
        if isinstance(joint, JointHinge):
            moved = Pose(rotation=quat_from_axis_angle((1.0, 0.0, 0.0), q))
        at = ends[0] * moved
        assert at.position == pytest.approx(ends[1].position, abs=1e-6)
        for way in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
            assert at.direction(way) == pytest.approx(ends[1].direction(way), abs=1e-6)


def test_limits_and_drives(tmp_path: Path) -> None:
    """Angles are degrees, gains per degree; a motor's effort is the greatest force of its drive."""
    scene = scene_of(tmp_path, ARM, "arm.wbt")
    stage = stage_of(scene, tmp_path)
    turn, reach = titled(stage, "turn"), titled(stage, "reach")
    assert turn.GetTypeName() == "PhysicsRevoluteJoint"
    assert turn.GetAttribute("physics:lowerLimit").Get() == pytest.approx(-math.degrees(3.0))
    assert turn.GetAttribute("drive:angular:physics:maxForce").Get() == 80.0
    motor = joints_of(scene)["turn"].axis.motor
    assert motor is not None
    stiffness, damping = gains(motor)
    assert damping == pytest.approx(80.0 / 0.03)
    assert turn.GetAttribute("drive:angular:physics:stiffness").Get() == pytest.approx(
        math.radians(stiffness)
    )
    assert reach.GetTypeName() == "PhysicsPrismaticJoint"
    assert reach.GetAttribute("physics:upperLimit").Get() == pytest.approx(0.2)
    assert isinstance(joints_of(scene)["reach"], JointSlider)
    assert reach.GetAttribute("drive:linear:physics:damping").Get() == pytest.approx(2e4)


def test_contacts_and_colliders(tmp_path: Path) -> None:
    """Friction is that of the contact material; what stands still has no rigid body; planes are endless."""
    stage = stage_of(scene_of(tmp_path, ROVER, "rover.wbt"), tmp_path)
    tyre = titled(stage, "tyre")
    assert tyre.GetAttribute("physics:dynamicFriction").Get() == pytest.approx(1.2)
    planes = [prim for prim in stage.Traverse() if prim.GetTypeName() == "Plane"]
    assert ["PhysicsCollisionAPI" in prim.GetAppliedSchemas() for prim in planes] == [True]
    wheel = [
        prim
        for prim in titled(stage, "left wheel").GetChildren()
        if "PhysicsCollisionAPI" in prim.GetAppliedSchemas()
    ]
    (bound,) = wheel[0].GetRelationship("material:binding:physics").GetTargets()
    assert bound == tyre.GetPath()


def test_pictures_stand_beside_it(tmp_path: Path) -> None:
    """An example with pictures: files are copied as they are, and the validators find them."""
    scene = read(ROOT / "examples" / "looks.wbt")
    opened_stage = stage_of(scene, tmp_path, "looks.usda")
    crate = tmp_path / "looks_textures" / "crate.jpg"
    assert crate.read_bytes() == (ROOT / "examples" / "textures" / "crate.jpg").read_bytes()
    shaders = [p for p in opened_stage.Traverse() if p.GetTypeName() == "Shader"]
    files = [p.GetAttribute("inputs:file").Get() for p in shaders if p.HasAttribute("inputs:file")]
    assert {Path(found.resolvedPath) for found in files} >= {crate}


def test_binary_form_says_the_same(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, GRIPPER, "gripper.urdf")
    text, binary = (stage_of(scene, tmp_path, f"out{end}") for end in (".usda", ".usdc"))
    assert (tmp_path / "out.usdc").read_bytes().startswith(b"PXR-USDC")
    paths = [[str(prim.GetPath()) for prim in stage.Traverse()] for stage in (text, binary)]
    assert paths[0] == paths[1]


def test_without_usd_core_the_text_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = scene_of(tmp_path, GRIPPER, "gripper.urdf")
    monkeypatch.setitem(sys.modules, "pxr.Sdf", None)
    scene.save(tmp_path / "out.usda")
    with pytest.raises(SaveError, match=r"solidbody\[usd\]"):
        scene.save(tmp_path / "out.usd")


def test_what_is_lost_is_told_once_for_each_kind(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, ROVER, "rover.wbt")
    said = [str(item) for item in scene.save(tmp_path / "out.usda")]
    emitters = [text for text in said if "Emitter" in text]
    assert len(emitters) == 1 and '"one", "two"' in emitters[0] and "rover.wbt:19" in emitters[0]
    assert len(said) == len({text.split(" (")[0] for text in said})
