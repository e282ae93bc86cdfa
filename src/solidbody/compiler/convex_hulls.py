"""Convex hulls by MuJoCo: their volumes, and parts of a convex decomposition fitted to them.

On a floor a mesh stands on the corners of its hull. The copy of a surface with gaps stands out of it by some
millimetres, and thin ends of it are missing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import mujoco
import numpy as np

from solidbody.compiler.mesh_components import Points

TOLERANCE: Final = 1e-4
"""Share of the size of a mesh by which its parts may stand out of its hull, or not reach a corner."""
MOST_CORNERS: Final = 128
"""Corners that are added at most, those farthest away first: round hulls have thousands."""
MOST_PUSHES: Final = 20
"""How often points are pushed back to the plane that they are farthest beyond; few need more than three."""


class ConvexHull(NamedTuple):
    """A convex hull: its corners with a direction out of each, and its planes n.x = offset."""

    corners: Points
    outward: Points
    normals: Points
    offsets: Points


def fitted_to_hull(parts: list[Points], points: Points) -> list[Points]:
    """Return the parts of a mesh, pushed into its hull and drawn out to its corners."""
    hull = convex_hull(points)
    if hull is None:
        return parts
    least = TOLERANCE * float(np.ptp(points, axis=0).max())
    out = [_pushed_in(part, hull, least) for part in parts]
    reach = np.max([(part @ hull.outward.T).max(axis=0) for part in out], axis=0)
    missing = np.einsum("ij,ij->i", hull.corners, hull.outward) - reach
    for _ in range(MOST_CORNERS):
        worst = int(np.argmax(missing))
        if missing[worst] <= least:
            break
        corner = hull.corners[worst]
        near = min(range(len(out)), key=lambda k: np.linalg.norm(out[k] - corner, axis=1).min())
        out[near] = np.vstack([out[near], corner])
        reach = np.maximum(reach, hull.outward @ corner)
        missing = np.einsum("ij,ij->i", hull.corners, hull.outward) - reach
    return out


def _pushed_in(part: Points, hull: ConvexHull, least: float) -> Points:
    part = part.copy()
    for _ in range(MOST_PUSHES):
        beyond = part @ hull.normals.T - hull.offsets
        plane = np.argmax(beyond, axis=1)
        depth = np.take_along_axis(beyond, plane[:, None], axis=1)
        if float(depth.max()) <= 0.01 * least:
            break
        part -= np.maximum(depth, 0.0) * hull.normals[plane]
    return part


def convex_hull(points: Points) -> ConvexHull | None:
    """Return the convex hull of points, by MuJoCo; None where there is none."""
    size = float(np.ptp(points, axis=0).max())
    if size <= 0.0:
        return None
    spec = mujoco.MjSpec()
    # of points about one metre apart: MuJoCo refuses hulls that are too small
    spec.add_mesh(
        name="hull",
        uservert=(points / size).reshape(-1).tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
    )
    spec.worldbody.add_body().add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="hull")
    try:
        model = spec.compile()
    except ValueError:
        return None
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[0])
    turn = turn.reshape(3, 3)
    vertices = (model.mesh_vert.astype(float) @ turn.T + model.mesh_pos[0]) * size
    normals = model.mesh_polynormal.astype(float) @ turn.T
    outward = np.zeros_like(vertices)
    for k in range(int(model.mesh_polynum[0])):
        begin, count = int(model.mesh_polyvertadr[k]), int(model.mesh_polyvertnum[k])
        outward[model.mesh_polyvert[begin : begin + count]] += normals[k]
    length = np.linalg.norm(outward, axis=1)
    used = length > 0.0
    # MuJoCo keeps single precision: the corners themselves are those of the mesh
    corners = points if len(points) == len(vertices) else vertices
    offsets = (points @ normals.T).max(axis=0)
    return ConvexHull(corners[used], outward[used] / length[used, None], normals, offsets)


def hull_volume(points: Points) -> float:
    """Return the volume of the convex hull of points [m^3], by MuJoCo; 0 where there is none."""
    spec = mujoco.MjSpec()
    # of points about one metre apart: MuJoCo refuses hulls that are too small
    size = float((points.max(axis=0) - points.min(axis=0)).max())
    if size <= 0.0:
        return 0.0
    spec.add_mesh(
        name="hull",
        uservert=(points / size).reshape(-1).tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
    )
    body = spec.worldbody.add_body()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="hull", density=1.0)
    try:
        return float(spec.compile().body_mass[1]) * size**3
    except ValueError:
        return 0.0
