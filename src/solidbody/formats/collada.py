"""Reads COLLADA files into trees of named nodes; pycollada parses them and is imported on demand.

As Choreonoid reads them: lengths in metres after the file's unit, its up axis left aside, nodes by `name`
(or `id`, without one), and the geometries in them by their `id`.
"""

from __future__ import annotations

import io
import re
from importlib import import_module
from typing import Any, Final

import numpy as np

from solidbody.base.extras import needs
from solidbody.base.transforms import Vec3
from solidbody.formats.collada_counts import claims_too_much
from solidbody.formats.geometry.affine import MAX_COORDINATE, Affine
from solidbody.formats.geometry.face_sets import shared_triples, triples_of_indices
from solidbody.formats.geometry.polygons import Floats, Indices, creased_normals, unit_rows
from solidbody.formats.geometry.trees import TreeNode, TreePart
from solidbody.formats.meshes import MAX_TRIANGLES, TOO_MANY_CORNERS, MeshError, share_of
from solidbody.model.appearance import Appearance, Texture
from solidbody.model.geometry import GeometryMesh

MAX_DEPTH: Final = 100
"""Nodes inside each other; what lies deeper is refused."""

MAX_NODES: Final = 20_000
"""Nodes with every use of a shared one counted."""

_LOST: Final = re.compile(r"Material #(.*) not found")
_MATERIAL: Final = re.compile(rb"<instance_material\b[^>]*>")
_TARGET: Final = re.compile(rb"target=[\"']#([^\"']*)[\"']")
_CLOSING: Final = b"</instance_material>"


def read_collada(data: bytes) -> TreeNode:
    """Return the tree of a COLLADA file; image addresses are as the file writes them.

    Raises:
        MeshError: The file is broken, or has too much in it.
    """
    if claims_too_much(data):
        raise MeshError(TOO_MANY_CORNERS)
    try:
        collada: Any = import_module("collada")  # it has no static types
    except ImportError as error:
        raise MeshError(f"it is COLLADA, which {needs('meshes')}") from error
    try:
        file = _loaded(collada, data)
        lost = _lost_materials(file)
        if lost:
            file = _loaded(collada, _without_materials(data, lost))
        reader = _Reader(collada)
        roots = list(file.scene.nodes) if file.scene is not None else []
        children = tuple(reader.node(root, 0) for root in roots)
        unit = getattr(file.assetInfo, "unitmeter", None) or 1.0
    except MeshError:
        raise
    except RecursionError as error:
        raise MeshError("it is broken: its nodes use each other in a circle") from error
    except Exception as error:  # a broken file may make pycollada raise anything at all
        raise MeshError(f"it is broken: {type(error).__name__}: {error}") from error
    factor = float(unit) if 0.0 < float(unit) < MAX_COORDINATE else 1.0
    return TreeNode("", Affine.of(scale=(factor, factor, factor)), children=children)


def _loaded(collada: Any, data: bytes) -> Any:
    return collada.Collada(io.BytesIO(data), ignore=[collada.DaeError], aux_file_loader=_no_file)


def _lost_materials(file: Any) -> frozenset[bytes]:
    """Return the materials that are named and could not be read, as for want of a picture.

    pycollada drops the geometries on which one of them lies, too.
    """
    found = (_LOST.search(str(error)) for error in file.errors)
    return frozenset(match[1].encode() for match in found if match is not None)


def _without_materials(data: bytes, names: frozenset[bytes]) -> bytes:
    """Return a file in which no geometry asks for some materials: it is plain where it had them."""
    kept: list[bytes] = []
    start = 0
    for tag in _MATERIAL.finditer(data):
        target = _TARGET.search(tag[0])
        if tag.start() < start or target is None or target[1] not in names:
            continue
        end = tag.end()
        if not tag[0].endswith(b"/>"):
            closing = data.find(_CLOSING, end)
            if closing < 0:
                break
            end = closing + len(_CLOSING)
        kept.append(data[start : tag.start()])
        start = end
    return b"".join((*kept, data[start:]))


def _no_file(_: str) -> bytes:
    """Keep pycollada from opening images: only their addresses are wanted."""
    raise FileNotFoundError


class _Reader:
    def __init__(self, collada: Any) -> None:
        self._scene = collada.scene
        self._lists = (collada.triangleset.TriangleSet, collada.polylist.Polylist)
        self._parts: dict[int, tuple[TreePart, ...]] = {}
        self._kept: list[Any] = []  # keeps the addresses that are keys of `_parts` from new owners
        self._nodes = MAX_NODES
        self._triangles = MAX_TRIANGLES

    def node(self, node: Any, depth: int) -> TreeNode:
        self._nodes -= 1
        if depth > MAX_DEPTH or self._nodes < 0:
            raise MeshError(f"it has more than {MAX_NODES} nodes, or {MAX_DEPTH} inside each other")
        if isinstance(node, self._scene.GeometryNode):
            name = str(getattr(node.geometry, "id", None) or "")
            return TreeNode(parts=self._geometry(node), alias=name)
        if not isinstance(node, self._scene.Node):
            return TreeNode()
        xml: Any = getattr(node, "xmlnode", None)
        name = (xml.get("name") if xml is not None else None) or getattr(node, "id", None) or ""
        matrix: Floats = np.asarray(node.matrix, dtype=np.float64)
        if matrix.shape != (4, 4) or not np.all(np.abs(matrix) < MAX_COORDINATE):
            raise MeshError(f'the place of the node "{name}" is not usable')
        children = tuple(self.node(child, depth + 1) for child in node.children or ())
        return TreeNode(str(name), _affine(matrix), children=children)

    def _geometry(self, node: Any) -> tuple[TreePart, ...]:
        key = id(node)
        if key not in self._parts:
            looks = {item.symbol: _appearance(item.target) for item in node.materials}
            parts: list[TreePart] = []
            for primitive in node.geometry.primitives:
                mesh = self._mesh(primitive)
                if mesh is not None:
                    parts.append(TreePart(mesh, appearance=looks.get(primitive.material)))
            self._parts[key] = tuple(parts)
            self._kept.append(node)
        return self._parts[key]

    def _mesh(self, primitive: Any) -> GeometryMesh | None:
        if not isinstance(primitive, self._lists):
            return None  # lines
        if hasattr(primitive, "triangleset"):
            primitive = primitive.triangleset()
        if primitive.vertex is None or not len(primitive.vertex_index):
            return None
        points: Floats = np.asarray(primitive.vertex, dtype=np.float64)
        triangles: Indices = np.asarray(primitive.vertex_index, dtype=np.int64).reshape(-1, 3)
        self._triangles -= len(triangles)
        if self._triangles < 0:
            raise MeshError(f"it has more than {MAX_TRIANGLES} triangles")
        if not np.all(np.abs(points) < MAX_COORDINATE):
            raise MeshError("a coordinate is not a usable number")
        used, flat = np.unique(triangles.reshape(-1), return_inverse=True)
        if used[0] < 0 or used[-1] >= len(points):
            raise MeshError("a triangle uses a point that does not exist")
        points, triangles = points[used], flat.reshape(-1, 3)
        flat_normals = creased_normals(points, triangles, 0.0)
        normals = _corner_values(primitive.normal, primitive.normal_index, 3)
        uv: Floats | None = None
        if len(primitive.texcoordset):
            uv = _corner_values(primitive.texcoordset[0], primitive.texcoord_indexset[0], 2)
        return GeometryMesh(
            shared_triples(points),
            triples_of_indices(triangles, len(points)),
            shared_triples(
                flat_normals if normals is None else unit_rows(normals.copy(), flat_normals)
            ),
            () if uv is None else tuple((u, v) for u, v in uv.tolist()),
        )


def _affine(matrix: Floats) -> Affine:
    rows: list[list[float]] = matrix.tolist()
    a, b, c = ((row[0], row[1], row[2]) for row in rows[:3])
    return Affine((a, b, c), (rows[0][3], rows[1][3], rows[2][3]))


def _corner_values(values: Any, index: Any, width: int) -> Floats | None:
    """Return one row per triangle corner; None if there are none, or they do not fit."""
    if values is None or index is None:
        return None
    rows: Floats = np.asarray(values, dtype=np.float64)
    numbers: Indices = np.asarray(index, dtype=np.int64).reshape(-1)
    if rows.ndim != 2 or rows.shape[1] < width or not len(numbers):
        return None
    if numbers.min() < 0 or numbers.max() >= len(rows) or not np.all(np.isfinite(rows)):
        return None
    return rows[numbers][:, :width]


def _appearance(material: Any) -> Appearance:
    effect: Any = material.effect
    image = getattr(
        getattr(getattr(effect.diffuse, "sampler", None), "surface", None), "image", None
    )
    texture = None if image is None else Texture(str(image.path))
    color, alpha = _color(effect.diffuse)
    opacity = _share(effect.transparency)
    _, veil = _color(effect.transparent)
    opacity = 1.0 if opacity is None else opacity
    if str(getattr(effect, "opaque_mode", "A_ONE")) == "RGB_ZERO":
        opacity = 1.0 - opacity if effect.transparent is not None else 1.0
    elif effect.transparent is not None:
        opacity *= veil
    if opacity == 0.0:
        opacity = 1.0  # exporters that mean "no transparency" write 0; nobody ships unseen parts
    specular, _ = _color(effect.specular)
    emissive, _ = _color(effect.emission)
    return Appearance(
        base_color=color or (1.0, 1.0, 1.0),
        emissive=emissive or (0.0, 0.0, 0.0),
        transparency=1.0 - opacity * alpha,
        specular=specular or (0.0, 0.0, 0.0),
        texture=texture,
    )


def _color(value: Any) -> tuple[Vec3 | None, float]:
    """Return a colour and its alpha; (None, 1) if it is none."""
    if value is None or not hasattr(value, "__len__") or len(value) not in (3, 4):
        return None, 1.0
    numbers = [share_of(float(x)) for x in value]
    return (numbers[0], numbers[1], numbers[2]), numbers[3] if len(numbers) == 4 else 1.0


def _share(value: Any) -> float | None:
    return share_of(float(value)) if isinstance(value, int | float) else None
