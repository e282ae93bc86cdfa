"""Bonds: pairs of links that connectors and grippers hold together, and when they break."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from solidbody.base.transforms import Pose
from solidbody.devices.core.device_frames import DeviceWorld, Floats
from solidbody.model.links import Motion


@dataclass(frozen=True, slots=True)
class Strength:
    """What a bond bears [N]: pull along its axis, force across it."""

    tensile: float
    shear: float

    def __add__(self, other: Strength) -> Strength:
        return Strength(self.tensile + other.tensile, self.shear + other.shear)

    @property
    def is_limited(self) -> bool:
        """Whether it can break at all."""
        return math.isfinite(self.tensile) or math.isfinite(self.shear)


def pose_of(world: DeviceWorld, link: int) -> Pose:
    """Return where a link is."""
    x, y, z, w, i, j, k = world.poses[link].tolist()
    return Pose((x, y, z), (w, i, j, k))


def bind(world: DeviceWorld, first: int, second: int, *, shift: Pose | None = None) -> int | None:
    """Hold two links together; None where that makes no sense (one link, or nothing that can move)."""
    links = list(world.scene.links())
    moves = any(links[k].motion is Motion.DYNAMIC for k in (first, second))
    if first == second or not moves:
        return None
    try:
        return world.source.attach_links(first, second, shift=shift)
    except ValueError:
        return None


def is_torn(world: DeviceWorld, number: int, axis: Floats, strength: Strength) -> bool:
    """Whether the last step pulled harder than a bond bears.

    Args:
        world: The world.
        number: What `bind` returned.
        axis: From the first link to the second, world; a pull brings the second one away along it.
        strength: Of the bond.
    """
    force = world.source.bond_force(number)
    along = float(force @ axis)
    across = float(np.linalg.norm(force - along * axis))
    # what holds the second link pulls it back, against the axis
    return -along > strength.tensile or across > strength.shear
