"""Damaged copies of YAML texts: tokens cut, swapped, doubled, aliased, and brackets nested without end."""

from __future__ import annotations

import random
import re

_PIECE = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|[\[\]{},:\-]|[^\s\[\]{},:"#]+|\n *|[ \t]+')
_STRANGE = (
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    ":",
    "- ",
    "&A ",
    "*A ",
    "*A",
    "<<: *A",
    "<<: ",
    "!!python/object:os.system ",
    "!!binary ",
    "| ",
    "> ",
    "? ",
    "--- ",
    "%YAML 1.1",
    "nan",
    "inf",
    "-1",
    "0",
    "1e999",
    "1e300",
    "1e-320",
    "99999999999999999999",
    "unlimited",
    "null",
    "~",
    "true",
    "\0",
    "\t",
    "\ufeff",
    "é☃",
    "x.body",
    "../../../x",
    "type: Link",
    "type: SubBody, uri: x.body",
    "type: ContinuousTrack, numJoints: 100000",
    "joint_id: 100000000",
    "elements: *A",
    "parent: A",
    "[ 1, 2, 3 ]",
    "scale: [ 0, 1e300, -1 ]",
    "rotation: [ 0, 0, 0, 1 ]",
    "mass: -5",
    "inertia: [ 1, 2, 3, 4, 5, 6, 7, 8, 9 ]",
)


_SOUND = (
    "0",
    "-1",
    "1e300",
    "1e-320",
    "1e999",
    "nan",
    "99999999999999999999",
    "unlimited",
    "true",
    "~",
    "''",
    "word",
    "A",
    "KNEE",
    "free",
    "fixed",
    "revolute",
    "prismatic",
    "Transform",
    "Collision",
    "Resource",
    "SubBody",
    "ContinuousTrack",
    "[]",
    "{}",
    "[ 1, 2, 3 ]",
    "[ 0, 0, 0, 1 ]",
    "[ [ 1, 2 ], x ]",
    "{ type: Group }",
    "{ x: 1 }",
)
"""Values that leave a text YAML, so that what comes after the parser is reached."""


def mutate_yaml(text: str, seed: int) -> str:
    """Return `text` with one to eight kinds of damage, the same for the same seed.

    Two copies in three stay YAML, or nearly: values and keys change, whole lines come and go.
    """
    chance = random.Random(seed)
    if chance.random() < 0.67:
        return _changed_values(text, chance)
    pieces = _PIECE.findall(text)
    for _ in range(chance.randint(1, 8)):
        if not pieces:
            break
        _damage(pieces, chance)
    return "".join(pieces)


def _damage(pieces: list[str], chance: random.Random) -> None:
    i = chance.randrange(len(pieces))
    match chance.randrange(11):
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
        case 6 | 7:  # replace a word by something strange
            words = [k for k, piece in enumerate(pieces) if piece.strip(" \n[]{},:-")]
            if words:
                pieces[chance.choice(words)] = chance.choice(_STRANGE)
        case 8:  # exchange two words
            words = [k for k, piece in enumerate(pieces) if piece.strip(" \n[]{},:-")]
            if words:
                j, k = chance.choice(words), chance.choice(words)
                pieces[j] = pieces[k]
        case 9:  # nest
            opening = chance.choice(("[ ", "{ a: ", "{ elements: [ { type: Group, ", "- "))
            pieces.insert(i, opening * chance.choice((3, 300, 10_000)))
        case _:  # change one character
            piece = pieces[i]
            k = chance.randrange(len(piece))
            pieces[i] = piece[:k] + chr(chance.randint(1, 0x2FF)) + piece[k + 1 :]


def _changed_values(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(chance.randint(1, 8)):
        i = chance.randrange(len(lines))
        match chance.randrange(6):
            case 0:  # a whole line goes
                if len(lines) > 1:
                    del lines[i]
            case 1:  # a line comes twice
                lines.insert(i, lines[i])
            case _:  # a word after ": ", "[ ", ", " or before ":" changes
                words = list(re.finditer(r"(?<=[:\[,{] )[^\s\[\]{},&*:#]+|\b\w+(?=:)", lines[i]))
                if words:
                    word = chance.choice(words)
                    lines[i] = (
                        lines[i][: word.start()] + chance.choice(_SOUND) + lines[i][word.end() :]
                    )
    return "\n".join(lines)
