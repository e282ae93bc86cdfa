"""Touch sensors on bodies without physics, which the contacts of the step do not cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from solidbody.compiler.touch_probe_geoms import device_number
from solidbody.model.devices import DeviceTouchSensor, TouchKind
from solidbody.model.joints import JointFixed
from solidbody.model.links import Link, Motion
from solidbody.model.scene import Scene
from solidbody.sim.penetration_depth import PenetrableGeoms

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

ROUNDING: Final = 1e-12
"""[m] Gap that rounding leaves between surfaces that lie on each other, which is a touch in ODE."""


@dataclass(frozen=True, slots=True)
class TouchProbes:
    """The feeling geoms of one device, those that it can feel, and the root of what is fixed together.

    What is fixed to the device and only lies on it would be felt always, or never.
    """

    own: tuple[int, ...]
    others: PenetrableGeoms
    root: int

    def touched(self, sim: Sim) -> dict[int, float]:
        """Return the links that are inside a probe or lie on it now, and how deep [m]."""
        owner, (now, step) = sim.compiled.binding.geom_owner, sim.core.look_ahead.placed()
        found: dict[int, float] = {}
        for geom in self.own:
            for touch in self.others.touches(sim.model, now, step, geom, ROUNDING):
                link = int(owner[touch.other, 0])
                if touch.depth == 0.0 and _root(sim, link) == self.root:
                    continue
                found[link] = max(found.get(link, 0.0), touch.depth)
        return found


def touch_probes_of(sim: Sim) -> dict[tuple[int, int], TouchProbes]:
    """Return the touch probes of all devices that have some, by link and number of the device.

    Surfaces that push nothing feel all that collides. Those of sensors on links that the step does not
    move feel the other links of that kind, which the step brings to no contact. A robot does not feel
    its own parts unless it collides with itself.
    """
    owners = sim.compiled.binding.geom_owner
    links = list(sim.scene.links())
    bumpers = _fixed_bumpers(links)
    if not bumpers and not any(device_number(int(n)) is not None for n in np.unique(owners[:, 1])):
        return {}
    robots = _robots(sim.scene)
    own: dict[tuple[int, int], list[int]] = {}
    solid: list[tuple[int, int]] = []
    for geom, (link, number) in enumerate(owners.tolist()):
        device = device_number(number)
        if device is not None:
            own.setdefault((link, device), []).append(geom)
        elif number >= 0:
            solid.append((geom, link))
            for bumper in bumpers.get((link, number), ()):
                own.setdefault((link, bumper), []).append(geom)
    feels_fixed = {(link, device) for (link, _), found in bumpers.items() for device in found}
    return {
        key: TouchProbes(
            tuple(geoms),
            PenetrableGeoms.of(
                sim,
                [
                    geom
                    for geom, link in solid
                    if link != key[0]
                    and robots[link] != robots[key[0]]
                    and (key not in feels_fixed or links[link].motion is not Motion.DYNAMIC)
                ],
            ),
            _root(sim, key[0]),
        )
        for key, geoms in own.items()
    }


def _root(sim: Sim, link: int) -> int:
    """Return the first of the links that are fixed together with one."""
    parents = sim.compiled.binding.parent
    while parents[link] >= 0 and isinstance(sim.link_model(link).joint, JointFixed):
        link = int(parents[link])
    return link


def _fixed_bumpers(links: Sequence[Link]) -> dict[tuple[int, int], list[int]]:
    """Return the touch sensors (numbers in their links) of shapes of links that the step does not move."""
    found: dict[tuple[int, int], list[int]] = {}
    for index, link in enumerate(links):
        if link.motion is Motion.DYNAMIC:
            continue
        for number, device in enumerate(link.devices):
            if isinstance(device, DeviceTouchSensor) and device.kind is TouchKind.BUMPER:
                for shape in device.shapes:
                    found.setdefault((index, shape), []).append(number)
    return found


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
