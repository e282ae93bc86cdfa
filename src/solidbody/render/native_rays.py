"""The ray engine's work where Warp is not installed: by the native library and numpy, on the processor.

Sensors that measure (distances, lidars, range finders) see the same as with Warp. Pictures are plain: the
colours of things under one light, without textures, lamps and shadows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import matrices
from solidbody.contact.ray_casting import RayCaster, RayHits, RayMesh
from solidbody.render import shapes
from solidbody.render.shapes import DRAWN, MeshData

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int32]

_OF_SHAPES: Final = (
    *("kind", "inverse", "origin", "size", "flags", "group", "mesh", "corner", "has_normals"),
    "corner_normal",
)
"""Columns of the engine's table that the native library reads."""

_AMBIENT: Final = np.float32(0.4)
"""Share of its colour that a surface shows edge-on; face-on it shows all."""


def native_mesh(data: MeshData) -> RayMesh:
    """Return the tree of a mesh."""
    return RayMesh(data.vertices, data.triangles)


class NativeRays:
    """Follows the rays of an engine."""

    def __init__(self, engine: RayEngine) -> None:
        self._engine = engine
        self._low, self._high = (np.asarray(engine.placed[name]) for name in ("low", "high"))
        """Written over with the boxes in the world, as Warp's kernel does."""
        self._clear = np.zeros(len(self._low), np.uint8)
        self._caster: RayCaster | None = None
        self._materials: Any = None

    def place(self) -> None:
        """Put shapes where their links are, and boxes around them."""
        engine = self._engine
        own = {name: np.asarray(array) for name, array in engine.placed.items()}
        link = own["link"]
        turn = matrices(np.asarray(engine.link_rotation)[link].astype(np.float64))
        axes = turn @ own["rotation"]
        shift = np.einsum("nij,nj->ni", turn, own["position"])
        origin = np.asarray(engine.link_position)[link] + shift
        uploaded = engine.shapes
        uploaded.inverse[...] = np.swapaxes(axes, 1, 2) / own["scale"][:, :, None]
        uploaded.origin[...] = origin
        centre = origin + np.einsum("nij,nj->ni", axes, own["middle"])
        # a little room, so that flat boxes are boxes and rounding opens no gaps
        room = np.einsum("nij,nj->ni", np.abs(axes), own["half"])
        room = room + 1.0e-5 + 1.0e-6 * np.abs(centre)
        self._low[...], self._high[...] = centre - room, centre + room
        looks = np.asarray(engine.materials.alpha)[np.asarray(engine.shapes.material)]
        self._clear[...] = looks < 1.0

    def _cast(self, *rays: Any, mask: int, all_sides: bool, opaque_only: bool) -> RayHits:
        engine = self._engine
        if self._caster is None or self._materials is not engine.materials:
            self._materials = engine.materials
            columns = {
                name: np.asarray(getattr(engine.shapes, name))
                for name in [
                    "kind",
                    "inverse",
                    "origin",
                    "size",
                    "flags",
                    "group",
                    "mesh",
                    "corner",
                    "has_normals",
                    "corner_normal",
                ]
            }
            columns |= {"low": self._low, "high": self._high, "clear": self._clear}
            self._caster = RayCaster(columns)
        return self._caster.cast(*rays, mask=mask, all_sides=all_sides, opaque_only=opaque_only)

    def follow(
        self,
        origins: Floats | Singles,
        directions: Floats | Singles,
        near: Any,
        far: Any,
        skip: Any,
        *,
        mask: int,
        all_sides: bool,
        opaque_only: bool,
    ) -> RayHits:
        """Follow rays of the world; what is one number holds for all."""
        n = len(origins)
        limits = [np.broadcast_to(np.asarray(limit, dtype=np.float32), n) for limit in (near, far)]
        return self._cast(
            origins,
            directions,
            *limits,
            np.broadcast_to(np.asarray(skip, dtype=np.int32), n),
            mask=mask,
            all_sides=all_sides,
            opaque_only=opaque_only,
        )

    def bundle(
        self,
        directions: Singles,
        position: Floats,
        rotation: Floats,
        *,
        near: float,
        far: float,
        clipping: int,
    ) -> tuple[RayHits, Singles]:
        """Follow a bundle from one place as an eye does; returns the hits and the rays in the world."""
        share = _per_depth(directions, clipping)
        world = (directions @ rotation.T).astype(np.float32)
        origins = np.broadcast_to(position.astype(np.float32), world.shape)
        hits = self.follow(
            origins,
            world,
            near * share,
            far * share,
            -1,
            mask=DRAWN,
            all_sides=False,
            opaque_only=False,
        )
        hits.distance[hits.shape < 0] = np.inf
        return hits, world

    def picture(self, hits: RayHits, rays: Singles) -> Singles:
        """Return the colours (n, 3) of what rays of the world have met."""
        engine = self._engine
        base = np.asarray(engine.materials.base)[np.asarray(engine.shapes.material)]
        facing = np.abs(np.einsum("ni,ni->n", hits.normal, rays))
        light = _AMBIENT + (np.float32(1.0) - _AMBIENT) * facing
        color: Singles = base[np.maximum(hits.shape, 0)] * light[:, None]
        color[hits.shape < 0] = np.array(engine.lights.sky.color, dtype=np.float32)
        glow = np.asarray(engine.materials.emissive)[np.asarray(engine.shapes.material)]
        color = (
            color + np.where(hits.shape >= 0, 1.0, 0.0)[:, None] * glow[np.maximum(hits.shape, 0)]
        )
        return color.astype(np.float32)

    def texels_under(
        self, origins: Floats, directions: Floats, *, reach: float, skip: int
    ) -> tuple[Ints, Singles, Singles]:
        """See `texture_rays.texels_under`."""
        from solidbody.render.native_texels import paint_places, texture_places

        engine = self._engine
        hits = self.follow(
            origins, directions, 0.0, reach, skip, mask=DRAWN, all_sides=False, opaque_only=False
        )
        ends = origins + np.where(hits.shape >= 0, hits.distance, 0.0)[:, None] * directions
        row = np.maximum(hits.shape, 0)
        table = engine.shapes
        inverse, origin = np.asarray(table.inverse)[row], np.asarray(table.origin)[row]
        own = np.einsum("nij,nj->ni", inverse, ends - origin)
        kind, size = np.asarray(table.kind)[row], np.asarray(table.size)[row]
        uv = texture_places(kind, size, own)
        first = np.asarray(table.corner)[row] + 3 * hits.face
        on_mesh = (kind == shapes.MESH) & (np.asarray(table.has_uv)[row] != 0) & (hits.shape >= 0)
        corner = np.asarray(table.corner_uv)
        u, v = hits.place[on_mesh].T
        k = first[on_mesh]
        uv[on_mesh] = (
            corner[k] * u[:, None]
            + corner[k + 1] * v[:, None]
            + corner[k + 2] * (1 - u - v)[:, None]
        )
        look = np.asarray(table.material)[row]
        place = np.concatenate([uv, np.ones((len(uv), 1))], axis=1)
        at = np.stack(
            [
                np.einsum("ni,ni->n", np.asarray(getattr(engine.materials, name))[look], place)
                for name in ("u_row", "v_row")
            ],
            axis=1,
        )
        on_paint = paint_places(kind, size, own, uv)
        return hits.shape, at.astype(np.float32), on_paint.astype(np.float32)


def _per_depth(directions: Singles, clipping: int) -> Singles:
    """Return how far rays of an eye go until their depth is 1: see `Clipping`."""
    if clipping == 1:
        return (1.0 / np.maximum(directions[:, 0], 1.0e-6)).astype(np.float32)
    if clipping == 2:
        return (1.0 / np.maximum(np.abs(directions).max(axis=1), 1.0e-6)).astype(np.float32)
    return np.ones(len(directions), np.float32)
