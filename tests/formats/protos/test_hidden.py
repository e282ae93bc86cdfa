"""`hidden` values of instances: poses, joint positions and velocities inside a PROTO."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.diagnostics import Severity
from solidbody.model.joints import JointHinge, JointSlider
from solidbody.model.scene import Scene
from tests.formats.protos.projects import read_project, read_quietly
from tests.formats.reading import link_named, the

PHYSICS = "boundingObject Sphere { radius 0.1 } physics Physics { }"
ARM = f"""PROTO Arm [ field SFVec3f translation 0 0 0 field MFNode extra [ ] ] {{
  Robot {{
    translation IS translation
    children [
      Pose {{ children [ Shape {{ }} HingeJoint {{
        jointParameters HingeJointParameters {{ axis 0 0 1 }}
        endPoint Solid {{ name "first" {PHYSICS} children [
          SliderJoint {{ endPoint Solid {{ name "second" translation 1 0 0 {PHYSICS} }} }}
          Group {{ children IS extra }} ] }} }} ] }}
      HingeJoint {{ endPoint Solid {{ name "third" {PHYSICS} }} }}
    ]
    {PHYSICS}
  }}
}}
"""


def arm(folder: Path, hidden: str) -> Scene:
    return read_quietly(folder, f"Arm {{ {hidden} }}", {"Arm": ARM})


def test_pose_of_a_solid_by_its_index(tmp_path: Path) -> None:
    """0 is the root, 1 the first joint's end, 2 below that, 3 the second joint's end."""
    scene = arm(tmp_path, "hidden translation_2 3 0 0 hidden translation_3 0 4 0")
    assert link_named(scene, "second").pose.position == (3.0, 0.0, 0.0)
    assert link_named(scene, "third").pose.position == (0.0, 4.0, 0.0)


def test_rotation_and_velocities(tmp_path: Path) -> None:
    scene = arm(
        tmp_path,
        "hidden rotation_0 0 0 1 3.141592653589793 hidden linearVelocity_0 1 2 3 "
        "hidden angularVelocity_1 0 0 5",
    )
    root = scene.bodies[0].links[0]
    assert root.linear_velocity == (1.0, 2.0, 3.0)
    assert abs(root.pose.rotation[3]) == pytest.approx(1.0)
    assert link_named(scene, "first").angular_velocity == (0.0, 0.0, 5.0)


def test_values_of_an_exploded_simulation_are_left_out(tmp_path: Path) -> None:
    hidden = "hidden translation_2 nan 0 0 hidden position_0_0 -nan hidden translation_3 0 4 0"
    scene, log = read_project(tmp_path, f"Arm {{ {hidden} }}", {"Arm": ARM})
    assert scene is not None
    assert link_named(scene, "second").pose.position == (1.0, 0.0, 0.0)
    assert link_named(scene, "third").pose.position == (0.0, 4.0, 0.0)
    assert [item.field for item in log] == ["translation_2", "position_0_0"]
    assert {item.text for item in log} == {"the hidden value is not finite; it is ignored."}


def test_joint_position_by_solid_and_joint(tmp_path: Path) -> None:
    """Joints are counted among those whose nearest solid above is the same one."""
    scene = arm(tmp_path, "hidden position_0_0 0.5 hidden position_0_1 0.25 hidden position_1_0 2")
    positions = {
        name: joint.axis.position
        for name in ("first", "second", "third")
        if isinstance(joint := link_named(scene, name).joint, JointHinge | JointSlider)
    }
    assert positions == {"first": 0.5, "second": 2.0, "third": 0.25}


@pytest.mark.parametrize(
    "hidden", ["translation_4 1 2 3", "position_2_0 1", "position_0_2 1", "position2_0_0 1"]
)
def test_index_that_does_not_fit_resets_all(tmp_path: Path, hidden: str) -> None:
    world = f"DEF A Arm {{ hidden translation_2 9 9 9 hidden {hidden} }}"
    scene, log = read_project(tmp_path, world, {"Arm": ARM})
    found = the(log, "hidden-mismatch")
    assert found.severity is Severity.WARNING and found.node == "DEF A Arm (PROTO)"
    assert "1 of 2 name a solid or joint that it does not have" in found.text
    assert link_named(scene, "second").pose.position == (1.0, 0.0, 0.0)


def test_solids_in_values_count(tmp_path: Path) -> None:
    world = 'Arm { hidden translation_3 7 0 0 extra [ Solid { name "guest" } ] }'
    scene, _ = read_project(tmp_path, world, {"Arm": ARM})
    first = link_named(scene, "first")
    positions = {frame.name: frame.pose.position for frame in first.frames}
    positions |= {link.name: link.pose.position for link in scene.links()}
    assert positions["guest"] == (7.0, 0.0, 0.0)


def test_unknown_hidden_value_is_a_warning(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "Arm { hidden colour_0 1 }", {"Arm": ARM})
    assert '"colour_0" is no hidden value' in the(log, "unknown-hidden").text


def test_hidden_value_of_a_wrong_type_is_reported_where_it_stands(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "Arm { hidden translation_1 1 2 }", {"Arm": ARM})
    found = the(log, "bad-value")
    assert found.span.file.endswith("world.wbt") and "expected 3 numbers" in found.text


# our own PROTOs, which stand in for those that a world was saved with


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hidden", "fits"),
    [
        # the wheel has turned by 2 rad about its axis, y, and stands where it stood
        ("hidden position_0_0 2 hidden rotation_1 0 1 0 2", True),
        (
            "hidden position_0_0 2 hidden rotation_1 0 -1 0 -2 hidden translation_1 0 0.026 0.02",
            True,
        ),
        ("hidden position_0_0 2", True),
        # another axis, another angle, another place, a part that is not there
        ("hidden position_0_0 2 hidden rotation_1 1 0 0 2", False),
        ("hidden position_0_0 2 hidden rotation_1 0 1 0 2.1", False),
        ("hidden position_0_0 2 hidden translation_1 0 0.03 0.02", False),
        ("hidden position_0_0 2 hidden rotation_77 0 1 0 2", False),
    ],
)
def test_stand_in_takes_what_its_joints_allow(tmp_path: Path, hidden: str, fits: bool) -> None:
    """Else the values are about other parts than ours, and only those of the whole count."""
    scene, log = read_project(tmp_path, f"E-puck {{ hidden linearVelocity_0 1 0 0 {hidden} }}", {})
    assert scene is not None
    wheel = link_named(scene, "left wheel")
    assert isinstance(wheel.joint, JointHinge)
    assert wheel.joint.axis.position == (2.0 if fits else 0.0)
    assert scene.bodies[0].links[0].linear_velocity == (1.0, 0.0, 0.0)
    texts = [item.text for item in log if item.code == "hidden-of-original"]
    assert texts == (
        []
        if fits
        else [
            "solidbody's own E-puck has other parts than the one that the world was saved with: "
            "of the hidden values only those of the whole are used."
        ]
    )


def test_state_of_a_stand_in_is_saved_and_read_again(tmp_path: Path) -> None:
    """Hinges with turned ends among them: what we have written fits."""
    path = tmp_path / "world.wbt"
    path.write_text("#VRML_SIM R2021b utf8\nWorldInfo { basicTimeStep 16 }\nUR5e { }\n", "utf-8")
    world = sb.load_world(path)
    sim = sb.Sim(world.scene)
    sim.joint("shoulder_lift_joint").target_position = -1.0
    sim.run(0.5)
    saved = tmp_path / "saved.wbt"
    world.save(saved, sim=sim)
    scene, log = sb.read_scene(saved)
    assert "hidden rotation_2" in saved.read_text("utf-8")
    assert "hidden-of-original" not in [item.code for item in log]
    assert scene is not None
    again = sb.Sim(scene).joint("shoulder_lift_joint").position
    assert again == pytest.approx(sim.joint("shoulder_lift_joint").position, abs=1e-12)
