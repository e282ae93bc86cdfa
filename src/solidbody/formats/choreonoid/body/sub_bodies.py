"""Reads SubBody entries of `links`: another body file, its names given a prefix and a suffix (rules C3.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.body.elements import ElementReader, Parts
from solidbody.formats.choreonoid.body.link_joints import read_joint
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import FrameKeys, JointKeys, SubBodyKeys
from solidbody.formats.choreonoid.keys.settings import SubBodyNames
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.link_trees.drafts import BodyDraft, JointDraft, LinkDraft, LoopDraft
from solidbody.formats.link_trees.node_transforms import ORIGIN
from solidbody.model.shapes import ShapeRole

MAX_LINKS: Final = 20_000
"""Links of one body: files that include each other twice would double their number at every level."""

Rename = Callable[[str], str]


def include_body(keys: Keys, sub: BodyDraft, body: BodyDraft, elements: ElementReader) -> None:
    """Add the links, loops and information of `sub` to `body`, as the SubBody mapping asks."""
    if len(body.links) + len(sub.links) > MAX_LINKS:
        keys.error(
            "too-many-links", SubBodyKeys.uri, f"a body has at most {MAX_LINKS} links; left out."
        )
        return
    names = SubBodyNames(**plain_values(keys, SubBodyKeys))

    def renamed(name: str) -> str:
        return f"{names.prefix}{name}{names.suffix}" if name else ""

    root = sub.root_index
    for index, link in enumerate(sub.links):
        copy = _copy(link, renamed, names)
        if index == root:
            copy = _changed_root(copy, keys, elements)
        body.links.append(copy)
    body.loops.extend(_renamed_loop(loop, renamed) for loop in sub.loops)
    body.couplings.extend(
        replace(one, follower=renamed(one.follower), leader=renamed(one.leader))
        for one in sub.couplings
    )
    for key, text in sub.info.items():
        body.info.setdefault(key, text)
    for key, rules in sub.rules.items():  # information too: names in it get no prefix
        body.rules.setdefault(key, rules)
    keys.find(SubBodyKeys.name)
    for row in SubBodyKeys.ignored_rows():
        if row is not SubBodyKeys.name and keys.find(row) is not None:
            keys.warning(
                "unread-key",
                keys.written(row),
                "a SubBody keeps its own masses and joint names; this has no effect, as in Choreonoid.",
            )
    keys.warn_of_slips(SubBodyKeys)


def _copy(link: LinkDraft, renamed: Rename, names: SubBodyNames) -> LinkDraft:
    number, shift = link.joint.number, names.joint_shift
    prefix = names.prefix if names.device_prefix is None else names.device_prefix
    return replace(
        link,
        name=renamed(link.name),
        joint_name=renamed(link.joint_name),
        parent=None if link.parent is None else renamed(link.parent),
        joint=link.joint
        if number is None or not shift
        else replace(link.joint, number=number + shift),
        devices=tuple(replace(device, name=f"{prefix}{device.name}") for device in link.devices)
        if prefix
        else link.devices,
    )


def _changed_root(root: LinkDraft, keys: Keys, elements: ElementReader) -> LinkDraft:
    """Return the sub-body's root with the frame, joint, material and elements of the SubBody mapping."""
    values = plain_values(keys, FrameKeys)
    offset = Pose(
        values["offset"].position if keys.has(FrameKeys.translation) else root.offset.position,
        values["offset"].rotation if keys.has(FrameKeys.rotation) else root.offset.rotation,
    )
    joint = _changed_joint(root.joint, keys)
    parts = Parts()
    elements.read(keys, ORIGIN, ShapeRole.BOTH, parts)
    return replace(
        root,
        parent=values["parent"],
        offset=offset,
        joint=joint,
        material=values["material"] or root.material,
        shapes=(*root.shapes, *parts.shapes),
        devices=(*root.devices, *parts.devices),
        span=keys.span,
        node=keys.path,
    )


def _changed_joint(joint: JointDraft, keys: Keys) -> JointDraft:
    """Return the root's joint with what the mapping says; ranges and rotor are always written anew."""
    new = read_joint(keys)
    has_type, has_mode = keys.has(JointKeys.joint_type), keys.has(JointKeys.actuation_mode)
    return replace(
        new,
        kind=new.kind if has_type or has_mode else joint.kind,
        axis=new.axis if keys.has(JointKeys.joint_axis) else joint.axis,
        position=new.position
        if keys.has(JointKeys.joint_angle, JointKeys.joint_displacement)
        else joint.position,
        actuation=new.actuation if has_mode or has_type else joint.actuation,
        number=joint.number if new.number is None else new.number,
    )


def _renamed_loop(loop: LoopDraft, renamed: Rename) -> LoopDraft:
    first, second = loop.links
    return replace(loop, links=(renamed(first), renamed(second)), name=renamed(loop.name))
