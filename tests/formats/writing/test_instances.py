"""State inside PROTO instances: parameters where the PROTO has them, hidden values elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solidbody.formats.loading import load
from solidbody.formats.webots.edit.document import load_world
from solidbody.sim import Sim

PROTO = """#VRML_SIM R2025a utf8
PROTO Arm [
  field SFVec3f translation 0 0 2
  field MFNode extra [ ]
]
{
  Robot {
    translation IS translation
    children [
      Group {
        children [
          HingeJoint {
            jointParameters HingeJointParameters { axis 0 1 0 }
            endPoint Solid {
              translation 0.5 0 0
              name "upper"
              boundingObject Box { size 1 0.1 0.1 }
              physics Physics { }
              children [
                HingeJoint {
                  jointParameters HingeJointParameters { axis 0 1 0 anchor 0.5 0 0 }
                  endPoint Solid {
                    translation 1 0 0
                    name "lower"
                    boundingObject Box { size 1 0.1 0.1 }
                    physics Physics { }
                    children IS extra
                  }
                }
              ]
            }
          }
        ]
      }
    ]
    boundingObject Sphere { radius 0.1 }
    physics Physics { }
  }
}
"""
WORLD = """#VRML_SIM R2025a utf8
EXTERNPROTO "Arm.proto"
WorldInfo { basicTimeStep 8 }
Viewpoint { }
Solid { name "floor" boundingObject Plane { } }
DEF ARM Arm {
  hidden angularVelocity_1 0 2 0
  translation 0 0 3
  extra [
    SliderJoint {
      jointParameters JointParameters { axis 0 0 1 springConstant 100 }
      endPoint Solid {
        translation 0.5 0 0.2
        name "tip"
        boundingObject Sphere { radius 0.1 }
        physics Physics { }
      }
    }
  ]
}
Arm { }
"""


@pytest.fixture
def world_file(tmp_path: Path) -> Path:
    """A world with two instances of a PROTO."""
    (tmp_path / "Arm.proto").write_text(PROTO, encoding="utf-8")
    path = tmp_path / "world.wbt"
    path.write_text(
        WORLD.replace(
            "Arm { }", "Arm {\n  hidden angularVelocity_1 0 1 0\n  translation 5 0 2.5\n}"
        ),
        encoding="utf-8",
    )
    return path


def test_instances_stay_instances_and_take_hidden_values(world_file: Path) -> None:
    world = load_world(world_file)
    assert not [item for item in world.diagnostics if item.code != "duplicate-name"]
    sim = Sim(world.scene)
    sim.step(40)
    text = world.text(sim=sim)
    assert text.count("Arm {") == 2 and "HingeJoint" not in text
    for line in ("hidden position_0_0 ", "hidden position_1_0 ", "hidden translation_2 "):
        assert text.count(line) == 2, line
    assert "hidden linearVelocity_0" in text and "hidden translation_0" not in text
    assert "hidden rotation_0" in text  # a rotation that the PROTO does not let out
    assert "position_2_0" not in text  # the slider stands in the world file itself


def test_saved_instances_go_on_as_they_would_have(world_file: Path) -> None:
    world = load_world(world_file)
    sim = Sim(world.scene)
    sim.step(40)
    later_file = world_file.with_name("later.wbt")
    world.save(later_file, sim=sim)
    later = Sim(load(later_file))
    for steps, tolerance in ((0, 1e-12), (100, 1e-9)):
        sim.step(steps)
        later.step(steps)
        np.testing.assert_allclose(
            np.abs(later.poses()), np.abs(sim.poses()), atol=tolerance, rtol=0
        )
        np.testing.assert_allclose(
            later.joint_states(), sim.joint_states(), atol=10 * tolerance, rtol=0
        )


def test_hidden_values_are_replaced_when_saved_again(world_file: Path) -> None:
    world = load_world(world_file)
    sim = Sim(world.scene)
    sim.step(40)
    world.save(sim=sim)
    again = load_world(world_file)
    sim = Sim(again.scene)
    sim.step(10)
    text = again.text(sim=sim)
    assert text.count("hidden position_0_0 ") == 2
