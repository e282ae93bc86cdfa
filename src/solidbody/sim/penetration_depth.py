"""Penetration depth of single geoms, for touch sensors and drives without physics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler.collision_filters import is_hull
from solidbody.contact.engine import Step
from solidbody.contact.layout import TerrainKind
from solidbody.contact.tables import Record

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

TOUCHING = 1e-9
"""[m] Distance from which on two geoms are of no interest."""

Geoms = NDArray[np.intp]
Vector = NDArray[np.float64]


class Penetration(NamedTuple):
    """A geom that another one is in: how deep [m], and the way out of it (unit vector, world)."""

    other: int
    depth: float
    normal: Vector


@dataclass(frozen=True, slots=True)
class PenetrableGeoms:
    """Geoms that something can be in.

    Attributes:
        geoms: All of them.
        reach: Radius around each [m]; infinite for planes and for ground, which is solid below.
        terrains: Rows of those that are triangles, which MuJoCo does not collide, by their geoms.
    """

    geoms: Geoms
    reach: Vector
    terrains: Mapping[int, int]

    @classmethod
    def of(cls, sim: Sim, geoms: Sequence[int]) -> PenetrableGeoms:
        """Choose from `geoms`: where triangles that move are felt, their hulls are not."""
        m = sim.model
        tables = sim.compiled.tables.collision.terrains
        rows = {int(row["geom"]): k for k, row in enumerate(tables)}
        hulls = {g for g in geoms if is_hull((int(m.geom_contype[g]), int(m.geom_conaffinity[g])))}
        kept = np.array([g for g in geoms if g in rows or g not in hulls], dtype=np.intp)
        reach = m.geom_rbound[kept].copy()
        reach[reach == 0.0] = np.inf
        terrains = {g: rows[g] for g in kept.tolist() if g in rows}
        reach[np.isin(kept, list(terrains))] = [_reach(m, tables[row]) for row in terrains.values()]
        return cls(kept, reach, terrains)

    def touches(
        self, m: mujoco.MjModel, d: mujoco.MjData, step: Step, geom: int, gap: float = 0.0
    ) -> Iterator[Penetration]:
        """Yield where a primitive or hull is inside things: once in a solid, at each point of triangles.

        Args:
            m: The model.
            d: Its state.
            step: The one that advances `d`.
            geom: The primitive or hull.
            gap: Up to which distance from a solid [m] it counts, as of depth 0 without a direction.
        """
        ends = np.zeros(6)
        apart = np.linalg.norm(d.geom_xpos[self.geoms] - d.geom_xpos[geom], axis=1)
        for other in self.geoms[apart <= self.reach + m.geom_rbound[geom]].tolist():
            terrain = self.terrains.get(other)
            if terrain is not None:
                for *normal, depth in step.terrain_points(terrain, geom).tolist():
                    yield Penetration(other, depth, np.array(normal))
                continue
            depth = -mujoco.mj_geomDistance(m, d, geom, other, TOUCHING, ends)
            if depth > 0.0:
                yield Penetration(other, depth, (ends[3:] - ends[:3]) / depth)
            elif gap > 0.0 and depth >= -gap:
                yield Penetration(other, 0.0, np.zeros(3))


def _reach(m: mujoco.MjModel, terrain: Record) -> float:
    """Return the radius around the geom of a terrain, which may be one part of it only [m]."""
    if terrain["kind"] != TerrainKind.MESH:
        return np.inf
    turn, low, high = terrain["mat"].reshape(3, 3), terrain["lo"], terrain["hi"]
    middle = terrain["pos"] + turn @ (0.5 * (low + high))
    apart = np.linalg.norm(middle - m.geom_pos[int(terrain["geom"])])
    return float(apart + 0.5 * np.linalg.norm(high - low))
