"""Lazy rendering: image sensors note what a picture depends on and render it when it is read.

Most pictures are looked at by nobody: a program reads every tenth one, or none while it drives. To follow
rays is what a picture costs, so a sensor that is due only notes what its picture depends on, and the rays
are followed for whoever reads it.

- **What is noted.** `DeviceWorld.snapshot` (`core/device_frames.py`) is the world at one step as rays see it:
  poses of links, the look of surfaces and lamps (`surfaces/looks.py`), how devices that change form look
  (`DeviceWorld.showing`: belts, muscles, laser spots). It is a few small arrays, shared by all sensors of the
  step (`surfaces/render_snapshot.py`). An `Exposure` adds what belongs to one picture: the time since
  the last one, what is hidden from it, the seed of its noise. `settings` copies what programs change (zoom).
- **Who notes it, and when.** `ImageGroup.sample`, which the device engine calls in the step at which the
  sensor is due. The picture is a `Latent` from then on, in `shots`; one with a rate of its own waits a
  cycle in `_waiting` first.
- **Who follows the rays, and when.** The first one who calls `shot`, `image` or `value`: a controller that
  asks for the image that it was told of (`control/adapters/images.py`), a recorder, the page. `develop` of
  the group does it: `DeviceWorld.rays_at` puts the ray engine back to the snapshot, the rays are followed,
  and the engine stays there until somebody needs another one. The next sample drops a picture that nobody has
  read, and the rays were never followed.
- **Why the bytes do not depend on when.** Nothing that was noted changes later: arrays of a snapshot are
  replaced, not written, by the next step. Noise comes from a generator of each picture, seeded by device
  and step, and not from a stream that reading would advance. The tree of the ray engine is built of the
  first snapshot that anybody noted, so that of two surfaces at one place late readers and prompt ones meet
  the same. A picture that depends on those before it (motion blur, a turning head: `remembers`) is
  developed at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from solidbody.base.vectors import matrix, multiply
from solidbody.devices.core.device_binding import AnyDevice, BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.core.noise_streams import NoiseStreams
from solidbody.devices.surfaces.render_snapshot import RenderSnapshot, Visible
from solidbody.model.devices import DeviceCamera, DeviceLidar, DeviceRangeFinder
from solidbody.render.hiding import hidden
from solidbody.render.ray_engine import RayEngine

Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]

D = TypeVar("D", DeviceCamera, DeviceRangeFinder, DeviceLidar)
S = TypeVar("S", bound="Shot")
T = TypeVar("T")

NEWEST_SHARE = 0.995
"""A picture that blurs has taken this share of a new value after `motion_blur`."""


def own_rate(device: AnyDevice) -> float | None:
    """Return how often a device works by itself [Hz]; None = whenever a program wants."""
    match device:
        case DeviceCamera(frame_rate=rate) | DeviceLidar(scan_rate=rate):
            return rate
        case _:
            return None


class Latent(Generic[T]):
    """A value that is computed when it is first asked for; what it depends on must not change."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._value: T | None = None

    def __call__(self) -> T:
        """Return the value."""
        if self._make is not None:
            self._value, self._make = self._make(), None
        return self._value  # type: ignore[return-value]


@dataclass(slots=True)
class Shot:
    """What a sensor saw; some have more to say than an image."""

    image: NDArray[Any]


@dataclass(slots=True, eq=False)
class Exposure:
    """What a picture depends on, besides the settings of its sensor.

    Attributes:
        snapshot: The world when it was taken.
        elapsed: Time since the last one [s].
        unseen: (link, shape) of what was there and is not to be seen.
        seed: Of its noise, which is another one for each device and step, whoever reads pictures and when.
    """

    snapshot: RenderSnapshot
    elapsed: float
    unseen: Collection[tuple[int, int]]
    seed: tuple[Any, int, int]
    _random: np.random.Generator | None = None

    @contextmanager
    def rays(self) -> Iterator[RayEngine]:
        """Have the ray engine with everything as it was, without what is not to be seen."""
        rays = self.snapshot.rays
        with hidden(rays, self.unseen):
            yield rays

    @property
    def random(self) -> np.random.Generator:
        """What makes the noise of this picture."""
        if self._random is None:
            entropy, *key = self.seed
            seeds = np.random.SeedSequence(entropy, spawn_key=key)
            self._random = np.random.Generator(np.random.PCG64(seeds))
        return self._random


class ImageGroup(Group[D], Generic[D, S]):
    """Devices that look somewhere with a bundle of rays."""

    needs_every_step = False

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.shots: list[Latent[S] | None] = [None] * len(devices)
        """What each of them saw last; None = nothing yet."""
        self.unseen: list[Collection[tuple[int, int]]] = [()] * len(devices)
        """Per device: (link, shape) of what it does not see though it is there."""
        self._works = self._switches()
        # sensors with a rate of their own deliver one cycle after they looked
        self._is_late = [own_rate(d) is not None for d in self.devices]
        self._waiting: list[Latent[S] | None] = [None] * len(devices)
        optical = [getattr(d, "optical_rotation", (1.0, 0.0, 0.0, 0.0)) for d in self.devices]
        self._optical = np.array(optical).reshape(-1, 4)
        self._entropy = cast(np.random.SeedSequence, rng.bit_generator.seed_seq).entropy

    def _switches(self) -> list[bool]:
        """Whether each device is on in the file; those of some formats have no switch and always are."""
        return [getattr(d, "is_on", True) for d in self.devices]

    def is_on(self, row: int) -> bool:
        """See `Group.is_on`."""
        return self._works[row]

    def turn(self, row: int, *, is_on: bool) -> bool:
        """See `Group.turn`; a sensor that is turned off forgets what it saw."""
        if self._works[row] != is_on:
            self._works[row] = is_on
            self.shots[row] = None
            if self._is_late[row]:
                self._waiting[row] = self._taken(row, 0.0)
        return True

    def reset(self) -> None:
        """Forget the pictures as well; switches are as in the file."""
        super().reset()
        self._works = self._switches()
        self.unseen = [()] * len(self.unseen)
        self.shots = [None] * len(self.shots)
        self._waiting = [None] * len(self.shots)

    def enable(self, row: int) -> None:
        """A sensor that delivers late takes its first look now."""
        if self._is_late[row]:
            self._waiting[row] = self._taken(row, 0.0)

    def disable(self, row: int) -> None:
        """Forget the picture."""
        super().disable(row)
        self.shots[row] = self._waiting[row] = None

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row, dt in zip(rows.tolist(), elapsed.tolist(), strict=True):
            taken = self._taken(row, dt)
            if self._is_late[row]:
                taken, self._waiting[row] = self._waiting[row], taken
            self.shots[row] = taken

    def look(self, row: int, elapsed: float) -> None:
        """Let a device see what is there now, though it may deliver late."""
        self.shots[row] = self._taken(row, elapsed)

    def _taken(self, row: int, elapsed: float) -> Latent[S] | None:
        """Look now; None if the sensor is off."""
        if not self._works[row]:
            return None
        snapshot = self.world.snapshot
        # copies of a batch have keys of their own
        entropy = self.random.key if isinstance(self.random, NoiseStreams) else self._entropy
        seed = (entropy, self.bound[row].index, snapshot.step)
        exposure = Exposure(snapshot, elapsed, self.unseen[row], seed)
        taken = Latent(partial(self.develop, row, exposure, self.settings(row)))
        if self.remembers(row):
            taken()
        return taken

    def settings(self, row: int) -> Any:
        """Return what a picture of now depends on that may change before it is developed."""
        return None

    @abstractmethod
    def develop(self, row: int, exposure: Exposure, settings: Any) -> S:
        """Follow the rays of a picture that was noted with these settings."""

    def remembers(self, row: int) -> bool:
        """Whether a picture depends on those before it, so that all of them have to be developed."""
        return False

    def shot(self, row: int) -> S | None:
        """Return what a device saw last, developed; None before the first."""
        taken = self.shots[row]
        return None if taken is None else taken()

    def image(self, row: int) -> NDArray[Any] | None:
        """Return the last image, None before the first; it belongs to the device."""
        shot = self.shot(row)
        return None if shot is None else shot.image

    def value(self, row: int) -> Any:
        """The last image, None before the first."""
        image = self.image(row)
        return None if image is None else image.copy()

    @abstractmethod
    def directions(self, row: int) -> Floats:
        """Return the directions that a device looks in, in its optical frame."""

    def place(self, row: int, world: Visible | None = None) -> tuple[Floats, Floats]:
        """Return the place of a device and its optical axes (columns: forward, left, up) in the world.

        Args:
            row: The device.
            world: As it was; None = as it is now.
        """
        at, world = np.array([row], dtype=np.intp), world or self.world
        turn = multiply(self.places.rotations(world, at), self._optical[at])
        return self.places.positions(world, at)[0], matrix(turn[0])
