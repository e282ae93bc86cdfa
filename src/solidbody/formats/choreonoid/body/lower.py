"""Turns a body file into a body of the model: its link tree, its joint numbers, its collision rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePath

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.body.collision_rules import read_rules
from solidbody.formats.choreonoid.body.reader import BodyReader
from solidbody.formats.choreonoid.body.resources import Resources
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.file_kinds import URDF_KINDS
from solidbody.formats.link_trees.assembling import PlacedLink, assembled, link_tree, names_of
from solidbody.formats.link_trees.drafts import BodyDraft, LinkDraft
from solidbody.formats.urdf.robot import read_robot
from solidbody.model.links import Body


def read_body(text: str, file: str, resources: Resources, log: DiagnosticLog) -> Body | None:
    """Return the body of a file's text, its root where the file puts it, or None after a message.

    Args:
        text: What the file holds.
        file: Its name; uris are relative to it.
        resources: Reads meshes and parts of scenes.
        log: Takes all messages.
    """
    if PurePath(file).suffix.lower() in URDF_KINDS:
        return read_robot(text, file, resources, log)
    found = BodyReader(resources, log).read(text, file)
    if found is None:
        return None
    draft, keys = found
    _check_root(draft, keys)
    tree = link_tree(draft, keys.reading)
    _check_joint_numbers(tree, keys)
    _check_joint_names(tree, keys)
    body = assembled(draft, tree, keys.reading)
    return replace(body, collision=read_rules(keys, draft.rules, body.links, names_of(tree)))


def _check_root(draft: BodyDraft, keys: Keys) -> None:
    if draft.root_index is None:
        names = [link.name for link in draft.links if link.name]
        text = f'no link is named "{draft.root}"; the first link is the root.'
        guess = keys.reading.guess(draft.root or "", names)
        keys.error("unknown-link", "root_link", f"{text}{guess}")


def _check_joint_numbers(tree: Sequence[PlacedLink], keys: Keys) -> None:
    """Report joint ids given twice (the first link keeps it) and gaps."""
    owners: dict[int, LinkDraft] = {}
    for item in tree:
        number = item.draft.joint.number
        if number is None:
            continue
        first = owners.setdefault(number, item.draft)
        if first is not item.draft:
            keys.reading.log.warning(
                "duplicate-joint-id",
                item.draft.span,
                f'joint id {number} is taken by "{first.name}", which keeps it.',
                node=item.draft.node,
                field="joint_id",
            )
    numbers = sorted(owners)
    gaps = [
        str(low + 1) if high - low == 2 else f"{low + 1} to {high - 1}"
        for low, high in pairwise([-1, *numbers])
        if high - low > 1
    ]
    if gaps:
        shown = ", ".join(gaps[:8]) + (", ..." if len(gaps) > 8 else "")
        keys.warning(
            "joint-id-gap",
            "",
            f"no joint has the id {shown}; Choreonoid fills the list of joints with empty ones there.",
            span=owners[numbers[-1]].span,
        )


def _check_joint_names(tree: Sequence[PlacedLink], keys: Keys) -> None:
    owners: dict[str, LinkDraft] = {}
    for item in tree:
        name = item.draft.joint_name
        first = owners.setdefault(name, item.draft) if name else item.draft
        if first is not item.draft:
            keys.reading.log.error(
                "duplicate-name",
                item.draft.span,
                f'the joint of "{first.name}" is named "{name}" too; this one gets a number.',
                node=item.draft.node,
                field="joint_name",
            )
