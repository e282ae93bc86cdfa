r"""Checks what the template process answers; nothing of it is trusted.

A template is a stranger's program. Should it get hold of what its process writes, it must not be able to do
more than a PROTO can do anyway: give a text that is parsed, and say what is shown. So every answer is held
against one schema here, with its sizes, before anything is done with it:

    {"pieces": "0 -2 5", "texts": "a\u0000", "messages": [["info", "text"]], "seconds": 0.1}
    {"error": "text", "line": 3, "seconds": 0.1}

`pieces` are whole numbers: k for the k-th piece of the template, which is plain text, or -k-1 for a value
that was written in place of the k-th piece. `texts` are these values, each followed by a zero character.
`pictures` (name -> content in base 64) may be there only where we draw them ourselves: for Lua.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from solidbody.base.limits import PIECE_SIZE, TEMPLATE_OUTPUT
from solidbody.formats.webots.protos.templates import Script

DRAWING: Final = frozenset({"lua"})
"""Languages whose templates draw, by functions of ours."""

MAX_MESSAGES: Final = 100
MAX_TEXT: Final = 1000
"""Characters of a message."""

MAX_PICTURES: Final = 100
MAX_PICTURE_BYTES: Final = 64_000_000
"""Of all pictures of a template together."""

MAX_NAME: Final = 200
"""Characters of the name of a file."""

MAX_SECONDS: Final = 1e6

_LEVELS: Final = ("info", "warning", "error")
_STARTS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8")
"""How files of pictures begin: PNG, JPEG, GIF."""

_RESULT: Final = frozenset({"pieces", "texts", "messages", "seconds"})
_FAILURE: Final = frozenset({"error", "line", "seconds"})


class AnswerError(Exception):
    """An answer is not of the form that it must have; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A template could not be evaluated: why, in which line of the script (0 = unknown), after how long."""

    text: str
    line: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Written:
    """What a template wrote.

    Attributes:
        order: Its pieces: k = the k-th of the template, -k-1 = a value in place of the k-th.
        texts: The values, in order.
        size: Bytes that it takes.
        messages: What it said, (level, text) each.
        pictures: File name -> content.
        seconds: Of computing.
    """

    order: NDArray[np.int64]
    texts: tuple[str, ...]
    size: int
    messages: tuple[tuple[str, str], ...]
    pictures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    seconds: float = 0.0


def read_answer(line: str, script: Script, language: str) -> Written | Failure:
    """Return what a line of the process of templates says about a script.

    Raises:
        AnswerError: It is not of the right form.
    """
    try:
        whole: object = _DECODER.decode(line)
    except (ValueError, RecursionError, MemoryError) as error:
        raise AnswerError("it is not JSON") from error
    if not isinstance(whole, dict):
        raise AnswerError(f"it is {_kind(whole)}, not an object")
    answer = cast("dict[str, object]", whole)
    if "error" in answer:
        _check_keys(answer, _FAILURE, frozenset())
        text = _text(answer["error"], "error")
        return Failure(shown(text), _whole(answer["line"], "line"), _seconds(answer["seconds"]))
    _check_keys(answer, _RESULT, frozenset({"pictures"}) if language in DRAWING else frozenset())
    order, texts, size = _output(
        _text(answer["pieces"], "pieces"), _text(answer["texts"], "texts"), script
    )
    return Written(
        order,
        texts,
        size,
        _messages(answer["messages"]),
        _pictures(answer.get("pictures", {})),
        _seconds(answer["seconds"]),
    )


def keep_pictures(pictures: Mapping[str, bytes], folder: Path) -> None:
    """Write pictures to a folder `drawn/NAME` of the cache; files that cannot be written are left out.

    A link in the cache is never followed: the folder must really lie there, and what has the name of a
    picture is replaced.
    """
    if not pictures:
        return
    with contextlib.suppress(OSError):  # then the check of images finds them missing
        folder.mkdir(parents=True, exist_ok=True)
        real = folder.resolve()
        if real != folder.parents[1].resolve() / folder.parent.name / folder.name:
            return
        for name, content in pictures.items():
            handle, draft = tempfile.mkstemp(dir=real, prefix=".drawn-")
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(draft, real / name)


def shown(text: str) -> str:
    """Return a text of a template as it is shown: without halves of characters, controls and great length."""
    whole = text[:MAX_TEXT].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in whole
    )


# ------------------------------------------------------------------------------------------------ parts


def _check_keys(
    answer: Mapping[str, object], needed: frozenset[str], allowed: frozenset[str]
) -> None:
    missing, unknown = needed - answer.keys(), answer.keys() - needed - allowed
    if missing:
        raise AnswerError(f'it has no "{min(missing)}"')
    if unknown:
        raise AnswerError(f'it must not have "{shown(min(unknown))[:40]}"')


def _output(
    pieces: str, texts: str, script: Script
) -> tuple[NDArray[np.int64], tuple[str, ...], int]:
    order = _whole_numbers(pieces)
    values = texts.split("\0")
    if values.pop():
        raise AnswerError('"texts" do not end with a zero character')
    known = len(script.pieces)
    lowest, highest = (int(order.min()), int(order.max())) if len(order) else (0, 0)
    if not -known <= lowest <= highest < known:
        raise AnswerError(f"the template has no piece {lowest if lowest < -known else highest}")
    times = np.bincount(order[order >= 0], minlength=known)
    if times[~script.is_text].any():
        raise AnswerError("a piece of code is not plain text")
    used = len(order) - int(times.sum())
    if used != len(values):
        raise AnswerError(f"{used} values are named and {len(values)} are given")
    size = len(texts) + PIECE_SIZE * len(order) + int(times @ script.sizes)
    if size > TEMPLATE_OUTPUT:
        raise AnswerError(f"it writes more than {TEMPLATE_OUTPUT / 1e6:g} MB")
    return order, tuple(values), size


def _whole_numbers(text: str) -> NDArray[np.int64]:
    """Return numbers with one space between them; those beyond 64 bits are cut to that."""
    text = text.strip(" ")
    # Digits, spaces and signs, each sign before a digit and behind a space: then numpy, ten times as fast as
    # `int`, reads it to the end, and two spaces are found in how many numbers there are.
    others = text.encode("utf-8", "surrogatepass").translate(None, b"-0123456789 ")
    is_plain = not others and "--" not in text and "- " not in text and not text.endswith("-")
    if is_plain and text.count("-") == text.count(" -") + text.startswith("-"):
        with contextlib.suppress(ValueError):
            numbers = np.fromstring(text, dtype=np.int64, sep=" ")
            if len(numbers) == (text.count(" ") + 1 if text else 0):
                return numbers
    raise AnswerError('"pieces" are not whole numbers with a space between them')


def _messages(value: object) -> tuple[tuple[str, str], ...]:
    items = _list(value, "messages", MAX_MESSAGES)
    found: list[tuple[str, str]] = []
    for item in items:
        pair = _list(item, "messages", 2)
        if len(pair) != 2 or pair[0] not in _LEVELS:
            raise AnswerError('an item of "messages" is not a level and a text')
        found.append((str(pair[0]), shown(_text(pair[1], "messages"))))
    return tuple(found)


def _pictures(value: object) -> dict[str, bytes]:
    if not isinstance(value, dict):
        raise AnswerError(f'"pictures" is {_kind(value)}, not an object')
    pictures = cast("dict[str, object]", value)
    if len(pictures) > MAX_PICTURES:
        raise AnswerError(f"it draws more than {MAX_PICTURES} pictures")
    found: dict[str, bytes] = {}
    left = MAX_PICTURE_BYTES
    for name, content in pictures.items():
        if not is_base_name(name):
            raise AnswerError(f'"{shown(name)[:80]}" is not the plain name of a file')
        text = _text(content, "pictures")
        left -= len(text) * 3 // 4
        if left < 0:
            raise AnswerError(f"its pictures have more than {MAX_PICTURE_BYTES} bytes")
        try:
            found[name] = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise AnswerError("a picture is not in base 64") from error
        if not found[name].startswith(_STARTS):
            raise AnswerError(f'"{name}" is neither PNG, JPEG nor GIF')
    return found


def is_base_name(name: str) -> bool:
    """Whether a text names a file in a folder, and can mean nothing else on any system."""
    return (
        0 < len(name) <= MAX_NAME
        and name.isprintable()
        and not any(letter in '/\\:*?"<>|' for letter in name)
        and not name.startswith(".")
        and name == name.strip(" .")
    )


def _list(value: object, name: str, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise AnswerError(f'"{name}" is {_kind(value)}, not a list')
    items = cast("list[Any]", value)
    if len(items) > most:
        raise AnswerError(f'"{name}" has more than {most} items')
    return items


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise AnswerError(f'"{name}" is {_kind(value)}, not a text')
    return value


def _whole(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise AnswerError(f'"{name}" is {_kind(value)}, not a whole number')
    return max(-1, min(value, 2**31))


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise AnswerError(f'"seconds" is {_kind(value)}, not a time')
    if not 0.0 <= value <= MAX_SECONDS:  # no infinity, and nothing that is no number
        raise AnswerError('"seconds" is not a time')
    return float(value)


def _kind(value: object) -> str:
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return "a text"
        case bool():
            return "a truth value"
        case None:
            return "null"
        case _:
            return "a number"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)
