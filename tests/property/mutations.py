"""Damaged copies of world texts: tokens cut, swapped, doubled, and brackets nested without end."""

from __future__ import annotations

import random
import re

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|#[^\n]*|[\[\]{}]|[^\s\[\]{}"#]+|\s+')
_STRANGE = (
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    "#",
    "DEF",
    "USE",
    "NULL",
    "IS",
    "PROTO",
    "EXTERNPROTO",
    "hidden",
    "TRUE",
    "-1",
    "0",
    "1e999",
    "nan",
    "1e300",
    "1e-320",
    "\0",
    "\ufeff",
    "é☃",
    "Solid",
    "children",
    "translation",
    "physics Physics { }",
    "boundingObject Group { children [ Box { } ] }",
)


def mutate(text: str, seed: int) -> str:
    """Return `text` with one to eight kinds of damage, the same for the same seed."""
    chance = random.Random(seed)
    head, _, rest = text.partition("\n")
    pieces = _PIECE.findall(rest)
    for _ in range(chance.randint(1, 8)):
        if not pieces:
            break
        _damage(pieces, chance)
    kept = head if chance.random() < 0.98 else head[: chance.randint(0, len(head))]
    return kept + "\n" + "".join(pieces)


def _damage(pieces: list[str], chance: random.Random) -> None:
    i = chance.randrange(len(pieces))
    match chance.randrange(9):
        case 0:  # cut one piece
            del pieces[i]
        case 1:  # cut a stretch
            del pieces[i : i + chance.randint(1, 50)]
        case 2:  # cut the rest
            del pieces[i:]
        case 3:  # swap two pieces
            j = chance.randrange(len(pieces))
            pieces[i], pieces[j] = pieces[j], pieces[i]
        case 4:  # double a stretch
            pieces[i:i] = pieces[i : i + chance.randint(1, 50)]
        case 5:  # put in something strange
            pieces.insert(i, f" {chance.choice(_STRANGE)} ")
        case 6:  # replace by something strange
            pieces[i] = f" {chance.choice(_STRANGE)} "
        case 7:  # nest
            opening = chance.choice(("Group { children [ ", "[ ", "{ ", "Pose { children Pose { "))
            pieces.insert(i, opening * chance.choice((3, 300, 10_000)))
        case _:  # change one character
            piece = pieces[i]
            k = chance.randrange(len(piece))
            pieces[i] = piece[:k] + chr(chance.randint(1, 0x2FF)) + piece[k + 1 :]
