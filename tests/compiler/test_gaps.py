"""Parts of a scene that have no effect yet are reported, once each, with their place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solidbody.compiler import compile_scene
from solidbody.formats.loading import read_scene_text
from solidbody.model.fluids import Fluid
from solidbody.model.scene import GyroRule
from tests.physics import building as b

WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{ }}
Viewpoint {{ }}
Robot {{
  children [ {0} ]
  boundingObject Box {{ size 0.1 0.1 0.1 }}
  physics Physics {{ }}
}}
"""
PROPELLER = "Propeller { device RotationalMotor { } }"
BALL = """BallJoint {
  jointParameters BallJointParameters { springConstant 5 }
  endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
}"""


@pytest.mark.parametrize(("node", "code"), [(PROPELLER, "propeller"), (BALL, "ball-axis")])
def test_nodes_without_effect_are_reported(node: str, code: str) -> None:
    """From a world file: the message points at the line."""
    scene, _ = read_scene_text(WORLD.format(node), "world.wbt")
    assert scene is not None
    found = [item for item in compile_scene(scene).diagnostics if item.code == code]
    assert [item.span.line for item in found] == [5]


def test_fluids_and_implicit_gyro_are_reported() -> None:
    """Both are part of the model and of no effect yet."""
    scene = replace(b.scene(b.floor()), fluids=(Fluid("water"),))
    scene = replace(scene, physics=replace(scene.physics, gyro=GyroRule.IMPLICIT))
    assert [item.code for item in compile_scene(scene).diagnostics] == ["gyro-rule", "fluid"]


def test_a_scene_of_the_first_slice_has_no_gaps() -> None:
    """Nothing is reported where everything acts."""
    assert compile_scene(b.scene(b.floor())).diagnostics == ()
