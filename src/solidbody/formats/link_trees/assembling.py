"""Makes a body of the model from links that name their parents: link tree, joint numbers, roots, loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from solidbody.formats.link_trees.drafts import Actuation, BodyDraft, Info, JointKind, LinkDraft
from solidbody.formats.link_trees.messages import Messages
from solidbody.formats.webots.lower.names import UniqueNames, joined_path
from solidbody.model.devices import Device
from solidbody.model.joints import Coupling, JointFree, Loop, LoopAttachment
from solidbody.model.links import Body, CollisionRules, Link, Motion, Robot

NO_CONTROLLER: Final = "<none>"
"""Files of bodies name no controller."""

NEIGHBOURS_APART: Final = CollisionRules(
    self_collision=False,
    fixed_base_ignores_static=False,
    loop_ends_ignored=False,
    shared_anchor_ignored=False,
)
"""Without rules of a file's own: links that are joined directly are not tested."""


def assembled(draft: BodyDraft, tree: Sequence[PlacedLink], messages: Messages) -> Body:
    """Return the body of a tree that `link_tree` has made."""
    links, names = _links(draft, tree), names_of(tree)
    _check_mass(links, messages)
    return Body(
        draft.name,
        links,
        robots=_robots(draft, links),
        loops=_loops(draft, links, names, messages),
        collision=NEIGHBOURS_APART,
        metadata=tuple(draft.info.items()),
        span=draft.span,
        couplings=tuple(
            Coupling(
                links[names[one.follower]].path,
                links[names[one.leader]].path,
                one.multiplier,
                one.offset,
                one.span,
            )
            for one in draft.couplings
            if one.follower in names and one.leader in names
        ),
    )


def names_of(tree: Sequence[PlacedLink]) -> dict[str, int]:
    """Return where links stand in a tree, by their names in the file; the first of a name counts."""
    return {item.draft.name: k for k, item in reversed(list(enumerate(tree))) if item.draft.name}


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link in depth-first order, and its parent's index there."""

    draft: LinkDraft
    parent: int | None


# -------------------------------------------------------------------------------------------- tree


def link_tree(draft: BodyDraft, messages: Messages) -> list[PlacedLink]:
    """Return the links from the root down, children in file order; report those that are not reached."""
    root = draft.root_index or 0
    children = _children(draft, messages, root)
    ordered: list[PlacedLink] = []
    stack: list[tuple[int, int | None]] = [(root, None)]
    reached = {root}
    while stack:
        index, parent = stack.pop()
        ordered.append(PlacedLink(draft.links[index], parent))
        here = len(ordered) - 1
        below = [child for child in children.get(index, ()) if child not in reached]
        reached.update(below)
        stack.extend((child, here) for child in reversed(below))
    _report_unreached(draft, messages, reached, root)
    return ordered


def _children(draft: BodyDraft, messages: Messages, root: int) -> dict[int, list[int]]:
    by_name: dict[str, int] = {}
    for index, link in enumerate(draft.links):
        first = by_name.setdefault(link.name, index)
        if first != index and link.name:
            messages.log.error(
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
                messages.log.warning(
                    "root-parent",
                    link.span,
                    f'the root of a body has no parent; "{link.parent}" is ignored.',
                    node=link.node,
                    field="parent",
                )
            continue
        if link.is_lost:
            continue
        if link.parent is None or link.parent not in by_name or not link.parent:
            what = (
                "every link but the root needs the name of its parent; left out."
                if link.parent is None
                else f'no link is named "{link.parent}"; left out.'
                + messages.guess(link.parent, [name for name in by_name if name])
            )
            messages.log.error(
                "no-parent" if link.parent is None else "unknown-parent",
                link.span,
                what,
                node=link.node,
                field="parent",
            )
            continue
        children.setdefault(by_name[link.parent], []).append(index)
    return children


def _report_unreached(draft: BodyDraft, messages: Messages, reached: set[int], root: int) -> None:
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
            messages.log.error(
                "parent-ring",
                link.span,
                f'"{link.name}" hangs on a ring of parents that does not reach the root '
                f'"{draft.links[root].name}"; left out.',
                node=link.node,
                field="parent",
            )
        elif index not in reached and link.parent in by_name:
            messages.log.error(
                "lost-link",
                link.span,
                f'"{link.name}" hangs on "{link.parent}", which is left out; so is this link.',
                node=link.node,
                field="parent",
            )


# ------------------------------------------------------------------------------------------- links


def _links(draft: BodyDraft, tree: Sequence[PlacedLink]) -> tuple[Link, ...]:
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


def _stands_still(item: PlacedLink, links: Sequence[Link]) -> bool:
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


def _check_mass(links: Sequence[Link], messages: Messages) -> None:
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
            messages.log.error(
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
    draft: BodyDraft, links: Sequence[Link], names: Mapping[str, int], messages: Messages
) -> tuple[Loop, ...]:
    loops: list[Loop] = []
    for loop in draft.loops:
        ends: list[LoopAttachment] = []
        for number, (name, pose) in enumerate(zip(loop.links, loop.poses, strict=True), 1):
            if name not in names:
                messages.log.error(
                    "unknown-link",
                    loop.span,
                    f'no link is named "{name}"; the extra joint is left out.'
                    f"{messages.guess(name, names)}",
                    node=loop.node,
                    field=f"link{number}_name",
                )
                continue
            ends.append(LoopAttachment(links[names[name]].path, pose))
        if len(ends) == 2:
            loops.append(loop.kind((ends[0], ends[1]), loop.name, loop.span))
    return tuple(loops)
