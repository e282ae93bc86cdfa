"""Converts files of releases before R2023b to today's form, so that they behave as they did.

Up to R2021b y was up: cylinders, capsules, cones, planes and elevation grids stood along y,
cameras looked along -z, emitters and their like along z. The world keeps its axes; nodes are turned:

| node                                          | turn R                  | what follows              |
|-----------------------------------------------|-------------------------|---------------------------|
| Viewpoint, Camera, RangeFinder, Lidar, Radar  | x->-z, y->-x, z->y      | content gets the inverse  |
| Emitter, Receiver, Connector, TouchSensor     | x->z, y->x, z->y        | content gets the inverse  |
| Pen, Track                                    | -90 degrees about x     | content gets the inverse  |
| Cylinder, Capsule, Cone, Plane, ElevationGrid | the Pose around, -90 degrees about x, or a new Pose |

RangeFinder is turned as well, so that it sees what it saw: Webots leaves that to be done by hand.

The conversion goes from syntax tree to syntax tree, so it serves worlds before reading, PROTO bodies
before expansion, and `solidbody convert`. Trees are walked with explicit stacks.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Quat, quat_conjugate
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    FieldSyntax,
    FileSyntax,
    IsSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    Scope,
    StringSyntax,
    UseSyntax,
    names_of,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.releases.grid import grid_shift, modern_grid
from solidbody.formats.webots.releases.names import as_range_finder, with_modern_names
from solidbody.formats.webots.releases.release import (
    FIRST_POSE,
    FIRST_Z_UP,
    NEWEST,
    Release,
    parse_release,
)
from solidbody.formats.webots.releases.turns import (
    CAMERA_TURN,
    EMITTER_TURN,
    UPRIGHT_TURN,
    AxisTurn,
    field_of,
    items_of,
    numbers_in,
    turned_after,
    turned_before,
    turned_mass,
    with_items,
    with_value,
    without,
    wrapped,
)
from solidbody.formats.webots.releases.world import modern_viewpoint, modern_world_info

_UPRIGHT: Final = frozenset({"Cylinder", "Capsule", "Cone", "Plane", "ElevationGrid"})
_NODES: Final = (NodeSyntax, UseSyntax)

_DEVICES: Final[dict[str, Quat]] = {
    "Camera": CAMERA_TURN,
    "RangeFinder": CAMERA_TURN,
    "Lidar": CAMERA_TURN,
    "Radar": CAMERA_TURN,
    "Emitter": EMITTER_TURN,
    "Receiver": EMITTER_TURN,
    "Connector": EMITTER_TURN,
    "TouchSensor": EMITTER_TURN,
    "Pen": UPRIGHT_TURN,
    "Track": UPRIGHT_TURN,
}
MAX_COPIES: Final = 10_000
"""Nodes that may stand in place of USE in turned devices; real worlds need some dozens."""

_INSIDE: Final = ("children", "rotatingHead", "animatedGeometry")


def modern_tree(tree: FileSyntax, release: Release, log: DiagnosticLog) -> FileSyntax:
    """Return nodes of an older release in the form of today; newer ones come back unchanged."""
    items = modern_items(tree.nodes, release, log)
    if items is tree.nodes:
        return tree
    return replace(tree, nodes=tuple(item for item in items if isinstance(item, NodeSyntax)))


def unwritten_nodes(nodes: tuple[NodeSyntax, ...], release: Release) -> tuple[NodeSyntax, ...]:
    """Return a WorldInfo and a Viewpoint for a y-up world without: what is not written had other defaults."""
    if not nodes or release >= FIRST_Z_UP:
        return ()
    types = {node.type_name for node in nodes}
    place = SourceSpan(nodes[0].span.file, 1, 1, 1, 1)
    missing = ("WorldInfo", "Viewpoint")
    return tuple(NodeSyntax(x, None, (), place, place) for x in missing if x not in types)


def modern_items(
    items: tuple[ItemSyntax, ...],
    release: Release,
    log: DiagnosticLog,
    used_names: Collection[str] = (),
) -> tuple[ItemSyntax, ...]:
    """Return nodes of an older release in the form of today.

    Args:
        items: Top nodes of a world, or the body of a PROTO. PROTO instances in it may have been
            expanded: nodes that come from a PROTO are converted by the release of its file.
        release: The release that their file was written for.
        log: Takes what has to be converted by hand.
        used_names: DEF names that USE elsewhere in the file refers to.
    """
    conversion = _Conversion(release, log, set(used_names))
    order = conversion.survey(items)
    if all(conversion.release_of(node) >= FIRST_POSE for node, _ in order):
        return items
    return conversion.run(items, order)


def turned_instance(node: NodeSyntax, turn: Quat = CAMERA_TURN) -> NodeSyntax:
    """Return an instance of a shipped PROTO in an old world: rotation := rotation * turn.

    Shipped PROTOs were remade with x forward and z up; the instance turns them back. Nodes without a
    rotation (appearances) come back as they are.
    """
    if NODES.find(node.type_name) is not None and not _is_pose(node):
        return node
    return turned_after(node, AxisTurn(turn)) or node


def proto_turn(node: NodeSyntax) -> Quat | None:
    """Return the turn that a device of an old PROTO gets whenever the PROTO is read; None for all others.

    What is written to an instance of that PROTO has to be as it was before that turn.
    """
    home = node.origins[-1] if node.origins else node.scope
    if home is None or (parse_release(home.header) or NEWEST) >= FIRST_Z_UP:
        return None
    return _DEVICES.get(node.type_name)


@dataclass(slots=True)
class _Conversion:
    release: Release
    log: DiagnosticLog
    used_names: set[str] = field(default_factory=set[str])
    targets: dict[int, NodeSyntax] = field(default_factory=dict[int, NodeSyntax])
    done: dict[int, NodeSyntax] = field(default_factory=dict[int, NodeSyntax])
    within: set[int] = field(default_factory=set[int])
    """Nodes and USEs in the bounding objects and Physics of devices that are turned: they follow."""
    copies: int = 0
    """Nodes that stand in place of USE so far."""

    def run(
        self, items: tuple[ItemSyntax, ...], order: list[tuple[NodeSyntax, bool]]
    ) -> tuple[ItemSyntax, ...]:
        bounding = {id(node): is_bounding for node, is_bounding in order}
        for node in _inside_out(items):
            self.done[id(node)] = self._converted(node, is_bounding=bounding[id(node)])
        return tuple(self._placed(item) for item in items)

    def survey(self, items: tuple[ItemSyntax, ...]) -> list[tuple[NodeSyntax, bool]]:
        """Return all nodes in the order of the file, and find what each USE refers to."""
        order: list[tuple[NodeSyntax, bool]] = []
        named: dict[tuple[Scope | None, str], NodeSyntax] = {}
        stack: list[tuple[ItemSyntax, bool, bool]]
        stack = [(item, False, False) for item in reversed(items)]
        while stack:
            item, is_bounding, is_within = stack.pop()
            if is_within:
                self.within.add(id(item))
            if isinstance(item, UseSyntax):
                self.used_names.add(item.name)
                target = named.get((names_of(item.scope), item.name))
                if target is not None:
                    self.targets[id(item)] = target
            elif isinstance(item, NodeSyntax):
                order.append((item, is_bounding))
                if item.def_name:
                    named[names_of(item.scope), item.def_name] = item
                turns = item.type_name in _DEVICES and self._is_y_up(item)
                for part in reversed(item.fields):
                    below = is_bounding or part.name == "boundingObject"
                    within = is_within or (turns and part.name in ("boundingObject", "physics"))
                    inner = reversed(items_of(part.value))
                    stack.extend((thing, below, within) for thing in inner)
        return order

    def release_of(self, node: NodeSyntax) -> Release:
        """Return the release of the file in which a node was written."""
        home = node.origins[-1] if node.origins else node.scope
        if home is None:
            return self.release
        return parse_release(home.header) or NEWEST

    def _is_y_up(self, node: NodeSyntax) -> bool:
        return self.release_of(node) < FIRST_Z_UP

    # one node, its content being done

    def _converted(self, node: NodeSyntax, *, is_bounding: bool) -> NodeSyntax:
        turn = self._turn_for_children(node, is_bounding=is_bounding)
        fields = tuple([self._rebuilt(node, part, turn is not None) for part in node.fields])
        is_same = all(map(is_, fields, node.fields))
        out = node if is_same else replace(node, fields=fields)
        if turn is not None:
            out = self._or_complain(turned_after(out, turn), out)
        if self.release_of(node) >= FIRST_POSE:
            return out
        out = with_modern_names(out, self.release_of(node), self.log)
        if self._is_y_up(node):
            out = self._with_new_axes(node, out)
        return _as_pose(_with_projection(as_range_finder(out, self.log)))

    def _rebuilt(self, node: NodeSyntax, part: FieldSyntax, is_turned: bool) -> FieldSyntax:
        """Return a field with converted nodes; forms that stood upright get a Pose around them."""
        items = items_of(part.value)
        if not any(isinstance(item, _NODES) for item in items):
            return part
        keeps = node.type_name == "Shape" or (is_turned and part.name == "children")
        rebuilt = tuple(
            self._replaced(item) if keeps else self._placed(item, node, part) for item in items
        )
        if all(map(is_, rebuilt, items)):
            return part
        return part.with_value(with_items(part.value, rebuilt))

    def _replaced(self, item: ItemSyntax) -> ItemSyntax:
        if isinstance(item, NodeSyntax):
            return self.done[id(item)]
        target = self.targets.get(id(item))
        if target is None or not (id(item) in self.within or id(target) in self.within):
            return item
        # one of the two places is turned with its device, so each needs a node of its own
        return (self._copy_of(target) or item) if _is_turned_inside(target) else item

    def _copy_of(self, target: NodeSyntax) -> NodeSyntax | None:
        """Return the node that a USE stands for, as it was before its device was turned.

        None where there is none yet (it stands inside its own target), or where all copies together would
        be too many.
        """
        made = self.done.get(id(target))
        if made is None:
            return None
        self.copies += _count(made, MAX_COPIES - self.copies + 1)
        return _anonymous(made) if self.copies <= MAX_COPIES else None

    def _placed(
        self, item: ItemSyntax, parent: NodeSyntax | None = None, part: FieldSyntax | None = None
    ) -> ItemSyntax:
        """Return the converted item, in a Pose of its own if it has to be turned."""
        new = self._replaced(item)
        turn = self._upright_turn(item)
        if turn is None or not isinstance(new, NodeSyntax | UseSyntax):
            return new
        is_known = parent is None or NODES.find(parent.type_name) is not None
        is_form = self._target(item).type_name != "Shape"
        if is_form and (parent is None or not is_known):
            where = f"{parent.type_name}.{part.name}" if parent and part else "the top of a file"
            self.log.warning(
                "manual-conversion",
                item.span,
                f"a {self._target(item).type_name} stood along y before {FIRST_Z_UP}; it cannot be "
                f"turned in {where}: turn it by -90 degrees about x by hand.",
                node=parent.label if parent else "",
            )
            return new
        return wrapped(new, turn)

    # forms that stood along y

    def _target(self, item: ItemSyntax) -> NodeSyntax:
        target = self.targets.get(id(item)) if isinstance(item, UseSyntax) else item
        assert isinstance(target, NodeSyntax)
        return target

    def _upright_turn(self, item: ItemSyntax) -> AxisTurn | None:
        """Return the turn that a form (or the Shape that holds it) needs, or None."""
        node = self.targets.get(id(item)) if isinstance(item, UseSyntax) else item
        if isinstance(node, NodeSyntax) and node.type_name == "Shape":
            geometry = field_of(node, "geometry")
            inner = geometry.value if geometry else None
            node = self.targets.get(id(inner)) if isinstance(inner, UseSyntax) else inner
        if not isinstance(node, NodeSyntax) or node.type_name not in _UPRIGHT:
            return None
        if not self._is_y_up(node):
            return None
        return AxisTurn(shift=grid_shift(node)) if node.type_name == "ElevationGrid" else AxisTurn()

    def _turn_for_children(self, node: NodeSyntax, *, is_bounding: bool) -> AxisTurn | None:
        """Return the turn that a Pose itself can take over from the only form inside it."""
        if node.type_name not in ("Pose", "Transform"):
            return None
        part = field_of(node, "children")
        items = items_of(part.value) if part else ()
        if len(items) != 1 and not (is_bounding and items):
            return None
        if node.def_name not in (None, *self.used_names) and not is_bounding:
            return None  # programs find it by name: its frame stays; but USE may stand for it in bounds
        rotation = field_of(node, "rotation")
        if rotation is not None and isinstance(rotation.value, IsSyntax) and not is_bounding:
            return None  # its value is not known here; the form gets a Pose of its own
        return self._upright_turn(items[0])

    # devices and the nodes of the world

    def _with_new_axes(self, node: NodeSyntax, out: NodeSyntax) -> NodeSyntax:
        match node.type_name:
            case "WorldInfo":
                return modern_world_info(out, self.release, self.log)
            case "Viewpoint":
                return modern_viewpoint(out)
            case "ElevationGrid":
                return modern_grid(out, self.log)
            case name if name in _DEVICES:
                return self._turned_device(out, _DEVICES[name])
            case _:
                return out

    def _turned_device(self, node: NodeSyntax, rotation: Quat) -> NodeSyntax:
        turned = turned_after(node, AxisTurn(rotation))
        if turned is None:
            return self._or_complain(None, node)
        back = quat_conjugate(rotation)
        for name in _INSIDE:
            part = field_of(turned, name)
            if part is not None:
                items = tuple(self._seen_from(item, back) for item in items_of(part.value))
                turned = with_value(turned, name, with_items(part.value, items))
        part = field_of(turned, "boundingObject")
        if part is not None:
            bounding = self._bounding_seen_from(part.value, back)
            turned = with_value(turned, "boundingObject", bounding)
        part = field_of(turned, "physics")
        if part is not None and isinstance(part.value, NodeSyntax):
            turned = with_value(turned, "physics", turned_mass(part.value, back))
        return turned

    def _seen_from(self, item: ItemSyntax, back: Quat) -> ItemSyntax:
        """Return content of a turned device at the place where it was."""
        if isinstance(item, NodeSyntax):
            if item.type_name == "TrackWheel":  # stands in the plane of the track; its form turns
                part = field_of(item, "children")
                if part is None:
                    return item
                items = tuple(self._seen_from(inner, back) for inner in items_of(part.value))
                return with_value(item, "children", with_items(part.value, items))
            if _is_pose(item) and item.def_name not in self.used_names:
                return turned_before(item, back) or wrapped(item, AxisTurn(back))
        target = self.targets.get(id(item))
        if target is not None and target.type_name == "TrackWheel":
            return item  # it was turned where it stands, in another track
        if isinstance(item, NodeSyntax | UseSyntax):
            return wrapped(item, AxisTurn(back))
        return item

    def _bounding_seen_from(self, item: ItemSyntax | ListSyntax, back: Quat) -> ItemSyntax:
        """Return a bounding object at the place where it was; Poses may not be nested in it."""
        if isinstance(item, UseSyntax):
            return wrapped(item, AxisTurn(back))
        if not isinstance(item, NodeSyntax):
            return item if not isinstance(item, ListSyntax) else item.items[0]
        if _is_pose(item):
            return turned_before(item, back) or item
        if item.type_name == "Group":
            part = field_of(item, "children")
            if part is None:
                return item
            items = tuple(self._bounding_seen_from(inner, back) for inner in items_of(part.value))
            return with_value(item, "children", with_items(part.value, items))
        return wrapped(item, AxisTurn(back))

    def _or_complain(self, turned: NodeSyntax | None, node: NodeSyntax) -> NodeSyntax:
        if turned is not None:
            return turned
        self.log.warning(
            "manual-conversion",
            node.type_span,
            f"a {node.type_name} had other axes before {FIRST_Z_UP}; its rotation is no plain "
            "value, so it has to be turned by hand.",
            node=node.label,
        )
        return node


def _is_pose(node: NodeSyntax) -> bool:
    return NODES.find(node.type_name) is not None and NODES.derives(node.type_name, "Pose")


def _is_turned_inside(node: NodeSyntax) -> bool:
    """Whether what a node holds changes when it stands in a turned device (others get a Pose around them)."""
    if NODES.find(node.type_name) is None:
        return False
    return node.type_name == "Physics" or NODES.derives(node.type_name, "Group")


def _inside_out(items: tuple[ItemSyntax, ...]) -> list[NodeSyntax]:
    """Return all nodes, children before parents and what USE can refer to before the USE."""
    order: list[NodeSyntax] = []
    stack = list(items)
    while stack:
        item = stack.pop()
        if isinstance(item, NodeSyntax):
            order.append(item)
            stack.extend(inner for part in item.fields for inner in items_of(part.value))
    return order[::-1]


def _count(node: NodeSyntax, limit: int) -> int:
    """Return the number of nodes in a tree, or `limit` if there are more."""
    count, stack = 0, [node]
    while stack and count < limit:
        count += 1
        inner = (item for part in stack.pop().fields for item in items_of(part.value))
        stack.extend(item for item in inner if isinstance(item, NodeSyntax))
    return count


def _anonymous(node: NodeSyntax) -> NodeSyntax:
    """Return a copy without its DEF name (those inside are left, as USE finds the last one)."""
    return replace(node, def_name=None)


def _as_pose(node: NodeSyntax) -> NodeSyntax:
    """Return a Transform without scale as what it is called since R2023b: a Pose."""
    if node.type_name != "Transform" or numbers_in(node, "scale", (1.0, 1.0, 1.0)) != (1, 1, 1):
        return node
    return replace(without(node, "scale"), type_name="Pose")


def _with_projection(node: NodeSyntax) -> NodeSyntax:
    """Return a camera or lidar with `projection` in place of the old flag `spherical`."""
    if node.type_name not in ("Camera", "RangeFinder", "Lidar"):
        return node
    part = field_of(node, "spherical")
    if part is None or not isinstance(part.value, BoolSyntax):
        return node
    # the flag was on by default for lidars, off for the others
    changed = {"Lidar": (False, "planar")}.get(node.type_name, (True, "cylindrical"))
    out = without(node, "spherical")
    if field_of(node, "projection") is not None or part.value.value is not changed[0]:
        return out
    return with_value(out, "projection", StringSyntax(changed[1], part.span))
