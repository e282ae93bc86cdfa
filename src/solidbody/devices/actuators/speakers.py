"""Speakers: sounds and speech that programs play, as events for the mixer and the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.model.devices import DeviceSpeaker


@dataclass(frozen=True, slots=True)
class Playing:
    """A sound that a speaker plays.

    Attributes:
        sound: Address of the file, or the text that is spoken.
        volume: 0..1.
        pitch: Factor on the speed of the sound.
        balance: -1 left .. 1 right.
        loops: Whether it begins again at its end.
        since: When it began [s].
        language: Of a text that is spoken, such as "en-US"; "" = it is a file.
    """

    sound: str
    volume: float
    pitch: float
    balance: float
    loops: bool
    since: float
    language: str = ""

    @property
    def is_speech(self) -> bool:
        """Whether it is a text."""
        return bool(self.language)


class Speakers(Group[DeviceSpeaker]):
    """The value is the number of sounds that a speaker plays.

    Sounds that do not loop are over when `ended` says so: only who plays them knows how long they are.
    """

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states: list[dict[str, Playing]] = [{} for _ in devices]

    def reset(self) -> None:
        """Silence."""
        super().reset()
        self.states = [{} for _ in self.states]

    def play(
        self,
        row: int,
        sound: str,
        *,
        volume: float = 1.0,
        pitch: float = 1.0,
        balance: float = 0.0,
        loops: bool = False,
    ) -> None:
        """Play a sound file; one that is being played goes on with the new values."""
        old = self.states[row].get(sound)
        since = self._now() if old is None else old.since
        self.states[row][sound] = Playing(sound, volume, pitch, balance, loops, since)

    def speak(self, row: int, text: str, volume: float, *, language: str = "en-US") -> None:
        """Speak a text."""
        self.states[row][text] = Playing(text, volume, 1.0, 0.0, False, self._now(), language)

    def stop(self, row: int, sound: str = "") -> None:
        """Stop a sound, or all."""
        if sound:
            self.states[row].pop(sound, None)
        else:
            self.states[row].clear()

    def ended(self, row: int, sound: str) -> None:
        """A sound is over."""
        self.states[row].pop(sound, None)

    def is_playing(self, row: int, sound: str) -> bool:
        """Whether a sound is being played."""
        return sound in self.states[row]

    def playing(self, row: int) -> tuple[Playing, ...]:
        """Return all sounds that are being played."""
        return tuple(self.states[row].values())

    def _now(self) -> float:
        return self.world.source.step_count * self.world.source.time_step

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        self.values[rows, 0] = [len(self.states[row]) for row in rows.tolist()]
