"""A simulation with known motion, so that tests of the view know what every frame must hold."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.model.geometry import GeometryBox
from solidbody.model.joints import JointFixed, JointFree
from solidbody.model.links import Body, Link
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole


@dataclass
class Counters:
    not_converged: int = 0


def make_scene(count: int) -> Scene:
    """Return one fixed floor and `count` boxes in a row along x."""
    shape = Shape(GeometryBox((0.5, 0.5, 0.5)), role=ShapeRole.BOTH)
    mass = MassProperties(1.0, inertia=(0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    floor = Link("floor", "floor", joint=JointFixed(), mass=mass, shapes=(shape,))
    boxes = [
        Link(f"box {i}", f"box {i}", Pose((float(i), 0.0, 0.0)), joint=JointFree(), mass=mass,
             shapes=(shape,))
        for i in range(count)
    ]  # fmt: skip
    bodies = tuple(Body(link.name, (link,)) for link in (floor, *boxes))
    return Scene("row", "row.wbt", bodies=bodies, title="A row of boxes")


class RisingBoxes:
    """Every box rises by 1 mm per step; nothing else happens, at a price per step if wanted."""

    def __init__(
        self,
        count: int = 2,
        *,
        time_step: float = 0.008,
        fails_at: int | None = None,
    ) -> None:
        self.scene = make_scene(count)
        self.time_step = time_step
        self.step_count = 0
        self.moving = np.arange(1, count + 1)
        self.stats = Counters()
        self.threads: set[str] = set()
        self._fails_at = fails_at
        self._start = np.zeros((count + 1, 7))
        self._start[:, 3] = 1.0
        self._start[1:, 0] = np.arange(count)

    @property
    def time(self) -> float:
        return self.step_count * self.time_step

    def step(self, n: int = 1) -> None:
        self.threads.add(threading.current_thread().name)
        self.step_count += n
        if self._fails_at is not None and self.step_count >= self._fails_at:
            raise FloatingPointError("the boxes flew away")

    def reset(self) -> None:
        self.step_count = 0

    def poses(self) -> NDArray[np.float64]:
        poses = self._start.copy()
        poses[1:, 2] = 0.001 * self.step_count
        return poses
