"""Pronunciation of irregular words, and of words built from others."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from solidbody.speech.rules import sounds_of, table_lines

_WEAK: Final = """
a an the and or but nor of to in on at by for from with as than if is are was were be been am it its
he she we you they i me my him her his us our your their them this that these those there do does
did has have had will would can could shall should may might must not so
"""
WEAK: Final = frozenset(_WEAK.split())
"""Words that are not stressed in a sentence."""

LETTER_NAMES: Final = {
    "a": "EY",
    "b": "B IY",
    "c": "S IY",
    "d": "D IY",
    "e": "IY",
    "f": "EH F",
    "g": "JH IY",
    "h": "EY CH",
    "i": "AY",
    "j": "JH EY",
    "k": "K EY",
    "l": "EH L",
    "m": "EH M",
    "n": "EH N",
    "o": "OW",
    "p": "P IY",
    "q": "K Y UW",
    "r": "AA R",
    "s": "EH S",
    "t": "T IY",
    "u": "Y UW",
    "v": "V IY",
    "w": "D AH B AX L Y UW",
    "x": "EH K S",
    "y": "W AY",
    "z": "Z IY",
}
"""How letters are spelt out."""

_VOICELESS: Final = frozenset({"P", "T", "K", "F", "TH"})
_HISSING: Final = frozenset({"S", "Z", "SH", "ZH", "CH", "JH"})


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    lines = table_lines("words.txt")
    return {word: tuple(sounds.split()) for word, _, sounds in (n.partition(" ") for n in lines)}


@cache
def word_sounds(word: str) -> tuple[str, ...]:
    """Return the sounds of a word of small letters (and apostrophes)."""
    known = _irregular().get(word)
    if known is not None:
        return known
    if len(word) == 1 or not set(word) & set("aeiouy"):
        return spelt_sounds(word)
    return _inflected(word) or sounds_of(word.replace("'", ""))


def spelt_sounds(word: str) -> tuple[str, ...]:
    """Return the sounds of a word that is spelt letter by letter."""
    names = (LETTER_NAMES[letter] for letter in word if letter in LETTER_NAMES)
    return tuple(sound for name in names for sound in name.split())


def _inflected(word: str) -> tuple[str, ...] | None:
    """Return the sounds of a word with one of the endings -s, -ed, -ing, -er, -ly; None if it has none."""
    for ending, make in _ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 2 and set(stem) & set("aeiouy"):
            base = _base(stem, ending)
            if base is not None:
                return make(word_sounds(base))
    return None


def _base(stem: str, ending: str) -> str | None:
    """Return the word that an ending was put to: mak-ing is of make, stopp-ed of stop, tri-es of try."""
    known = _irregular()
    if ending in ("'s", "s'"):
        return stem
    if (ending == "s" and (stem[-1] in "sui" or len(stem) < 3)) or (
        ending == "ed" and stem[-1] == "e"
    ):
        return None
    if ending == "ly":
        return stem if len(stem) > 2 and stem[-1] not in "l" else None
    candidates = [stem + "e", stem] if ending != "s" else [stem]
    for candidate in candidates:
        if candidate in known:
            return candidate
    if ending == "er":
        return None  # the rules know it; only known words are looked for
    if ending == "s" or (ending == "es" and stem[-1] in "hxsz"):
        return stem
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    if stem[-1] == "i":
        return stem[:-1] + "y" if ending != "ing" else None
    if len(stem) > 2 and stem[-1] in "bcdgklmnprstuvz" and _is_long(stem):
        return stem + "e"
    return stem


def _is_long(stem: str) -> bool:
    """Whether a stem without its e ends in one vowel and one consonant, or as only words with e do."""
    vowels = "aeiouy"
    if stem[-1] in "vu" or stem[-2:] in ("rc", "rg", "nc", "dg"):
        return True
    if stem[-1] in "cgsz" and stem[-2] in vowels + "rn":
        return stem[-2:] != "ng"
    if stem[-2] not in vowels or (len(stem) > 2 and stem[-3] in vowels):
        return False
    before = sum(letter in vowels for letter in stem[:-2])
    return before == 0 or stem[-2:] in _LONG


def _plural(sounds: tuple[str, ...]) -> tuple[str, ...]:
    if sounds[-1:] and sounds[-1] in _HISSING:
        return (*sounds, "AX", "Z")
    return (*sounds, "S" if sounds[-1:] and sounds[-1] in _VOICELESS else "Z")


def _past(sounds: tuple[str, ...]) -> tuple[str, ...]:
    if sounds[-1:] and sounds[-1] in ("T", "D"):
        return (*sounds, "AX", "D")
    soft = sounds[-1:] and sounds[-1] in _VOICELESS | {"S", "SH", "CH"}
    return (*sounds, "T" if soft else "D")


_ENDINGS: Final[dict[str, Callable[[tuple[str, ...]], tuple[str, ...]]]] = {
    "'s": _plural,
    "s'": _plural,
    "es": _plural,
    "s": _plural,
    "ed": _past,
    "ing": lambda sounds: (*sounds, "IH", "NG"),
    "er": lambda sounds: (*sounds, "ER"),
    "ly": lambda sounds: (*sounds, "L", "IY"),
}
"""What an ending adds to the sounds of a word."""

_LONG: Final = frozenset("as at ag ap ib id ik in ir iv iz od ok os ot ud um ur us ut yz".split())  # noqa: SIM905
"""Ends of stems that mostly had an e: describ-ing, simulat-ed."""
