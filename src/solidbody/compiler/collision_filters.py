"""Collision filters: which pairs of links are not tested for contact, and whether any is (rules W5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import mujoco
import numpy as np

from solidbody.model.joints import (
    JointBall,
    JointFree,
    JointHinge,
    JointHinge2,
)
from solidbody.model.links import Body, Link, Motion

# Bits of MuJoCo's contype/conaffinity: (type, affinity). Two geoms are tested if the type of one
# meets the affinity of the other.
STATIC_BITS = (1, 0)
DYNAMIC_BITS = (2, 3)
ANCHORED_BITS = (2, 2)  # dynamic, but blind to everything static
NO_BITS = (0, 0)
SURFACE_BIT = 4  # type of planes, heights and triangles that stand still, beside their other one
HULL_BIT = 8  # type of hulls of meshes that move
STILL_HULL_BIT = 16  # the same of those that no force moves
GROUND_HULL_BITS = (0, SURFACE_BIT)  # meets planes and triangles only
MOST_GEOMS = 200
"""With more geoms something nearly always can, and looking at all pairs takes longer than it saves."""


def surface_bits(bits: tuple[int, int]) -> tuple[int, int]:
    """Return the bits of a plane, of heights or of still triangles that belong to something with `bits`."""
    if bits == NO_BITS:
        return bits
    moves, feels_still = bits[0] & DYNAMIC_BITS[0], bits[1] & STATIC_BITS[0]
    return (
        bits[0] | SURFACE_BIT | (HULL_BIT if moves else 0),
        bits[1] | (STILL_HULL_BIT if feels_still else 0),
    )


def hull_bits(bits: tuple[int, int]) -> tuple[int, int]:
    """Return the bits of the hulls of a mesh with `bits`: they meet hulls, planes, heights, still triangles.

    Everything else meets the triangles of the mesh.
    """
    if bits == NO_BITS:
        return bits
    if not bits[0] & DYNAMIC_BITS[0]:
        return STILL_HULL_BIT, 0
    feels_still = SURFACE_BIT | STILL_HULL_BIT if bits[1] & STATIC_BITS[0] else 0
    return HULL_BIT, HULL_BIT | feels_still


def is_hull(bits: tuple[int, int]) -> bool:
    """Whether a geom with these bits is a hull that stands for triangles where those cannot collide."""
    return bool((bits[0] | bits[1]) & (HULL_BIT | STILL_HULL_BIT)) or bits == GROUND_HULL_BITS


def collision_bits(body: Body, link: Link) -> tuple[int, int]:
    """Return (contype, conaffinity) of the geoms of a link."""
    if link.path in body.collision.disabled_links:
        return NO_BITS
    if link.motion is Motion.KINEMATIC:
        return STATIC_BITS
    if body.collision.fixed_base_ignores_static and _is_anchored(body, link):
        return ANCHORED_BITS
    return DYNAMIC_BITS


def _is_anchored(body: Body, link: Link) -> bool:
    """Whether a joint of the link, in the tree or of a loop, holds on to something that stands still."""
    parent = None if link.parent is None else body.links[link.parent]
    if not isinstance(link.joint, JointFree) and (
        parent is None or parent.motion is Motion.KINEMATIC
    ):
        return True
    ends = [{end.link for end in loop.ends} for loop in body.loops]
    held = {other for pair in ends if link.path in pair for other in pair}
    moving = {other.path for other in body.links if other.motion is Motion.DYNAMIC} if held else {}
    return not held.issubset(moving)


def _connected(body: Body, index: int) -> int | None:
    """Return the link that `index` is joined to, or None."""
    link = body.links[index]
    return None if isinstance(link.joint, JointFree) else link.parent


def _shares_anchor(body: Body, deep: int, high: int) -> bool:
    """Whether all hinges from `deep` up to `high` have one and the same anchor, and there is one."""
    anchors: set[tuple[float, float, float]] = set()
    at: int | None = deep
    while at is not None and at != high:
        joint = body.links[at].joint
        if isinstance(joint, JointHinge | JointHinge2 | JointBall):
            anchors.add(joint.anchor)
        at = _connected(body, at)
    return at == high and len(anchors) == 1


def _distance(body: Body, a: int, b: int) -> int | None:
    """Return the number of joints between two links of one tree, or None."""
    up: dict[int, int] = {}
    at: int | None = a
    while at is not None:
        up[at] = len(up)
        at = _connected(body, at)
    steps, at = 0, b
    while at is not None:
        if at in up:
            return steps + up[at]
        at, steps = _connected(body, at), steps + 1
    return None


def ignored_pairs(body: Body) -> Iterator[tuple[int, int]]:
    """Yield pairs of link indices of one body that ignore each other.

    In this order: links of one robot without self-collision; links near each other in the joint
    tree; links whose hinges share one anchor; pairs that a loop joins or the file names.
    """
    robot = body.robot_of_links()
    named = {frozenset[str | None](pair) for pair in body.collision.disabled_pairs}
    if body.collision.loop_ends_ignored:
        named |= {frozenset(end.link for end in loop.ends) for loop in body.loops}
    with_shapes = [k for k, link in enumerate(body.links) if link.shapes]
    for a, b in combinations(with_shapes, 2):
        same_robot = robot[a] is not None and robot[a] == robot[b]
        if not body.collision.self_collision or (
            same_robot and not body.robots[robot[a] or 0].self_collision
        ):
            yield a, b
            continue
        distance = _distance(body, a, b)
        near = distance is not None and distance <= body.collision.chain_level
        shared = body.collision.shared_anchor_ignored and (
            _shares_anchor(body, b, a) or _shares_anchor(body, a, b)
        )
        if near or shared or frozenset((body.links[a].path, body.links[b].path)) in named:
            yield a, b


def can_touch(model: mujoco.MjModel) -> bool:
    """Return False if MuJoCo's filters leave no pair of geoms to test."""
    n = model.ngeom
    if n > MOST_GEOMS:
        return True
    kind, wants = model.geom_contype, model.geom_conaffinity
    body = model.geom_bodyid
    weld = model.body_weldid[body]
    one, two = np.triu_indices(n, 1)
    pairs = ((kind[one] & wants[two]) | (kind[two] & wants[one])) != 0
    pairs &= weld[one] != weld[two]
    low, high = np.minimum(body[one], body[two]), np.maximum(body[one], body[two])
    pairs &= ~np.isin((low.astype(np.int64) << 16) + high, model.exclude_signature)
    return bool(pairs.any()) or model.npair > 0


def stop_looking(model: mujoco.MjModel) -> None:
    """Let MuJoCo skip its search for contacts: a tenth of the step of a robot arm in empty space."""
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
