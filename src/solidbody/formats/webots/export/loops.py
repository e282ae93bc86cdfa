"""Exports loops as joints whose end point is a SolidReference."""

from __future__ import annotations

from collections.abc import Sequence

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, cross, norm, subtract
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.joints import joint_node, legal_label
from solidbody.formats.webots.export.nodes import Content, node
from solidbody.formats.webots.export.shapes import LOST
from solidbody.formats.webots.lower.loops import STATIC
from solidbody.model.joints import (
    JointAxis,
    JointFree,
    JointHinge,
    Loop,
    LoopBall,
    LoopFixed,
    LoopGeneral,
    LoopHinge,
    LoopPiston,
    LoopPlane,
)
from solidbody.model.links import Body
from solidbody.model.scene import world_poses

SAME_PLACE = 1e-6
"""[m, rad] How far the two ends of a loop may be apart at the start before it is reported."""

_Z = (0.0, 0.0, 1.0)


def loop_nodes(
    body: Body, frames: Sequence[Pose], names: Sequence[str], log: DiagnosticLog
) -> dict[int, list[Content]]:
    """Return the joints that close loops, by the link whose solid holds them.

    Args:
        body: Whose loops.
        frames: Of each link, its frame in the solid that is written.
        names: Of each link, the name of that solid.
        log: Told what is lost.
    """
    places = {link.path: index for index, link in enumerate(body.links)}
    for coupling in body.couplings:
        joints = f'"{names[places[coupling.follower]]}" and "{names[places[coupling.leader]]}"'
        said = f"the joints of {joints} are coupled like gears; they move freely there"
        log.warning(LOST, coupling.span, said)
    found: dict[int, list[Content]] = {}
    for loop in body.loops:
        first, second = (None if end.link is None else places.get(end.link) for end in loop.ends)
        if first is None:
            log.warning(LOST, loop.span, f"the {_word(loop)} starts at no link; it is left out")
            continue
        if second is not None and _root(body, first) != _root(body, second):
            log.warning(
                LOST,
                loop.span,
                f'the {_word(loop)} joins "{names[first]}" and "{names[second]}", which are trees '
                "of their own: a SolidReference reaches solids below the same top node only",
            )
            continue
        reference = node("SolidReference", solidName=STATIC if second is None else names[second])
        made = _loop(loop, frames[first], reference, log)
        if made is not None:
            _report_gap(body, loop, first, second, log)
            found.setdefault(first, []).append(made)
    return found


def _loop(loop: Loop, frame: Pose, reference: NodeSyntax, log: DiagnosticLog) -> NodeSyntax | None:
    pose = loop.ends[0].pose
    match loop:
        case LoopHinge():
            hinge = JointHinge(loop.name, JointAxis(pose.direction(_Z)), pose.position)
            return joint_node(hinge, frame, reference, "", loop.span, log)
        case LoopBall():
            return node(
                "BallJoint",
                legal_label(loop.name),
                jointParameters=node("BallJointParameters", anchor=frame.point(pose.position)),
                endPoint=reference,
            )
        case LoopGeneral():
            return joint_node(loop.joint, frame, reference, "", loop.span, log)
        case LoopPiston() | LoopFixed() | LoopPlane():
            log.warning(
                LOST, loop.span, f"Webots has no joint for the {_word(loop)}; it is left out"
            )
            return None


def _word(loop: Loop) -> str:
    kind = type(loop).__name__.removeprefix("Loop").lower()
    return f'{kind} loop "{loop.name}"' if loop.name else f"{kind} loop"


def _root(body: Body, index: int) -> int:
    link = body.links[index]
    while link.parent is not None and not isinstance(link.joint, JointFree):
        index, link = link.parent, body.links[link.parent]
    return index


def _report_gap(body: Body, loop: Loop, first: int, second: int | None, log: DiagnosticLog) -> None:
    """Webots takes the place of the second end from that of the first when the file is opened."""
    world = world_poses(body)
    near = world[first] * loop.ends[0].pose
    far = (Pose() if second is None else world[second]) * loop.ends[1].pose
    gap = norm(subtract(near.position, far.position))
    tilt = norm(cross(near.direction(_Z), far.direction(_Z)))
    if gap > SAME_PLACE or (isinstance(loop, LoopHinge) and tilt > SAME_PLACE):
        log.warning(
            LOST,
            loop.span,
            f"the ends of the {_word(loop)} are {gap:g} m apart at the start; in Webots they "
            "meet where the first one is",
        )
