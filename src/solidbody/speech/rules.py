"""Letter-to-sound rules of English, from a table (rules.txt); the first that fits wins.

A rule is written "left<letters>right sounds": the letters, between what stands left and right of them, sound
as given ("-" = not at all). The contexts are regular expressions over small letters in which "_" is the edge
of the word, V a vowel letter, C a consonant letter, F one of e, i, y (which soften c and g), and E an ending
that makes the vowel before one consonant long (mak-e, mak-ing).
"""

from __future__ import annotations

import importlib.resources
import re
from dataclasses import dataclass
from functools import cache
from typing import Final

_CLASSES: Final = {
    "V": "(?:[aeiou]|(?<!_)y)",
    "C": "[bcdfghjklmnpqrstvwxz]",
    "F": "[eiy]",
    "E": "(?:e|es|ed|er|ers|ing|ings|ely|eful)_",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """Letters that sound so between a left and a right context."""

    letters: str
    left: re.Pattern[str]
    right: re.Pattern[str]
    sounds: tuple[str, ...]


@cache
def _rules() -> dict[str, list[Rule]]:
    """Return the rules by their first letter."""
    out: dict[str, list[Rule]] = {}
    for line in table_lines("rules.txt"):
        pattern, *sounds = line.split(" ")
        left, _, rest = pattern.partition("<")
        letters, _, right = rest.partition(">")
        rule = Rule(
            letters,
            re.compile(f"(?:{_spelled(left)})$"),
            re.compile(_spelled(right)),
            tuple(sound for sound in sounds if sound != "-"),
        )
        out.setdefault(rule.letters[0], []).append(rule)
    return out


def table_lines(name: str) -> list[str]:
    """Return the lines of a table beside this file, without remarks."""
    text = importlib.resources.files("solidbody.speech").joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _spelled(context: str) -> str:
    return "".join(_CLASSES.get(letter, letter) for letter in context)


def sounds_of(word: str) -> tuple[str, ...]:
    """Return the sounds of a word of the letters a to z, by rules alone."""
    text, place, out = f"_{word}_", 1, list[str]()
    while place < len(text) - 1:
        for rule in _rules().get(text[place], ()):
            if (
                text.startswith(rule.letters, place)
                and rule.right.match(text, place + len(rule.letters))
                and rule.left.search(text[:place])
            ):
                out += rule.sounds
                place += len(rule.letters)
                break
        else:
            place += 1
    return tuple(out)
