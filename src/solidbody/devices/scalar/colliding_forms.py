"""What distance sensors see of a scene, for code that follows rays by itself: forms that collide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import matrices
from solidbody.model.scene import Scene
from solidbody.render.shapes import COLLIDES, MESH, PLANE, MeshData, ShapeList, ShapeRow

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CollidingForm:
    """A form, stretched and fixed to a link.

    Attributes:
        kind: Number of `render/shapes.py`.
        link: Row of the link.
        shape: Its number in `Link.shapes`.
        group: Number of the body in the scene.
        is_clear: Whether it is transparent.
        size: Half edges, or radius (twice) and half height.
        inverse: (3, 3) from the link's frame to its own.
        origin: In the link's frame.
        centre: Of a ball around it, in the link's frame.
        radius: Of that ball; infinite for planes.
        mesh: Its triangles, of a mesh.
    """

    kind: int
    link: int
    shape: int
    group: int
    is_clear: bool
    size: tuple[float, float, float]
    inverse: Floats
    origin: Floats
    centre: Floats
    radius: float
    mesh: MeshData | None


def colliding_forms(scene: Scene) -> list[CollidingForm]:
    """Return everything that collides, as rays meet it."""
    return [_form(row) for row in ShapeList.of(scene, ShapeList()).rows if row.flags & COLLIDES]


def _form(row: ShapeRow) -> CollidingForm:
    turn = matrices(np.array([row.pose.rotation]))[0]
    scale, origin = np.array(row.scale), np.array(row.pose.position)
    low, high = np.array(row.form.low) * scale, np.array(row.form.high) * scale
    look = row.appearance
    return CollidingForm(
        kind=row.form.kind,
        link=row.link,
        shape=row.shape,
        group=row.group,
        is_clear=look is not None and look.transparency > 0.0,
        size=row.form.size,
        inverse=np.diag(1.0 / scale) @ turn.T,
        origin=origin,
        centre=origin + turn @ (0.5 * (low + high)),
        radius=np.inf if row.form.kind == PLANE else 0.5 * float(np.linalg.norm(high - low)),
        mesh=row.form.mesh if row.form.kind == MESH else None,
    )
