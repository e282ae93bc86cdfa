"""Reads sensor values for the panels, without disturbing what controllers read."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from solidbody.devices.actuators.displays import Displays
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_engine import DeviceEngine
from solidbody.devices.core.group import Group
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.devices.scalar.touch import ForceSensors, TouchSensors

if TYPE_CHECKING:
    from solidbody.sim import Sim

FIRST_LOOK: Final = 1e6
"""[s] Time that a device of the page has waited before its first sample: a lidar shows a full turn."""

_NEEDS_STEPS: Final = (ForceSensors, TouchSensors)
"""Groups that can only be sampled in the middle of a step: shown if a controller samples them."""

JPEG_QUALITY: Final = 80
CONTACT_LIMIT: Final = 400
"""Most contact points that are shown."""

Floats = NDArray[np.float64]


class Probe:
    """Takes readings of one simulation. To be used by the thread that owns it.

    A device that a controller has turned on is read as it is. Any other one is sampled by a twin of
    its own with its own noise, so that the values of controllers do not depend on who watches.
    """

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._twins: dict[int, Group] = {}
        self._looked: dict[int, float] = {}
        self._engine: DeviceEngine | None = None

    def joint_positions(self) -> list[float]:
        """Return the positions of all joint axes."""
        return [round(value, 6) for value in self._sim.joint_states()[:, 0].tolist()]

    def contacts(self) -> list[float]:
        """Return place and force of each contact point of the last step, six numbers each."""
        found = self._sim.contacts()
        rows = np.concatenate([found.position, found.force], axis=1)[:CONTACT_LIMIT]
        return np.nan_to_num(rows).ravel().round(5).tolist()

    def scalars(self, keys: Iterable[str]) -> list[float | None]:
        """Return the values of scalars by key: `joint/3/position`, `link/0/speed`, `device/7/0`."""
        states: dict[str, Floats] = {}
        return [self._scalar(key, states) for key in keys]

    def _scalar(self, key: str, states: dict[str, Floats]) -> float | None:
        kind, _, rest = key.partition("/")
        row_text, _, part = rest.partition("/")
        if not row_text.isdecimal():
            return None
        row = int(row_text)
        match kind, part:
            case "joint", "position" | "velocity" if row < len(self._sim.joint_names):
                table = self._state(states, "joints")
                return _finite(table[row, 0 if part == "position" else 1])
            case "joint", "effort" if row < len(self._sim.joint_names):
                return _finite(self._sim.motor_states[row]["effort"])
            case "link", "x" | "y" | "z" if row < len(self._sim.link_names):
                return _finite(self._state(states, "poses")[row, "xyz".index(part)])
            case "link", "speed" if row < len(self._sim.link_names):
                return _finite(np.linalg.norm(self._state(states, "velocities")[row, :3]))
            case "device", _ if part.isdecimal():
                values = self._device_values(row)
                number = int(part)
                return None if values is None or number >= len(values) else _finite(values[number])
            case _:
                return None

    def _state(self, states: dict[str, Floats], name: str) -> Floats:
        """Return a table of the state, asked for at most once per reading."""
        if name not in states:
            make = {
                "joints": self._sim.joint_states,
                "poses": self._sim.poses,
                "velocities": self._sim.velocities,
            }[name]
            states[name] = make()
        return states[name]

    # ------------------------------------------------------------------ devices

    def _device_values(self, index: int) -> Sequence[float] | None:
        found = self._find(index)
        if found is None:
            return None
        group, row, bound = found
        if isinstance(group, ImageGroup):
            return None
        if self._is_on(bound):
            return group.values[row].tolist()
        if group.needs_every_step or isinstance(group, _NEEDS_STEPS):
            return None
        twin, elapsed = self._twin(group, bound)
        twin.sample(np.zeros(1, dtype=np.intp), np.array([max(elapsed, self._sim.time_step)]))
        return twin.values[0].tolist()

    def picture(self, index: int) -> bytes | None:
        """Return the picture of a device as a JPEG; None if it takes or shows none."""
        found = self._find(index)
        if found is not None and isinstance(found[0], Displays):
            return encode_picture(found[0].picture(found[1]))
        looked = self.look(index)
        image = None if looked is None else looked[0].image(looked[1])
        return None if image is None else encode_picture(image)

    def look(self, index: int) -> tuple[ImageGroup[Any, Any], int] | None:
        """Let a device see what is there now; return the group and row with its image, None = it is blind.

        The image of one that a controller has turned on is the last that the controller was given.
        """
        found = self._find(index)
        if found is None:
            return None
        group, row, bound = found
        if not isinstance(group, ImageGroup):
            return None
        if self._is_on(bound) and group.shots[row] is not None:
            return group, row
        twin, elapsed = self._twin(group, bound)
        assert isinstance(twin, ImageGroup)
        _follow_zoom(group, row, twin)
        twin.look(0, elapsed)
        return twin, 0

    def _find(self, index: int) -> tuple[Group, int, BoundDevice] | None:
        engine = self._sim.devices
        if engine is not self._engine:  # another scene
            self._engine = engine
            self._twins.clear()
            self._looked.clear()
        if index >= len(engine.devices):
            return None
        bound = engine.devices[index]
        return (*engine.group_of(bound), bound) if engine.has_group(bound) else None

    def _is_on(self, bound: BoundDevice) -> bool:
        return bool(self._sim.devices.clock.periods[bound.index])

    def _twin(self, group: Group, bound: BoundDevice) -> tuple[Group, float]:
        """Return a group of the page's own with this device alone, and the time since its last sample [s]."""
        engine = self._sim.devices
        engine.world.forget()  # nobody tells it of steps while no controller samples anything
        twin = self._twins.get(bound.index)
        if twin is None:
            twin = type(group)([bound], engine.world, np.random.default_rng(bound.index))
            twin.enable(0)
            self._twins[bound.index] = twin
        elapsed = self._sim.time - self._looked.get(bound.index, -FIRST_LOOK)
        self._looked[bound.index] = self._sim.time
        return twin, elapsed if elapsed >= 0.0 else FIRST_LOOK


def _follow_zoom(group: ImageGroup[Any, Any], row: int, twin: ImageGroup[Any, Any]) -> None:
    """Look the way a program has set the camera."""
    states, own = getattr(group, "states", None), getattr(twin, "states", None)
    if not states or not own or not hasattr(states[row], "field_of_view"):
        return
    if own[0].field_of_view != states[row].field_of_view:
        twin.set_field_of_view(0, states[row].field_of_view)  # type: ignore[attr-defined]
    own[0].focal_distance, own[0].exposure = states[row].focal_distance, states[row].exposure


def encode_picture(image: NDArray[Any]) -> bytes:
    """Return a picture (rows, columns, 3), or distances (rows, columns) near = bright, as a JPEG."""
    pixels = image if image.ndim == 3 else _distance_colors(image)
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels[..., :3])).save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()


def _distance_colors(distance: NDArray[Any]) -> NDArray[np.uint8]:
    """Near is light yellow, far is dark blue, nothing is black."""
    found = np.isfinite(distance)
    if not found.any():
        return np.zeros((*distance.shape, 3), dtype=np.uint8)
    low, high = float(distance[found].min()), float(distance[found].max())
    near = np.where(found, 1.0 - (np.where(found, distance, high) - low) / max(high - low, 1e-6), 0)
    red, green, blue = 40 + 215 * near, 60 + 180 * near**1.3, 130 - 10 * near
    out = np.stack([red, green, blue], axis=-1) * found[..., None]
    return out.astype(np.uint8)


def _finite(value: Any) -> float | None:
    number = float(value)
    return round(number, 9) if math.isfinite(number) else None
