"""Reads ContinuousTrack entries of `links`: a chain of shoes, each hinged to the one before."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.body.elements import ElementReader
from solidbody.formats.choreonoid.body.link_joints import read_axis
from solidbody.formats.choreonoid.body.links import read_link
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import TrackKeys
from solidbody.formats.link_trees.drafts import CONTINUOUS_TRACK, JointKind, LinkDraft

FEWEST: Final = 3
MOST: Final = 2000


def read_track(keys: Keys, elements: ElementReader) -> list[LinkDraft]:
    """Return the shoes `name0`, `name1`, ...: the first is free, the others hinge on the one before.

    The first alone has the joint id and the devices; shape, mass and turn are the same for all.
    """
    count = keys.read(TrackKeys.num_joints)
    step = keys.read(TrackKeys.joint_offset)
    factor = keys.reading.angle_factor
    angles = keys.read(TrackKeys.initial_joint_angles)
    shoe = read_link(keys, elements)
    if shoe.joint.kind in (JointKind.FIXED, JointKind.FREE):
        # nobody has minded an axis of zeros yet
        shoe = replace(shoe, joint=replace(shoe.joint, axis=read_axis(keys)))
    if not FEWEST <= count <= MOST:
        keys.error(
            "track-length",
            TrackKeys.num_joints,
            f"expected {FEWEST} to {MOST} shoes, got {count}; left out.",
        )
        return []
    if step is None or shoe.parent is None:
        for row, value in ((TrackKeys.joint_offset, step), (TrackKeys.parent, shoe.parent)):
            if value is None and row.name not in keys:
                keys.error("missing-key", row, "a ContinuousTrack needs it; left out.")
        return []
    if len(angles) > count - 1:
        keys.warning(
            "track-angles",
            TrackKeys.initial_joint_angles,
            f"{count} shoes have {count - 1} joints, got {len(angles)} angles; the rest is ignored.",
        )
    first = replace(
        shoe,
        name=f"{shoe.name}0",
        joint=replace(shoe.joint, kind=JointKind.FREE, position=0.0),
        info=(*shoe.info, (CONTINUOUS_TRACK, "true")),
    )
    links = [first]
    for number in range(1, count):
        angle = angles[number - 1] * factor if number <= len(angles) else 0.0
        links.append(
            replace(
                shoe,
                name=f"{shoe.name}{number}",
                parent=f"{shoe.name}{number - 1}",
                offset=Pose(step, shoe.offset.rotation),
                joint=replace(shoe.joint, kind=JointKind.REVOLUTE, position=angle, number=None),
                devices=(),
            )
        )
    return links
