"""Animation of track belts as cameras see them: elements around the wheels, sliding textures."""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.devices.core.device_frames import DeviceWorld
from solidbody.devices.surfaces.belt_path import belt_elements
from solidbody.devices.surfaces.render_snapshot import Show
from solidbody.model.devices import DeviceTrackBelt
from solidbody.model.joints import JointTrack
from solidbody.render.moving_shapes import move, slide
from solidbody.render.ray_engine import RayEngine
from solidbody.render.shapes import sliding_shapes


@dataclass(frozen=True, slots=True)
class _Belt:
    """A belt, the keys of its elements and of the textures that run along, the axis that moves it."""

    device: DeviceTrackBelt
    elements: tuple[int, int]
    textures: tuple[tuple[int, int], ...]
    axis: int | None


class Belts:
    """All belts of a world."""

    def __init__(self, world: DeviceWorld) -> None:
        self._world = world
        self._belts: list[_Belt] = []
        for row, link in enumerate(world.scene.links()):
            axis = world.source.axis_row(row, 0) if isinstance(link.joint, JointTrack) else None
            for number, device in enumerate(link.devices):
                if isinstance(device, DeviceTrackBelt):
                    keys = tuple((row, k) for k in sliding_shapes(link))
                    elements = (row, len(link.shapes) + number)
                    self._belts.append(_Belt(device, elements, keys, axis))
        if self._belts:
            world.showing.append(self.look)

    def look(self) -> Show:
        """Return how they look now."""
        joints = self._world.joints[:, 0]
        travels = [0.0 if b.axis is None else float(joints[b.axis]) for b in self._belts]

        def show(rays: RayEngine) -> None:
            for belt, travel in zip(self._belts, travels, strict=True):
                poses = belt_elements(belt.device, travel)
                if len(poses):
                    move(rays, belt.elements, poses)
                u, v = (travel * rate % 1.0 for rate in belt.device.texture_velocity)
                for key in belt.textures:
                    slide(rays, key, (u, v))

        return show
