"""`extra_joints`: what closes loops between links."""

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
from solidbody.formats.choreonoid.body.drafts import LoopDraft
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap
from solidbody.model.joints import LoopBall, LoopFixed, LoopHinge, LoopPiston

KINDS: Final = {"fixed": LoopFixed, "hinge": LoopHinge, "ball": LoopBall, "piston": LoopPiston}

_X: Final[Vec3] = (1.0, 0.0, 0.0)


def read_extra_joints(keys: Keys) -> list[LoopDraft]:
    """Return the loops of a body; those that cannot be understood are reported and left out."""
    loops: list[LoopDraft] = []
    for number, node in enumerate(keys.items("extra_joints", "extraJoints")):
        if not isinstance(node, YamlMap):
            keys.wrong("extra_joints", node, "a list of mappings")
            continue
        loop = _read(keys.child(node, f"extra_joints[{number}]"), number)
        if loop is not None:
            loops.append(loop)
    return loops


def _read(keys: Keys, number: int) -> LoopDraft | None:
    names = [keys.text(f"link{k}_name", f"link{k}Name", default=None) for k in (1, 2)]
    kind = keys.choice("joint_type", "jointType", table=KINDS, default=None)
    for k, name in enumerate(names, 1):
        if name is None and not {f"link{k}_name", f"link{k}Name"} & {
            key.text for key, _ in keys.yaml.pairs
        }:
            keys.error(
                "missing-key", f"link{k}_name", "an extra joint needs the names of two links."
            )
    if kind is None and "joint_type" not in keys and "jointType" not in keys:
        keys.error("missing-key", "joint_type", f"expected one of {', '.join(KINDS)}.")
    axis = _axis(keys, has_one=kind not in (LoopBall, LoopFixed))
    turn = turn_of_z(axis) if kind in (LoopHinge, LoopPiston) else turn_of_z((0.0, 0.0, 1.0))
    poses = [
        Pose(
            _anchor(keys, k),
            quat_multiply(keys.rotation(f"rotation_in_link{k}"), turn),
        )
        for k in (1, 2)
    ]
    name = keys.text("name", default="")
    keys.warn_of_slips()
    if kind is None or names[0] is None or names[1] is None:
        return None
    if kind is LoopFixed:
        keys.warning(
            "fixed-extra-joint",
            "joint_type",
            "the two links are held together here; Choreonoid's own simulator does nothing with it.",
        )
    return LoopDraft(
        kind,
        (names[0], names[1]),
        (poses[0], poses[1]),
        name or f"extra joint {number}",
        keys.path,
        keys.span,
    )


def _axis(keys: Keys, *, has_one: bool) -> Vec3:
    """Return the unit axis, the same numbers in both joint frames; a joint without one may name none."""
    if "joint_axis" in keys and "axis" not in keys and "jointAxis" not in keys:
        keys.warning(
            "unread-key",
            "joint_axis",
            'Choreonoid does not read this key and uses [1, 0, 0]; write "axis". Read as meant here.',
        )
    axis = keys.vec3("axis", "jointAxis", "joint_axis", default=_X)
    if norm(axis) < 1e-12:
        if not has_one:
            return _X
        keys.error("null-axis", "axis", "the axis has no direction; [1, 0, 0] is used.")
        return _X
    return normalized(axis)


def _anchor(keys: Keys, k: int) -> Vec3:
    manual = f"link{k}_local_pos"
    names = (f"translation_in_link{k}", f"link{k}LocalPos")
    if manual in keys and not any(name in keys for name in names):
        keys.warning(
            "unread-key",
            manual,
            f'Choreonoid does not read this key, though its manual names it; write "{names[0]}". '
            "Read as meant here.",
        )
    return keys.vec3(*names, manual, default=(0.0, 0.0, 0.0))


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
