"""Reads mesh files of every kind into trees of named nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from solidbody.base.file_access import EVERY_FILE, FileAccess
from solidbody.formats.collada import read_collada
from solidbody.formats.geometry.affine import Affine
from solidbody.formats.geometry.trees import TreeNode, TreePart
from solidbody.formats.meshes import (
    MAX_TRIANGLES,
    MaterialFolder,
    MeshError,
    MeshPart,
    broken_as_error,
    open_scene,
    part_of,
    read_bytes,
)
from solidbody.model.appearance import Appearance, Texture

KINDS: Final = ("stl", "obj", "dae", "ply", "glb", "gltf")
"""Extensions of mesh files."""

NAMELESS: Final = ("stl", "ply")
"""Of these, those that hold one mesh without a name."""

Address = Callable[[str], str]
"""Turns the address of an image, relative to the mesh file, into the one for the model."""


def read_mesh_tree(path: Path, address: Address, access: FileAccess = EVERY_FILE) -> TreeNode:
    """Return what a mesh file holds; numbers are taken as they are, COLLADA's unit applied.

    Args:
        path: The file.
        address: Of images that it names.
        access: Which other files it may name.

    Raises:
        MeshError: The file cannot be read, is too large, broken, or has no triangles.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise MeshError(f'cannot read ".{kind}" files; known: {", ".join(KINDS)}')
    data = read_bytes(path)
    with broken_as_error():
        if kind == "dae":
            tree = _addressed(read_collada(data), address)
        else:
            scene = open_scene(data, kind, MaterialFolder(path.parent, access))
            tree = _tree_of_scene(scene, address, kind in NAMELESS)
            if kind == "obj":
                tree = TreeNode(children=_together(tree.children))
    if not any(True for _ in tree.placed_parts()):
        raise MeshError("it holds no triangles")
    return tree


def _addressed(tree: TreeNode, address: Address) -> TreeNode:
    """Return the tree with image addresses for the model."""
    parts = tuple(
        TreePart(part.geometry, part.place, _with_address(part.appearance, address), part.divisions)
        for part in tree.parts
    )
    children = tuple(_addressed(child, address) for child in tree.children)
    return replace(tree, parts=parts, children=children)


def _with_address(look: Appearance | None, address: Address) -> Appearance | None:
    if look is None or look.texture is None:
        return look
    return replace(look, texture=Texture(address(look.texture.uri)))


def _tree_of_scene(scene: Any, address: Address, is_nameless: bool) -> TreeNode:
    """Return the graph of a trimesh scene as a tree.

    Args:
        scene: The trimesh scene.
        address: Of images.
        is_nameless: Whether the format has no names and no shared points: points are then put together.
    """
    below: dict[str, list[str]] = {}
    for child, parent in scene.graph.transforms.parents.items():
        below.setdefault(parent, []).append(child)
    edges: Any = scene.graph.transforms.edge_data
    triangles = 0

    def made(name: str, parent: str | None, depth: int) -> TreeNode:
        nonlocal triangles
        if depth > 100:
            raise MeshError("it has more than 100 nodes inside each other")
        matrix = np.eye(4)
        if parent is not None:
            matrix = np.asarray(edges.get((parent, name), {}).get("matrix", matrix), dtype=float)
        held: Any = scene.graph.transforms.node_data.get(name, {}).get("geometry")
        parts: tuple[TreePart, ...] = ()
        if held is not None and held in scene.geometry:
            mesh: Any = scene.geometry[held]
            part = part_of(str(held), _joined(mesh) if is_nameless else mesh)
            if part is not None:
                triangles += len(part.geometry.triangles)
                parts = (TreePart(part.geometry, appearance=_look(part, address)),)
        if triangles > MAX_TRIANGLES:
            raise MeshError(f"it has more than {MAX_TRIANGLES} triangles")
        children = tuple(made(child, name, depth + 1) for child in below.get(name, ()))
        shown = "" if parent is None or is_nameless else _object_name(name, held, scene)
        return TreeNode(shown, _affine(matrix), parts, children)

    return made(scene.graph.base_frame, None, 0)


def _object_name(name: str, held: Any, scene: Any) -> str:
    """Return the name of a node; those of OBJ files get their material's name put behind it."""
    mesh: Any = scene.geometry.get(held)
    material = getattr(getattr(getattr(mesh, "visual", None), "material", None), "name", None)
    return str(name).removesuffix(f"_{material}") if material and name == held else str(name)


def _together(nodes: tuple[TreeNode, ...]) -> tuple[TreeNode, ...]:
    """Return nodes of which each name occurs once: an object is divided by its materials."""
    parts: dict[str, list[TreePart]] = {}
    for node in nodes:
        parts.setdefault(node.name, []).extend(node.parts)
    return tuple(TreeNode(name, parts=tuple(held)) for name, held in parts.items())


def _joined(mesh: Any) -> Any:
    """Return a mesh in which equal points are one."""
    if not hasattr(mesh, "faces") or not len(mesh.faces):
        return mesh
    points = np.ascontiguousarray(mesh.vertices, dtype=np.float64) + 0.0  # -0 is 0
    if points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)):
        return mesh  # `part_of` says what is wrong with it
    rows = points.view([("", points.dtype)] * 3).reshape(-1)
    _, first, number = np.unique(rows, return_index=True, return_inverse=True)
    return type(mesh)(points[first], number.reshape(-1)[mesh.faces], process=False)


def _look(part: MeshPart, address: Address) -> Appearance | None:
    if part.color is None and not part.texture:
        return None
    return Appearance(
        base_color=part.color or (1.0, 1.0, 1.0),
        transparency=1.0 - part.opacity,
        texture=Texture(address(part.texture)) if part.texture else None,
    )


def _affine(matrix: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Affine:
    if matrix.shape != (4, 4) or not np.all(np.isfinite(matrix)):
        raise MeshError("a place is not a usable matrix")
    rows: list[list[float]] = matrix.tolist()
    a, b, c = ((row[0], row[1], row[2]) for row in rows[:3])
    return Affine((a, b, c), (rows[0][3], rows[1][3], rows[2][3]))
