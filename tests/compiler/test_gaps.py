"""Parts of a scene that have no effect yet are reported, once each, with their place."""

from __future__ import annotations

from dataclasses import replace

from solidbody.base.transforms import Pose
from solidbody.compiler import compile_scene
from solidbody.formats.loading import read_scene_text
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import JointAxis, JointBall, LoopAttachment, LoopGeneral
from solidbody.model.scene import Scene
from tests.physics import building as b

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { }
Fluid { name "water" boundingObject Box { size 9 9 9 } }
Robot {
  children [
    Propeller { device RotationalMotor { } }
    BallJoint {
      jointParameters BallJointParameters { springConstant 5 }
      endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
    }
    Track { boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } device LinearMotor { } }
    HingeJoint {
      jointParameters HingeJointParameters { suspensionSpringConstant 100 suspensionAxis 0 0 1 }
      device RotationalMotor { name "m" }
      endPoint Solid { name "wheel" boundingObject Sphere { radius 0.1 } physics Physics { } }
    }
    HingeJoint { endPoint Solid { name "head" } device RotationalMotor { name "neck" } }
  ]
  immersionProperties ImmersionProperties { fluidName "water" }
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { }
}
"""


def test_everything_that_moves_in_webots_moves_here() -> None:
    """Propellers, ball joints, tracks, suspensions, kinematic joints and fluids leave no message."""
    scene, _ = read_scene_text(WORLD, "world.wbt")
    assert scene is not None
    assert [str(item) for item in compile_scene(scene).diagnostics] == []


def test_ball_joint_with_springs_that_closes_a_loop_is_reported() -> None:
    """The loop holds, its springs do not act."""
    axes = [JointAxis(v, spring=1.0) for v in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))]
    body = b.free_body("ball", GeometrySphere(0.1))
    ends = (LoopAttachment(None, Pose()), LoopAttachment("ball", Pose()))
    loop = LoopGeneral(ends, JointBall("j", axes[0], axes[1], axes[2]), "j")
    scene: Scene = b.scene(replace(body, loops=(loop,)))
    found = compile_scene(scene).diagnostics
    assert [(item.code, item.node) for item in found] == [("loop-axis", "j")]


def test_a_scene_of_the_first_slice_has_no_gaps() -> None:
    """Nothing is reported where everything acts."""
    assert compile_scene(b.scene(b.floor())).diagnostics == ()
