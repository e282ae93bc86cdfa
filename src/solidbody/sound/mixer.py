"""Audio mixer: adds up voices that play clips at a gain and a pitch."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Vec3
from solidbody.sound.clips import Samples

FADE = 0.005
"""[s] Time over which a change of gain is spread: sudden ones crackle."""


@dataclass(slots=True)
class Voice:
    """A clip that is being played.

    Attributes:
        clip: What is played.
        gain: Factor on it.
        pitch: Factor on its speed.
        balance: -1 left .. 1 right.
        loops: Whether it begins again at its end.
        place: Sample that comes next; between two of them, they are blended.
        heard: Gain at the end of the last block, per side.
        is_leaving: Whether it fades out.
        at: Where it comes from, in the world [m]; None = from everywhere.
        number: Of the voice, counted from 1; given by the mixer.
    """

    clip: Samples
    gain: float
    pitch: float = 1.0
    balance: float = 0.0
    loops: bool = True
    place: float = 0.0
    heard: tuple[float, float] = (0.0, 0.0)
    is_leaving: bool = False
    at: Vec3 | None = None
    number: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        ended = not self.loops and self.place >= len(self.clip)
        return ended or (self.is_leaving and max(self.heard) <= 0.0)

    def sides(self) -> tuple[float, float]:
        """Return the gains to the left and to the right."""
        gain = 0.0 if self.is_leaving else self.gain
        return gain * min(1.0 - self.balance, 1.0), gain * min(1.0 + self.balance, 1.0)


class Mixer:
    """Voices by key. `render` gives the next samples of all of them together."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.voices: dict[Hashable, Voice] = {}
        self._started = 0

    def start(self, key: Hashable, voice: Voice) -> None:
        """Play a voice from its beginning, instead of the one with the same key."""
        if not voice.loops:
            voice.heard = voice.sides()  # a knock begins at once
        self._started += 1
        voice.number = self._started
        self.voices[key] = voice

    def stop(self, key: Hashable) -> None:
        """Let a voice fade out."""
        if key in self.voices:
            self.voices[key].is_leaving = True

    def clear(self) -> None:
        """Silence."""
        self.voices.clear()

    def render(self, count: int) -> NDArray[np.float32]:
        """Return the next `count` samples (count, 2), left and right, -1..1."""
        out = np.zeros((count, 2), dtype=np.float64)
        for key, voice in list(self.voices.items()):
            out += self._played(voice, count)
            if voice.is_over:
                del self.voices[key]
        return np.clip(out, -1.0, 1.0).astype(np.float32)

    def skip(self, seconds: float) -> None:
        """Let time go on without making samples, for those who play the voices themselves."""
        for key, voice in list(self.voices.items()):
            voice.place += voice.pitch * seconds * self.rate
            voice.heard = voice.sides()
            if voice.loops:
                voice.place %= len(voice.clip)
            if voice.is_over:
                del self.voices[key]

    def _played(self, voice: Voice, count: int) -> NDArray[np.float64]:
        size = len(voice.clip)
        places = voice.place + voice.pitch * np.arange(count)
        voice.place += voice.pitch * count
        if voice.loops:
            places %= size
            voice.place %= size
        first = np.minimum(places.astype(np.int64), size - 1)
        second = (first + 1) % size if voice.loops else np.minimum(first + 1, size - 1)
        share = places - first
        wave = voice.clip[first] * (1.0 - share) + voice.clip[second] * share
        wave[places >= size] = 0.0
        ramp = np.minimum(np.arange(1, count + 1) / max(FADE * self.rate, 1.0), 1.0)
        sides = voice.sides()
        gains = [old + (new - old) * ramp for old, new in zip(voice.heard, sides, strict=True)]
        voice.heard = (float(gains[0][-1]), float(gains[1][-1])) if count else voice.heard
        return wave[:, None] * np.stack(gains, axis=1)
