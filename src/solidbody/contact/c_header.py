"""The C header of the tables that both sides share, and the hash by which they know that they agree."""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Iterator
from dataclasses import Field, fields
from typing import Any

import numpy as np

from solidbody.contact import layout
from solidbody.contact.batch_tables import BatchTables
from solidbody.contact.state import PARTS, WRITTEN_PARTS
from solidbody.contact.tables import CollisionTables, StepTables

POINTERS = {"SbCollision": CollisionTables, "SbTables": StepTables, "SbBatchTables": BatchTables}
"""Struct of addresses -> the class whose arrays they are of."""

_START = """\
// GENERATED FILE, DO NOT EDIT: contact/build.py writes it from contact/layout.py.
//
// Rows of the tables that the native step shares with Python, and where they lie.
#ifndef SB_LAYOUT_H_
#define SB_LAYOUT_H_

#ifndef SB_NO_LIBC
#include <stdint.h>
#endif
"""


def columns(owner: type[Any]) -> list[Field[Any]]:
    """Return the arrays of a class of tables, in the order of its struct."""
    return [item for item in fields(owner) if item.metadata]


def layout_hash() -> int:
    """Return 64 bits that differ as soon as the two sides read a byte differently; words do not count."""
    code = (line.split("//")[0].strip() for line in _declarations())
    text = "\n".join(filter(None, code))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def render() -> str:
    """Return the text of the header."""
    lines = [_START, f"#define SB_LAYOUT_HASH 0x{layout_hash():016x}ull", *_declarations()]
    return "\n".join([*lines, "", "#endif  // SB_LAYOUT_H_", ""])


def _declarations() -> Iterator[str]:
    for name, value in layout.CONSTANTS.items():
        yield f"#define {name} {value}"
    for start, kind in layout.ENUMS.items():
        yield ""
        yield from _comment(str(kind.__doc__))
        numbers = ", ".join(f"{start}{item.name} = {item}" for item in kind).replace(
            " = ", "\u00a0=\u00a0"
        )
        for line in textwrap.wrap(f"enum {{ {numbers} }};", 100, subsequent_indent="  "):
            yield line.replace("\u00a0", " ")
    for row in layout.STRUCTS:
        members = [(f"{names};", doc) for names, doc in row.fields.items()]
        yield from _struct(row.name, row.doc, members)
    sizes = " && ".join(f"sizeof({row.name}) == {row.dtype.itemsize}" for row in layout.STRUCTS)
    yield ""
    yield from textwrap.wrap(f'_Static_assert({sizes}, "layout");', 100, subsequent_indent="  ")
    for name, owner in POINTERS.items():
        items = columns(owner)
        members = [
            (f"const {_c_name(item.metadata['dtype'])}* {item.name};", item.metadata["doc"])
            for item in items
        ]
        counts = [item.metadata["count"] for item in items if item.metadata["count"]]
        if counts:
            members.append((f"int32_t {', '.join(counts)};", ""))
        yield from _struct(name, str(owner.__doc__), members)
    members = [
        (f"{'' if name in WRITTEN_PARTS else 'const '}{_c_name(dtype)}* {name};", "")
        for name, dtype in PARTS.items()
        if name != "random"
    ]
    shared = (
        "of a model of the simulation's own; NULL: it is shared, no body fixed to another one moves"
    )
    members.append(("double *body_pos, *body_quat;", shared))
    yield from _struct("SbState", "Where the state of one simulation lies.", members)


def _struct(name: str, doc: str, members: list[tuple[str, str]]) -> Iterator[str]:
    yield ""
    yield from _comment(doc)
    yield f"typedef struct {name} {{"
    for declaration, words in members:
        if len(words) > 80:
            yield from _comment(words, "  ")
        elif words:
            yield f"  {declaration:<38} // {words}"
            continue
        yield f"  {declaration}"
    yield f"}} {name};"


def _comment(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, 108, initial_indent=f"{indent}// ", subsequent_indent=f"{indent}// ")


def _c_name(dtype: np.dtype[Any]) -> str:
    for row in layout.STRUCTS:
        if row.dtype is dtype:
            return row.name
    return {"f8": "double", "i4": "int32_t"}[dtype.str[1:]]
