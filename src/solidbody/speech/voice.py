"""Speaks a text: returns samples, in English or by eSpeak NG."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.speech import espeak
from solidbody.speech.prosody import sounds_of_words
from solidbody.speech.synthesis import HOP, RATE, synthesise
from solidbody.speech.text import words_of
from solidbody.speech.tracks import Tracks, make_tracks

Samples = NDArray[np.float32]

ENGLISH: Final = "en-US"
"""The language that is spoken without being asked for another."""
LOUDNESS: Final = 0.5
"""Greatest amplitude of a text without tags, about."""
PEAK: Final = 2.4
"""The same as the synthesiser gives it."""


@lru_cache(maxsize=64)
def speak(text: str, language: str = ENGLISH) -> Samples:
    """Return a text as it is spoken, at RATE; empty if nothing of it can be."""
    if not _is_ours(language):
        out = espeak.speak(text, language) * np.float32(LOUDNESS)
    else:
        out = (synthesise(_tracks(text)) * (LOUDNESS / PEAK)).astype(np.float32)
    out = np.clip(out, -1.0, 1.0)
    out.setflags(write=False)
    return out


def speech_time(text: str, language: str = ENGLISH) -> float:
    """Return how long a text is spoken [s]: as long as what `speak` returns."""
    if _is_ours(language):
        return len(_tracks(text).voice) * HOP / RATE
    return len(speak(text, language)) / RATE


def language_problem(language: str) -> str | None:
    """Return what is to be said about a language that is not spoken as it should; None = nothing."""
    if language.lower().startswith("en") or espeak.is_installed(language):
        return None
    return (
        f'a text in the language "{language}" is spoken by the rules of English. '
        "Other languages need the extra solidbody[speech] (eSpeak NG)."
    )


def _is_ours(language: str) -> bool:
    """Whether we speak ourselves: English sounds the same whatever is installed."""
    return language.lower().startswith("en") or not espeak.is_installed(language)


@lru_cache(maxsize=64)
def _tracks(text: str) -> Tracks:
    return make_tracks(sounds_of_words(words_of(text)))
