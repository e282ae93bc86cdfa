"""Splits texts into words and pauses, and reads tags for pitch, speed and volume."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from solidbody.speech.numerals import cardinal, decimal, ordinal


@dataclass(frozen=True, slots=True)
class Manner:
    """How words are spoken: factors on pitch, speed and volume."""

    pitch: float = 1.0
    speed: float = 1.0
    volume: float = 1.0


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    """A part of a text between two tags, or a pause that a tag asks for.

    Attributes:
        text: What is written; "" = a pause.
        manner: How it is spoken.
        pause: Length of a pause [s].
        mark: "." if the pause ends a phrase.
    """

    text: str
    manner: Manner
    pause: float = 0.0
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a pause.

    Attributes:
        text: Small letters and apostrophes; "" = pause.
        manner: How it is spoken.
        pause: Length of a pause [s].
        mark: "," "." "?" or "!" if the pause ends a phrase; "" = only silence.
        is_spelt: Whether it is said letter by letter.
    """

    text: str
    manner: Manner = Manner()
    pause: float = 0.0
    mark: str = ""
    is_spelt: bool = False


LEVELS: Final = {"pitch": (50.0, 200.0), "speed": (20.0, 500.0), "volume": (0.0, 500.0)}
"""Least and greatest level of the tags that change the manner, in percent."""

PAUSES: Final = {",": 0.18, ";": 0.25, ":": 0.25, ".": 0.35, "!": 0.35, "?": 0.35, "\n": 0.35}
"""[s] After a mark."""
PARAGRAPH: Final = 0.5
"""[s] Between paragraphs, where tags mark them."""

_SIGNS: Final = {
    "&": "and",
    "+": "plus",
    "=": "equals",
    "%": "percent",
    "@": "at",
    "°": "degrees",
    "#": "number",
    "<": "less than",
    ">": "greater than",
    "*": "times",
    "/": "slash",
    "_": " ",
    "€": "euros",
    "$": "dollars",
    "£": "pounds",
}

_SHORT: Final = {
    "mr": "mister",
    "mrs": "missis",
    "ms": "miss",
    "dr": "doctor",
    "st": "street",
    "prof": "professor",
    "no": "number",
    "vs": "versus",
    "etc": "et cetera",
    "e.g": "for example",
    "i.e": "that is",
    "approx": "approximately",
    "fig": "figure",
    "min": "minutes",
    "sec": "seconds",
}
"""Words that are cut short, and end with a point."""

_UNITS: Final = {
    "m": "metre",
    "cm": "centimetre",
    "mm": "millimetre",
    "km": "kilometre",
    "kg": "kilogram",
    "g": "gram",
    "s": "second",
    "ms": "millisecond",
    "h": "hour",
    "n": "newton",
    "w": "watt",
    "v": "volt",
    "hz": "hertz",
    "rad": "radian",
    "deg": "degree",
    "m/s": "metre per second",
    "km/h": "kilometre per hour",
    "rad/s": "radian per second",
}
"""Units after a number."""

_TAG = re.compile(r"<(/?)\s*([a-zA-Z]+)([^<>]*)>")
_ATTRIBUTE = re.compile(r"""([a-zA-Z]+)\s*=\s*["']?([^"'\s/>]+)""")
_TOKEN = re.compile(
    r"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<order>st|nd|rd|th)?(?![a-z])|(?P<word>[a-zA-Z]+(?:['’][a-zA-Z]+)*)"
    r"|(?P<dots>[.]{2,})|(?P<other>\S|\n)"
)
_UNIT = re.compile(r"\s?([a-z]+(?:/[a-z]+)?)(?![a-z0-9])", re.IGNORECASE)


def words_of(text: str) -> list[Word]:
    """Return the words and pauses of a text with tags such as `<pitch level="120">`."""
    out: list[Word] = []
    for piece in pieces_of(text):
        if piece.text:
            out += _plain(piece.text, piece.manner)
        else:
            out.append(Word("", piece.manner, piece.pause, piece.mark))
    return out


def pieces_of(text: str) -> list[SpeechSegment]:
    """Return a text cut at its tags; tags of other kinds are left out."""
    out: list[SpeechSegment] = []
    manners = [("", Manner())]
    place = 0
    for tag in _TAG.finditer(text):
        manner = manners[-1][1]
        out.append(SpeechSegment(text[place : tag.start()], manner))
        place = tag.end()
        name, attributes = tag[2].lower(), dict(_ATTRIBUTE.findall(tag[3]))
        if name in ("break", "silence"):
            out.append(SpeechSegment("", manner, pause=_time(attributes)))
        elif name == "p" and tag[1]:
            out.append(SpeechSegment("", manner, pause=PARAGRAPH, mark="."))
        elif tag[1]:
            if manners[-1][0] == name:
                manners.pop()
        elif name in LEVELS and not tag[3].rstrip().endswith("/"):
            manners.append((name, _changed(manner, name, attributes.get("level", ""))))
    out.append(SpeechSegment(text[place:], manners[-1][1]))
    return [piece for piece in out if piece.text or piece.pause > 0.0]


def _changed(manner: Manner, name: str, level: str) -> Manner:
    try:
        percent = float(level.rstrip("%"))
    except ValueError:
        return manner
    low, high = LEVELS[name]
    share = min(max(percent, low), high) / 100.0 if percent == percent else 1.0
    match name:
        case "pitch":
            return replace(manner, pitch=share)
        case "speed":
            return replace(manner, speed=share)
        case _:
            return replace(manner, volume=share)


def _time(attributes: dict[str, str]) -> float:
    """Return how long a break is [s]: time="500ms", time="0.5s" or ms="500"; at most 10 s."""
    text = attributes.get("time", attributes.get("ms", "350") + "ms")
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)?", text)
    if found is None:
        return PAUSES["."]
    return min(float(found[1]) * (1.0 if found[2] == "s" else 0.001), 10.0)


def _plain(text: str, manner: Manner) -> Iterator[Word]:
    """Words of a text without tags."""
    # letters with marks lose them: é is said as e
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    text = text.replace("’", "'")
    place = 0
    while found := _TOKEN.search(text, place):
        place = found.end()
        if found["number"]:
            words, place = _number(text, found, place)
            yield from (Word(word, manner) for word in words)
        elif found["word"]:
            word, low = found["word"], found["word"].lower()
            follower = text[place : place + 1]
            if low in _SHORT and follower == ".":
                place += 1
                yield from (Word(part, manner) for part in _SHORT[low].split())
            else:
                is_name = (
                    len(word) > 1 and word.isupper() and (len(word) < 4 or not _speakable(low))
                )
                yield Word(low, manner, is_spelt=is_name and low not in _CRIES)
        else:
            yield from _sign(text, found, manner)


_CRIES: Final = frozenset(
    {"ok", "no", "go", "yes", "stop", "on", "off", "up", "hi", "oh", "the", "is", "it", "to"}
)
"""Short words that are words also when written large."""


def _speakable(word: str) -> bool:
    return bool(re.search(r"[aeiouy]", word)) and not re.search(r"[^aeiouy]{4}", word)


def _number(text: str, found: re.Match[str], place: int) -> tuple[list[str], int]:
    """Return the words of a number with what belongs to it, and where the text goes on."""
    whole, _, fraction = found["number"].replace(",", "").partition(".")
    before = text[max(found.start() - 2, 0) : found.start()]
    words = ["minus"] if before[-1:] in ("-", "−") and not before[0].isalnum() else []
    if found["order"]:
        return words + ordinal(whole), place
    words += decimal(whole, fraction) if fraction else cardinal(whole)
    unit = _UNIT.match(text, place)
    name = _UNITS.get(unit[1].lower()) if unit is not None else None
    if unit is not None and name is not None:
        first, *rest = name.split()
        many = first if words == ["one"] or first == "hertz" else first + "s"
        return [*words, many, *rest], unit.end()
    return words, place


def _sign(text: str, found: re.Match[str], manner: Manner) -> Iterator[Word]:
    sign = (found["dots"] or found["other"])[0]
    if sign in PAUSES:
        yield Word(
            "", manner, pause=PAUSES[sign], mark="," if sign in ",;:" else sign.strip() or "."
        )
    elif sign in _SIGNS:
        yield from (Word(part, manner) for part in _SIGNS[sign].split())
    elif (
        sign in "-–—"
        and text[found.start() - 1 : found.start()].isspace()
        and not text[found.end() : found.end() + 1].isdigit()
    ):
        yield Word("", manner, pause=PAUSES[","], mark=",")
