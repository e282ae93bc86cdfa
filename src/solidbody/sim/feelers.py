"""What devices feel with surfaces that push nothing: touch sensors without physics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solidbody.compiler.feelers import device_number
from solidbody.model.scene import Scene
from solidbody.sim.touching import Surroundings

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


@dataclass(frozen=True, slots=True)
class Feelers:
    """The feeling geoms of one device, and those that it can feel."""

    own: tuple[int, ...]
    others: Surroundings

    def touched(self, sim: Sim) -> dict[int, float]:
        """Return the links that are inside a feeler now, and how deep [m]."""
        owner, now = sim.compiled.binding.geom_owner, sim.present.placed()
        found: dict[int, float] = {}
        for geom in self.own:
            for touch in self.others.touches(sim, now, geom):
                link = int(owner[touch.other, 0])
                found[link] = max(found.get(link, 0.0), touch.depth)
        return found


def bound_feelers(sim: Sim) -> dict[tuple[int, int], Feelers]:
    """Return the feelers of all devices that have some, by link and number of the device.

    A robot does not feel its own parts unless it collides with itself.
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
            solid.append((geom, int(link)))
    return {
        key: Feelers(
            tuple(geoms),
            Surroundings.of(sim, [g for g, link in solid if robots[link] != robots[key[0]]]),
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
