"""How much a convex hull holds."""

from __future__ import annotations

import mujoco

from solidbody.compiler.mesh_pieces import Points


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
