"""Nodes that can be inserted at a place of a world file, and the text of new ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Vec3, add, scale
from solidbody.formats.assets import AssetFinder
from solidbody.formats.options import DEFAULT_OPTIONS
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.proto import ProtoDefinition, read_proto
from solidbody.formats.vrml.syntax import (
    FileSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
    ParameterSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.edit.paths import value_of, with_field
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.standin_protos import find_own, own_names
from solidbody.formats.webots.protos.standin_urls import standard_url
from solidbody.formats.webots.releases.release import FIRST_EXTERN_PROTO, NEWEST, parse_release
from solidbody.formats.webots.write.text import number_text
from solidbody.viewer.protocol_work import WireSlot

READY: Final = {
    "box that falls": "Box { size 0.3 0.3 0.3 }",
    "ball that rolls": "Sphere { radius 0.15 subdivision 3 }",
    "cylinder that falls": "Cylinder { radius 0.15 height 0.3 }",
    "capsule that falls": "Capsule { radius 0.1 height 0.2 }",
    "wall": "Box { size 2 0.1 1 }",
    "ramp": "Box { size 1.5 1 0.05 }",
}
"""Solids ready to use by what they are called: their form, for shape and bounding object."""

STANDING: Final = {"wall": (0.5, "0 0 1 0"), "ramp": (0.22, "0 1 0 -0.3")}
"""Those that stay where they are: how high their middle is put [m], and how they are turned."""

ABOVE: Final = 0.4
"""[m] How far above the place that was asked for they are put."""

ROOT_WITHIN: Final = 100_000
"""Characters of a PROTO file within which its root node must begin; meshes of many megabytes follow."""

BESIDE: Final = 0.3
"""[m] How far a copy is from its original, along x and along y."""

TOP_NODES: Final = (
    "Solid", "Robot", "Group", "Pose", "Transform", "Charger", "Fluid", "Shape", "CadShape", "Background",
    "Fog", "DirectionalLight", "PointLight", "SpotLight",
)  # fmt: skip
"""Node types of today that stand at the top of a world."""

BOUNDING_NODES: Final = ("Geometry", "Shape", "Pose", "Group")
NOT_BOUNDING: Final = frozenset({"Cone", "PointSet", "IndexedLineSet"})

_DEPRECATED: Final = frozenset(row.name for row in NODES if row.is_gone)
_COUNTED: Final = re.compile(r"\(\d+\)\Z")
"""What the name of a copy ends with."""

_BODY: Final = re.compile(r"([A-Z]\w*)\s*\{")
_SKIPPED: Final = re.compile(
    r'#[^\n\r]*|"(?:[^"\\]|\\.)*"|%<.*?>%|%\{.*?\}%|[\[\]{}]|\bPROTO\b', re.DOTALL
)


# --------------------------------------------------------------------------- what fits


def top_slot(tree: FileSyntax, protos: Mapping[str, str]) -> WireSlot:
    """Return what can be put at the top of a file; `protos` are those of `proto_bases`."""
    there = {node.type_name for node in tree.nodes}
    names = [name for name in TOP_NODES if name not in ("Background", "Fog") or name not in there]
    bases = ("Solid", "Group", "Shape", "Light", "CadShape")
    return WireSlot("", False, list(READY), names, _fitting(protos, bases))


def node_slots(
    node: NodeSyntax, protos: Mapping[str, str], *, is_bounding: bool
) -> Iterator[WireSlot]:
    """Yield the fields of a built-in node that take nodes, and what fits into each."""
    for row in NODES.fields(node.type_name).values():
        if row.type.item != "node" or row.until:
            continue
        within = is_bounding or row.name == "boundingObject"
        bases = BOUNDING_NODES if within else row.nodes
        names = [name for name in _derived(bases) if within or name not in _geometries(bases)]
        if within:
            names = [name for name in names if name not in NOT_BOUNDING | {"Transform"}]
            names = [name for name in names if not NODES.derives(name, "Solid")]
        fitting = _fitting(protos, bases)
        yield _slot(row.name, value_of(node, row.name), row.type.is_list, names, bases, fitting)


def parameter_slots(
    node: NodeSyntax, parameters: Iterable[ParameterSyntax], protos: Mapping[str, str]
) -> Iterator[WireSlot]:
    """Yield the parameters of a PROTO instance that take nodes."""
    for item in parameters:
        if not item.type_name.endswith("Node"):
            continue
        words = [word.type_name for word in item.allowed if isinstance(word, NodeSyntax)]
        types = {row.name for row in NODES}
        bases = (
            tuple(name for name in words if name in types)
            or NODES.fields("Group")["children"].nodes
        )
        names = [name for name in _derived(bases) if name not in _geometries(bases)]
        is_list = item.type_name.startswith("MF")
        fitting = _fitting(protos, bases)
        yield _slot(item.name, value_of(node, item.name), is_list, names, bases, fitting)


def _slot(
    name: str,
    value: ValueSyntax | None,
    is_list: bool,
    nodes: list[str],
    bases: tuple[str, ...],
    protos: list[str],
) -> WireSlot:
    held = [item for item in ([] if value is None else items_of(value)) if _is_node(item)]
    ready = list(READY) if "Solid" in nodes and "Group" in bases else []
    return WireSlot(name, bool(held) and not is_list, ready, nodes, protos)


def _derived(bases: tuple[str, ...]) -> list[str]:
    """Return the node types of today that derive from any of some; all of them if there are none."""
    return [
        row.name
        for row in NODES
        if not row.is_abstract
        and not row.unsupported
        and row.name not in _DEPRECATED
        and (not bases or any(NODES.derives(row.name, base) for base in bases))
    ]


def _geometries(bases: tuple[str, ...]) -> frozenset[str]:
    """Return the geometries if they are allowed only because the field also serves bounding objects."""
    is_mixed = "Geometry" in bases and "Group" in bases
    return frozenset(_derived(("Geometry",))) if is_mixed else frozenset()


def _is_node(item: object) -> bool:
    return isinstance(item, NodeSyntax | UseSyntax)


def _fitting(protos: Mapping[str, str], bases: tuple[str, ...]) -> list[str]:
    """Return the PROTOs that come out as any of some node types."""
    bases = tuple(base for base in bases if base != "Geometry")
    return [
        name
        for name, base in protos.items()
        if any(NODES.derives(base, allowed) for allowed in bases)
    ]


def proto_bases(world: str) -> dict[str, str]:
    """Return the node type that each PROTO at hand comes out as: those of the world's project, then ours."""
    found = {name: _root_type(path) for name, path in project_protos(world).items()}
    return _built_in({**found, **{n: b for n, b in _own_texts().items() if n not in found}})


def project_protos(world: str) -> dict[str, Path]:
    """Return the PROTO files of the project that a world belongs to, and that it may read."""
    finder = AssetFinder(world, DEFAULT_OPTIONS)
    folder = Path(world).absolute().parent.parent / "protos"
    paths = (path for path in sorted(folder.rglob("*.proto")) if finder.may_read(path))
    return {path.stem: path for path in paths}


def _root_type(path: Path) -> str:
    """Return the type of the root node of a PROTO file; empty for one that cannot be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return proto_base(file.read(ROOT_WITHIN))
    except OSError:
        return ""


@cache
def _own_texts() -> dict[str, str]:
    """Return the type of the root node of each PROTO of ours."""
    return {name: proto_base(own.text) for name in own_names() if (own := find_own(name))}


def _built_in(found: Mapping[str, str]) -> dict[str, str]:
    """Return the PROTOs that come out as a built-in node, if need be by way of others, and as which."""
    types = {row.name for row in NODES}

    def base_of(name: str, depth: int = 0) -> str:
        base = found.get(name, "")
        return base if base in types or depth > 9 else base_of(base, depth + 1)

    # what ours have in common is of no use alone
    names = (name for name in found if not name.startswith("Own"))
    return {name: base for name in names if (base := base_of(name)) in types}


def proto_base(text: str) -> str:
    """Return the type of the first node in the body of a PROTO's text; empty if there is none."""
    stage, depth, start = "before", 0, len(text)
    for match in _SKIPPED.finditer(text):
        piece = match.group()
        if stage == "before":
            stage = "interface" if piece == "PROTO" else stage
        elif stage == "interface":
            depth += (piece == "[") - (piece == "]")
            stage = "body" if piece == "]" and depth == 0 else stage
        elif piece == "{":
            start = match.end()
            break
    body = re.sub(r"#[^\n\r]*|%<.*?>%|%\{.*?\}%", " ", text[start:], flags=re.DOTALL)
    first = _BODY.search(body)
    return first.group(1) if first else ""


# --------------------------------------------------------------------------- what is put there


def new_text(what: str, tree: FileSyntax, world: str, at: Vec3 | None, up: Vec3) -> str:
    """Return the nodes that a name of a list, or a text, stands for.

    Args:
        what: The name, or the nodes as in a file.
        tree: Where they go to.
        world: The file of the tree: PROTOs of its project are known.
        at: Where in the world to put what is at the top [m]; None = where it is by itself.
        up: Direction away from the ground.
    """
    if "{" in what:
        return what
    if what in READY:
        height = STANDING[what][0] if what in STANDING else ABOVE
        return _ready(what, tree, world, None if at is None else add(at, scale(up, height)))
    fields: list[str] = []
    known = _known_fields(what, world)
    if at is not None and "translation" in known:
        fields.append(f"translation {_numbers(at)}")
    if known.get("name"):
        taken = _names(tree, world)
        if known["name"] in taken:
            fields.append(f'name "{_free(known["name"], taken)}"')
    return f"{what} {{ {' '.join(fields)} }}"


def needed_protos(what: str, tree: FileSyntax, world: str) -> tuple[str, ...]:
    """Return the urls that a file must declare for a PROTO: releases before R2022b declare none.

    Args:
        what: Its name; anything else needs nothing.
        tree: The file.
        world: Where it is: PROTOs of its project are named from there.
    """
    if (parse_release(tree.header) or NEWEST) < FIRST_EXTERN_PROTO:
        return ()
    file = project_protos(world).get(what)
    if file is not None:
        return (Path(os.path.relpath(file, Path(world).absolute().parent)).as_posix(),)
    if what not in _own_texts():
        return ()
    return (standard_url(what, tree.externs) or f"{what}.proto",)


def _ready(what: str, tree: FileSyntax, world: str, at: Vec3 | None) -> str:
    name = _free(what.partition(" ")[0], _names(tree, world))
    place = "" if at is None else f"translation {_numbers(at)} "
    color, last = "0.9 0.45 0.1", "physics Physics { } "
    if what in STANDING:
        place += f"rotation {STANDING[what][1]} "
        color, last = "0.7 0.7 0.68", ""
    return (
        f'Solid {{ {place}name "{name}" children [ Shape {{ appearance PBRAppearance {{'
        f" baseColor {color} roughness 0.6 metalness 0 }} geometry {READY[what]} }} ]"
        f" boundingObject {READY[what]} {last}}}"
    )


def instance_text(definition: ProtoDefinition, tree: FileSyntax, world: str, at: Vec3) -> str:
    """Return an instance of a PROTO, at a place and with a name of its own."""
    fields: list[str] = []
    if "translation" in definition.parameters:
        fields.append(f"translation {_numbers(at)}")
    name = definition.parameters.get("name")
    if name is not None and isinstance(name.default, StringSyntax):
        fields.append(f'name "{_free(name.default.value, _names(tree, world))}"')
    return f"{definition.name} {{ {' '.join(fields)} }}"


def mesh_text(name: str, url: str, tree: FileSyntax, world: str, at: Vec3) -> str:
    """Return a body that looks and collides as a mesh of a file does."""
    free = _free(_quoted(name), _names(tree, world))
    form = f'Mesh {{ url [ "{_quoted(url)}" ] }}'
    return (
        f'Solid {{ translation {_numbers(at)} name "{free}" children [ Shape {{ appearance PBRAppearance {{'
        f" baseColor 0.75 0.75 0.72 roughness 0.6 metalness 0 }} geometry {form} }} ]"
        f" boundingObject {form} }}"
    )


def _quoted(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")


def _known_fields(type_name: str, world: str) -> dict[str, str]:
    """Return the names of the fields of a node type or a PROTO at hand, with the default of `name`."""
    if NODES.find(type_name) is not None:
        rows = NODES.fields(type_name)
        return {name: str(row.default) if name == "name" else "" for name, row in rows.items()}
    found = _definition(type_name, world)
    if found is None:
        return {}
    return {
        name: item.default.value if isinstance(item.default, StringSyntax) else ""
        for name, item in found.parameters.items()
    }


def _definition(name: str, world: str) -> ProtoDefinition | None:
    """Return a PROTO of the project or of ours; None = there is none, or it cannot be read."""
    path = project_protos(world).get(name)
    if path is not None:
        try:
            text = path.read_text("utf-8", "replace")
        except OSError:
            return None
        return read_proto(text, str(path), name, DiagnosticLog())
    own = find_own(name)
    return None if own is None else read_proto(own.text, own.file, own.name, DiagnosticLog())


def copied_node(node: NodeSyntax, tree: FileSyntax, world: str) -> NodeSyntax:
    """Return a copy of a node, a bit beside it.

    Its names are free ones: its own, and those by which USE refers to its parts.
    """
    defs = {inner.def_name: "" for inner in _inside(node) if inner.def_name}
    taken = {inner.def_name for top in tree.nodes for inner in _inside(top) if inner.def_name}
    for name in defs:
        defs[name] = _free(name, taken, "{}_{}")
        taken.add(defs[name])
    copy = _renamed(node, defs)
    name = value_of(node, "name")
    if isinstance(name, StringSyntax):
        free = _free(_COUNTED.sub("", name.value), _names(tree, world))
        copy = with_field(copy, "name", replace(name, value=free))
    place = value_of(node, "translation")
    if isinstance(place, NumbersSyntax) and len(place.values) == 3:
        x, y, z = place.values
        copy = with_field(copy, "translation", replace(place, values=(x + BESIDE, y + BESIDE, z)))
    return copy


def _renamed(node: NodeSyntax, defs: dict[str, str]) -> NodeSyntax:
    def value(old: ValueSyntax) -> ValueSyntax:
        if isinstance(old, ListSyntax):
            return replace(old, items=tuple(_renamed_item(item, defs) for item in old.items))
        return _renamed_item(old, defs)

    fields = tuple(part.with_value(value(part.value)) for part in node.fields)
    own = defs.get(node.def_name, node.def_name) if node.def_name else None
    return replace(node, def_name=own, fields=fields)


def _renamed_item(item: ItemSyntax, defs: dict[str, str]) -> ItemSyntax:
    if isinstance(item, NodeSyntax):
        return _renamed(item, defs)
    if isinstance(item, UseSyntax):
        return replace(item, name=defs.get(item.name, item.name))
    return item


def _inside(node: NodeSyntax) -> Iterator[NodeSyntax]:
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        for part in here.fields:
            stack += [item for item in items_of(part.value) if isinstance(item, NodeSyntax)]


def _names(tree: FileSyntax, world: str) -> set[str]:
    """Return the names of the solids of a file, those of types without a written name included."""
    names: set[str] = set()
    for top in tree.nodes:
        written = value_of(top, "name")
        if isinstance(written, StringSyntax):
            names.add(written.value)
        elif default := _known_fields(top.type_name, world).get("name"):
            names.add(default)
    return names


def _free(name: str, taken: Iterable[str | None], form: str = "{}({})") -> str:
    used = set(taken)
    if name not in used:
        return name
    return next(new for k in count(1) if (new := form.format(name, k)) not in used)


def _numbers(values: Vec3) -> str:
    return " ".join(number_text(round(value, 3)) for value in values)
