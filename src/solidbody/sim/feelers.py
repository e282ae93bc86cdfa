"""What devices feel with surfaces that push nothing: touch sensors without physics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler.feelers import device_number
from solidbody.model.geometry import GeometryHeightField, GeometryMesh
from solidbody.model.scene import Scene

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

TOUCHING = 1e-9
"""[m] Distance from which on two geoms do not touch."""

Geoms = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Feelers:
    """The feeling geoms of one device, and those that it can feel."""

    own: Geoms
    others: Geoms

    def touch(self, sim: Sim) -> bool:
        """Whether anything was inside a feeler at the start of the last step."""
        return next(self._inside(sim), None) is not None

    def touched(self, sim: Sim) -> dict[int, float]:
        """Return the links that were inside a feeler at the start of the last step, and how deep [m]."""
        owner = sim.compiled.binding.geom_owner
        found: dict[int, float] = {}
        for geom, depth in self._inside(sim):
            link = int(owner[geom, 0])
            found[link] = max(found.get(link, 0.0), depth)
        return found

    def _inside(self, sim: Sim) -> Iterator[tuple[int, float]]:
        m, d = sim.model, sim.data
        for geom in self.own:
            apart = np.linalg.norm(d.geom_xpos[self.others] - d.geom_xpos[geom], axis=1)
            reach = m.geom_rbound[self.others]
            near = self.others[(reach == 0.0) | (apart <= reach + m.geom_rbound[geom])]
            for other in near:
                distance = mujoco.mj_geomDistance(m, d, int(geom), int(other), TOUCHING, None)
                if distance < 0.0:
                    yield int(other), -distance


def bound_feelers(sim: Sim) -> dict[tuple[int, int], Feelers]:
    """Return the feelers of all devices that have some, by link and number of the device.

    A robot does not feel its own parts unless it collides with itself. The triangles of ground and
    walls have no distance in MuJoCo: they are not felt.
    """
    owners = sim.compiled.binding.geom_owner
    if not any(device_number(int(number)) is not None for number in np.unique(owners[:, 1])):
        return {}
    robots = _robots(sim.scene)
    own: dict[tuple[int, int], list[int]] = {}
    solid: list[tuple[int, int]] = []
    for geom, (link, number) in enumerate(owners):
        device = device_number(int(number))
        if device is not None:
            own.setdefault((int(link), device), []).append(geom)
        elif number >= 0:
            shape = sim.link_model(int(link)).shapes[int(number)]
            if not isinstance(shape.geometry, GeometryMesh | GeometryHeightField):
                solid.append((geom, int(link)))
    return {
        key: Feelers(
            np.array(geoms, dtype=np.intp),
            np.array(
                [geom for geom, link in solid if robots[link] != robots[key[0]]], dtype=np.intp
            ),
        )
        for key, geoms in own.items()
    }


def _robots(scene: Scene) -> list[tuple[int, int]]:
    """Return for each link what it does not feel: (body, robot), or itself without a robot."""
    out: list[tuple[int, int]] = []
    for number, body in enumerate(scene.bodies):
        for index, robot in enumerate(body.robot_of_links()):
            if robot is None or body.robots[robot].self_collision:
                out.append((number, -1 - index))
            else:
                out.append((number, robot))
    return out
