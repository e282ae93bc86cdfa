"""Spells numbers as words."""

from __future__ import annotations

from typing import Final

_NAMES: Final = """
zero one two three four five six seven eight nine ten
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
_SMALL: Final = _NAMES.split()
_TENS: Final = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_GROUPS: Final = ("", "thousand", "million", "billion", "trillion")
_ORDINALS: Final = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def cardinal(digits: str) -> list[str]:
    """Return a whole number as words; one that is too long, or begins with 0, digit by digit."""
    if len(digits) > 3 * len(_GROUPS) or (len(digits) > 1 and digits[0] == "0"):
        return [_SMALL[int(digit)] for digit in digits]
    value, out = int(digits), list[str]()
    if value == 0:
        return ["zero"]
    for k in reversed(range(len(_GROUPS))):
        group = value // 1000**k % 1000
        if group:
            out += _below_thousand(group) + ([_GROUPS[k]] if k else [])
    return out


def _below_thousand(value: int) -> list[str]:
    out = [_SMALL[value // 100], "hundred"] if value >= 100 else []
    rest = value % 100
    if rest >= 20:
        out.append(_TENS[rest // 10])
        rest %= 10
    return out + ([_SMALL[rest]] if rest else [])


def ordinal(digits: str) -> list[str]:
    """Return a place in an order as words: 21 = twenty first."""
    *front, last = cardinal(digits)
    if last.endswith("y"):
        return [*front, last[:-1] + "ieth"]
    return [*front, _ORDINALS.get(last, last + "th")]


def decimal(whole: str, fraction: str) -> list[str]:
    """Return a number with a fraction as words: 3.14 = three point one four."""
    return [*cardinal(whole or "0"), "point", *(_SMALL[int(digit)] for digit in fraction)]
