"""Reads `extra_joints`: joints that close loops between links (docs/behaviour, C11.1)."""

from __future__ import annotations

from typing import Final

from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    cross,
    dot,
    norm,
    normalized,
    quat_from_axis_angle,
    quat_multiply,
    quat_normalized,
)
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import LOOPS, BodyKeys, ExtraJointKeys
from solidbody.formats.choreonoid.keys.table import Key, plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap
from solidbody.formats.link_trees.drafts import LoopDraft
from solidbody.model.joints import LoopBall, LoopFixed, LoopHinge, LoopPiston

_X: Final[Vec3] = (1.0, 0.0, 0.0)
_NAMES: Final = (ExtraJointKeys.link1_name, ExtraJointKeys.link2_name)
_ANCHORS: Final = (ExtraJointKeys.translation_in_link1, ExtraJointKeys.translation_in_link2)


def read_extra_joints(keys: Keys) -> list[LoopDraft]:
    """Return the loops of a body; those that cannot be understood are reported and left out."""
    loops: list[LoopDraft] = []
    for number, node in enumerate(keys.items(BodyKeys.extra_joints)):
        if not isinstance(node, YamlMap):
            keys.wrong(BodyKeys.extra_joints.name, node, "a list of mappings")
            continue
        loop = _read(keys.child(node, f"extra_joints[{number}]"), number)
        if loop is not None:
            loops.append(loop)
    return loops


def _read(keys: Keys, number: int) -> LoopDraft | None:
    values = plain_values(keys, ExtraJointKeys)
    kind = values["kind"]
    for row in _NAMES:
        if not keys.has(row):
            keys.error("missing-key", row, "an extra joint needs the names of two links.")
    if not keys.has(ExtraJointKeys.joint_type):
        text = f"expected one of {', '.join(LOOPS)}."
        keys.error("missing-key", ExtraJointKeys.joint_type, text)
    axis = _axis(keys, has_one=kind not in (LoopBall, LoopFixed))
    turn = turn_of_z(axis) if kind in (LoopHinge, LoopPiston) else turn_of_z((0.0, 0.0, 1.0))
    values["poses"] = tuple(pose * Pose(rotation=turn) for pose in values["poses"])
    for row in _ANCHORS:
        _check_spelling(keys, row)
    keys.warn_of_slips(ExtraJointKeys)
    if kind is None or None in values["links"]:
        return None
    if kind is LoopFixed:
        keys.warning(
            "fixed-extra-joint",
            ExtraJointKeys.joint_type,
            "the two links are held together here; Choreonoid's own simulator does nothing with it.",
        )
    values["name"] = values["name"] or f"extra joint {number}"
    return LoopDraft(**values, node=keys.path, span=keys.span)


def _axis(keys: Keys, *, has_one: bool) -> Vec3:
    """Return the unit axis, the same numbers in both joint frames; a joint without one may name none."""
    *_, unread = ExtraJointKeys.axis.names
    if keys.written(ExtraJointKeys.axis) == unread:
        keys.warning(
            "unread-key",
            unread,
            'Choreonoid does not read this key and uses [1, 0, 0]; write "axis". Read as meant here.',
        )
    axis = keys.read(ExtraJointKeys.axis)
    if norm(axis) < 1e-12:
        if not has_one:
            return _X
        keys.error(
            "null-axis", ExtraJointKeys.axis, "the axis has no direction; [1, 0, 0] is used."
        )
        return _X
    return normalized(axis)


def _check_spelling(keys: Keys, row: Key[Vec3]) -> None:
    """Notice the manual's spelling."""
    *_, manual = row.names
    if keys.written(row) == manual:
        keys.warning(
            "unread-key",
            manual,
            f'Choreonoid does not read this key, though its manual names it; write "{row.name}". '
            "Read as meant here.",
        )


def turn_of_z(axis: Vec3) -> Quat:
    """Return the shortest rotation that takes z to a unit axis."""
    z = (0.0, 0.0, 1.0)
    cosine = dot(z, axis)
    if cosine < -0.999999:  # nearly opposite: half a turn about x, then the small rest
        rest = turn_of_z((axis[0], -axis[1], -axis[2]))
        half = quat_from_axis_angle(_X, 3.141592653589793)
        return quat_multiply(half, rest)
    x, y, zz = cross(z, axis)
    return quat_normalized((1.0 + cosine, x, y, zz))
