"""Poses of nodes in the world, and in the frames in which the file gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from solidbody.base.transforms import (
    WORLD,
    Pose,
    Quat,
    quat_conjugate,
    quat_multiply,
    quat_to_matrix,
)
from solidbody.control.supervisor.stage import Stage
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.protos.standin_protos import (
    is_own,
    keeps_axes,
    old_turn,
    was_written_y_up,
)

UNMOVED: Final = 1e-13
"""[m, 1] Differences up to this are rounding: a node that has not moved has the numbers of the file."""


def world_pose(stage: Stage, node: TypedNode) -> Pose:
    """Return the frame of a node (of the nearest one above that has a frame) in the world."""
    inside: list[Pose] = []
    frame = WORLD
    at: TypedNode | None = node
    while at is not None:
        # what has just been inserted stands where its text says: no need to simulate it for that
        link = None if stage.is_new(at) else stage.link(at)
        if link is not None:
            frame = link_pose(stage, link)
            break
        if at.is_a("Pose"):
            inside.append(at.pose())
        at = at.parent
    for pose in reversed(inside):
        frame = frame * pose
    return frame


def axes_turn(stage: Stage, node: TypedNode) -> Quat | None:
    """Return the turn between the axes of a PROTO of ours and those that a y-up world knows it with.

    Programs for such a world set and read the rotation of the PROTO of that time: R * T is the rotation
    of ours, which has x forward and z up. None for all other nodes.
    """
    origins = node.syntax.origins
    if not origins or not was_written_y_up(origins[0].outer, stage.document.release):
        return None
    scope = origins[0]
    if not is_own(scope.file) or keeps_axes(scope.proto) or "rotation" not in scope.parameters:
        return None
    return old_turn(scope.proto)


def shown_pose(stage: Stage, node: TypedNode) -> Pose:
    """Return the frame of a node in the world with the axes that its world knows."""
    pose, turn = world_pose(stage, node), axes_turn(stage, node)
    if turn is None:
        return pose
    return Pose(pose.position, quat_multiply(pose.rotation, quat_conjugate(turn)))


def frame_above(stage: Stage, node: TypedNode) -> Pose:
    """Return the frame in which the pose of a node is given."""
    return WORLD if node.parent is None else world_pose(stage, node.parent)


def local_pose(stage: Stage, node: TypedNode) -> Pose:
    """Return the present pose of a node in the frame above; that of the file, if it has not moved."""
    now = world_pose(stage, node)
    if node.parent is not None:
        now = frame_above(stage, node).inverse() * now
    start = node.pose()
    return start if distance(now, start) <= UNMOVED else now


def link_pose(stage: Stage, link: int) -> Pose:
    """Return the pose of a link."""
    x, y, z, qw, qx, qy, qz = stage.sim.pose(link).tolist()
    return Pose((x, y, z), (qw, qx, qy, qz))


def distance(a: Pose, b: Pose) -> float:
    """Return the largest difference of two poses; opposite quaternions are the same rotation."""
    same = max(abs(x - y) for x, y in zip(a.rotation, b.rotation, strict=True))
    opposite = max(abs(x + y) for x, y in zip(a.rotation, b.rotation, strict=True))
    apart = max(abs(x - y) for x, y in zip(a.position, b.position, strict=True))
    return max(apart, min(same, opposite))


def matrix(pose: Pose) -> list[float]:
    """Return a pose as 16 numbers, row by row."""
    rows = quat_to_matrix(pose.rotation)
    out: list[float] = []
    for row, x in zip(rows, pose.position, strict=True):
        out += [*row, x]
    return [*out, 0.0, 0.0, 0.0, 1.0]


def flat(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return numbers row by row."""
    return [x for row in rows for x in row]
