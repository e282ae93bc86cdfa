"""Prosody: stress, durations and pitch of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from solidbody.speech.lexicon import WEAK, spelt_sounds, word_sounds
from solidbody.speech.phonemes import PHONEMES, PhonemeKind
from solidbody.speech.text import Word
from solidbody.speech.tracks import Spoken

HIGH: Final = 128.0
"""[1/s] Pitch at the beginning of a phrase."""
LOW: Final = 96.0
"""[1/s] Pitch at its end: the voice sinks."""
ACCENT: Final = 16.0
"""[1/s] By which a stressed syllable is higher."""
FALL: Final = 18.0
"""[1/s] By which a statement falls in the end."""
RISE: Final = 50.0
"""[1/s] By which a question rises."""
PACE: Final = 1.12
"""Factor on the speed of all sounds: some 180 words per minute, at which a recogniser did best."""
DRAWL: Final = 1.35
"""Factor on the last syllable of a phrase."""

_LATE: Final = (
    ("tion", "sion", "ic", "ics", "ical", "ity", "ial", "ian", "ious", "ify", "ogy", "uous"),
    ("ee", "eer", "ette", "esque", "oon"),
)
"""Endings that draw the stress to the syllable before them, and to themselves."""
_LIGHT: Final = tuple("a be re de con com in ex pro per sur un dis mis en em e".split())  # noqa: SIM905
"""Beginnings that are not stressed in words of two syllables."""


def sounds_of_words(words: Sequence[Word]) -> list[Spoken]:
    """Return the sounds of a text, phrase by phrase."""
    out: list[Spoken] = []
    phrase: list[Spoken] = []
    for word in words:
        if word.text:
            phrase += _word(word)
        elif not word.mark:
            phrase.append(_pause(word))
        else:
            out += _sung(phrase, word.mark)
            out.append(_pause(word))
            phrase = []
    return out + _sung(phrase, ".")


def _pause(word: Word) -> Spoken:
    return Spoken("", pause=word.pause, speed=word.manner.speed)


def _word(word: Word) -> list[Spoken]:
    names = spelt_sounds(word.text) if word.is_spelt else word_sounds(word.text)
    manner = word.manner
    plain = Spoken("", 0, 0.0, PACE * manner.speed, manner.pitch, manner.volume)
    sounds = [replace(plain, name=name) for name in names]
    vowels = [k for k, name in enumerate(names) if PHONEMES[name].kind is PhonemeKind.VOWEL]
    if word.text in WEAK or not vowels:
        return sounds
    stressed = range(len(vowels)) if word.is_spelt else (_stressed(word.text, names, vowels),)
    for k in stressed:
        end = vowels[k]
        start = vowels[k - 1] + 1 if k else 0
        # consonants before the vowel are stressed with it, at most two of them if a vowel stands in front
        for index in range(max(start, end - 2) if k else 0, end + 1):
            sounds[index] = replace(sounds[index], stress=1)
    return sounds


def _stressed(word: str, names: Sequence[str], vowels: Sequence[int]) -> int:
    """Return which vowel of a word is stressed."""
    count = len(vowels)
    full = [k for k, index in enumerate(vowels) if names[index] != "AX"]
    if count == 1 or not full:
        return 0
    if word.endswith(_LATE[1]):
        return count - 1
    if word.endswith(_LATE[0]):
        after = (
            2 if word.endswith(("ical", "ity", "ify", "ogy", "ial", "ian", "ious", "uous")) else 1
        )
        return max(count - 1 - after, 0)
    if len(full) > 1 and full[0] == 0 and count == 2 and word.startswith(_LIGHT):
        return 1
    return full[0]


def _sung(phrase: list[Spoken], mark: str) -> list[Spoken]:
    """Return a phrase with its pitch, and its last syllable drawn out."""
    vowels = [
        k for k, s in enumerate(phrase) if s.name and PHONEMES[s.name].kind is PhonemeKind.VOWEL
    ]
    if not vowels:
        return phrase
    last = len(phrase) - 1
    stressed = [k for k in vowels if phrase[k].stress]
    nucleus = stressed[-1] if stressed else vowels[-1]
    out: list[Spoken] = []
    for k, sound in enumerate(phrase):
        tone = HIGH + (LOW - HIGH) * k / max(last, 1)
        if sound.stress:
            tone += ACCENT
        if k >= nucleus:
            way = (k - nucleus + 1) / (last - nucleus + 1)
            tone += {"?": RISE, ",": 0.3 * RISE}.get(mark, -FALL) * way
        stretch = DRAWL if k >= vowels[-1] else 1.0
        stress = 2 if k == nucleus else sound.stress
        out.append(replace(sound, tone=tone, stretch=stretch, stress=stress))
    return out
