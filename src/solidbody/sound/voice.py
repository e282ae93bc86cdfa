"""A simple voice for the texts that speakers speak: vowels with formants, hisses, short stops.

It is to be heard when and how long something is said; it is not to be understood. Each letter takes the same
time, so that a text lasts as long as `devices.speakers.speech_time` says.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.speakers import LETTERS_PER_SECOND, spoken_letters
from solidbody.sound.clips import RATE, Samples

Floats = NDArray[np.float64]

PITCH: Final = 120.0
"""[1/s] Of the voice."""
HARMONICS: Final = 28
"""Overtones, up to 3.4 kHz: a telephone's range."""
WIDTH: Final = 90.0
"""[1/s] Half width of a formant."""
EDGE: Final = 0.012
"""[s] Over which a letter swells and dies away."""
LOUDNESS: Final = 0.5
"""Greatest amplitude."""

VOWELS: Final[dict[str, tuple[float, float]]] = {
    "a": (750.0, 1200.0),
    "e": (500.0, 1900.0),
    "i": (300.0, 2300.0),
    "o": (500.0, 900.0),
    "u": (320.0, 800.0),
    "y": (300.0, 2000.0),
}
"""First and second formant [1/s]."""
HISSES: Final = frozenset("cfhsxz")
STOPS: Final = frozenset("bdgkpqt")
HUM: Final = (250.0, 1100.0)
"""Formants of the other consonants, at a third of the strength."""


def make_speech(text: str) -> Samples:
    """Return a text as it is spoken."""
    letters = spoken_letters(text)
    ends = np.round(np.arange(1, len(letters) + 1) * (RATE / LETTERS_PER_SECOND)).astype(int)
    out = np.zeros(int(ends[-1]) if len(ends) else 0)
    random = np.random.Generator(np.random.PCG64(4))
    start = 0
    for letter, end in zip(letters, ends.tolist(), strict=True):
        count = end - start
        out[start:end] = _letter(letter, start, count, random) * _envelope(count)
        start = end
    peak = float(np.abs(out).max(initial=0.0))
    return (out * (LOUDNESS / peak) if peak > 0.0 else out).astype(np.float32)


def _letter(letter: str, start: int, count: int, random: np.random.Generator) -> Floats:
    times = (start + np.arange(count)) / RATE
    if letter in HISSES:
        # differences of noise are high
        return 0.3 * np.diff(random.standard_normal(count + 1))
    if letter in STOPS:
        late = np.arange(count) >= count // 2
        return 0.8 * late * np.exp(-(times - times[0]) * 60.0) * random.standard_normal(count)
    if not letter.isalnum():
        return np.zeros(count)
    if letter in VOWELS:
        return _voiced(times, VOWELS[letter])
    if letter.isascii() and letter.isalpha():
        return _voiced(times, HUM) / 3.0
    # letters of other scripts, and digits: one vowel or another
    return _voiced(times, list(VOWELS.values())[ord(letter) % len(VOWELS)])


def _voiced(times: Floats, formants: tuple[float, float]) -> Floats:
    """Overtones of the pitch, strong near the formants."""
    tones = PITCH * np.arange(1, HARMONICS + 1)
    strength = sum(
        share / (1.0 + ((tones - formant) / WIDTH) ** 2)
        for formant, share in zip(formants, (1.0, 0.5), strict=True)
    )
    return np.asarray(strength) @ np.sin(2.0 * np.pi * np.outer(tones, times))


def _envelope(count: int) -> Floats:
    edge = max(min(round(EDGE * RATE), count // 2), 1)
    swell = np.minimum(np.arange(count) + 1.0, edge) / edge
    return swell * swell[::-1]
