"""Reads the mesh files that bodies name, each once, and places their forms on links.

A file that is missing or broken is an error at what names it; the rest of the body stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import MAX_INCLUDES
from solidbody.base.span import SourceSpan
from solidbody.formats.assets import AssetError
from solidbody.formats.geometry.affine import Affine
from solidbody.formats.geometry.placing import Placer
from solidbody.formats.geometry.trees import TreeError, TreeNode, TreePart
from solidbody.formats.link_trees.messages import Spot
from solidbody.formats.link_trees.node_transforms import NodeTransform
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.mesh_trees import KINDS, read_mesh_tree
from solidbody.formats.meshes import MeshError
from solidbody.formats.vrml97.scene import read_vrml97
from solidbody.model.geometry import Geometry, GeometryLines, GeometryMesh, GeometryPoints
from solidbody.model.shapes import Shape, ShapeRole

MAX_SHAPES: Final = 200_000
"""Shapes of all bodies together, with every repetition counted; each takes about 500 bytes."""

MAX_POINTS: Final = 5_000_000
"""Points of all their meshes, shared ones counted once; each takes about 150 bytes with its normals."""

VRML_KINDS: Final = (".wrl", ".vrml")
MESH_KINDS: Final = (*VRML_KINDS, *(f".{kind}" for kind in KINDS))


@dataclass(slots=True)
class _Cache:
    """What was read so far, for all files that belong together."""

    trees: dict[str, TreeNode | str] = field(default_factory=dict[str, "TreeNode | str"])
    open_trees: list[str] = field(default_factory=list[str])
    shapes_left: int = field(default_factory=lambda: MAX_SHAPES)
    points_left: int = field(default_factory=lambda: MAX_POINTS)
    is_full: bool = False
    counted: dict[int, Geometry] = field(default_factory=dict[int, "Geometry"])


class BodyMeshes:
    """Reads mesh files and VRML97 files, and remembers them."""

    def __init__(self, files: BodyFiles, log: DiagnosticLog) -> None:
        self.files = files
        self._log = log
        self._placer = Placer()
        self._cache = _Cache()
        self._refused: set[tuple[str, str]] = set()

    # -------------------------------------------------------------------------------- what is named

    def path(
        self, uri: str, base: str, spot: Spot, kinds: tuple[str, ...] = MESH_KINDS
    ) -> Path | None:
        """Return the file of a uri that is written in the file `base`, or None after a message."""
        try:
            path = self.files.find(uri, base)
        except AssetError as error:
            copy = self.files.own_copy(uri)
            if copy is None:
                code = "refused-file" if error.is_refused else "missing-mesh"
                text = f'the file "{uri}" cannot be used: {error.text}; it is left out.'
                spot.error(code, text)
                return None
            spot.warning("other-address", f'"{uri}" cannot be read; "{copy}" is taken for it.')
            path = Path(copy)
        if path.suffix.lower() not in kinds:
            known = ", ".join(kinds)
            text = f'files like "{uri}" cannot be read; known: {known}. It is left out.'
            spot.error("unknown-mesh", text)
            return None
        return path

    def named_tree(self, path: Path, uri: str, spot: Spot) -> TreeNode | None:
        """Return what the file of a uri holds, or None after a message."""
        tree = self._tree(path)
        if isinstance(tree, TreeNode):
            return tree
        spot.error("broken-mesh", f'the file "{uri}" cannot be used: {tree}; it is left out.')
        return None

    def shapes(
        self,
        parts: Iterable[tuple[TreePart, Affine, str]],
        spot: Spot,
        place: NodeTransform,
        role: ShapeRole,
    ) -> Iterator[Shape]:
        """Yield the shapes of parts, with the names and looks that their file gives them.

        Args:
            parts: As `parts` yields them.
            spot: What asks for them.
            place: On the link.
            role: What the shapes are for.
        """
        for part, inner, name in parts:
            shape = self.shape(spot, replace(part, place=inner), place, role)
            if shape is not None:
                yield replace(shape, appearance=part.appearance, name=name)
            elif self.refuses(spot):
                return

    def parts(
        self, tree: TreeNode, uri: str, spot: Spot, hidden: frozenset[TreeNode] = frozenset()
    ) -> Iterator[tuple[TreePart, Affine, str]]:
        """Yield each part of a tree with its place and its name, as many as there may be."""
        try:
            yield from tree.placed_parts(hidden)
        except TreeError as error:
            spot.error("broken-mesh", f'"{uri}": {error}; the rest is left out.')

    def refuses(self, spot: Spot) -> bool:
        """Whether the bodies have as much as may be kept; said once, at the first form left out."""
        kept = self._cache
        if kept.points_left > 0 and kept.shapes_left > 0:
            return False
        if not kept.is_full:
            kept.is_full = True
            spot.error(
                "too-many-shapes",
                f"more than {MAX_SHAPES} shapes or {MAX_POINTS} points; from here on they are left out.",
            )
        return True

    def shape(
        self, spot: Spot, form: TreePart, place: NodeTransform, role: ShapeRole
    ) -> Shape | None:
        """Return a form at a place; None if nothing of it is left, or after a message.

        Args:
            spot: What asks for it.
            form: In the coordinates of the place.
            place: On the link.
            role: What it is for; lines and points are drawn only.
        """
        drawn_only = is_drawn_only(form.geometry)
        if drawn_only and role is ShapeRole.COLLISION:
            return None
        if self.refuses(spot):
            return None
        whole = Affine(place.linear, place.position) * form.place
        if not whole.is_finite:
            text = "its place is too far away to be computed with; it is left out."
            spot.error("wrong-place", text)
            return None
        found = self._placer.placed(form.geometry, whole, form.divisions)
        if found is None:
            return None
        kept = self._cache
        kept.shapes_left -= 1
        geometry, pose = found
        if isinstance(geometry, GeometryMesh) and id(geometry) not in kept.counted:
            kept.counted[id(geometry)] = geometry
            kept.points_left -= len(geometry.vertices)
        return Shape(geometry, pose, ShapeRole.VISUAL if drawn_only else role, span=spot.span)

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
        self._cache.trees[os.path.realpath(file)] = tree

    def _tree(self, path: Path) -> TreeNode | str:
        """Return the tree of a file, or what is wrong with it."""
        identity = os.path.realpath(str(path))
        kept = self._cache
        if identity in kept.open_trees:
            return "it takes parts from itself"
        if len(kept.open_trees) > MAX_INCLUDES:
            return f"files take parts from each other more than {MAX_INCLUDES} deep"
        if identity not in kept.trees:
            kept.open_trees.append(identity)
            kept.trees[identity] = self._fresh_tree(path)
            kept.open_trees.pop()
        return kept.trees[identity]

    def _fresh_tree(self, path: Path) -> TreeNode | str:
        if path.suffix.lower() in VRML_KINDS:
            tree = read_vrml97(path, self, self._log)
            return "it is no VRML97 file" if tree is None else tree
        try:
            return read_mesh_tree(path, lambda url: self.address(url, str(path)), self.files.access)
        except MeshError as error:
            return str(error)


def is_drawn_only(geometry: Geometry) -> bool:
    """Whether a geometry has no inside and no surface, so that nothing can touch it."""
    return isinstance(geometry, GeometryLines | GeometryPoints)
