"""Ray bundles of sensors, fixed to links: recorded once and traced in every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import rotate
from solidbody.render.device import download, recorded, upload
from solidbody.render.shapes import COLLIDES, DRAWN

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int32]

FAR: Final = 1.0e6
"""[m] As far as a ray goes that has no end."""


class RayBatch:
    """Single rays from links, by Warp. `cast` follows them all."""

    def __init__(
        self,
        engine: RayEngine,
        link: NDArray[np.intp],
        origins: Floats,
        directions: Floats,
        reach: Floats,
        skip: Ints,
        *,
        drawn: bool,
        opaque_only: bool,
    ) -> None:
        import warp as wp

        from solidbody.render import kernels

        n, device = len(link), engine.device
        self._distance = wp.zeros(n, dtype=wp.float32, device=device)
        self._shape = wp.zeros(n, dtype=wp.int32, device=device)
        self._facing = wp.zeros(n, dtype=wp.float32, device=device)
        self._normal = wp.zeros(n, dtype=wp.vec3, device=device)
        # the recorded call holds addresses only: keep what it reads
        self._inputs = [
            upload(link.astype(np.int32), device),
            upload(origins.astype(np.float32), device),
            upload(directions.astype(np.float32), device),
            upload(np.minimum(reach, FAR).astype(np.float32), device),
            upload(skip.astype(np.int32), device),
        ]
        self._launch: Any = wp.launch(
            kernels.cast,
            dim=n,
            inputs=[
                engine.shapes,
                engine.materials,
                engine.tree_id,
                engine.link_position,
                engine.link_rotation,
                *self._inputs,
                DRAWN if drawn else COLLIDES,
                not drawn,
                opaque_only,
                self._distance,
                self._shape,
                self._facing,
                self._normal,
            ],
            device=device,
            record_cmd=True,
        )
        self._follow = recorded(self._launch, device)
        # on the processor the results are numpy's at once
        results = (download(self._distance), download(self._shape), download(self._facing))
        self._here = results if device == "cpu" else None

    def cast(self) -> tuple[Singles, Ints, Singles]:
        """Follow the rays; return distance [m] (the reach, if nothing is hit), shape (-1 = none), cosine."""
        self._follow()
        if self._here is not None:
            return self._here
        return download(self._distance), download(self._shape), download(self._facing)

    @property
    def normals(self) -> Singles:
        """(n, 3) of the surfaces in the world that the last cast has hit; others mean nothing."""
        return download(self._normal)


class NativeRayBatch:
    """The same by the native library."""

    def __init__(
        self,
        engine: RayEngine,
        link: NDArray[np.intp],
        origins: Floats,
        directions: Floats,
        reach: Floats,
        skip: Ints,
        *,
        drawn: bool,
        opaque_only: bool,
    ) -> None:
        self._engine = engine
        self._carried = link >= 0
        self._link = np.maximum(link, 0)
        self._origins, self._directions = origins, directions
        self._reach, self._skip = np.minimum(reach, FAR), skip
        self._mask = DRAWN if drawn else COLLIDES
        self._all_sides, self._opaque_only = not drawn, opaque_only
        self.normals: Singles = np.zeros((len(link), 3), np.float32)

    def cast(self) -> tuple[Singles, Ints, Singles]:
        """Follow the rays; see `RayBatch.cast`."""
        engine, link = self._engine, self._link
        assert engine.native is not None
        carried = self._carried[:, None]
        turn = np.asarray(engine.link_rotation)[link].astype(np.float64)
        base = np.asarray(engine.link_position)[link]
        origins = np.where(carried, base + rotate(turn, self._origins), self._origins)
        directions = np.where(carried, rotate(turn, self._directions), self._directions)
        hits = engine.native.follow(
            origins,
            directions,
            0.0,
            self._reach,
            self._skip,
            mask=self._mask,
            all_sides=self._all_sides,
            opaque_only=self._opaque_only,
        )
        self.normals = hits.normal
        facing = -np.einsum("ni,ni->n", hits.normal, directions.astype(np.float32))
        return hits.distance, hits.shape, facing


AnyRayBatch = RayBatch | NativeRayBatch
