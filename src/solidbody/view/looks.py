"""What devices change in how a scene looks: lamps, screens, paint, belts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from PIL import Image

from solidbody.devices.pens import Pens
from solidbody.devices.surfaces import Bytes, Key, Surfaces
from solidbody.model.devices import (
    DeviceCharger,
    DeviceDisplay,
    DeviceLed,
    DeviceLight,
    DevicePen,
    DeviceTrackBelt,
)
from solidbody.model.joints import JointTrack
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.view.protocol_live import (
    PAINT_HEADER,
    PAINT_MAGIC,
    EventLooks,
    WireGlow,
    WireLamp,
    WireSlide,
)
from solidbody.view.textures import OPAQUE, SIDE_LIMIT

if TYPE_CHECKING:
    from solidbody.sim import Sim

_CHANGING: Final = (DeviceLed, DeviceDisplay, DevicePen, DeviceLight, DeviceCharger)
"""Devices that change how something looks; belts move by their joints."""


def live_shapes(scene: Scene) -> set[Key]:
    """Return the shapes whose look may change while the simulation runs."""
    links = list(scene.links())
    can_paint = any(isinstance(device, DevicePen) for link in links for device in link.devices)
    return {key for row, link in enumerate(links) for key in _live_of(row, link, can_paint)}


def _live_of(row: int, link: Link, can_paint: bool) -> Iterator[Key]:
    for device in link.devices:
        match device:
            case DeviceLed(shapes=shapes):
                yield from ((row, number) for number in shapes)
            case DeviceDisplay(shape=int(number)):
                yield row, number
            case DeviceCharger():
                yield from ((row, number) for number in range(len(link.shapes)))
            case DeviceTrackBelt() if any(device.texture_velocity):
                yield from _textured(row, link)
            case _:
                pass
    if can_paint:
        yield from _textured(row, link)


def _textured(row: int, link: Link) -> Iterator[Key]:
    for number, shape in enumerate(link.shapes):
        if shape.appearance is not None and shape.appearance.texture is not None:
            yield row, number


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
        self._belts = [
            (row, device, sim.axis_row(row, 0))
            for row, link in enumerate(links)
            if isinstance(link.joint, JointTrack)
            for device in link.devices
            if isinstance(device, DeviceTrackBelt) and any(device.texture_velocity)
        ]
        self._links = links
        self._seen: dict[Key, Bytes] = {}

    def event(self) -> EventLooks | None:
        """Return how everything looks; None = as the scene says, for ever."""
        if not self._has_devices and not self._belts:
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
            slides=self._slides(),
        )

    def paintings(self) -> Iterator[tuple[int, bytes]]:
        """Return the pictures that have changed since the last call, by number of the shape."""
        surfaces = self._surfaces()
        if surfaces is None:
            return
        for key, picture in list(surfaces.pictures.items()):
            if self._seen.get(key) is picture:
                continue
            is_new = key not in self._seen
            self._seen[key] = picture
            if not (is_new and self._is_clean(key)):
                number = self._index(key)
                yield number, PAINT_HEADER.pack(PAINT_MAGIC, number) + encode_painting(picture)

    # ------------------------------------------------------------------

    def _surfaces(self) -> Surfaces | None:
        return self._sim.devices.world.surfaces if self._has_devices else None

    def _is_clean(self, key: Key) -> bool:
        """Whether nobody has painted on a texture yet: then the scene shows it already."""
        pens = next((g for g in self._sim.devices.groups if isinstance(g, Pens)), None)
        return pens is not None and key in pens.papers and not pens.papers[key].is_painted

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

    def _slides(self) -> list[WireSlide]:
        if not self._belts:
            return []
        travel = self._sim.joint_states()[:, 0]
        out: list[WireSlide] = []
        for row, device, axis in self._belts:
            u, v = (round(float(travel[axis]) * rate % 1.0, 4) for rate in device.texture_velocity)
            out += [WireSlide(self._index(key), u, v) for key in _textured(row, self._links[row])]
        return out

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
    """Return where each of several lists starts if they are put one after the other."""
    out, total = list[int](), 0
    for count in counts:
        out.append(total)
        total += count
    return out
