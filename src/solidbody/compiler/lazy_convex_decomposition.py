"""Convex decomposition on demand: hollow meshes that move are cut when one first meets another.

Until then a mesh is its hull to others, within which all its parts lie. Whoever steps asks for parts when
hulls overlap and waits for them. What a step does never depends on what has been cut, or kept, before. All
else (planes, primitives, convex meshes, triangles that stand still) meets the triangles of the mesh itself.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mujoco

from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.base.progress import Progress
from solidbody.compiler.bodies import CONTACT_MARGIN
from solidbody.compiler.convex_decomposition import cut_meshes
from solidbody.compiler.geoms import ConvexGeom, FormBuilder
from solidbody.compiler.mesh_components import Points
from solidbody.model.geometry import GeometryMesh

MEMORY = 4 << 20
MEMORY_PER_PART = 256 << 10
"""[bytes] Room for contacts of one pair of meshes; it is only reserved, not touched."""


class LazyConvexParts:
    """Parts of the meshes of a compiled scene, by the geom that is the hull; see `PartsSource`.

    Args:
        solids: All hulls of the scene.
        progress: Told how far cutting is.
    """

    def __init__(self, solids: Sequence[ConvexGeom], progress: Progress | None) -> None:
        self.problems: list[Diagnostic] = []
        """Why meshes stay hulls: they could not be cut."""
        self._solids = {int(solid.geom.id): solid for solid in solids}
        self._progress = progress
        self._parts: dict[int, list[Points]] = {}
        self._pairs: dict[tuple[int, int], mujoco.MjModel] = {}
        # simulations of one batch share what is cut
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        """Carry the hulls and what was cut of them; models of pairs are made of the parts again."""
        with self._lock:
            solids = {geom: replace(solid, geom=None) for geom, solid in self._solids.items()}
            return {"problems": self.problems, "_solids": solids, "_parts": dict(self._parts)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._progress, self._pairs, self._lock = None, {}, threading.RLock()

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


def _mesh_of(solid: ConvexGeom) -> GeometryMesh | None:
    """Return the mesh that a hull stands for; None for hulls that are all there is."""
    geometry = None if solid.shape is None else solid.shape.geometry
    return geometry if isinstance(geometry, GeometryMesh) else None
