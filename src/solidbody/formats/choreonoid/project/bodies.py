"""Start state of body items in a project: pose, joint positions, collisions (docs/behaviour, C16.1).

A simulation starts from the initial state. Without `initial_root_translation` that is the world's origin, not
`root_translation`; without `initial_joint_displacements` it is `joint_displacements`. A project that cannot
be simulated in Choreonoid, without world and simulator, is looked at: its bodies stand as it shows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from solidbody.base.transforms import (
    IDENTITY,
    ZERO,
    Pose,
    Quat,
    Vec3,
    add,
    quat_from_axis_angle,
    quat_from_matrix,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.choreonoid.body.collision_rules import with_self_collision
from solidbody.formats.choreonoid.keys.access import DEGREE, Keys
from solidbody.formats.choreonoid.keys.items import Item
from solidbody.formats.choreonoid.keys.kinds import vector_of
from solidbody.formats.choreonoid.keys.projects import BodyItemKeys
from solidbody.formats.choreonoid.keys.table import Key
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList
from solidbody.model.joints import (
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Body, Link, Motion


@dataclass(frozen=True, slots=True)
class State:
    """Keys of a state of a body.

    Attributes:
        place: Of the root.
        rotation: Of the root: axis and angle in degrees, or nine numbers.
        attitude: The old key for nine numbers.
        joints: Of joint positions: the list that counts first, and the unit of each. Joints behind the end
            of a short list are where the next list has them.
    """

    place: Key[Vec3 | None]
    rotation: Key[Any]
    attitude: Key[tuple[float, ...] | None]
    joints: tuple[tuple[Key[tuple[float, ...]], float], ...]


_JOINTS: Final = (
    (BodyItemKeys.joint_displacements, DEGREE),
    (BodyItemKeys.joint_displacements_camel, DEGREE),
    (BodyItemKeys.joint_positions, 1.0),
)
"""Joint positions as shown, the list that counts first, and the unit of each; sliders are no exception."""

SHOWN: Final = State(
    BodyItemKeys.root_translation, BodyItemKeys.root_rotation, BodyItemKeys.root_attitude, _JOINTS
)
"""As the program shows the body when it opens the project."""

INITIAL: Final = State(
    BodyItemKeys.initial_root_translation,
    BodyItemKeys.initial_root_rotation,
    BodyItemKeys.initial_root_attitude,
    (
        (BodyItemKeys.initial_joint_displacements, DEGREE),
        (BodyItemKeys.initial_joint_displacements_camel, DEGREE),
        (BodyItemKeys.initial_joint_positions, 1.0),
        *_JOINTS,
    ),
)
"""As simulations start."""


def started_body(body: Body, item: Item, state: State = INITIAL) -> Body:
    """Return a body as its item has it."""
    keys = item.keys
    keys.pass_over(BodyItemKeys)
    for other in (SHOWN, INITIAL):
        for row in (other.place, other.rotation, other.attitude):
            keys.find(row)
    body = _with_joints(body, keys, state)
    body = moved_root(body, _root_pose(keys, state))
    is_fixed = keys.read(BodyItemKeys.fix_root)
    is_static = keys.read(BodyItemKeys.static_model)
    if is_fixed is None and is_static is not None and (is_static or not _has_joints(body)):
        # the old key asked whether nothing moves at all: a house with a door said no, and stood firm
        is_fixed = is_static
    if is_fixed is not None:
        body = with_root_fixed(body, is_fixed)
    is_on = keys.read(BodyItemKeys.collision_detection)
    inside = keys.read(BodyItemKeys.self_collision_detection)
    body = with_self_collision(body, inside)
    if not is_on:
        paths = tuple(link.path for link in body.links)
        body = replace(body, collision=replace(body.collision, disabled_links=paths))
    return body


# --------------------------------------------------------------------------------------------- root


def _root_pose(keys: Keys, state: State) -> Pose:
    position = keys.read(state.place)
    rotation = _root_rotation(keys, state)
    if position is None and state is INITIAL and (keys.read(SHOWN.place) or ZERO) != ZERO:
        keys.warning(
            "no-initial-place",
            SHOWN.place,
            "a simulation starts from initial_root_translation, which is not given: the body "
            "starts at the origin, as in Choreonoid.",
        )
    return Pose(position or ZERO, rotation)


def _root_rotation(keys: Keys, state: State) -> Quat:
    """Return the rotation of the root: axis and angle in degrees, or the nine numbers of old files."""
    value = keys.node(state.rotation)
    old = keys.read(state.attitude)
    if value is not None:
        is_matrix = isinstance(value, YamlList) and len(value.items) == 9
        numbers = vector_of(keys, state.rotation.name, value, 9 if is_matrix else 4)
        if numbers is not None and not is_matrix:
            x, y, z, angle = numbers
            return quat_from_axis_angle((x, y, z), angle * DEGREE)
        old = numbers or old
    if old is None:
        return IDENTITY
    a, b, c, d, e, f, g, h, i = old
    try:
        return quat_from_matrix(((a, b, c), (d, e, f), (g, h, i)))
    except ValueError:
        keys.error("wrong-value", state.attitude, "these numbers are no rotation matrix.")
        return IDENTITY


def moved_root(body: Body, pose: Pose) -> Body:
    """Return the body with its root link at `pose`; all else goes along."""
    if not body.links:
        return body
    by = pose * body.links[0].pose.inverse()
    links = (
        replace(link, pose=pose if index == 0 else by * link.pose) if link.parent is None else link
        for index, link in enumerate(body.links)
    )
    return replace(body, links=tuple(links))


def _has_joints(body: Body) -> bool:
    """Whether a link moves against its parent."""
    return any(
        link.parent is not None and not isinstance(link.joint, JointFixed) for link in body.links
    )


def with_root_fixed(body: Body, is_fixed: bool) -> Body:
    """Return the body with its root bolted to the world, or floating; what hangs fixed on it follows."""
    links: list[Link] = []
    for link in body.links:
        if link.parent is None:
            if isinstance(link.joint, JointFree) is is_fixed:
                link = replace(link, joint=JointFixed() if is_fixed else JointFree())
            stands = is_fixed
        else:
            is_rigid = isinstance(link.joint, JointFixed | JointTrack)
            stands = is_rigid and links[link.parent].motion is Motion.KINEMATIC
        motion = Motion.KINEMATIC if stands or link.mass is None else Motion.DYNAMIC
        links.append(link if link.motion is motion else replace(link, motion=motion))
    return replace(body, links=tuple(links))


# ------------------------------------------------------------------------------------------- joints


def joint_slots(body: Body) -> list[int | None]:
    """Return the links in the order in which projects list joints.

    First those with a number, None where a number is missing; then all others that move against their
    parent.
    """
    numbered = {
        link.joint_number: index
        for index, link in reversed(list(enumerate(body.links)))
        if link.joint_number is not None
    }
    slots = [numbered.get(number) for number in range(max(numbered, default=-1) + 1)]
    virtual = [
        index
        for index, link in enumerate(body.links)
        if link.joint_number is None
        and link.parent is not None
        and not isinstance(link.joint, JointFixed)
    ]
    return [*slots, *virtual]


def _with_joints(body: Body, keys: Keys, state: State) -> Body:
    """Return the body with its joints where the item has them."""
    slots = joint_slots(body)
    positions: list[float] = []
    for row, unit in INITIAL.joints:
        numbers = keys.read(row)
        if not numbers or (row, unit) not in state.joints:
            continue
        if len(numbers) > len(slots) and not positions:
            keys.warning(
                "too-many-joints",
                row,
                f'{len(numbers)} positions for the {len(slots)} joints of "{body.name}"; '
                "the rest is ignored.",
            )
        # joints behind the end of a list are where the next one has them
        positions += [number * unit for number in numbers[len(positions) :]]
    return with_joint_positions(body, slots, positions)


def with_joint_positions(
    body: Body, slots: Sequence[int | None], positions: Sequence[float]
) -> Body:
    """Return the body with joints at other positions [rad, m]; links by index, None = no link."""
    links = list(body.links)
    for index, position in zip(slots, positions, strict=False):
        if index is not None:
            links[index] = with_joint_position(links[index], position)
    return replace(body, links=tuple(links))


def with_joint_position(link: Link, position: float) -> Link:
    """Return the link moved by its joint to `position` [rad] or [m]."""
    match link.joint:
        case JointHinge(axis=axis, anchor=anchor):
            turn = quat_from_axis_angle(axis.direction, position - axis.position)
            arm: Vec3 = quat_rotate(turn, subtract(link.pose.position, anchor))
            pose = Pose(add(anchor, arm), quat_multiply(turn, link.pose.rotation))
        case JointSlider(axis=axis):
            shift = scale(axis.direction, position - axis.position)
            pose = Pose(add(link.pose.position, shift), link.pose.rotation)
        case _:
            return link
    joint = replace(link.joint, axis=replace(axis, position=position))
    return replace(link, pose=pose, joint=joint)
