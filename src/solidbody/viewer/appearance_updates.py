"""Watches changes of looks for the page: lamps, screens, paint, muscles, hidden shapes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from PIL import Image

from solidbody.devices.surfaces.looks import Bytes, Key, SurfaceLooks
from solidbody.devices.surfaces.muscles import Course, Muscles
from solidbody.model.devices import (
    DeviceCharger,
    DeviceDisplay,
    DeviceLed,
    DeviceLight,
    DevicePen,
    DeviceTrackBelt,
)
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.render.shapes import textured_shapes
from solidbody.viewer.flexible import muscle_shapes
from solidbody.viewer.protocol_live import (
    INK_MAGIC,
    PAINT_HEADER,
    PAINT_MAGIC,
    EventLooks,
    WireGlow,
    WireLamp,
    WireTint,
)
from solidbody.viewer.textures import OPAQUE, SIDE_LIMIT

if TYPE_CHECKING:
    from solidbody.sim import Sim

_CHANGING: Final = (DeviceLed, DeviceDisplay, DevicePen, DeviceLight, DeviceCharger)
"""Devices that change how something looks, beside muscles."""


def live_shapes(scene: Scene) -> set[Key]:
    """Return the shapes whose look may change while the simulation runs; pens paint over any of them."""
    return {key for row, link in enumerate(scene.links()) for key in _live_of(row, link)}


def _live_of(row: int, link: Link) -> Iterator[Key]:
    for device in link.devices:
        match device:
            case DeviceLed(shapes=shapes):
                yield from ((row, number) for number in shapes)
            case DeviceDisplay(shape=int(number)):
                yield row, number
            case DeviceCharger():
                yield from ((row, number) for number in range(len(link.shapes)))
            case DeviceTrackBelt() if any(device.texture_velocity):
                yield from ((row, number) for number in textured_shapes(link))
            case _:
                pass


class ShapeHiding(Protocol):
    """What supervisors hide."""

    def in_view(self, stage: Any) -> frozenset[Key]:
        """Return the shapes that the view does not show."""
        ...


class SupervisedView(Protocol):
    """Where supervisors work, as far as the page has to do with it; `control.supervisor` has one."""

    hiding: ShapeHiding


class LookWatcher:
    """Tells how the present scene of a simulation looks. Owned by the player's thread."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        scene = sim.scene
        links = list(scene.links())
        self._first_shape = _starts(len(link.shapes) for link in links)
        self._has_devices = any(
            isinstance(device, _CHANGING) for link in links for device in link.devices
        )
        self._links = links
        self._muscles = [(item.link, item.device, Course()) for item in muscle_shapes(links)]
        self._stages = list[SupervisedView](_stages(sim))
        self._seen: dict[tuple[int, Key], Bytes] = {}

    def event(self) -> EventLooks | None:
        """Return how everything looks; None = as the scene says, for ever."""
        if not (self._has_devices or self._muscles or self._stages):
            return None
        surfaces = self._surfaces()
        glow = {} if surfaces is None else dict(surfaces.glow)
        lamps = {} if surfaces is None else surfaces.lamps
        glow |= self._chargers()
        return EventLooks(
            glows=[
                WireGlow(self._index(key), color)
                for key, color in glow.items()
                if key[0] < len(self._links)
            ],
            lamps=[
                WireLamp(number, look.is_on, look.color, look.strength)
                for number, look in lamps.items()
            ],
            tints=self._tints(),
            hidden=self._hidden(),
        )

    def unseen(self) -> frozenset[Key]:
        """Return the shapes (link, number in it) that supervisors hide from the view."""
        return frozenset[Key]().union(*(stage.hiding.in_view(stage) for stage in self._stages))

    def paintings(self) -> Iterator[tuple[tuple[int, int], bytes]]:
        """Return pictures and layers of paint that have changed since the last call, by magic and shape."""
        surfaces = self._surfaces()
        if surfaces is None:
            return
        found = ((PAINT_MAGIC, surfaces.pictures), (INK_MAGIC, surfaces.inks))
        for magic, pictures in found:
            for key, picture in list(pictures.items()):
                if self._seen.get((magic, key)) is not picture:
                    self._seen[magic, key] = picture
                    number = self._index(key)
                    header = PAINT_HEADER.pack(magic, number)
                    yield (magic, number), header + encode_painting(picture)

    # ------------------------------------------------------------------

    def _surfaces(self) -> SurfaceLooks | None:
        return self._sim.devices.world.surfaces if self._has_devices else None

    def _chargers(self) -> dict[Key, tuple[float, float, float]]:
        """Return the glow of chargers: by how full they are, or only once they are."""
        out: dict[Key, tuple[float, float, float]] = {}
        if not self._has_devices:
            return out
        for charger in self._sim.devices.power.chargers:
            battery, row = charger.device.battery, int(charger.place.link[0])
            if battery is None or battery.capacity <= 0.0:
                continue
            share = charger.charge / battery.capacity
            if not charger.device.gradual:
                share = 1.0 if share >= 1.0 else 0.0
            red, green, blue = (round(share * part, 3) for part in charger.device.emissive)
            for number in range(len(self._links[row].shapes)):
                out[row, number] = (red, green, blue)
        return out

    def _tints(self) -> list[WireTint]:
        """Return the colours of muscles, as this watcher sees them move."""
        if not self._muscles:
            return []
        devices = self._sim.devices
        devices.world.forget()  # nobody tells it of steps while no controller samples anything
        group = next(g for g in devices.groups if isinstance(g, Muscles))
        row_of = {(bound.link, id(bound.device)): row for row, bound in enumerate(group.bound)}
        first = self._first_shape[-1]
        out: list[WireTint] = []
        for k, (link, device, course) in enumerate(self._muscles):
            row = row_of[link, id(device)]
            start, end = group.ends(row)
            course.note(float(np.linalg.norm(end - start)))
            red, green, blue = (round(part, 3) for part in group.color(row, course))
            out.append(WireTint(first + k, (red, green, blue)))
        return out

    def _hidden(self) -> list[int]:
        return sorted(self._index(key) for key in self.unseen() if key[0] < len(self._links))

    def _index(self, key: Key) -> int:
        link, shape = key
        return self._first_shape[link] + shape


def encode_painting(picture: Bytes) -> bytes:
    """Return a picture (rows, columns, 4) as a PNG, or as a JPEG if nothing shines through."""
    image = Image.fromarray(picture)
    image.thumbnail((SIDE_LIMIT, SIDE_LIMIT))
    out = io.BytesIO()
    if bool((picture[..., 3] == OPAQUE).all()):
        image.convert("RGB").save(out, "JPEG", quality=90)
    else:
        image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def _starts(counts: Iterable[int]) -> list[int]:
    """Return where each of several lists starts if they are put one after the other, and the end."""
    out = [0]
    for count in counts:
        out.append(out[-1] + count)
    return out


def _stages(sim: Sim) -> Iterator[SupervisedView]:
    for hook in sim.step_hooks:
        stage: Any = getattr(hook, "stage", None)
        if hasattr(stage, "hiding"):
            yield stage
