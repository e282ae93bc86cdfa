"""Lowers top nodes of a world one by one, and reuses those of a document that did not change.

A top node is by itself unless a USE leads out of it or into it; those that are not are read together. What
else leads from one to another is names: who asks for the same ones as before gets the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.formats.assets import AssetFinder
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import FileSyntax, ItemSyntax, NodeSyntax, UseSyntax, names_of
from solidbody.formats.webots.lower.drawn_nodes import DrawnNodes
from solidbody.formats.webots.lower.geometries import MeshFiles
from solidbody.formats.webots.lower.images import (
    WantedImage,
    report_refused,
    wanted_images,
    wanted_sounds,
)
from solidbody.formats.webots.lower.names import NameLedger, NameRecital, NameTaken, OtherNamesError
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.lower.solids import SolidLowering
from solidbody.formats.webots.nodes.check import Checker
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.contacts import OwnValues
from solidbody.formats.webots.releases.release import Release
from solidbody.formats.webots.releases.upgrade import modern_items, unwritten_nodes
from solidbody.model.environment import Background, Light
from solidbody.model.fluids import Fluid
from solidbody.model.links import Body, Link

Said = tuple[Diagnostic, ...]


@dataclass(slots=True)
class TopNodePart:
    """What a top node gives to a scene.

    Attributes:
        bodies: Its bodies.
        nodes: The solid of each of their links; None for links that come from none.
        lights: Its lights.
        first_light: Number of the first of them in the scene.
        fluids: Its fluids.
        solids: Path, name and path of the link of each of its solids.
        contacts: Contact properties that its Physics nodes have.
        images: Images that mesh files want.
        names: Names that were taken.
        asks_others: Whether it depends on solids of other top nodes.
        walked: What there was to say about its nodes, and `built` about its bodies.
        extremes: The lightest and the heaviest of its links with mass; empty = there are none.
    """

    bodies: tuple[Body, ...]
    nodes: tuple[TypedNode | None, ...]
    lights: tuple[Light, ...]
    first_light: int
    fluids: tuple[Fluid, ...]
    solids: tuple[tuple[str, str, str], ...]
    contacts: Mapping[str, OwnValues]
    images: tuple[WantedImage, ...]
    names: tuple[NameTaken, ...]
    asks_others: bool
    walked: Said
    built: Said
    extremes: tuple[Link, ...]


@dataclass(slots=True, eq=False)
class Top:
    """A top node on its way.

    Attributes:
        written: As written, PROTO instances expanded.
        used: DEF names that a USE in it refers to.
        outside: Those that another top node has, or nobody.
        defined: DEF names that others can use.
        named: All DEF names in it.
        modern: In the form of today.
        node: With the table applied; None = it is left out.
        converted: What there was to say about its old form, and `checked` about the table.
        part: What it gives to the scene; None = it was not lowered.
        refused: What there was to say about sounds that may not be read, and about images: those of its
            nodes, those of mesh files.
    """

    written: NodeSyntax
    used: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    modern: NodeSyntax | None = None
    node: TypedNode | None = None
    converted: Said = ()
    checked: Said = ()
    part: TopNodePart | None = None
    refused: tuple[Said, tuple[Said, Said] | None] | None = None


@dataclass(slots=True)
class TopNodeCache:
    """The top nodes of one document as they were read last.

    Args:
        apart: Whether top nodes are looked at one by one, so that a part can be kept; not if the file is
            read once.
    """

    apart: bool = True
    tops: tuple[Top, ...] = ()
    _group: tuple[int, ...] = ()
    _used: frozenset[str] = frozenset()
    _release: Release | None = None
    _lowered: list[Top] = field(default_factory=list[Top])
    _meshes: MeshFiles = field(default_factory=MeshFiles)
    _background: tuple[TypedNode, Background] | None = None

    # ------------------------------------------------------------------ nodes

    def read(self, tree: FileSyntax, release: Release, log: DiagnosticLog) -> tuple[Top, ...]:
        """Return the top nodes of a world with the table applied; `log` takes what there is to say."""
        known = {id(top.written): top for top in self.tops} if release == self._release else {}
        written = (*self._unwritten(tree.nodes, release), *tree.nodes)
        tops = tuple(known.get(id(node)) or self._survey(node) for node in written)
        stale = {id(top) for top in tops if id(top.written) not in known}
        group = self._entangled(tops)
        keys = tuple(map(id, group))
        if keys != self._group or any(key in stale for key in keys):
            stale.update(keys, self._group)
        used = frozenset[str]().union(*(top.used for top in tops))
        if used != self._used:  # they have a say in how nodes of these names are turned
            other = used ^ self._used
            stale |= {id(top) for top in tops if not other.isdisjoint(top.named)}
        together = [top for top in group if id(top) in stale]
        alone = [top for top in tops if id(top) in stale and id(top) not in keys]
        for tops_read in (together, *([top] for top in alone)):
            self._read(tops_read, release, used)
        self._group, self._used, self._release = keys, used, release
        self.tops = tops
        log.extend(item for top in tops if top.converted for item in top.converted)
        log.extend(item for top in tops if top.checked for item in top.checked)
        return tops

    def _unwritten(self, nodes: tuple[NodeSyntax, ...], release: Release) -> tuple[NodeSyntax, ...]:
        """Return nodes that old worlds have without writing them; the same ones each time."""
        missing = unwritten_nodes(nodes, release)
        known = {top.written.type_name: top.written for top in self.tops[: len(missing)]}
        return tuple(
            same if (same := known.get(node.type_name)) is not None and same == node else node
            for node in missing
        )

    def _survey(self, node: NodeSyntax) -> Top:
        if not self.apart:
            return Top(node)
        used, outside, defined, named = _names_in(node)
        return Top(node, used, outside, defined, named)

    def _entangled(self, tops: tuple[Top, ...]) -> list[Top]:
        """Return those that USE connects with others."""
        if not self.apart:
            return list(tops)
        outside = frozenset[str]().union(*(top.outside for top in tops))
        if not outside:
            return []
        if not outside <= frozenset[str]().union(*(top.defined for top in tops)):
            return list(tops)  # who asks for a name that nobody has is told of all others
        return [top for top in tops if top.outside or not outside.isdisjoint(top.defined)]

    def _read(self, tops: Sequence[Top], release: Release, used: frozenset[str]) -> None:
        """Bring top nodes into the form of today, and apply the table."""
        log = DiagnosticLog()
        written = tuple(top.written for top in tops)
        modern = modern_items(written, release, log, used)
        for top, item in zip(tops, modern, strict=True):
            top.modern = item if isinstance(item, NodeSyntax) else None
            top.part, top.refused, top.converted = None, None, ()
        if tops:
            tops[0].converted = tuple(log)
        log.items.clear()
        checker = Checker(log, release)
        for top in tops:
            top.node = None if top.modern is None else checker.top(top.modern)
            top.checked = tuple(log)
            log.items.clear()

    @property
    def are_apart(self) -> bool:
        """Whether no USE leads from one top node to another."""
        return self.apart and not self._group

    # ------------------------------------------------------------------ parts of the scene

    def report_refused(self, tops: Sequence[Top], finder: AssetFinder, log: DiagnosticLog) -> None:
        """Tell which sounds and images of top nodes may not be read."""
        heard, seen = set[TypedNode](), set[TypedNode]()
        for top in reversed(tops):
            if top.refused is None and top.node is not None:
                sounds = DiagnosticLog()
                wanted = wanted_sounds((top.node,), heard if id(top) in self._group else None)
                report_refused(wanted, finder, sounds)
                top.refused = tuple(sounds), None
            log.extend(top.refused[0] if top.refused else ())
        beside = DiagnosticLog()
        for top in tops:
            if top.refused is None or top.node is None:
                continue
            said, images = top.refused
            if images is None:
                found = DiagnosticLog()
                wanted = wanted_images(
                    (top.node,), finder, seen if id(top) in self._group else None
                )
                report_refused(wanted, finder, found)
                first = len(found)
                report_refused(() if top.part is None else top.part.images, finder, found)
                images = tuple(found.items[:first]), tuple(found.items[first:])
                top.refused = said, images
            log.extend(images[0])
            beside.extend(images[1])
        log.extend(beside)

    def background(self, node: TypedNode, finder: AssetFinder) -> Background:
        """Return what a Background node says; its pictures are looked for once."""
        if self._background is None or self._background[0] is not node:
            self._background = node, lower_plain(Background, node, finder=finder)
        return self._background[1]

    def lower(
        self, tops: Sequence[Top], release: Release, finder: AssetFinder
    ) -> list[TopNodePart]:
        """Return what top nodes, in the order of the file, give to the scene."""
        before, self._lowered = self._lowered, list(tops)
        group = [top for top in tops if id(top) in self._group]
        if not all(map(_is_done, group)):
            _forget(group)
        parts = self._recited(before, tops, release, finder)
        if parts is None:
            parts = self._named_anew(tops, release, finder)
        for top, part in zip(tops, parts, strict=True):
            top.part = part
        return parts

    def _recited(
        self, before: Sequence[Top], tops: Sequence[Top], release: Release, finder: AssetFinder
    ) -> list[TopNodePart] | None:
        """Return the parts if all take the names that they, or those at their places, had; else None."""
        if len(before) != len(tops):
            return None
        parts: list[TopNodePart] = []
        lights = 0
        for old, top in zip(before, tops, strict=True):
            part = old.part
            if part is None or part.first_light != lights:
                return None
            if top is not old or not _is_done(top):
                if id(top) in self._group:
                    return None
                names = NameRecital(part.names)
                try:
                    part = self._walk(top, names, parts, lights, release, finder).build()
                    names.finish()
                except OtherNamesError:
                    return None
            parts.append(part)
            lights += len(part.lights)
        return parts

    def _named_anew(
        self, tops: Sequence[Top], release: Release, finder: AssetFinder
    ) -> list[TopNodePart]:
        """Return the parts; those that get other names than before are lowered anew."""
        names = NameLedger()
        drawn = DrawnNodes(
            [top.node for top in self.tops if id(top) in self._group and top.node is not None]
        )
        shared = SolidLowering(release, finder, DiagnosticLog(), drawn, self._meshes, names)
        walked: list[TopNodePart | _Walked] = []
        lights = 0
        for top in tops:
            part: TopNodePart | _Walked | None = top.part if _is_done(top) else None
            if part is not None and part.first_light == lights and names.repeat(part.names):
                walked.append(part)
                lights += len(part.lights)
                continue
            group = shared if id(top) in self._group else None
            if group is not None and part is not None:  # if one gets another name, all are lowered
                _forget(other for other in tops if id(other) in self._group)
                return self._named_anew(tops, release, finder)
            part = self._walk(top, names, walked, lights, release, finder, group)
            walked.append(part)
            lights += len(part.lights)
        parts: list[TopNodePart] = []
        for k, part in enumerate(walked):
            parts.append(part if isinstance(part, TopNodePart) else part.build())
            walked[k] = parts[-1]  # what it was built from is not needed any more
        return parts

    def _walk(
        self,
        top: Top,
        names: NameLedger,
        before: Sequence[TopNodePart | _Walked],
        lights: int,
        release: Release,
        finder: AssetFinder,
        shared: SolidLowering | None = None,
    ) -> _Walked:
        """Lower a top node after others; `shared` is what those that USE connects have in common."""
        assert top.node is not None
        solids = shared or SolidLowering(
            release, finder, DiagnosticLog(), DrawnNodes((top.node,)), self._meshes, names
        )
        walked = _Walked(solids, lights, len(names.taken))

        def carriers() -> dict[str, str]:
            walked.asks_others = True
            return carriers_of((*before, walked))

        solids.carriers = carriers
        solids.first_light = lights - len(solids.lights)
        solids.walk(top.node)
        solids.carriers = dict  # what asks for others would keep all of them in a cycle
        walked.finish(names)
        return walked


class _Walked:
    """A top node whose bodies are still to be built: those that share shapes are built together."""

    __slots__ = (
        *("_bodies", "_contacts", "_done_contacts", "_done_images", "_done_solids", "_first_name"),
        *("_fluids", "_images", "_lowering", "_names", "_said", "_solids", "_starts", "_walked"),
        *("asks_others", "first_light", "lights"),
    )

    def __init__(self, lowering: SolidLowering, first_light: int, first_name: int) -> None:
        self._lowering = lowering
        self._starts = (len(lowering.bodies), len(lowering.lights), len(lowering.fluids))
        self._solids = len(lowering.solids)
        self._contacts = len(lowering.old_contacts.values)
        self._images, self._said = len(lowering.geometries.images), len(lowering.log)
        self._first_name = first_name
        self.first_light = first_light
        self.asks_others = False
        self.lights: tuple[Light, ...] = ()
        self._names: tuple[NameTaken, ...] = ()

    @property
    def solids(self) -> Sequence[tuple[str, str, str]]:
        """Path, name and path of the link of each of its solids so far."""
        return self._lowering.solids[self._solids :]

    def finish(self, names: NameLedger) -> None:
        """The node has been walked through."""
        own = self._lowering
        bodies, lights, fluids = self._starts
        self.lights = tuple(own.lights[lights:])
        self._bodies, self._fluids = own.bodies[bodies:], tuple(own.fluids[fluids:])
        self._done_solids = tuple(self.solids)
        self._done_contacts = dict(islice(own.old_contacts.values.items(), self._contacts, None))
        self._done_images = tuple(own.geometries.images[self._images :])
        self._walked = tuple(own.log.items[self._said :])
        self._names = tuple(names.taken[self._first_name :])

    def build(self) -> TopNodePart:
        """Return the finished part."""
        log = DiagnosticLog()
        bodies = tuple(body.build(log) for body in self._bodies)
        links = [link for body in self._bodies for link in body.links]
        heavy = [
            link for body in bodies for link in body.links if link.mass and link.mass.mass > 0.0
        ]
        heavy.sort(key=_mass)
        return TopNodePart(
            bodies,
            tuple(
                link.node if link.node.is_a("Solid") and not link.is_part else None
                for link in links
            ),
            self.lights,
            self.first_light,
            self._fluids,
            self._done_solids,
            self._done_contacts,
            tuple(WantedImage(url, base, n, "url") for n, url, base in self._done_images),
            self._names,
            self.asks_others,
            self._walked,
            tuple(log),
            (heavy[0], next(x for x in heavy if _mass(x) == _mass(heavy[-1]))) if heavy else (),
        )


def carriers_of(parts: Iterable[TopNodePart | _Walked]) -> dict[str, str]:
    """Return path and name of every solid, to the path of the link that carries it; names: the first."""
    found: dict[str, str] = {}
    for part in parts:
        for path, name, link in part.solids:
            found[path] = link
            found.setdefault(name, link)
    return found


def _is_done(top: Top) -> bool:
    return top.part is not None and not top.part.asks_others


def _forget(tops: Iterable[Top]) -> None:
    for top in tops:
        top.part = None


def _mass(link: Link) -> float:
    return 0.0 if link.mass is None else link.mass.mass


_Names = frozenset[str]


def _names_in(top: NodeSyntax) -> tuple[_Names, _Names, _Names, _Names]:
    """Return DEF names in a node: used; of the file and not defined before; for others to use; all."""
    used: set[str] = set()
    named: set[str] = set()
    outside: set[str] = set()
    defined: set[str] = set()
    stack: list[ItemSyntax] = [top]
    while stack:
        item = stack.pop()
        if isinstance(item, NodeSyntax):
            if item.def_name:
                named.add(item.def_name)
                if item.is_shown:
                    defined.add(item.def_name)
            for part in reversed(item.fields):
                stack.extend(reversed(items_of(part.value)))
        elif isinstance(item, UseSyntax):
            used.add(item.name)
            if names_of(item.scope) is None and item.name not in defined:
                outside.add(item.name)
    return frozenset(used), frozenset(outside), frozenset(defined), frozenset(named)
