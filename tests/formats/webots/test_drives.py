"""Robots without physics that their wheels move (kinematic differential wheels)."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.joints import JointHinge
from solidbody.model.links import DifferentialDrive
from tests.formats.reading import link_named, read, read_clean, the

MOTOR = 'device RotationalMotor { name "%s" }'


def wheel(name: str, y: float, **changes: str) -> str:
    """Return a hinge along y with a lying cylinder of radius 0.1 at its end; `changes` replace parts."""
    parts = {
        "joint": "HingeJoint",
        "parameters": f"jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0.1 }}",
        "device": MOTOR % name,
        "place": f"translation 0 {y} 0.1 rotation 1 0 0 1.5707963267948966",
        "bounding": "boundingObject Cylinder { radius 0.1 height 0.05 }",
    } | changes
    return (
        f"{parts['joint']} {{ {parts['parameters']} {parts['device']} "
        f'endPoint Solid {{ name "{name}" {parts["place"]} {parts["bounding"]} }} }}'
    )


def robot(*wheels: str, fields: str = "") -> str:
    """Return a robot with these wheels."""
    return f"Robot {{ {fields} children [ {' '.join(wheels)} ] }}"


def drive_of(text: str, *, release: str = "R2025a") -> DifferentialDrive | None:
    """Return the drive of the only robot of a world."""
    scene, _ = read(text, release=release)
    (found,) = scene.bodies[0].robots
    return found.drive


AXLE = 2.0 * (0.2**2 + 0.1**2) ** 0.5
"""Webots adds the distances of the wheels from the robot's origin: 0.2 m aside, 0.1 m up."""


def test_robot_without_physics_and_with_two_equal_wheels_is_driven_by_them() -> None:
    scene = read_clean(robot(wheel("a", 0.2), wheel("b", -0.2)))
    drive = scene.bodies[0].robots[0].drive
    assert drive is not None
    assert (drive.left, drive.right, drive.wheel_radius) == ("a", "b", 0.1)
    assert drive.axle_length == pytest.approx(AXLE)
    assert (drive.forward, drive.up) == ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_wheel_with_the_greater_y_is_the_left_one() -> None:
    drive = drive_of(robot(wheel("a", -0.2), wheel("b", 0.2)))
    assert drive is not None and (drive.left, drive.right) == ("b", "a")


def test_wheel_is_the_widest_cylinder_of_its_bounding_object() -> None:
    bounding = (
        "boundingObject Group { children [ Cylinder { radius 0.02 } "
        "Pose { translation 0 0 0.01 children Shape { geometry Cylinder { radius 0.1 } } } ] }"
    )
    drive = drive_of(robot(wheel("a", 0.2, bounding=bounding), wheel("b", -0.2, bounding=bounding)))
    assert drive is None  # both Poses are 0.01 to the same side: not equally far from the origin
    other = bounding.replace("0 0 0.01", "0 0 -0.01")
    drive = drive_of(robot(wheel("a", 0.2, bounding=bounding), wheel("b", -0.2, bounding=other)))
    assert drive is not None and drive.wheel_radius == 0.1


@pytest.mark.parametrize(
    "other",
    [
        wheel("b", -0.2, bounding="boundingObject Cylinder { radius 0.11 }"),
        wheel("b", -0.2, bounding="boundingObject Sphere { radius 0.1 }"),
        wheel("b", -0.3),
        wheel("b", -0.2, device=""),
        wheel("b", -0.2, joint="SliderJoint", parameters="", device=""),
        wheel(
            "b",
            -0.2,
            parameters="jointParameters HingeJointParameters { axis 1 0 0 anchor 0 -0.2 0.1 }",
        ),
        wheel(
            "b",
            -0.2,
            parameters="jointParameters HingeJointParameters { axis 0 1 0 anchor 0 -0.2 0.2 }",
        ),
    ],
    ids=["radius", "form", "distance", "no motor", "slider", "other axis", "other line"],
)
def test_wheels_that_do_not_fit_each_other_drive_nothing(other: str) -> None:
    assert drive_of(robot(wheel("a", 0.2), other)) is None


def test_first_pair_that_fits_drives() -> None:
    odd = wheel("odd", 0.2, bounding="boundingObject Cylinder { radius 0.3 }")
    drive = drive_of(robot(odd, wheel("a", 0.2), wheel("b", -0.2)))
    assert drive is not None and (drive.left, drive.right) == ("a", "b")


def test_robot_with_physics_is_moved_by_forces() -> None:
    physics = "boundingObject Box { } physics Physics { }"
    assert drive_of(robot(wheel("a", 0.2), wheel("b", -0.2), fields=physics)) is None


# DifferentialWheels


def old(*sides: str, fields: str = "") -> str:
    """Return a DifferentialWheels robot without physics."""
    wheels = " ".join(f'Solid {{ name "{side} wheel" }}' for side in sides)
    return f"DifferentialWheels {{ {fields} children [ {wheels} ] }}"


def test_differential_wheels_without_physics_take_radius_and_axle_from_their_fields() -> None:
    drive = drive_of(old("left", "right", fields="wheelRadius 0.03 axleLength 0.2"))
    assert drive == DifferentialDrive(
        "left wheel", "right wheel", 0.03, 0.2, (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)
    )


def test_differential_wheels_without_physics_limit_the_acceleration_not_the_torque() -> None:
    scene, _ = read(old("left", "right", fields="maxAcceleration 6 maxForce 0.1"))
    joint = link_named(scene, "left wheel").joint
    assert isinstance(joint, JointHinge) and joint.axis.motor is not None
    assert joint.axis.motor.acceleration == 6.0
    assert joint.axis.motor.max_effort == float("inf")


def test_differential_wheels_without_a_wheel_say_so() -> None:
    scene, log = read(old("left"))
    assert 'has no Solid named "right wheel"' in the(log, "missing-wheel").text
    assert scene.bodies[0].robots[0].drive is None


def test_stand_ins_without_physics_drive_ahead_in_old_worlds(tmp_path: Path) -> None:
    """Ours have the axes of today also in y-up worlds: their wheels drove them up, not along -z."""
    path = tmp_path / "old.wbt"
    path.write_text("#VRML_SIM R2019a utf8\nWorldInfo { }\nE-puck { kinematic TRUE }\n", "utf-8")
    scene, _ = read_scene(str(path), options=LoadOptions(cache=tmp_path / "cache"))
    assert scene is not None
    drive = scene.bodies[0].robots[0].drive
    assert drive is not None
    assert (drive.forward, drive.up) == ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
