"""Body items of a project: where a body starts, how its joints stand, what it collides with.

A simulation starts from the initial state. Without `initial_root_translation` that is the world's origin, not
`root_translation`; without `initial_joint_displacements` it is `joint_displacements`. A project that cannot
be simulated in Choreonoid, without world and simulator, is looked at: its bodies stand as it shows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Final

from solidbody.base.transforms import (
    IDENTITY,
    ZERO,
    Pose,
    Quat,
    Vec3,
    add,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.choreonoid.body.collision_rules import with_self_collision
from solidbody.formats.choreonoid.body.places import quat_from_matrix
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList
from solidbody.formats.choreonoid.project.items import Item
from solidbody.model.joints import (
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Body, Link, Motion

DEGREE: Final = pi / 180.0

_NO_MEANING: Final = (
    ("format",),
    ("current_base_link", "currentBaseLink"),
    ("zmp",),
    ("lock_location",),
    ("location_editable",),
    ("isEditable",),
    ("scene_sensitive", "isSceneSensitive"),
    ("link_kinematics",),
    ("parent_body_linkage",),
    ("parent_link",),
    ("enable_attachment",),
    ("transparency",),
    ("visibleLinkSelectionMode",),
    ("device_states",),
)
"""Keys that matter while a scene is edited, not for its simulation."""

_DEGREES: Final = DEGREE
_RADIANS: Final = 1.0

_JOINTS: Final = (
    (("joint_displacements", "jointDisplacements"), _DEGREES),
    (("jointPositions",), _RADIANS),
)
"""Joint positions as shown, the list that counts first, and the unit of each; sliders are no exception."""


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

    place: tuple[str, ...]
    rotation: str
    attitude: str
    joints: tuple[tuple[tuple[str, ...], float], ...]


SHOWN: Final = State(("root_translation", "rootPosition"), "root_rotation", "rootAttitude", _JOINTS)
"""As the program shows the body when it opens the project."""

INITIAL: Final = State(
    ("initial_root_translation", "initialRootPosition"),
    "initial_root_rotation",
    "initialRootAttitude",
    (
        (("initial_joint_displacements", "initialJointDisplacements"), _DEGREES),
        (("initialJointPositions",), _RADIANS),
        *_JOINTS,
    ),
)
"""As simulations start."""


def started_body(body: Body, item: Item, state: State = INITIAL) -> Body:
    """Return a body as its item has it."""
    keys = item.keys
    for names in _NO_MEANING:
        keys.find(*names)
    for other in (SHOWN, INITIAL):
        for names in (other.place, (other.rotation,), (other.attitude,)):
            keys.find(*names)
    body = _with_joints(body, keys, state)
    body = moved_root(body, _root_pose(keys, state))
    is_fixed = keys.flag("fix_root", default=None)
    is_static = keys.flag("staticModel", default=None)
    if is_fixed is None and is_static is not None and (is_static or not _has_joints(body)):
        # the old key asked whether nothing moves at all: a house with a door said no, and stood firm
        is_fixed = is_static
    if is_fixed is not None:
        body = with_root_fixed(body, is_fixed)
    is_on = keys.flag("collision_detection", "collisionDetection", default=True)
    inside = keys.flag("self_collision_detection", "selfCollisionDetection", default=False)
    body = with_self_collision(body, inside)
    if not is_on:
        paths = tuple(link.path for link in body.links)
        body = replace(body, collision=replace(body.collision, disabled_links=paths))
    return body


# --------------------------------------------------------------------------------------------- root


def _root_pose(keys: Keys, state: State) -> Pose:
    position = keys.vec3(*state.place, default=None)
    rotation = _root_rotation(keys, state)
    if position is None and state is INITIAL and keys.vec3(*SHOWN.place, default=ZERO) != ZERO:
        keys.warning(
            "no-initial-place",
            "root_translation",
            "a simulation starts from initial_root_translation, which is not given: the body "
            "starts at the origin, as in Choreonoid.",
        )
    return Pose(position or ZERO, rotation)


def _root_rotation(keys: Keys, state: State) -> Quat:
    """Return the rotation of the root: axis and angle in degrees, or the nine numbers of old files."""
    value = keys.node(state.rotation)
    old = keys.vector(state.attitude, size=9, default=None)
    if value is not None:
        is_matrix = isinstance(value, YamlList) and len(value.items) == 9
        numbers = keys.vector(state.rotation, size=9 if is_matrix else 4, default=None)
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
    for names, unit in INITIAL.joints:
        for name in names:
            numbers = keys.numbers(name, default=())
            if not numbers or (names, unit) not in state.joints:
                continue
            if len(numbers) > len(slots) and not positions:
                keys.warning(
                    "too-many-joints",
                    name,
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
