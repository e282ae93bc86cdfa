"""Turns a body file into a body of the model: link tree, joint numbers, fixed roots, loops, rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.body.collision_rules import read_rules
from solidbody.formats.choreonoid.body.drafts import BodyDraft, Info, LinkDraft
from solidbody.formats.choreonoid.body.reader import BodyReader
from solidbody.formats.choreonoid.body.resources import Resources
from solidbody.formats.choreonoid.body.uris import BodyFiles
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import Actuation, JointKind
from solidbody.formats.webots.lower.names import UniqueNames, joined_path
from solidbody.model.devices import Device
from solidbody.model.joints import JointFree, Loop, LoopAttachment
from solidbody.model.links import Body, Link, Motion, Robot

NO_CONTROLLER: Final = "<none>"
"""Controllers of Choreonoid are native code that a project names, never a body file."""


def read_body(
    text: str, file: str, files: BodyFiles, resources: Resources, log: DiagnosticLog
) -> Body | None:
    """Return the body of a file's text, its root where the file puts it, or None after a message.

    Args:
        text: What the file holds.
        file: Its name; uris are relative to it.
        files: Finds the files that it names.
        resources: Reads meshes and parts of scenes.
        log: Takes all messages.
    """
    found = BodyReader(files, resources, log).read(text, file)
    if found is None:
        return None
    draft, keys = found
    tree = _ordered(draft, keys)
    if not tree:
        return None
    _check_joint_numbers(tree, keys)
    _check_joint_names(tree, keys)
    links = _links(draft, tree)
    _check_mass(links, keys)
    names = {item.draft.name: k for k, item in reversed(list(enumerate(tree))) if item.draft.name}
    return Body(
        draft.name,
        links,
        robots=_robots(draft, links),
        loops=_loops(draft, links, names, keys),
        collision=read_rules(keys, draft.rules, links, names),
        metadata=tuple(draft.info.items()),
        span=draft.span,
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """A link in depth-first order, and its parent's index there."""

    draft: LinkDraft
    parent: int | None


# -------------------------------------------------------------------------------------------- tree


def _ordered(draft: BodyDraft, keys: Keys) -> list[_Placed]:
    """Return the links from the root down, children in file order; report those that are not reached."""
    root = draft.root_index
    if root is None:
        names = [link.name for link in draft.links if link.name]
        keys.error(
            "unknown-link",
            "root_link",
            f'no link is named "{draft.root}"; the first link is the root.'
            f"{keys.reading.guess(draft.root or '', names)}",
        )
        root = 0
    children = _children(draft, keys, root)
    ordered: list[_Placed] = []
    stack: list[tuple[int, int | None]] = [(root, None)]
    reached = {root}
    while stack:
        index, parent = stack.pop()
        ordered.append(_Placed(draft.links[index], parent))
        here = len(ordered) - 1
        below = [child for child in children.get(index, ()) if child not in reached]
        reached.update(below)
        stack.extend((child, here) for child in reversed(below))
    _report_unreached(draft, keys, reached, root)
    return ordered


def _children(draft: BodyDraft, keys: Keys, root: int) -> dict[int, list[int]]:
    by_name: dict[str, int] = {}
    for index, link in enumerate(draft.links):
        first = by_name.setdefault(link.name, index)
        if first != index and link.name:
            keys.reading.log.error(
                "duplicate-name",
                link.span,
                f'two links are named "{link.name}", the first in line '
                f"{draft.links[first].span.line}; parents by that name mean the first.",
                node=link.node,
                field="name",
            )
    children: dict[int, list[int]] = {}
    for index, link in enumerate(draft.links):
        if index == root:
            if link.parent is not None:
                keys.reading.log.warning(
                    "root-parent",
                    link.span,
                    f'the root of a body has no parent; "{link.parent}" is ignored.',
                    node=link.node,
                    field="parent",
                )
            continue
        if link.parent is None or link.parent not in by_name or not link.parent:
            what = (
                "every link but the root needs the name of its parent; left out."
                if link.parent is None
                else f'no link is named "{link.parent}"; left out.'
                + keys.reading.guess(link.parent, [name for name in by_name if name])
            )
            keys.reading.log.error(
                "no-parent" if link.parent is None else "unknown-parent",
                link.span,
                what,
                node=link.node,
                field="parent",
            )
            continue
        children.setdefault(by_name[link.parent], []).append(index)
    return children


def _report_unreached(draft: BodyDraft, keys: Keys, reached: set[int], root: int) -> None:
    """Report links below a ring of parents; those without a parent have been reported already."""
    by_name = {link.name: k for k, link in reversed(list(enumerate(draft.links))) if link.name}
    in_ring: dict[int, bool] = dict.fromkeys(reached, False)
    for index, link in enumerate(draft.links):
        way: list[int] = []
        seen: set[int] = set()
        at: int | None = index
        while at is not None and at not in in_ring and at not in seen:
            way.append(at)
            seen.add(at)
            at = by_name.get(draft.links[at].parent or "")
        found = at is not None and (at in seen or in_ring.get(at, False))
        in_ring.update(dict.fromkeys(way, found))
        if in_ring[index]:
            keys.reading.log.error(
                "parent-ring",
                link.span,
                f'"{link.name}" hangs on a ring of parents that does not reach the root '
                f'"{draft.links[root].name}"; left out.',
                node=link.node,
                field="parent",
            )
        elif index not in reached and link.parent in by_name:
            keys.reading.log.error(
                "lost-link",
                link.span,
                f'"{link.name}" hangs on "{link.parent}", which is left out; so is this link.',
                node=link.node,
                field="parent",
            )


def _check_joint_numbers(tree: Sequence[_Placed], keys: Keys) -> None:
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


def _check_joint_names(tree: Sequence[_Placed], keys: Keys) -> None:
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


# ------------------------------------------------------------------------------------------- links


def _links(draft: BodyDraft, tree: Sequence[_Placed]) -> tuple[Link, ...]:
    names, joint_names, devices = UniqueNames(), UniqueNames(), UniqueNames()
    taken: set[int] = set()
    links: list[Link] = []
    for item in tree:
        link = item.draft
        if item.parent is None and link.joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
            # a root that is not free is bolted to the world, whatever its joint is called
            link = replace(link, joint=replace(link.joint, kind=JointKind.FIXED))
        name = names.take(link.name or f"{draft.name} link")
        number = link.joint.number
        if number is not None and number in taken:
            number = None
        if number is not None:
            taken.add(number)
        joint_name = joint_names.take(link.joint_name or name)
        stands = _stands_still(item, links)
        material = link.material
        links.append(
            Link(
                name=name,
                path=joined_path(joined_path(None, draft.name), name),
                pose=link.joint.moved(link.offset),
                parent=item.parent,
                joint=replace(link.joint, number=number).joint(joint_name, link.offset),
                joint_number=number,
                motion=Motion.KINEMATIC if stands else Motion.DYNAMIC,
                mass=link.mass,
                shapes=tuple(replace(shape, contact_material=material) for shape in link.shapes),
                devices=tuple(_named_once(device, devices) for device in link.devices),
                metadata=link.info + _driving_info(link),
                span=link.span,
            )
        )
    return tuple(links)


def _stands_still(item: _Placed, links: Sequence[Link]) -> bool:
    """Whether a chain of fixed joints (tracks count as such) holds the link to the world."""
    kind = item.draft.joint.kind
    if item.parent is None:
        # a program alone moves a root whose position is prescribed
        is_prescribed = item.draft.joint.actuation is Actuation.LINK_POSITION
        return kind is not JointKind.FREE or is_prescribed
    is_fixed = kind in (JointKind.FIXED, JointKind.TRACK)
    return is_fixed and links[item.parent].motion is Motion.KINEMATIC


def _driving_info(link: LinkDraft) -> Info:
    """Keep a mode that no motor of the model has."""
    mode = link.joint.actuation
    return (("actuation_mode", mode.value),) if mode is Actuation.LINK_POSITION else ()


def _named_once(device: Device, names: UniqueNames) -> Device:
    return replace(device, name=names.take(device.name))


def _check_mass(links: Sequence[Link], keys: Keys) -> None:
    """Report trees of moving links that have no mass at all: Choreonoid's simulator refuses them."""
    totals: dict[int, float] = {}
    tops: list[int | None] = []
    for index, link in enumerate(links):
        above = None if link.parent is None else tops[link.parent]
        if link.motion is Motion.KINEMATIC:
            top = None
        else:
            top = index if above is None or isinstance(link.joint, JointFree) else above
        tops.append(top)
        if top is not None and link.mass is not None:
            totals[top] = totals.get(top, 0.0) + link.mass.mass
    for index, total in totals.items():
        if total <= 0.0:
            keys.reading.log.error(
                "no-mass",
                links[index].span,
                f'"{links[index].name}" and what hangs on it can move but have no mass.',
                node=links[index].path,
                field="mass",
            )


def _robots(draft: BodyDraft, links: Sequence[Link]) -> tuple[Robot, ...]:
    """Return the body as a robot if there is something to command or to read."""
    is_robot = any(link.devices or link.joint_number is not None for link in links)
    return (Robot(draft.name, 0, NO_CONTROLLER, span=draft.span),) if is_robot else ()


# ------------------------------------------------------------------------------------------- loops


def _loops(
    draft: BodyDraft, links: Sequence[Link], names: Mapping[str, int], keys: Keys
) -> tuple[Loop, ...]:
    loops: list[Loop] = []
    for loop in draft.loops:
        ends: list[LoopAttachment] = []
        for number, (name, pose) in enumerate(zip(loop.links, loop.poses, strict=True), 1):
            if name not in names:
                keys.reading.log.error(
                    "unknown-link",
                    loop.span,
                    f'no link is named "{name}"; the extra joint is left out.'
                    f"{keys.reading.guess(name, names)}",
                    node=loop.node,
                    field=f"link{number}_name",
                )
                continue
            ends.append(LoopAttachment(links[names[name]].path, pose))
        if len(ends) == 2:
            loops.append(loop.kind((ends[0], ends[1]), loop.name, loop.span))
    return tuple(loops)
