"""Lowers robots without physics whose wheels move them (rules W3.4.5).

A Robot is one if it has no physics and two of its own HingeJoints have a motor, end points with
Cylinder bounding objects of equal radius equally far from the robot's origin, and axes that lie on one
line. The old DifferentialWheels is one whenever it has no physics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Vec3, cross, norm, subtract
from solidbody.formats.webots.lower.builders import BodyBuilder, LinkBuilder
from solidbody.formats.webots.lower.deprecated import WHEEL_NAMES
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.protos.standin_protos import is_own
from solidbody.formats.webots.releases.release import FIRST_Z_UP, Release
from solidbody.model.joints import JointHinge
from solidbody.model.links import DifferentialDrive, Motion

EQUAL_DISTANCE: Final = 1e-5
"""[m] Wheels whose distances from the robot's origin differ by less count as equally far (Webots')."""
ALIGNED: Final = 1e-9
"""[1, m] Rounding allowed where Webots wants the axes on one line exactly."""

_OLD_AXES: Final[tuple[Vec3, Vec3]] = ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
_NEW_AXES: Final[tuple[Vec3, Vec3]] = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class _Wheel:
    joint: JointHinge
    radius: float
    center: Vec3  # in the frame of the robot


def add_drives(body: BodyBuilder, release: Release, log: DiagnosticLog) -> None:
    """Give the robots of a body that their wheels move a drive."""
    for number, robot in enumerate(body.robots):
        link = body.links[robot.link]
        if link.motion is not Motion.KINEMATIC or not link.node.is_a("Robot"):
            continue
        if link.node.type == "DifferentialWheels":
            drive = _old_drive(body, link, log)
        else:
            drive = _drive(body, link, release)
        body.robots[number] = replace(robot, drive=drive)


def _drive(body: BodyBuilder, robot: LinkBuilder, release: Release) -> DifferentialDrive | None:
    """Return the drive of the first pair of wheels that fits."""
    is_new = release >= FIRST_Z_UP or is_own(robot.node.span.file)
    forward, up = _NEW_AXES if is_new else _OLD_AXES
    to_left = cross(up, forward)
    for one, two in combinations(_wheels(body, robot), 2):
        distances = norm(one.center), norm(two.center)
        if one.radius != two.radius or abs(distances[0] - distances[1]) > EQUAL_DISTANCE:
            continue
        axis = one.joint.axis.direction
        if norm(cross(axis, two.joint.axis.direction)) > ALIGNED:
            continue
        if norm(cross(axis, subtract(two.joint.anchor, one.joint.anchor))) > ALIGNED:
            continue
        sides = [
            sum(a * b for a, b in zip(wheel.center, to_left, strict=True)) for wheel in (one, two)
        ]
        left, right = (one, two) if sides[0] > sides[1] else (two, one)
        return DifferentialDrive(
            left.joint.name, right.joint.name, one.radius, sum(distances), forward, up
        )
    return None


def _wheels(body: BodyBuilder, robot: LinkBuilder) -> Iterator[_Wheel]:
    for link in body.links:
        if link.parent != robot.index or not isinstance(link.joint, JointHinge):
            continue
        found = _widest_cylinder(link.node.node("boundingObject"))
        if link.joint.axis.motor is None or found is None:
            continue
        cylinder, center = found
        yield _Wheel(link.joint, cylinder.number("radius"), link.pose.point(center))


def _widest_cylinder(node: TypedNode | None) -> tuple[TypedNode, Vec3] | None:
    """Return the widest Cylinder of a bounding object, and where its nearest Pose is in the solid."""
    widest: tuple[TypedNode, Vec3] | None = None
    stack: list[tuple[TypedNode, Vec3]] = [] if node is None else [(node, (0.0, 0.0, 0.0))]
    while stack:
        node, place = stack.pop()
        if node.type == "Cylinder":
            if widest is None or node.number("radius") > widest[0].number("radius"):
                widest = (node, place)
        elif node.type == "Shape":
            inner = node.node("geometry")
            if inner is not None:
                stack.append((inner, place))
        elif node.is_a("Group"):
            if node.is_a("Pose"):
                place = node.vec3("translation")
            stack.extend((child, place) for child in node.children()[::-1])
    return widest


def _old_drive(
    body: BodyBuilder, robot: LinkBuilder, log: DiagnosticLog
) -> DifferentialDrive | None:
    """Return the drive of a DifferentialWheels robot; its fields give radius and axle."""
    names = {
        link.node.string("name").casefold(): link.joint.name
        for link in body.links
        if link.parent == robot.index and isinstance(link.joint, JointHinge)
    }
    missing = [name for name in WHEEL_NAMES if name not in names]
    if missing:
        words = " and ".join(f'"{name}"' for name in missing)
        robot.node.warn(
            log,
            "missing-wheel",
            f"a robot without physics is moved by its wheels, but has no Solid named {words}.",
        )
        return None
    left, right = (names[name] for name in WHEEL_NAMES)
    forward, up = _OLD_AXES
    return lower_plain(
        DifferentialDrive, robot.node, left=left, right=right, forward=forward, up=up
    )
