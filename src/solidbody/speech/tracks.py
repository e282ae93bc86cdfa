"""Parameter tracks of the synthesiser: formants, voice, noise and pitch, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.speech.phonemes import PHONEMES, Band, Formants, Phoneme, PhonemeKind

Floats = NDArray[np.float64]

FRAME: Final = 0.0025
"""[s] Between two frames: a burst of 10 ms has four of them."""
GLIDE: Final = 0.050
"""[s] Over which resonances go from one sound to the next: the speed of lips and tongue."""
FADE: Final = 0.015
"""[s] Over which voice and breath swell and die away; bursts of noise are sudden."""

BURST: Final = 0.012
"""[s] Noise of a stop that opens."""
BREATH: Final = 0.040
"""[s] Breath after a voiceless stop in front of a stressed vowel."""
SHORT_BREATH: Final = 0.018
"""[s] The same elsewhere."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sound of a text.

    Attributes:
        name: Key of `PHONEMES`; "" = silence.
        stress: 0 none, 1 of a word, 2 of the word that matters most in its phrase.
        pause: Length of a silence [s].
        speed: Factor.
        pitch: Factor.
        volume: Factor.
        stretch: Factor on the duration: the last syllable of a phrase is drawn out.
        tone: Pitch at its middle [1/s], before the factor.
    """

    name: str
    stress: int = 0
    pause: float = 0.0
    speed: float = 1.0
    pitch: float = 1.0
    volume: float = 1.0
    stretch: float = 1.0
    tone: float = 110.0


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of time in which targets stay the same, or go straight to others."""

    duration: float
    start: Formants
    end: Formants
    widths: Formants
    voice: float = 0.0
    breath: float = 0.0
    noise: float = 0.0
    bands: tuple[Band, ...] = ()
    nasal: float = 0.0


@dataclass(frozen=True, slots=True)
class Tracks:
    """What the synthesiser follows; one row per frame.

    Attributes:
        formants: (n, 3) [1/s].
        widths: (n, 3) [1/s].
        voice: Amplitude of the voice.
        breath: Amplitude of noise at the vocal folds.
        noise: Amplitude of noise at the lips or the tongue.
        nasal: Share of the nose.
        pitch: [1/s].
        volume: Factor on everything.
        sets: The bands of noise of all frames.
        which: Index of each frame in `sets`.
    """

    formants: Floats
    widths: Floats
    voice: Floats
    breath: Floats
    noise: Floats
    nasal: Floats
    pitch: Floats
    volume: Floats
    sets: tuple[tuple[Band, ...], ...]
    which: NDArray[np.int64]


def make_tracks(sounds: Sequence[Spoken]) -> Tracks:
    """Return the tracks of a text."""
    pieces: list[Segment] = []
    owners: list[Spoken] = []
    for k, sound in enumerate(sounds):
        found = _segments(sounds, k)
        pieces += found
        owners += [sound] * len(found)
    counts = np.array([max(round(p.duration / FRAME), 1) for p in pieces], dtype=np.int64)
    share = np.concatenate([(np.arange(n) + 0.5) / n for n in counts.tolist()] or [np.zeros(0)])

    def spread(values: Sequence[object]) -> Floats:
        return np.repeat(np.array(values, dtype=np.float64), counts, axis=0)

    starts, ends = spread([p.start for p in pieces]), spread([p.end for p in pieces])
    sets = tuple(dict.fromkeys(p.bands for p in pieces))
    return Tracks(
        formants=_smooth(starts + share[:, None] * (ends - starts), GLIDE),
        widths=_smooth(spread([p.widths for p in pieces]), GLIDE),
        voice=_smooth(spread([p.voice for p in pieces]), FADE),
        breath=_smooth(spread([p.breath for p in pieces]), FADE),
        noise=spread([p.noise for p in pieces]),
        nasal=_smooth(spread([p.nasal for p in pieces]), FADE),
        pitch=_smooth(spread([o.tone * o.pitch for o in owners]), 0.12),
        volume=_smooth(spread([o.volume for o in owners]), FADE),
        sets=sets,
        which=np.repeat(np.array([sets.index(p.bands) for p in pieces], dtype=np.int64), counts),
    )


def _smooth(values: Floats, time: float) -> Floats:
    """Return the mean over a window of `time` around each frame; ends are held."""
    half = max(round(time / FRAME / 2), 1)
    if not len(values):
        return values
    padded = np.pad(values, [(half, half)] + [(0, 0)] * (values.ndim - 1), mode="edge")
    sums = np.cumsum(padded, axis=0)
    zero = np.zeros_like(sums[:1])
    sums = np.concatenate([zero, sums])
    width = 2 * half + 1
    return (sums[width:] - sums[:-width]) / width


# ---------------------------------------------------------------------- sounds to segments


def _segments(sounds: Sequence[Spoken], k: int) -> list[Segment]:
    sound = sounds[k]
    if not sound.name:
        rest = _neighbour(sounds, k)
        return [Segment(sound.pause / sound.speed, rest, rest, (100.0, 120.0, 200.0))]
    phoneme = PHONEMES[sound.name]
    target = _pulled(phoneme, _neighbour(sounds, k))
    share = (0.0, 1.0, 1.15)[sound.stress]
    time = phoneme.least + share * (phoneme.duration - phoneme.least)
    plain = Segment(
        time * sound.stretch / sound.speed, target, phoneme.end or target, phoneme.widths
    )
    loud = (0.8, 1.0, 1.1)[sound.stress]
    match phoneme.kind:
        case PhonemeKind.VOWEL:
            return [replace(plain, voice=loud)]
        case PhonemeKind.GLIDE:
            return [replace(plain, voice=0.75)]
        case PhonemeKind.NASAL:
            return [replace(plain, voice=0.7, nasal=1.0)]
        case PhonemeKind.BREATH:
            return [replace(plain, breath=0.5)]
        case PhonemeKind.FRICATIVE:
            voice, noise = (0.35, 0.6) if phoneme.is_voiced else (0.0, 1.0)
            return [replace(plain, voice=voice, noise=noise, bands=phoneme.bands)]
        case PhonemeKind.STOP:
            return _stop(sounds, k, phoneme, plain)
        case PhonemeKind.AFFRICATE:
            bar = 0.12 if phoneme.is_voiced else 0.0
            hiss = replace(plain, duration=(0.055 if phoneme.is_voiced else 0.080) / sound.speed)
            return [
                replace(plain, voice=bar),
                replace(hiss, voice=2.0 * bar, noise=0.9, bands=phoneme.bands),
            ]


def _stop(sounds: Sequence[Spoken], k: int, phoneme: Phoneme, plain: Segment) -> list[Segment]:
    """A stop is closed, bursts open, and breathes before the voice comes back."""
    closed = replace(plain, voice=0.12 if phoneme.is_voiced else 0.0)
    after = sounds[k + 1] if k + 1 < len(sounds) else Spoken("")
    following = PHONEMES.get(after.name)
    if following is not None and following.kind in (PhonemeKind.STOP, PhonemeKind.AFFRICATE):
        return [closed]  # it opens with the next one
    burst = replace(
        plain,
        duration=BURST,
        noise=0.5 if phoneme.is_voiced else 0.9,
        bands=_burst_bands(phoneme, plain.start[1]),
        voice=0.15 if phoneme.is_voiced else 0.0,
    )
    if phoneme.is_voiced:
        return [closed, burst]
    after_s = k > 0 and sounds[k - 1].name == "S"
    is_vocal = following is not None and following.kind in (PhonemeKind.VOWEL, PhonemeKind.GLIDE)
    long = is_vocal and not after_s and max(after.stress, sounds[k].stress) > 0
    breath = replace(plain, duration=BREATH if long else SHORT_BREATH, breath=0.45)
    return [closed, burst, breath]


def _burst_bands(phoneme: Phoneme, second: float) -> tuple[Band, ...]:
    """Where the tongue touches the palate depends on the vowel: so does the noise of k and g."""
    if not phoneme.is_palatal:
        return phoneme.bands
    (_, width, level), *others = phoneme.bands
    # to 50 Hz, so that there are not as many sets of bands as sounds
    return ((50.0 * round(second / 50.0), width, level), *others)


def _pulled(phoneme: Phoneme, vowel: Formants) -> Formants:
    first, second, third = phoneme.formants
    pull = phoneme.pull
    return (
        first + (vowel[0] - first) * (pull if phoneme.kind is PhonemeKind.BREATH else 0.0),
        second + pull * (vowel[1] - second),
        third + pull * (vowel[2] - third),
    )


NEUTRAL: Final[Formants] = (500.0, 1500.0, 2500.0)
"""Resonances of a tube as long as a vocal tract (17 cm)."""


def _neighbour(sounds: Sequence[Spoken], k: int) -> Formants:
    """Return the resonances of the vowel beside a sound: the next one's beginning or the last one's end."""
    for step in (1, -1):
        for other in sounds[k + step : k + 3 * step if k + 3 * step >= 0 else None : step]:
            phoneme = PHONEMES.get(other.name)
            if phoneme is not None and phoneme.kind in (PhonemeKind.VOWEL, PhonemeKind.GLIDE):
                return phoneme.formants if step > 0 else phoneme.end or phoneme.formants
    return NEUTRAL
