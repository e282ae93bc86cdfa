"""Bodies as one tree of joints with one axis each: what formats with links and parents by name can say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import ZERO, Pose, Vec3, scale
from solidbody.formats.scene_merging import moved_joint
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
)
from solidbody.model.links import Body, Link
from solidbody.model.mass import MassProperties
from solidbody.model.scene import world_poses

_MASSLESS: Final = MassProperties(0.0)


def single_tree(body: Body, log: DiagnosticLog, code: str, what: str) -> Body:
    """Return the body as one tree of hinges and sliders, with a name for each link.

    Trees without a parent hang on the root; joints with several axes become chains of hinges with
    massless links between them.

    Args:
        body: As it is.
        log: Told what that changes.
        code: Of those messages.
        what: The format, for messages.
    """
    return _with_single_axes(_one_tree(_with_names(body), log, code, what), log, code)


def _with_names(body: Body) -> Body:
    """Return the body with a name for each link: parents are known by name, which is never empty."""
    names = UniqueNames()
    return replace(
        body,
        links=tuple(replace(link, name=names.take(link.name or "link")) for link in body.links),
    )


def _one_tree(body: Body, log: DiagnosticLog, code: str, what: str) -> Body:
    if all(link.parent is not None for link in body.links[1:]):
        return body
    world = world_poses(body)
    to_root = world[0].inverse()
    root_is_free = isinstance(body.links[0].joint, JointFree)
    links: list[Link] = [body.links[0]]
    for index, link in enumerate(body.links[1:], 1):
        if link.parent is not None:
            links.append(link)
            continue
        if root_is_free and not isinstance(link.joint, JointFree):
            log.warning(
                code,
                link.span,
                f'"{link.name}" is held by the world, its body is not: {what} has one tree, '
                "so it hangs on the root instead",
            )
        links.append(
            replace(
                link,
                parent=0,
                pose=to_root * world[index],
                joint=moved_joint(link.joint, to_root),
            )
        )
    return replace(body, links=tuple(links))


def _with_single_axes(body: Body, log: DiagnosticLog, code: str) -> Body:
    if not any(isinstance(link.joint, JointHinge2 | JointBall) for link in body.links):
        return body
    names = UniqueNames()
    for link in body.links:
        names.take(link.name)
    links: list[Link] = []
    places: list[int] = []
    for link in body.links:
        parent = None if link.parent is None else places[link.parent]
        joint = link.joint
        if not isinstance(joint, JointHinge2 | JointBall):
            links.append(replace(link, parent=parent))
            places.append(len(links) - 1)
            continue
        log.warning(
            code,
            link.span,
            f'the joint of "{link.name}" has several axes: it is written as a chain of hinges with '
            "massless links between them",
        )
        axes = (joint.axis1, joint.axis2)
        axes = axes if isinstance(joint, JointHinge2) else (*axes, joint.axis3)
        links += _chain(link, axes, joint.anchor, parent, len(links), names)
        places.append(len(links) - 1)
    return replace(body, links=tuple(links))


def _chain(
    link: Link,
    axes: Sequence[JointAxis],
    anchor: Vec3,
    parent: int | None,
    start: int,
    names: UniqueNames,
) -> list[Link]:
    """Return hinges one after the other; the axes are given at the stored pose, in the parent's frame.

    The links between stand at the anchor with the orientation of the parent.
    """
    made: list[Link] = []
    joint_name = link.name if isinstance(link.joint, JointFree | JointFixed) else link.joint.name
    for number, axis in enumerate(axes):
        is_last = number == len(axes) - 1
        origin = anchor if number == 0 else ZERO
        above = parent if number == 0 else start + number - 1
        hinge = JointHinge(f"{joint_name} {number + 1}", axis, origin, span=link.span)
        if is_last:
            pose = link.pose if number == 0 else Pose(scale(anchor, -1.0)) * link.pose
            made.append(replace(link, parent=above, pose=pose, joint=hinge))
        else:
            name = names.take(f"{link.name} axis {number + 1}")
            made.append(
                Link(
                    name,
                    f"{link.path} axis {number + 1}",
                    Pose(origin),
                    above,
                    hinge,
                    mass=_MASSLESS,
                    span=link.span,
                )
            )
    return made
