"""A simulation that is saved in the middle and loaded goes on as if nothing had happened.

Motor commands are no part of a world file, in Webots as here: after loading, a motor holds the position at
which its joint stands. A motor that carries nothing stands where it was told to, so it goes on as well.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solidbody.formats.loading import load
from solidbody.formats.webots.edit.document import load_world
from solidbody.sim import Sim

SAME = 1e-9
"""[m, rad, m/s, rad/s] A hundred steps after saving: rotations go through axis and angle, and the solver
starts without its last forces, which changes the last digits only."""

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\nViewpoint { }\n"
FLOOR = 'Solid { name "floor" boundingObject Plane { } }\n'
BOX = "boundingObject Box { size 0.4 0.2 0.1 } physics Physics { }"


def hinge(parameters: str, end: str, *, device: str = "", kind: str = "HingeJoint") -> str:
    """Return a joint with its parameters as written."""
    return f"{kind} {{ {parameters} {device} endPoint Solid {{ {end} }} }}"


WORLDS = {
    "free and spinning": HEAD.replace("8", "8 gravity 0")
    + f"Solid {{ linearVelocity 1 2 3 angularVelocity 0.3 4 0.2 {BOX} }}\n"
    'Solid { name "off centre" translation 5 0 0 angularVelocity 0.1 3 1 '
    "boundingObject Box { size 0.4 0.2 0.1 } physics Physics { centerOfMass 0.1 0.05 0.02 } }\n",
    "damped": HEAD + "Solid { angularVelocity 1 2 3 boundingObject Sphere { radius 0.1 } "
    "physics Physics { damping Damping { linear 0.5 angular 0.3 } } }\n",
    "turned parents": HEAD
    + "Pose { translation 1 2 3 rotation 1 1 0 0.7 children [ Group { children [ "
    f"Solid {{ translation 0.1 0 0 rotation 0 1 0 2 angularVelocity 3 0 1 {BOX} }} ] }} ] }}\n",
    "merged": HEAD + f"Solid {{ angularVelocity 0 2 1 {BOX} children [ "
    'Solid { name "arm" translation 0.5 0 0 rotation 0 0 1 1 '
    "boundingObject Cylinder { radius 0.05 height 0.4 } physics Physics { density 3000 } } ] }\n",
    "sliding box": HEAD + FLOOR + f"Solid {{ translation 0 0 0.05 linearVelocity 2 1 0 {BOX} }}\n",
    "stack": HEAD
    + FLOOR
    + "".join(
        f'Solid {{ name "{k}" translation 0 0 {0.1 + 0.2 * k} '
        "boundingObject Box { size 0.2 0.2 0.2 } physics Physics { } }\n"
        for k in range(3)
    ),
    "rolling ball": HEAD
    + FLOOR
    + "Solid { translation 0 0 0.1 linearVelocity 1 0 0 angularVelocity 0 10 0 "
    "boundingObject Sphere { radius 0.1 } physics Physics { } }\n",
    "slider with a spring": HEAD
    + "Robot { children [ "
    + hinge(
        "jointParameters JointParameters { axis 0 0 1 springConstant 200 dampingConstant 2 }",
        f"translation 0 0 1 {BOX}",
        kind="SliderJoint",
    )
    + " ] }\n",
    "swinging chain": HEAD
    + f"Robot {{ translation 0 0 3 {BOX} children [ "
    + hinge(
        "jointParameters HingeJointParameters { axis 0 1 0 position 0.4 minStop -2 maxStop 2 }",
        f"translation 0.3 0 0 {BOX} children [ "
        + hinge(
            "jointParameters HingeJointParameters { axis 1 1 0 anchor 0.2 0 0 staticFriction 0.01 }",
            f'name "tip" translation 0.5 0 0 {BOX}',
        )
        + " ]",
    )
    + " ] }\n",
    "motor that holds": HEAD
    + "Robot { children [ "
    + hinge(
        "jointParameters HingeJointParameters { axis 0 0 1 position 0.3 }",
        f"translation 0.3 0 0 {BOX}",
        device='device RotationalMotor { name "m" }',
    )
    + " ] }\n",
    "kinematic solid that carries others": HEAD
    + "Robot { linearVelocity 1 0 0.5 angularVelocity 0 0 2 children [ "
    'Solid { name "rider" translation 1 0 0 boundingObject Sphere { } } '
    'Solid { name "walker" translation 0 1 0 linearVelocity 0 0 1 } '
    'HingeJoint { device RotationalMotor { name "m" } endPoint Solid { name "head" } } ] }\n',
    "kinematic solid on its way": HEAD
    + "Solid { linearVelocity 1 0 0.5 angularVelocity 0 0 2 boundingObject Sphere { } }\n",
}


@pytest.mark.parametrize("name", WORLDS)
def test_saved_world_goes_on_as_it_would_have(name: str, tmp_path: Path) -> None:
    path = tmp_path / "world.wbt"
    path.write_text(WORLDS[name], encoding="utf-8")
    assert_goes_on(path)


def assert_goes_on(path: Path) -> None:
    """Save after 61 steps, load that, and compare both a hundred steps later."""
    world = load_world(path)
    sim = Sim(world.scene)
    sim.step(61)
    world.save(path.with_name("later.wbt"), sim=sim)
    later = Sim(load(path.with_name("later.wbt")))
    sim.step(100)
    later.step(100)
    signs = np.sign((sim.poses()[:, 3:] * later.poses()[:, 3:]).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(later.poses()[:, :3], sim.poses()[:, :3], atol=SAME, rtol=0)
    np.testing.assert_allclose(signs * later.poses()[:, 3:], sim.poses()[:, 3:], atol=SAME, rtol=0)
    np.testing.assert_allclose(later.velocities(), sim.velocities(), atol=SAME, rtol=0)
    np.testing.assert_allclose(later.joint_states(), sim.joint_states(), atol=SAME, rtol=0)


SWING = """#VRML_SIM R2021b utf8
PROTO Swing [ field SFVec3f translation 0 0 0 ]
{
  Robot {
    translation IS translation
    children [
      HingeJoint {
        jointParameters HingeJointParameters { axis 0 0 1 }
        endPoint TouchSensor {
          translation 0.5 0 0
          name "tip"
          type "force"
          boundingObject Box { size 1 0.2 0.1 }
          physics Physics {
            density -1 mass 2 centerOfMass [ 0.1 0.05 0.02 ]
            inertiaMatrix [ 1 2 2.5, 0.1 0.2 0.3 ]
          }
          children [
            HingeJoint {
              jointParameters HingeJointParameters { axis 0 1 0 anchor 0.5 0 0 }
              endPoint Solid {
                translation 0.7 0 0
                name "rod"
                boundingObject Cylinder { radius 0.05 height 0.4 }
                physics Physics { }
              }
            }
          ]
        }
      }
    ]
  }
}
"""


@pytest.mark.parametrize("release", ["R2021b", "R2025a"])
def test_turned_devices_of_old_protos_go_on(release: str, tmp_path: Path) -> None:
    """The PROTO stays as old as it is: its touch sensor is turned again when the saved world is loaded."""
    (tmp_path / "Swing.proto").write_text(SWING, encoding="utf-8")
    path = tmp_path / "world.wbt"
    path.write_text(
        f'#VRML_SIM {release} utf8\nEXTERNPROTO "Swing.proto"\n'
        "WorldInfo { basicTimeStep 8 gravity 1 -9 2 }\nViewpoint { }\nSwing { }\n",
        encoding="utf-8",
    )
    assert_goes_on(path)


def test_velocity_that_a_solid_gets_from_what_carries_it_is_not_its_own(tmp_path: Path) -> None:
    path = tmp_path / "world.wbt"
    path.write_text(WORLDS["kinematic solid that carries others"], encoding="utf-8")
    world = load_world(path)
    sim = Sim(world.scene)
    sim.step(61)
    text = world.text(sim=sim)
    rider = text[text.index('"rider"') :]
    assert "elocity" not in rider[: rider.index("}")]
    assert text.count("linearVelocity") == 2 and text.count("angularVelocity") == 1


@pytest.mark.parametrize(
    ("joint", "device"),
    [
        (
            "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 position 0.2 }",
            "Rotational",
        ),
        ("SliderJoint { jointParameters JointParameters { axis 0 1 0 }", "Linear"),
        ("SliderJoint {", "Linear"),
        ("Hinge2Joint { jointParameters2 JointParameters { axis 0 0 1 }", "Rotational"),
        ("BallJoint {", "Rotational"),
    ],
)
def test_joints_of_parts_without_physics_stand_where_they_stood(
    joint: str, device: str, tmp_path: Path
) -> None:
    end = 'endPoint Solid { name "end" translation 1 0 0 children Solid { translation 0 1 0 } }'
    path = tmp_path / "world.wbt"
    path.write_text(
        f'{HEAD}Robot {{ children {joint} device {device}Motor {{ name "m" }} {end} }} }}\n',
        encoding="utf-8",
    )
    world = load_world(path)
    sim = Sim(world.scene)
    sim.joint("m").target_position = 0.6
    sim.step(61)
    assert sim.joint_states()[0, 0] == pytest.approx(0.6)
    world.save(path.with_name("later.wbt"), sim=sim)
    later = Sim(load(path.with_name("later.wbt")))
    np.testing.assert_allclose(later.joint_states(), sim.joint_states(), atol=1e-12)
    np.testing.assert_allclose(later.poses()[:, :3], sim.poses()[:, :3], atol=1e-12)


@pytest.mark.parametrize("step", [16, 32])
def test_chain_that_swings_in_long_steps_goes_on(step: int, tmp_path: Path) -> None:
    """Above 8 ms a step depends on the acceleration of the one before: a remark in the file keeps it."""
    link = "physics Physics { } boundingObject Box { size 0.1 0.1 0.3 }"
    path = tmp_path / "world.wbt"
    path.write_text(
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step} }}\nViewpoint {{ }}\n"
        "Robot { translation 0 0 2 children [ HingeJoint { jointParameters HingeJointParameters "
        "{ axis 0 1 0 } endPoint Solid { translation 0.2 0 0 rotation 0 1 0 1.57 children [ HingeJoint { "
        "jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 0.2 } endPoint Solid { "
        f'translation 0 0 0.35 name "two" {link} }} }} ] name "one" {link} }} }} ] }}\n',
        encoding="utf-8",
    )
    assert_goes_on(path)
    lines = path.with_name("later.wbt").read_text(encoding="utf-8").splitlines()
    assert lines[-1].startswith("# solidbody accelerations: ")
    assert load(path).start_accelerations == ()
    kept = load(path.with_name("later.wbt")).start_accelerations
    assert load_world(path.with_name("later.wbt")).scene.start_accelerations == kept
    assert len(kept) == 2


def test_joint_without_end_keeps_its_position_and_gets_no_end(tmp_path: Path) -> None:
    """Only the position is written: there is no solid whose pose could be."""
    path = tmp_path / "bare.wbt"
    joint = 'HingeJoint { device [ RotationalMotor { name "m" } ] }'
    path.write_text(f"{HEAD}Robot {{ children [ {joint} ] }}\n", encoding="utf-8")
    world = load_world(path)
    sim = Sim(world.scene)
    sim.joint("m").target_position = 0.5
    sim.run(2.0)
    saved = tmp_path / "saved.wbt"
    world.save(saved, sim=sim)
    text = saved.read_text(encoding="utf-8")
    assert "position 0.5" in text
    assert "rotation" not in text and "endPoint" not in text
    assert Sim(load(saved)).joint("m").position == pytest.approx(0.5)
