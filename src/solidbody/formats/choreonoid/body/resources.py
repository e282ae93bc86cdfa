"""Reads Resource nodes: meshes and scenes from other files, each file once (docs/behaviour, C9.1)."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from solidbody.formats.assets import AssetError
from solidbody.formats.choreonoid.body.metadata import AXES, metadata_of
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.settings import MeshUnits
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
from solidbody.formats.geometry.trees import TreeNode, TreePart
from solidbody.formats.link_trees.mesh_files import MESH_KINDS, BodyMeshes, is_drawn_only
from solidbody.formats.link_trees.messages import Spot
from solidbody.formats.link_trees.node_transforms import NodeTransform
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.text_files import read_text
from solidbody.model.geometry import GeometryMesh
from solidbody.model.shapes import Shape, ShapeRole

T = TypeVar("T")

NAMED_AGAIN: Final = 250
"""What a file that is named again counts for, besides its values."""

NODE_KINDS: Final = (".yaml", ".yml", ".scen")
"""Extensions of files of nodes, scenes last."""

_KINDS: Final = (*NODE_KINDS, *MESH_KINDS)


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
class _Shared:
    """What was made so far, for all body files that belong together."""

    adjusted: dict[tuple[str, MeshUnits], TreeNode] = field(
        default_factory=dict[tuple[str, MeshUnits], TreeNode]
    )
    named: dict[int, dict[str, tuple[TreeNode, TreeNode]]] = field(
        default_factory=dict[int, dict[str, tuple[TreeNode, TreeNode]]]
    )
    remembered: dict[tuple[int, str], tuple[YamlNode, Any]] = field(
        default_factory=dict[tuple[int, str], "tuple[YamlNode, Any]"]
    )
    sizes: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    open_nodes: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])


class Resources(BodyMeshes):
    """Reads what Resource nodes name, and remembers it."""

    def __init__(self, files: BodyFiles, log: DiagnosticLog, *, check_images: bool = False) -> None:
        super().__init__(files, log)
        self.check_images = check_images
        self._shared = _Shared()
        self._anchors: Mapping[str, YamlNode] = {}
        self._documents: dict[str, YamlDocument | None] = {}
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
        other._placer, other._cache, other._shared = self._placer, self._cache, self._shared
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
        if path.suffix.lower() in NODE_KINDS:
            keys.node(ResourceFileKeys.metadata)
            return self._nodes(keys, uri, path, names)
        tree = self._adjusted(keys, uri, path)
        if tree is None:
            return ()
        hidden = self._hidden(tree, str(path))
        return tuple(
            shape
            for picked in self._picks(keys, uri, tree, names)
            for shape in self.shapes(
                self.parts(picked, uri, _spot(keys), hidden), keys.spot(), place, role
            )
        )

    @contextmanager
    def opened(self, found: ResourceNodes) -> Generator[None]:
        """Mark nodes as being read, so that a file that takes parts from itself is noticed."""
        self._shared.open_nodes.append(found.identity)
        try:
            yield
        finally:
            self._shared.open_nodes.pop()

    def form(self, keys: Keys) -> TreePart | None:
        """Return the only mesh of the file that a geometry of type Resource names."""
        found = self._path(keys)
        names = keys.read(ResourceFileKeys.fragment)
        crease = keys.read(ResourceGeometryKeys.crease_angle)
        keys.read(ResourceGeometryKeys.remove_redundant_vertices)
        if found is None:
            return None
        uri, path = found
        if path.suffix.lower() in NODE_KINDS:
            text = f'"{uri}" is no mesh file; the shape is left out.'
            keys.error("wrong-resource", ResourceFileKeys.uri, text)
            return None
        tree = self._adjusted(keys, uri, path)
        trees = [] if tree is None else self._picks(keys, uri, tree, names)
        if not trees:
            return None
        meshes = [
            (part, place)
            for picked in trees
            for part, place, _ in self.parts(picked, uri, _spot(keys))
            if not is_drawn_only(part.geometry)
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
            mesh = geometry
            geometry = self.remembered(keys.yaml, "creased", lambda: creased(mesh, crease))
        return TreePart(geometry, place, divisions=part.divisions)

    def remembered(self, node: YamlNode, what: str, make: Callable[[], T]) -> T:
        """Return what `make` gave for a YAML node the first time; aliases are the same node."""
        key = (id(node), what)
        if key not in self._shared.remembered:
            self._shared.remembered[key] = (node, make())
        return cast("T", self._shared.remembered[key][1])

    def keep_parts(self, file: str, parts: Sequence[TreeNode]) -> None:
        """Take named parts for what a file holds, which are found by these names alone."""
        tree = TreeNode(children=tuple(parts))
        self.keep_tree(file, tree)
        self._shared.named[id(tree)] = {part.name: (part, part) for part in parts}

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
        path = self.path(uri, written[1].span.file, _spot(keys), _KINDS)
        return None if path is None else (uri, path)

    def _adjusted(self, keys: Keys, uri: str, path: Path) -> TreeNode | None:
        """Return the tree of a file in metres with z up, or None after a message."""
        units = metadata_of(keys)
        tree = self.named_tree(path, uri, _spot(keys))
        if tree is None or units == MeshUnits():
            return tree
        key = (os.path.realpath(path), units)
        if key not in self._shared.adjusted:
            factor = LENGTH_UNITS[units.length_unit]
            place = AXES[units.upper_axis] * Affine.of(scale=(factor, factor, factor))
            self._shared.adjusted[key] = TreeNode("", place, children=(tree,))
        return self._shared.adjusted[key]

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
        if id(tree) not in self._shared.named:
            self._shared.named[id(tree)] = tree.by_name()
        return self._shared.named[id(tree)]

    def _hidden(self, tree: TreeNode, path: str) -> frozenset[TreeNode]:
        """Return the nodes that some Resource takes out of a file: they stand in it no longer."""
        if path not in self._hidden_in:
            named = self._named(tree)
            names = self._picked.get(path, set[str]())
            self._hidden_in[path] = frozenset(named[name][1] for name in names if name in named)
        return self._hidden_in[path]

    # ----------------------------------------------------------------------------------- YAML files

    def _nodes(
        self, keys: Keys, uri: str, path: Path, names: tuple[str, ...]
    ) -> tuple[Shape, ...] | ResourceNodes:
        identity = (os.path.realpath(path), *names)
        if identity in self._shared.open_nodes or len(self._shared.open_nodes) > MAX_INCLUDES:
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
            if path.suffix.lower() == NODE_KINDS[-1] and isinstance(root, YamlMap):
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
        sizes = self._shared.sizes
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
            if uri.text.lower().endswith((*NODE_KINDS, ".body")):
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


def _spot(keys: Keys) -> Spot:
    """Return the uri of a Resource, as messages are about it."""
    return keys.spot(ResourceFileKeys.uri)
