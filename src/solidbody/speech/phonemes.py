"""Phonemes of English: formants, loudness of voice and noise, durations.

Names are those of the ARPAbet. Formants and bandwidths are of a man's voice; they go back to measurements
that textbooks of phonetics share (Peterson and Barney 1952 for vowels; Klatt 1980 for consonants and widths).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

Formants = tuple[float, float, float]
"""First, second and third resonance of the vocal tract [1/s]."""

Band = tuple[float, float, float]
"""Centre [1/s], width [1/s] and level [dB] of a band of noise."""


class PhonemeKind(Enum):
    """How a sound is made."""

    VOWEL = "vowel"
    GLIDE = "glide"
    NASAL = "nasal"
    FRICATIVE = "fricative"
    STOP = "stop"
    AFFRICATE = "affricate"
    BREATH = "breath"


@dataclass(frozen=True, slots=True)
class Phoneme:
    """One sound.

    Attributes:
        kind: How it is made.
        formants: Resonances at its beginning.
        widths: Bandwidths of the resonances [1/s].
        duration: When it is stressed [s].
        least: Shortest time [s]; unstressed sounds are between both.
        end: Resonances at its end, if they change on the way.
        bands: Its noise, if it has some.
        is_voiced: Whether the vocal folds swing.
        pull: Share by which the second and third resonance follow the vowel next to it.
        is_palatal: Whether the first band of its noise lies at its second resonance.
    """

    kind: PhonemeKind
    formants: Formants
    widths: Formants
    duration: float
    least: float
    end: Formants | None = None
    bands: tuple[Band, ...] = ()
    is_voiced: bool = True
    pull: float = 0.0
    is_palatal: bool = False


def _vowel(
    formants: Formants,
    duration: float,
    end: Formants | None = None,
    widths: Formants = (70, 90, 150),
) -> Phoneme:
    return Phoneme(PhonemeKind.VOWEL, formants, widths, duration, 0.45 * duration, end)


def _hiss(
    formants: Formants, duration: float, *bands: Band, is_voiced: bool = False, pull: float = 0.3
) -> Phoneme:
    widths = (60.0, 90.0, 150.0) if is_voiced else (200.0, 120.0, 200.0)
    return Phoneme(
        PhonemeKind.FRICATIVE,
        formants,
        widths,
        duration,
        0.7 * duration,
        None,
        bands,
        is_voiced,
        pull,
    )


def _stop(formants: Formants, duration: float, *bands: Band, is_voiced: bool = False) -> Phoneme:
    widths = (60.0, 110.0, 150.0) if is_voiced else (250.0, 140.0, 220.0)
    is_palatal = bands == _PALATE
    pull = 0.6 if is_palatal else 0.3
    return Phoneme(
        PhonemeKind.STOP,
        formants,
        widths,
        duration,
        0.8 * duration,
        None,
        bands,
        is_voiced,
        pull,
        is_palatal,
    )


def _affricate(duration: float, *bands: Band, is_voiced: bool) -> Phoneme:
    return Phoneme(
        PhonemeKind.AFFRICATE,
        (300.0, 1800.0, 2700.0),
        (200.0, 100.0, 300.0),
        duration,
        0.8 * duration,
        None,
        bands,
        is_voiced,
        0.2,
    )


_S: Final = ((4800.0, 900.0, -2.0), (6700.0, 1800.0, 0.0))
_SH: Final = ((2600.0, 450.0, 0.0), (3700.0, 900.0, -3.0), (5200.0, 1500.0, -8.0))
_F: Final = ((1400.0, 2500.0, -16.0), (7500.0, 5000.0, -12.0))
_TH: Final = ((1600.0, 2500.0, -20.0), (6500.0, 3500.0, -12.0))
_LIPS: Final = ((700.0, 900.0, -6.0), (1500.0, 2500.0, -12.0))
_GUMS: Final = ((3800.0, 1500.0, -2.0), (5500.0, 2500.0, -4.0))
_PALATE: Final = ((1900.0, 500.0, 0.0), (3200.0, 1500.0, -8.0))

PHONEMES: Final[dict[str, Phoneme]] = {
    # vowels
    "IY": _vowel((290, 2200, 2980), 0.140, (280, 2260, 3000), (50, 150, 250)),
    "IH": _vowel((400, 1900, 2550), 0.110, (430, 1800, 2550)),
    "EY": _vowel((480, 1820, 2520), 0.170, (320, 2150, 2650)),
    "EH": _vowel((550, 1770, 2490), 0.130, (580, 1680, 2490)),
    "AE": _vowel((650, 1720, 2410), 0.190, (680, 1600, 2420)),
    "AA": _vowel((740, 1150, 2500), 0.180, (720, 1180, 2500), (110, 80, 160)),
    "AO": _vowel((580, 880, 2450), 0.180, (600, 930, 2480), (90, 90, 120)),
    "AH": _vowel((620, 1200, 2450), 0.110, None, (80, 80, 140)),
    "AX": _vowel((500, 1350, 2480), 0.070, None, (80, 90, 150)),
    "OW": _vowel((520, 980, 2350), 0.170, (380, 820, 2300), (80, 80, 110)),
    "UH": _vowel((450, 1070, 2280), 0.110, (470, 1130, 2300)),
    "UW": _vowel((320, 1000, 2250), 0.150, (300, 850, 2230), (65, 100, 140)),
    "ER": _vowel((470, 1300, 1640), 0.150, (440, 1330, 1620), (90, 80, 110)),
    "AY": _vowel((710, 1200, 2550), 0.210, (380, 2050, 2600)),
    "AW": _vowel((700, 1300, 2500), 0.220, (420, 900, 2350)),
    "OY": _vowel((540, 900, 2450), 0.230, (370, 1950, 2550)),
    # glides and liquids
    "W": Phoneme(PhonemeKind.GLIDE, (290, 640, 2150), (50, 80, 60), 0.080, 0.055),
    "Y": Phoneme(PhonemeKind.GLIDE, (260, 2150, 3020), (40, 200, 350), 0.080, 0.050),
    "R": Phoneme(PhonemeKind.GLIDE, (320, 1080, 1420), (70, 100, 120), 0.085, 0.055),
    "L": Phoneme(PhonemeKind.GLIDE, (330, 1050, 2780), (60, 100, 250), 0.080, 0.055),
    # nasals
    "M": Phoneme(PhonemeKind.NASAL, (300, 1150, 2130), (60, 200, 200), 0.085, 0.065, pull=0.2),
    "N": Phoneme(PhonemeKind.NASAL, (300, 1750, 2600), (60, 250, 250), 0.080, 0.055, pull=0.2),
    "NG": Phoneme(PhonemeKind.NASAL, (300, 2150, 2700), (60, 250, 250), 0.090, 0.065, pull=0.4),
    # fricatives
    "F": _hiss((340, 1100, 2080), 0.110, *_F),
    "V": _hiss((250, 1100, 2080), 0.070, *_F, is_voiced=True),
    "TH": _hiss((320, 1350, 2540), 0.105, *_TH),
    "DH": _hiss((280, 1350, 2540), 0.055, *_TH, is_voiced=True),
    "S": _hiss((320, 1600, 2600), 0.115, *_S),
    "Z": _hiss((250, 1600, 2600), 0.085, *_S, is_voiced=True),
    "SH": _hiss((300, 1900, 2700), 0.125, *_SH),
    "ZH": _hiss((270, 1900, 2700), 0.080, *_SH, is_voiced=True),
    "HH": Phoneme(
        PhonemeKind.BREATH,
        (500, 1500, 2500),
        (200, 150, 250),
        0.070,
        0.050,
        is_voiced=False,
        pull=1.0,
    ),
    # stops: how long they are closed; the burst and the breath after it come on top
    "P": _stop((350, 900, 2150), 0.080, *_LIPS),
    "B": _stop((220, 900, 2150), 0.070, *_LIPS, is_voiced=True),
    "T": _stop((350, 1750, 2650), 0.070, *_GUMS),
    "D": _stop((220, 1750, 2650), 0.060, *_GUMS, is_voiced=True),
    "K": _stop((320, 1900, 2500), 0.070, *_PALATE),
    "G": _stop((220, 1900, 2500), 0.065, *_PALATE, is_voiced=True),
    "CH": _affricate(0.060, *_SH, is_voiced=False),
    "JH": _affricate(0.050, *_SH, is_voiced=True),
}
