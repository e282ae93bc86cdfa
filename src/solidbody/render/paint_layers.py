"""Paint layers of pens on the shapes of a ray engine; `paint_lookup.py` has the kernels that read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.render import shapes
from solidbody.render.device import upload
from solidbody.render.shapes import ShapeRow

Key = tuple[int, int]
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]
Singles = NDArray[np.float32]

CELLS: Final = {shapes.BOX: (4, 2), shapes.CYLINDER: (2, 2), shapes.CONE: (2, 1)}
"""Columns and rows of cells, one for each side of a form and as large as its texture; else there is one."""

LEAST_SIDE: Final = 32
MOST_SIDE: Final = 1024
"""[texels] Of layers on shapes without a texture."""


@dataclass(frozen=True, slots=True)
class LayerPlan:
    """What a layer of paint is like.

    Attributes:
        size: Width and height [texels].
        scale: Texels per metre, of the lead of a pen: as many as the texture has per radius of the shape.
    """

    size: tuple[int, int]
    scale: float


def layer_plan(row: ShapeRow, texture: tuple[int, int] | None) -> LayerPlan:
    """Return how Webots lays paint over a shape (WbPaintTexture.cpp).

    Without a texture larger things have more texels: 1024 across for a radius of 10 m.
    """
    radius = _radius(row)
    if texture is None:
        wanted = LEAST_SIDE + (MOST_SIDE - LEAST_SIDE) * min(radius, 10.0) / 10.0
        larger = 1 << math.ceil(math.log2(wanted))
        side = larger if larger - wanted <= wanted - larger // 2 else larger // 2
        texture = side, side
    if row.form.kind in (shapes.BOX, shapes.MESH):  # as it was before it was scaled
        radius /= max(map(abs, row.scale))
    columns, rows = CELLS.get(row.form.kind, (1, 1))
    size = texture[0] * columns, texture[1] * rows
    return LayerPlan(size, texture[0] / max(radius, 1e-9))


def _radius(row: ShapeRow) -> float:
    """Return the radius of the ball around a shape [m]."""
    form = row.form
    low, high = np.array(form.low), np.array(form.high)
    match form.kind:
        case shapes.SPHERE:
            own = form.size[0]
        case shapes.CAPSULE:
            own = form.high[2]
        case shapes.CYLINDER | shapes.CONE:
            own = math.hypot(form.high[0], form.high[2])
        case shapes.MESH if form.mesh is not None:
            apart = form.mesh.vertices - 0.5 * (low + high)
            own = float(np.linalg.norm(apart, axis=1).max(initial=0.0))
        case _:
            own = 0.5 * float(np.linalg.norm(high - low))
    return own * max(map(abs, row.scale))


class PaintLayers:
    """All layers; a shape gets one when it is first painted on."""

    def __init__(self, rows: Sequence[ShapeRow], device: str) -> None:
        self._device = device
        self._rows: dict[Key, list[int]] = {}
        for number, row in enumerate(rows):
            self._rows.setdefault((row.link, row.shape), []).append(number)
        n = max(len(rows), 1)
        self.start: Ints = np.full(n, -1, dtype=np.int32)
        self._size: Ints = np.ones((n, 2), dtype=np.int32)
        self.texels: Bytes = np.zeros((1, 4), dtype=np.uint8)
        self._struct: Any = None

    def set(self, key: Key, layer: Bytes) -> None:
        """Cover a shape with (height, width, 4) bytes: colour and density; the size stays from then on."""
        rows = self._rows.get(key)
        if rows is None:
            return
        flat = np.ascontiguousarray(layer.reshape(-1, 4))
        first = int(self.start[rows[0]])
        if first < 0:
            first = len(self.texels)
            self.start[rows], self._size[rows] = first, layer.shape[1::-1]
            self.texels = np.concatenate([self.texels, flat])
            self._struct = None
            return
        self.texels[first : first + len(flat)] = flat
        if self._struct is not None:
            self._struct.texels[first : first + len(flat)].assign(flat)

    def lift(self, key: Key) -> None:
        """Take all paint off a shape."""
        for row in self._rows.get(key, [])[:1]:
            width, height = self._size[row].tolist()
            self.set(key, np.zeros((height, width, 4), dtype=np.uint8))

    @property
    def struct(self) -> Any:
        """The layers, for kernels."""
        if self._struct is None:
            from solidbody.render.paint_lookup import Inks

            self._struct = Inks()
            self._struct.start = upload(self.start, self._device)
            self._struct.size = upload(self._size, self._device)
            self._struct.texels = upload(self.texels, self._device)
        return self._struct

    def at(self, shape: Ints, coordinates: Singles) -> Singles:
        """Return (n, 4) colour and density, 0..1, of shapes at coordinates of their layers; 0 without one."""
        inside, x, y = self.places(shape, coordinates)
        out = np.zeros((len(shape), 4), dtype=np.float32)
        number = self.start[shape][inside] + y * self._size[shape][inside, 0] + x
        out[inside] = self.texels[number].astype(np.float32) / np.float32(255.0)
        return out

    def places(self, shape: Ints, coordinates: Singles) -> tuple[Bools, Places, Places]:
        """Return which of the coordinates (n, 2) are on the layers of shapes, columns and rows of those."""
        size = self._size[shape]
        place = np.stack([coordinates[:, 0], 1.0 - coordinates[:, 1]], axis=1)
        inside = (self.start[shape] >= 0) & (place >= 0.0).all(axis=1) & (place <= 1.0).all(axis=1)
        x, y = np.minimum((place * size).astype(np.int64), size - 1)[inside].T
        return inside, x, y
