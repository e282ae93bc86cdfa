"""Reads Resource nodes: meshes and scenes from other files, each file once (docs/behaviour, C9.1).

A file that is missing or broken is an error at the node that names it; the rest of the body stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import (
    MAX_FILE_BYTES,
    MAX_INCLUDES,
    BudgetError,
    Cost,
    load_budget,
)
from solidbody.base.span import SourceSpan
from solidbody.formats.assets import AssetError
from solidbody.formats.choreonoid.body.geometries import BodyGeometry
from solidbody.formats.choreonoid.body.metadata import AXES, metadata_of
from solidbody.formats.choreonoid.body.node_transforms import NodeTransform
from solidbody.formats.choreonoid.body.uris import BodyFiles
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.shapes import (
    LENGTH_UNITS,
    ResourceFileKeys,
    ResourceGeometryKeys,
)
from solidbody.formats.choreonoid.keys.yaml_tree import (
    YamlDocument,
    YamlList,
    YamlMap,
    YamlNode,
    YamlScalar,
    parse_yaml,
    size_of,
)
from solidbody.formats.geometry.affine import Affine
from solidbody.formats.geometry.forms import creased
from solidbody.formats.geometry.placing import Placer
from solidbody.formats.geometry.trees import TreeError, TreeNode
from solidbody.formats.mesh_trees import KINDS, read_mesh_tree
from solidbody.formats.meshes import MeshError
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml97.scene import read_vrml97
from solidbody.model.geometry import Geometry, GeometryLines, GeometryMesh, GeometryPoints
from solidbody.model.shapes import Shape, ShapeRole

T = TypeVar("T")

NAMED_AGAIN: Final = 250
"""What a file that is named again counts for, besides its values."""

MAX_SHAPES: Final = 200_000
"""Shapes of all bodies together, with every repetition counted; each takes about 500 bytes."""

MAX_POINTS: Final = 5_000_000
"""Points of all their meshes, shared ones counted once; each takes about 150 bytes with its normals."""

YAML_KINDS: Final = (".yaml", ".yml")
SCENE_KIND: Final = ".scen"
VRML_KINDS: Final = (".wrl", ".vrml")
_KNOWN: Final = (*YAML_KINDS, SCENE_KIND, *VRML_KINDS, *(f".{kind}" for kind in KINDS))


@dataclass(frozen=True, slots=True)
class ResourceNodes:
    """Nodes of a YAML file, to be read as elements where the Resource stands.

    Attributes:
        nodes: Each a list or mapping of elements.
        identity: File and anchor names.
    """

    nodes: tuple[YamlNode, ...]
    identity: tuple[str, ...]


@dataclass(slots=True)
class _Files:
    """What was read so far, for all body files that belong together."""

    trees: dict[str, TreeNode | str] = field(default_factory=dict[str, "TreeNode | str"])
    adjusted: dict[tuple[str, str, str], TreeNode] = field(
        default_factory=dict[tuple[str, str, str], TreeNode]
    )
    named: dict[int, dict[str, tuple[TreeNode, TreeNode]]] = field(
        default_factory=dict[int, dict[str, tuple[TreeNode, TreeNode]]]
    )
    remembered: dict[tuple[int, str], tuple[YamlNode, Any]] = field(
        default_factory=dict[tuple[int, str], "tuple[YamlNode, Any]"]
    )
    sizes: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    open_trees: list[str] = field(default_factory=list[str])
    open_nodes: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    shapes_left: int = field(default_factory=lambda: MAX_SHAPES)
    points_left: int = field(default_factory=lambda: MAX_POINTS)
    is_full: bool = False
    counted: dict[int, Geometry] = field(default_factory=dict[int, "Geometry"])


class Resources:
    """Reads what Resource nodes name, and remembers it."""

    def __init__(self, files: BodyFiles, log: DiagnosticLog, *, check_images: bool = False) -> None:
        self.files = files
        self.check_images = check_images
        self.placer = Placer()
        self._log = log
        self._read = _Files()
        self._anchors: Mapping[str, YamlNode] = {}
        self._documents: dict[str, YamlDocument | None] = {}
        self._refused: set[tuple[str, str]] = set()
        self._picked: dict[str, set[str]] = {}  # file -> names that some node takes out of it
        self._hidden_in: dict[str, frozenset[TreeNode]] = {}

    def with_anchors(
        self, anchors: Mapping[str, YamlNode], root: YamlNode | None = None
    ) -> Resources:
        """Return resources for another file of the same body, which share what was read so far.

        Args:
            anchors: Of the file; YAML files that it takes parts from see them.
            root: Its tree: a node that is taken out of a mesh file by name no longer stands in that
                file for the others.
        """
        other = Resources(self.files, self._log, check_images=self.check_images)
        other.placer = self.placer
        other._read = self._read
        other._anchors = anchors
        if root is not None:
            other._find_picks(root)
        return other

    # ------------------------------------------------------------------------------------ interface

    def load(
        self, keys: Keys, place: NodeTransform, role: ShapeRole
    ) -> tuple[Shape, ...] | ResourceNodes:
        """Return what a Resource node stands for: shapes, or nodes to be read as elements.

        Args:
            keys: Of the node; its own transform is left to the caller.
            place: Of the node, its own transform included.
            role: What shapes are for.
        """
        found = self._path(keys)
        names = keys.read(ResourceFileKeys.fragment)
        if found is None:
            keys.node(ResourceFileKeys.metadata)
            return ()
        uri, path = found
        kind = path.suffix.lower()
        if kind in YAML_KINDS or kind == SCENE_KIND:
            keys.node(ResourceFileKeys.metadata)
            return self._nodes(keys, uri, path, names)
        tree = self._adjusted(keys, uri, path)
        if tree is None:
            return ()
        hidden = self._hidden(tree, str(path))
        shapes: list[Shape] = []
        for picked in self._picks(keys, uri, tree, names):
            shapes.extend(self._shapes(keys, uri, picked, hidden, place, role))
        return tuple(shapes)

    @contextmanager
    def opened(self, found: ResourceNodes) -> Generator[None]:
        """Mark nodes as being read, so that a file that takes parts from itself is noticed."""
        self._read.open_nodes.append(found.identity)
        try:
            yield
        finally:
            self._read.open_nodes.pop()

    def form(self, keys: Keys) -> BodyGeometry | None:
        """Return the only mesh of the file that a geometry of type Resource names."""
        found = self._path(keys)
        names = keys.read(ResourceFileKeys.fragment)
        crease = keys.read(ResourceGeometryKeys.crease_angle)
        keys.read(ResourceGeometryKeys.remove_redundant_vertices)
        if found is None:
            return None
        uri, path = found
        if path.suffix.lower() in (*YAML_KINDS, SCENE_KIND):
            keys.error(
                "wrong-resource",
                ResourceFileKeys.uri,
                f'"{uri}" is no mesh file; the shape is left out.',
            )
            return None
        tree = self._adjusted(keys, uri, path)
        trees = [] if tree is None else self._picks(keys, uri, tree, names)
        if not trees:
            return None
        meshes = [
            (part, place)
            for picked in trees
            for part, place, _ in self._parts(keys, uri, picked, frozenset())
            if isinstance(part.geometry, GeometryMesh) or not is_drawn_only(part.geometry)
        ]
        if len(meshes) != 1:
            keys.error(
                "wrong-resource",
                ResourceFileKeys.uri,
                f'a geometry must be exactly one mesh, "{uri}" has {len(meshes)}; the shape is left '
                "out. A Resource node takes all of them.",
            )
            return None
        part, place = meshes[0]
        geometry = part.geometry
        if crease is not None and isinstance(geometry, GeometryMesh):
            geometry = self.remembered(keys.yaml, "creased", lambda: creased(geometry, crease))
        return BodyGeometry(geometry, place, part.divisions)

    def refuses(self, keys: Keys) -> bool:
        """Whether the bodies have as much as may be kept; said once, at the first node left out."""
        read = self._read
        if read.points_left > 0 and read.shapes_left > 0:
            return False
        if not read.is_full:
            read.is_full = True
            keys.error(
                "too-many-shapes",
                "",
                f"more than {MAX_SHAPES} shapes or {MAX_POINTS} points; from here on they are left out.",
            )
        return True

    def shape(
        self, keys: Keys, form: BodyGeometry, place: NodeTransform, role: ShapeRole
    ) -> Shape | None:
        """Return a form at a place; None if nothing of it is left, or after a message.

        Args:
            keys: Of the node, for messages.
            form: In the coordinates of the place.
            place: On the link.
            role: What it is for; lines and points are drawn only.
        """
        drawn_only = is_drawn_only(form.geometry)
        if drawn_only and role is ShapeRole.COLLISION:
            return None
        if self.refuses(keys):
            return None
        whole = Affine(place.linear, place.position) * form.place
        if not whole.is_finite:
            keys.error(
                "wrong-place", "", "its place is too far away to be computed with; it is left out."
            )
            return None
        found = self.placer.placed(form.geometry, whole, form.divisions)
        if found is None:
            return None
        self._read.shapes_left -= 1
        geometry, pose = found
        if isinstance(geometry, GeometryMesh) and id(geometry) not in self._read.counted:
            self._read.counted[id(geometry)] = geometry
            self._read.points_left -= len(geometry.vertices)
        return Shape(geometry, pose, ShapeRole.VISUAL if drawn_only else role, span=keys.span)

    def remembered(self, node: YamlNode, what: str, make: Callable[[], T]) -> T:
        """Return what `make` gave for a YAML node the first time; aliases are the same node."""
        key = (id(node), what)
        if key not in self._read.remembered:
            self._read.remembered[key] = (node, make())
        return cast("T", self._read.remembered[key][1])

    # ------------------------------------------------------------- files named inside files (VRML97)

    def find(self, url: str, base: str) -> Path:
        """Return the file of a url that is written in the file `base`, or raise AssetError."""
        return self.files.find(url, base)

    def address(self, url: str, base: str) -> str:
        """Return a url as it is to stand in the model; what may not be read is told once."""
        reason = self.files.refusal(url, base)
        if reason and (url, base) not in self._refused:
            self._refused.add((url, base))
            place = SourceSpan(base, 1, 1, 1, 1)
            self._log.warning("refused-file", place, f'"{url}" is not read: {reason}.')
        return self.files.address(url, base)

    def tree(self, path: Path) -> TreeNode | None:
        """Return what a mesh or VRML file holds, or None after a message."""
        found = self._tree(path)
        if isinstance(found, TreeNode):
            return found
        self._log.error(
            "broken-mesh", SourceSpan(str(path), 1, 1, 1, 1), f"{found}; it is left out."
        )
        return None

    def keep_tree(self, file: str, tree: TreeNode) -> None:
        """Take a tree for what a file holds, which need not be read again."""
        self._read.trees[os.path.realpath(file)] = tree

    def keep_parts(self, file: str, parts: Sequence[TreeNode]) -> None:
        """Take named parts for what a file holds, which are found by these names alone."""
        tree = TreeNode(children=tuple(parts))
        self.keep_tree(file, tree)
        self._read.named[id(tree)] = {part.name: (part, part) for part in parts}

    # -------------------------------------------------------------------------------------- reading

    def _path(self, keys: Keys) -> tuple[str, Path] | None:
        """Return the uri and file of a Resource, or None after a message."""
        written = keys.find(ResourceFileKeys.uri)
        uri = keys.read(ResourceFileKeys.uri)
        if written is None or not uri:
            if written is None or isinstance(written[1], YamlScalar):
                keys.error(
                    "missing-key", ResourceFileKeys.uri, "a Resource needs the address of a file."
                )
            return None
        try:
            path = self.files.find(uri, written[1].span.file)
        except AssetError as error:
            copy = self.files.own_copy(uri)
            if copy is None:
                code = "refused-file" if error.is_refused else "missing-mesh"
                text = f'the file "{uri}" cannot be used: {error.text}; it is left out.'
                keys.error(code, ResourceFileKeys.uri, text)
                return None
            text = f'"{uri}" cannot be read; "{copy}" is taken for it.'
            keys.warning("other-address", ResourceFileKeys.uri, text)
            path = Path(copy)
        if path.suffix.lower() not in _KNOWN:
            keys.error(
                "unknown-mesh",
                ResourceFileKeys.uri,
                f'files like "{uri}" cannot be read; known: {", ".join(_KNOWN)}. It is left out.',
            )
            return None
        return uri, path

    def _tree(self, path: Path) -> TreeNode | str:
        """Return the tree of a file, or what is wrong with it."""
        name = str(path)
        identity = os.path.realpath(name)
        if identity in self._read.open_trees:
            return "it takes parts from itself"
        if len(self._read.open_trees) > MAX_INCLUDES:
            return f"files take parts from each other more than {MAX_INCLUDES} deep"
        if identity not in self._read.trees:
            self._read.open_trees.append(identity)
            self._read.trees[identity] = self._fresh_tree(path)
            self._read.open_trees.pop()
        return self._read.trees[identity]

    def _fresh_tree(self, path: Path) -> TreeNode | str:
        if path.suffix.lower() in VRML_KINDS:
            tree = read_vrml97(path, self, self._log)
            return "it is no VRML97 file" if tree is None else tree
        try:
            return read_mesh_tree(path, lambda url: self.address(url, str(path)), self.files.access)
        except MeshError as error:
            return str(error)

    def _adjusted(self, keys: Keys, uri: str, path: Path) -> TreeNode | None:
        """Return the tree of a file in metres with z up, or None after a message."""
        unit, axis = metadata_of(keys)
        tree = self._tree(path)
        if isinstance(tree, str):
            keys.error(
                "broken-mesh",
                ResourceFileKeys.uri,
                f'the file "{uri}" cannot be used: {tree}; it is left out.',
            )
            return None
        if (unit, axis) == ("meter", "Z"):
            return tree
        key = (os.path.realpath(path), unit, axis)
        if key not in self._read.adjusted:
            factor = LENGTH_UNITS[unit]
            place = AXES[axis] * Affine.of(scale=(factor, factor, factor))
            self._read.adjusted[key] = TreeNode("", place, children=(tree,))
        return self._read.adjusted[key]

    def _picks(
        self, keys: Keys, uri: str, tree: TreeNode, names: tuple[str, ...]
    ) -> list[TreeNode]:
        """Return the nodes of those names, or the whole tree without names."""
        if not names:
            return [tree]
        picked: list[TreeNode] = []
        named = self._named(tree)
        for name in names:
            if name in named:
                picked.append(named[name][0])
                continue
            keys.error(
                "unknown-mesh-node",
                keys.written(ResourceFileKeys.fragment),
                f'"{uri}" has no node "{name}"; it is left out.'
                + keys.reading.guess(name, named.keys()),
            )
        return picked

    def _named(self, tree: TreeNode) -> dict[str, tuple[TreeNode, TreeNode]]:
        """Return the nodes of a tree by name; trees are kept, so their ids stay theirs."""
        if id(tree) not in self._read.named:
            self._read.named[id(tree)] = tree.by_name()
        return self._read.named[id(tree)]

    def _hidden(self, tree: TreeNode, path: str) -> frozenset[TreeNode]:
        """Return the nodes that some Resource takes out of a file: they stand in it no longer."""
        if path not in self._hidden_in:
            named = self._named(tree)
            names = self._picked.get(path, set[str]())
            self._hidden_in[path] = frozenset(named[name][1] for name in names if name in named)
        return self._hidden_in[path]

    def _parts(
        self, keys: Keys, uri: str, tree: TreeNode, hidden: frozenset[TreeNode]
    ) -> Iterator[tuple[Any, Affine, str]]:
        try:
            yield from tree.placed_parts(hidden)
        except TreeError as error:
            keys.error(
                "broken-mesh", ResourceFileKeys.uri, f'"{uri}": {error}; the rest is left out.'
            )

    def _shapes(
        self,
        keys: Keys,
        uri: str,
        tree: TreeNode,
        hidden: frozenset[TreeNode],
        place: NodeTransform,
        role: ShapeRole,
    ) -> Iterator[Shape]:
        for part, inner, name in self._parts(keys, uri, tree, hidden):
            form = BodyGeometry(part.geometry, inner, part.divisions)
            shape = self.shape(keys, form, place, role)
            if shape is not None:
                yield replace(shape, appearance=part.appearance, name=name)
            elif self.refuses(keys):
                return

    # ----------------------------------------------------------------------------------- YAML files

    def _nodes(
        self, keys: Keys, uri: str, path: Path, names: tuple[str, ...]
    ) -> tuple[Shape, ...] | ResourceNodes:
        identity = (os.path.realpath(path), *names)
        if identity in self._read.open_nodes or len(self._read.open_nodes) > MAX_INCLUDES:
            keys.error(
                "include-circle",
                ResourceFileKeys.uri,
                f'"{uri}" takes parts from itself; left out.',
            )
            return ()
        document = self._document(path)
        if document is None:
            keys.error(
                "broken-mesh",
                ResourceFileKeys.uri,
                f'the file "{uri}" could not be read; left out.',
            )
            return ()
        if not names:
            root = document.root
            if path.suffix.lower() == SCENE_KIND and isinstance(root, YamlMap):
                root = root.get("scene") or root
            return self._paid_for(keys, ResourceNodes((root,), identity))
        nodes: list[YamlNode] = []
        for name in names:
            node = document.anchors.get(name)
            if node is None:
                keys.error(
                    "unknown-anchor",
                    keys.written(ResourceFileKeys.fragment),
                    f'"{uri}" has no anchor "{name}"; it is left out.'
                    + keys.reading.guess(name, document.anchors.keys()),
                )
            else:
                nodes.append(node)
        return self._paid_for(keys, ResourceNodes(tuple(nodes), identity))

    def _paid_for(self, keys: Keys, found: ResourceNodes) -> tuple[Shape, ...] | ResourceNodes:
        """Return nodes that may be read again; none after a message when there are too many."""
        sizes = self._read.sizes
        if found.identity not in sizes:
            sizes[found.identity] = sum(size_of(node) for node in found.nodes)
            return found
        try:
            load_budget().spend(Cost.YAML_VALUES, NAMED_AGAIN + sizes[found.identity])
        except BudgetError as error:
            if error.is_new:
                text = f"{error}; from here on files that were read before are left out."
                keys.error("too-much", ResourceFileKeys.uri, text)
            return ()
        return found

    def _document(self, path: Path) -> YamlDocument | None:
        name = str(path)
        if name not in self._documents:
            text = read_text(name, self._log, max_bytes=MAX_FILE_BYTES)
            document = (
                None if text is None else parse_yaml(text, name, self._log, anchors=self._anchors)
            )
            self._documents[name] = document
            if document is not None:
                self._find_picks(document.root)
        return self._documents[name]

    def _find_picks(self, root: YamlNode) -> None:
        """Note which nodes the Resources of a document take out of which files."""
        stack: list[YamlNode] = [root]
        seen: set[int] = set()
        while stack:
            node = stack.pop()
            if isinstance(node, YamlScalar) or id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, YamlList):
                if not node.items or not isinstance(node.items[0], YamlScalar):
                    stack.extend(node.items)
                continue
            stack.extend(value for _, value in node.pairs)
            uri, name = node.get("uri"), node.get("fragment") or node.get("node")
            if not isinstance(uri, YamlScalar) or name is None:
                continue
            if uri.text.lower().endswith((*YAML_KINDS, ".body", SCENE_KIND)):
                continue
            try:
                path = self.files.find(uri.text, uri.span.file)
            except AssetError:
                continue  # reported where it is used
            names = name.items if isinstance(name, YamlList) else (name,)
            self._picked.setdefault(str(path), set()).update(
                item.text for item in names if isinstance(item, YamlScalar)
            )
            self._hidden_in.pop(str(path), None)


def is_drawn_only(geometry: Geometry) -> bool:
    """Whether a geometry has no inside and no surface, so that nothing can touch it."""
    return isinstance(geometry, GeometryLines | GeometryPoints)
