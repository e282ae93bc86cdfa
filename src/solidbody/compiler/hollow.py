"""Hollow meshes that move: cut into convex parts when one first meets another mesh, or triangles.

Until then a mesh is its hull, within which all its parts lie. Whoever steps asks for parts when hulls overlap
and waits for them. What a step does never depends on what has been cut, or kept, before.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.base.progress import Progress
from solidbody.compiler.bodies import CONTACT_MARGIN
from solidbody.compiler.geoms import FormBuilder, Solid, hull_of_mesh
from solidbody.compiler.mesh_pieces import Points
from solidbody.compiler.parts import cut_meshes
from solidbody.contact.terrain_tables import HULL, PartHulls
from solidbody.model.geometry import GeometryMesh

MEMORY = 4 << 20
MEMORY_PER_PART = 256 << 10
"""[bytes] Room for contacts of one pair of meshes; it is only reserved, not touched."""


class HollowMeshes:
    """Parts of the meshes of a compiled scene, by the geom that is the hull; see `PartsSource`.

    Args:
        model: The compiled scene.
        solids: All its hulls.
        progress: Told how far cutting is.
    """

    def __init__(
        self, model: mujoco.MjModel, solids: Sequence[Solid], progress: Progress | None
    ) -> None:
        self.problems: list[Diagnostic] = []
        """Why meshes stay hulls: they could not be cut."""
        self._solids = {int(solid.geom.id): solid for solid in solids}
        self._places = {
            geom: (model.geom_pos[geom].copy(), _matrix(model.geom_quat[geom]))
            for geom in self._solids
        }
        self._progress = progress
        self._parts: dict[int, list[Points]] = {}
        self._hulls: dict[int, PartHulls] = {}
        self._pairs: dict[tuple[int, int], mujoco.MjModel] = {}
        # simulations of one batch share what is cut
        self._lock = threading.RLock()

    def prepare(self, geoms: Sequence[int]) -> None:
        """Cut the meshes of these geoms, side by side."""
        with self._lock:
            solids = {geom: self._solids[geom] for geom in geoms if geom not in self._parts}
            meshes = {geom: mesh for geom, x in solids.items() if (mesh := _mesh_of(x)) is not None}
            parts, failures = cut_meshes(meshes.values(), self._progress)
            for geom, solid in solids.items():
                mesh = id(meshes.get(geom))
                self._parts[geom] = parts.get(mesh, [solid.points])
                if mesh in failures and solid.shape is not None:
                    text = (
                        f"this hollow mesh meets other meshes as its convex hull: {failures[mesh]}"
                    )
                    span, node = solid.shape.span, solid.node
                    found = Diagnostic(Severity.WARNING, "collision-form", span, text, node)
                    self.problems.append(found)

    def hulls(self, geom: int) -> PartHulls:
        """Return the parts of a geom."""
        with self._lock:
            if geom not in self._hulls:
                self.prepare([geom])
                self._hulls[geom] = self._part_hulls(geom)
            return self._hulls[geom]

    def pair(self, low: int, high: int) -> mujoco.MjModel:
        """Return a model of two floating bodies, those of the two geoms, with their parts only."""
        with self._lock:
            if (low, high) not in self._pairs:
                self.prepare([low, high])
                self._pairs[low, high] = self._model_of(low, high)
            return self._pairs[low, high]

    def _model_of(self, *geoms: int) -> mujoco.MjModel:
        spec = mujoco.MjSpec()
        forms = FormBuilder(spec)
        count = 0
        for geom in geoms:
            body = spec.worldbody.add_body()
            body.add_freejoint()
            body.explicitinertial, body.mass, body.inertia = True, 1.0, (1.0, 1.0, 1.0)
            for points in self._parts[geom]:
                part = forms.add_hull(body, self._solids[geom].pose, points, (1, 1))
                part.margin = CONTACT_MARGIN
                count += 1
        spec.memory = MEMORY + MEMORY_PER_PART * count
        return spec.compile()

    def _part_hulls(self, geom: int) -> PartHulls:
        model = self._model_of(geom)
        position, turn = self._places[geom]
        rows = np.zeros(model.ngeom, dtype=HULL)
        points: list[Points] = []
        planes: list[Points] = []
        for k, row in enumerate(rows):
            corners, sides = hull_of_mesh(model, int(model.geom_dataid[k]))
            # from the axes of the part to those of the geom
            own = turn.T @ _matrix(model.geom_quat[k])
            row["geom"] = geom
            row["point_start"], row["point_count"] = sum(map(len, points)), len(corners)
            row["plane_start"], row["plane_count"] = sum(map(len, planes)), len(sides)
            points.append(corners @ own.T)
            planes.append(np.c_[sides[:, :3] @ own.T, sides[:, 3]])
        return PartHulls(
            rows,
            np.ascontiguousarray(np.concatenate(points)),
            np.ascontiguousarray(np.concatenate(planes)),
            np.ascontiguousarray((model.geom_pos - position) @ turn),
        )


def _mesh_of(solid: Solid) -> GeometryMesh | None:
    """Return the mesh that a hull stands for; None for hulls that are all there is."""
    geometry = None if solid.shape is None else solid.shape.geometry
    return geometry if isinstance(geometry, GeometryMesh) else None


def _matrix(quat: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quat)
    return out.reshape(3, 3)
