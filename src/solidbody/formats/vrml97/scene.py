"""Turns VRML97 files into trees of named nodes; DEF names are node names, as in Choreonoid.

Nodes without anything to draw are kept: their names may be asked for. What moves, sounds or sends events
is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Vec3, scale
from solidbody.formats.assets import AssetError
from solidbody.formats.geometry.affine import ONE, Affine
from solidbody.formats.geometry.face_meshes import default_texture_coordinates
from solidbody.formats.geometry.trees import TreeNode, TreePart
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax
from solidbody.formats.vrml97.dialect import parse_vrml97
from solidbody.formats.vrml97.geometries import PlacedGeometry, forms_of
from solidbody.formats.vrml97.nodes import (
    FIELDS,
    LEFT_OUT,
    NOT_DRAWN,
    Home,
    NodeView,
    Vrml97Reading,
    resolved,
)
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from solidbody.model.geometry import GeometryMesh

MAX_BYTES: Final = 50_000_000
MAX_POINTS: Final = 2_000_000
"""Points of one file's meshes: extrusions and grids make many out of a short text."""
MAX_DEPTH: Final = 100
"""Nodes inside each other; what lies deeper is left out."""

_GROUPS: Final = {
    "Anchor": "children",
    "Billboard": "children",
    "Collision": "children",
    "Group": "children",
    "Transform": "children",
    "Switch": "choice",
    "LOD": "level",
}
"""Nodes that hold others, and the field that they are in."""


class SceneFiles(Protocol):
    """Finds what a file names."""

    def find(self, url: str, base: str) -> Path:
        """Return the file of a url that is written in the file `base`, or raise AssetError."""
        ...

    def address(self, url: str, base: str) -> str:
        """Return a url as it is to stand in the model."""
        ...

    def tree(self, path: Path) -> TreeNode | None:
        """Return what another file holds, or None after a message."""
        ...


def read_vrml97(path: Path, files: SceneFiles, log: DiagnosticLog) -> TreeNode | None:
    """Return the tree of a `.wrl` file, or None after a message."""
    text = read_text(str(path), log, max_bytes=MAX_BYTES)
    return None if text is None else read_vrml97_text(text, str(path), files, log)


def read_vrml97_text(
    text: str, name: str, files: SceneFiles, log: DiagnosticLog
) -> TreeNode | None:
    """Return the tree of a text as if it stood in the file `name`, or None after a message."""
    tree = parse_vrml97(text, name, log)
    return None if tree is None else SceneParts(tree, name, files, log).all()


class SceneParts:
    """Makes trees of single nodes of a file; those that come first in it are asked for first."""

    def __init__(self, tree: FileSyntax, name: str, files: SceneFiles, log: DiagnosticLog) -> None:
        self._nodes = tree.nodes
        self._home = Home()
        self._reading = Vrml97Reading(log, {proto.name: proto for proto in tree.protos})
        self._reader = _Reader(self._reading, files, name)

    def all(self) -> TreeNode:
        """Return the tree of the whole file."""
        return self._tree("", (resolved(item, self._home, self._reading) for item in self._nodes))

    def below(self, node: NodeSyntax, field: str, name: str) -> TreeNode:
        """Return a tree called `name` of the nodes in a field, whatever PROTO the node may have."""
        view = NodeView(node, self._home, self._reading, "")
        return self._tree(name, view.nodes(field))

    def _tree(self, name: str, views: Iterable[NodeView | None]) -> TreeNode:
        trees = (self._reader.read(view, 0) for view in views if view is not None)
        return TreeNode(name, children=tuple(tree for tree in trees if tree is not None))


@dataclass(slots=True)
class _Reader:
    reading: Vrml97Reading
    files: SceneFiles
    name: str
    _done: dict[tuple[int, int], TreeNode | None] = field(
        default_factory=dict[tuple[int, int], "TreeNode | None"]
    )
    _forms: dict[tuple[int, int], list[PlacedGeometry]] = field(
        default_factory=dict[tuple[int, int], list[PlacedGeometry]]
    )
    _points_left: int = MAX_POINTS
    _kept: list[NodeView] = field(default_factory=list[NodeView])
    """Nodes whose keys are in use here: kept alive, because the keys are made of their addresses."""

    def read(self, view: NodeView, depth: int) -> TreeNode | None:
        """Return the tree of a node; the same object for each USE of it."""
        if view.key in self._done:
            return self._done[view.key]
        if depth > MAX_DEPTH:
            view.warn("too-deep", f"more than {MAX_DEPTH} nodes inside each other; left out.")
            return None
        self._done[view.key] = None  # a node that uses itself finds nothing there
        self._kept.append(view)
        made = self._made(view, depth)
        self._done[view.key] = made
        return made

    def _made(self, view: NodeView, depth: int) -> TreeNode | None:
        if view.type in _GROUPS:
            return self._group(view, depth)
        if view.type == "Shape":
            return self._shape(view)
        if view.type == "Inline":
            return self._inline(view)
        if view.type in LEFT_OUT:
            self.reading.note(
                "unsupported-node",
                view.syntax.type_span,
                f'nodes of the type "{view.type}" are left out.',
            )
        elif view.type not in NOT_DRAWN:
            known = [*FIELDS, *self.reading.protos]
            self.reading.note(
                "unknown-node",
                view.syntax.type_span,
                f'"{view.type}" is no node of VRML97 and the file has no PROTO of that name; such '
                f"nodes are left out.{self.reading.guess(view.type, known)}",
            )
        return None

    def _group(self, view: NodeView, depth: int) -> TreeNode:
        nodes = view.nodes(_GROUPS[view.type])
        if view.type == "Switch":
            choice = view.integer("whichChoice", -1)
            nodes = nodes[choice : choice + 1] if choice >= 0 else []
        elif view.type == "LOD":
            nodes = nodes[:1]
        children = tuple(
            child for node in nodes if (child := self.read(node, depth + 1)) is not None
        )
        if view.type == "Transform":
            return _transform(view, children)
        return TreeNode(view.def_name, children=children)

    def _inline(self, view: NodeView) -> TreeNode | None:
        for url in view.strings("url"):
            try:
                path = self.files.find(url, self.name)
            except AssetError as error:
                view.warn("missing-mesh", f"the file {error}; it is left out.", name="url")
                continue
            tree = self.files.tree(path)
            if tree is not None:
                return TreeNode(view.def_name, children=(tree,))
        return None

    def _shape(self, view: NodeView) -> TreeNode | None:
        geometry = view.node("geometry")
        if geometry is None:
            return None
        appearance_node = view.node("appearance")
        appearance = None if appearance_node is None else self._appearance(appearance_node)
        if geometry.key not in self._forms:
            if self._points_left <= 0:
                self.reading.note(
                    "too-many-points",
                    view.syntax.type_span,
                    f"more than {MAX_POINTS} points; further shapes are left out.",
                )
                return None
            forms = self._forms[geometry.key] = forms_of(geometry)
            self._points_left -= sum(
                len(form.vertices) for form, _, _ in forms if isinstance(form, GeometryMesh)
            )
            self._kept.append(geometry)
        parts = tuple(_part(form, appearance) for form in self._forms[geometry.key])
        return TreeNode(view.def_name, parts=parts)

    def _appearance(self, view: NodeView) -> Appearance | None:
        texture = self._texture(view.node("texture"))
        transform_node = view.node("textureTransform")
        transform = None if transform_node is None else _texture_transform(transform_node)
        material = view.node("material")
        if material is None:
            if texture is None:
                return None
            return Appearance(texture=texture, texture_transform=transform)
        return Appearance(
            base_color=material.color("diffuseColor", (0.8, 0.8, 0.8)),
            emissive=material.color("emissiveColor", (0.0, 0.0, 0.0)),
            transparency=material.share("transparency", 0.0),
            specular=material.color("specularColor", (0.0, 0.0, 0.0)),
            shininess=material.share("shininess", 0.2),
            ambient=material.share("ambientIntensity", 0.2),
            texture=texture,
            texture_transform=transform if texture is not None else None,
        )

    def _texture(self, view: NodeView | None) -> Texture | None:
        if view is None:
            return None
        if view.type != "ImageTexture":
            self.reading.note(
                "unsupported-node",
                view.syntax.type_span,
                f'textures of the type "{view.type}" are not drawn.',
            )
            return None
        urls = view.strings("url")
        if not urls:
            return None
        repeat = (view.boolean("repeatS", True), view.boolean("repeatT", True))
        return Texture(self.files.address(urls[0], self.name), repeat)


def _part(form: PlacedGeometry, appearance: Appearance | None) -> TreePart:
    geometry, place, color = form
    if color is not None:
        appearance = replace(appearance or Appearance(), base_color=color)
    has_texture = appearance is not None and appearance.texture is not None
    if has_texture and isinstance(geometry, GeometryMesh) and not geometry.texture_coordinates:
        geometry = replace(geometry, texture_coordinates=default_texture_coordinates(geometry))
    return TreePart(geometry, place, appearance)


def _texture_transform(view: NodeView) -> TextureTransform:
    return TextureTransform(
        view.vec2("center", (0.0, 0.0)),
        view.number("rotation", 0.0),
        view.vec2("scale", (1.0, 1.0)),
        view.vec2("translation", (0.0, 0.0)),
    )


def _transform(view: NodeView, children: tuple[TreeNode, ...]) -> TreeNode:
    """Return translate, to centre, rotate, to scale axes, scale, and back.

    With a scale the node is rigid and the rest stands below it, so that picking it by name drops
    the same translation as in Choreonoid.
    """
    zero: Vec3 = (0.0, 0.0, 0.0)
    move = Affine.of(view.vec3("translation", zero))
    turn = Affine.of(rotation=view.rotation("rotation"))
    center = view.vec3("center", zero)
    factors = view.vec3("scale", ONE)
    to, back = Affine.of(center), Affine.of(scale(center, -1.0))
    if factors == ONE:
        return TreeNode(view.def_name, move * to * turn * back, children=children)
    axes = view.rotation("scaleOrientation")
    w, x, y, z = axes
    outer = move * to * turn * Affine.of(rotation=axes)
    inner = Affine.of(scale=factors) * Affine.of(rotation=(w, -x, -y, -z)) * back
    below = TreeNode("", inner, children=children)
    return TreeNode(view.def_name, outer, children=(below,))
