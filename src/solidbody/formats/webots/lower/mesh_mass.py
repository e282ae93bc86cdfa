"""Mass properties of the volume that a closed mesh encloses."""

from __future__ import annotations

import numpy as np

from solidbody.model.geometry import GeometryMesh
from solidbody.model.mass import MassProperties


def mesh_mass(mesh: GeometryMesh, density: float) -> MassProperties | None:
    """Return the mass properties of the homogeneous inside of a closed mesh.

    The integrals are sums over the tetrahedra (0, a, b, c) that each triangle spans with the origin,
    signed by V = a . (b x c) / 6:

        volume = sum V,   first moment = sum V (a + b + c) / 4,
        second moment S = sum V/20 (s s^T + a a^T + b b^T + c c^T),  s = a + b + c.

    The inertia about the origin is density * (tr(S) E - S), then moved to the centre of mass.

    Returns:
        None if the enclosed volume is not positive (an open mesh, or one turned inside out) or the
        inertia not positive definite.
    """
    points = np.asarray(mesh.vertices, dtype=np.float64)
    faces = np.asarray(mesh.triangles, dtype=np.int64)
    middle = points.mean(axis=0)  # far from the origin the sums would lose digits
    a, b, c = (points[faces[:, k]] - middle for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    total = float(volumes.sum())
    size = float(np.abs(volumes).sum())
    if not np.isfinite(size) or not total > 1e-12 * size:
        return None
    s = a + b + c
    center = (volumes @ s) / (4.0 * total)
    weights = volumes / 20.0
    second = sum((x * weights[:, None]).T @ x for x in (s, a, b, c))
    second = second - total * np.outer(center, center)
    inertia = density * (np.trace(second) * np.eye(3) - second)
    if not np.all(np.isfinite(inertia)) or np.linalg.eigvalsh(inertia)[0] <= 0.0:
        return None
    x, y, z = (center + middle).tolist()
    i = inertia.tolist()
    return MassProperties(
        density * total, (x, y, z), (i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2])
    )
