"""Writes the encoders of the controller protocol: `python -m tools.make_protocol [--check]`.

From the dataclasses in `solidbody.control.protocol` come `control/client/solidbody_protocol.py`, which runs
on Python 3.9 without anything else and is used by both sides, `docs/wire.md`, and what
`tools.make_protocol_c` makes for programs in C.
"""

from __future__ import annotations

import json
import sys
import types
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from solidbody.control import protocol
from solidbody.control.protocol import bodies, frames
from solidbody.control.protocol import fields as f

ROOT: Final = Path(__file__).parents[1]
CODEC: Final = ROOT / "src" / "solidbody" / "control" / "client" / "solidbody_protocol.py"
PAGE: Final = ROOT / "docs" / "wire.md"
CONSTANTS: Final = (
    *("VERSION", "MAGIC", "MOST_SAID", "FRAME_LIMIT"),
    *("MAILBOX", "MAILBOX_HEAD", "MAILBOX_NAME"),
)
HEAD: Final = '''"""All messages between simulator and controllers; `solidbody_codec.py` knows the codes.

GENERATED FILE, DO NOT EDIT: written by `python -m tools.make_protocol` from the description in
`solidbody.control.protocol`; `docs/wire.md` tells the layout.
"""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

try:
    from .solidbody_codec import FAMILIES, KINDS, Message, ProtocolError, message, parse
except ImportError:  # in a program of a robot
    from solidbody_codec import FAMILIES, KINDS, Message, ProtocolError, message, parse

__all__ = [
    "FAMILIES", "FROM_CLIENT", "FROM_SIMULATOR", "KINDS", "Message", "ProtocolError", "parse",
]

FROM_CLIENT = FAMILIES.setdefault("FromClient", {})
FROM_SIMULATOR = FAMILIES.setdefault("FromSimulator", {})

'''
TABLES: Final = {  # what each end may get
    "FromClient": (frames.Hello, frames.Turn),
    "FromSimulator": (
        frames.Refusal,
        frames.Welcome,
        frames.Answer,
        frames.StepAnswer,
        bodies.BodyWelcome,
        bodies.BodyOrder,
    ),
}
NAMES: Final = {"B": "U8", "H": "U16", "I": "U32", "i": "I32", "q": "I64", "?": "bool"}


def constant(name: str) -> int | str:
    """Return a constant of the protocol."""
    return getattr(frames, name, None) or getattr(f, name)


@dataclass(frozen=True)
class Kind:
    """A type of fields: what it is made of, its code if its length is fixed, and how long it may be."""

    what: Any
    code: str = ""
    most: int = 0
    item: Kind | None = None


def kind_of(hint: Any) -> Kind:
    """Return the type of a field by its annotation."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        match parts[1]:
            case f.Whole(code):
                return Kind(parts[1], code)
            case f.Real():
                return Kind(parts[1], "d")
            case f.Reals(count):
                return Kind(parts[1], "d" * count)
            case f.Choice():
                return Kind(parts[1], "B")
            case f.Words(most) | f.Raw(most):
                return Kind(parts[1], most=most)
            case f.Most(count):
                return Kind("list", most=count, item=kind_of(get_args(parts[0])[0]))
            case other:
                return Kind(other)
    if origin is list:
        return Kind("list", most=f.LIST_LIMIT, item=kind_of(parts[0]))
    if origin in (Union, types.UnionType):
        return Kind("maybe", item=kind_of(parts[0]))
    if hint is bool:
        return Kind(bool, "?")
    return Kind(hint)


@cache
def layout(cls: type[f.Message]) -> list[tuple[str, Kind]]:
    """Return the fields of a message."""
    hints = get_type_hints(cls, include_extras=True)
    return [(item.name, kind_of(hints[item.name])) for item in fields(cls)]  # type: ignore[arg-type]


def structures() -> list[type[f.Message]]:
    """Return all messages and parts, parts first."""
    parts: list[type[f.Message]] = []
    for cls in protocol.MESSAGES.values():
        for _, kind in layout(cls):
            inner = kind.item.what if kind.item is not None else kind.what
            if isinstance(inner, type) and issubclass(inner, f.Message) and not inner.IS_FAMILY:
                parts.append(inner)
    return [*dict.fromkeys(parts), *map(protocol.MESSAGES.__getitem__, sorted(protocol.MESSAGES))]


# --------------------------------------------------------------------------------- Python


def code_of(kind: Kind) -> str:
    """Return the code of a type, as `solidbody_codec.py` reads it."""
    match kind.what:
        case f.Real(refuses):
            return {"": "d", "nan": "n", "infinite": "f"}[refuses]
        case f.Reals(count):
            return f"D{count}"
        case f.Choice(choices):
            return "c" + ",".join(choices)
        case f.Words(most, is_path):
            return f"{'p' if is_path else 's'}{most}"
        case f.Raw(most):
            return f"b{most}"
        case f.Scalar():
            return f"v{f.VALUE_LIMIT},{f.TEXT_LIMIT}"
        case "list":
            assert kind.item is not None
            return f"L{kind.most}:{code_of(kind.item)}"
        case "maybe":
            assert kind.item is not None
            return f"o{code_of(kind.item)}"
        case type() if issubclass(kind.what, f.Message):
            return ("@" if kind.what.IS_FAMILY else "*") + kind.what.__name__
        case _:
            return kind.code.replace("?", "t")


def used_families() -> list[type[f.Message]]:
    """Return the families that are types of fields."""
    kinds = [kind for cls in structures() for _, kind in layout(cls)]
    kinds += [kind.item for kind in kinds if kind.item is not None]
    found = {kind.what for kind in kinds if isinstance(kind.what, type) and kind.what is not bool}
    return sorted((cls for cls in found if cls.IS_FAMILY), key=lambda cls: cls.__name__)


def python_text() -> str:
    """Return the file that encodes and decodes messages in Python."""
    rows: list[str] = []
    for cls in structures():
        text = " ".join(f"{name}:{code_of(kind)}" for name, kind in layout(cls))
        groups = [base.__name__ for base in used_families() if issubclass(cls, base)]
        groups += [name for name, group in TABLES.items() if cls in group]
        arguments = "".join(f', "{name}"' for name in groups)
        rows.append(
            f'{cls.__name__} = message({cls.NUMBER}, "{cls.__name__}", "{text}"{arguments})'
        )
    constants = [f"{name} = {json.dumps(constant(name))}" for name in CONSTANTS]
    return "\n".join([HEAD, *constants, "", *rows, ""])


# --------------------------------------------------------------------------------- the page


def words(kind: Kind) -> str:
    """Return how a type is called in the documentation."""
    match kind.what:
        case f.Whole(code):
            return NAMES[code]
        case f.Real(refuses):
            return {"": "float", "nan": "float, no NaN", "infinite": "finite float"}[refuses]
        case f.Reals(count):
            return f"{count} floats"
        case f.Choice(choices):
            return "one of " + ", ".join(choices)
        case f.Words(_, is_path):
            return ("path" if is_path else "text") + _limit(kind.most)
        case f.Raw():
            return "bytes"
        case f.Scalar():
            return "value"
        case "list":
            assert kind.item is not None
            return f"list of ({words(kind.item)})"
        case "maybe":
            assert kind.item is not None
            return f"{words(kind.item)}, or none"
        case type() if kind.what is bool:
            return "bool"
        case _:
            return str(kind.what.__name__)


def _limit(most: int) -> str:
    return "" if most == f.NAME_LIMIT else f" up to {most >> 20} MiB"


def page_text() -> str:
    """Return the documentation of the wire."""
    table = (f.__doc__ or "").partition("\n\n")[2].strip()
    out = [
        "# The controller protocol",
        "<!-- GENERATED FILE, DO NOT EDIT: written by `python -m tools.make_protocol` -->",
        (protocol.__doc__ or "").partition("\n\n")[2].rpartition("\n\n")[0],
        f"This is version {frames.VERSION}. A frame has {f.FRAME_LIMIT >> 20} MiB at most, a name or path "
        f"{f.NAME_LIMIT >> 10} KiB, a text {f.TEXT_LIMIT >> 20} MiB, a list {f.LIST_LIMIT} items, a turn "
        f"{frames.MOST_SAID} messages. What claims more, or more than there is, is refused before "
        "anything is read, and so is a frame that holds anything beside its message; the message and the "
        "field are named, and that program is sent away.",
        table,
    ]
    left = structures()
    groups: list[tuple[str, str, list[type[f.Message]]]] = []
    frame_classes = [*TABLES["FromClient"], *TABLES["FromSimulator"]]
    groups.append(
        ("Frames", "What is sent as a whole.", sorted(frame_classes, key=lambda c: c.NUMBER))
    )
    for base in (
        frames.RobotCommand, frames.DeviceCommand, frames.Order, frames.DeviceRequest, frames.Question,
        frames.Request, frames.Result, frames.DeviceFacts, frames.Report, frames.Told,
    ):  # fmt: skip
        known = {cls for _, _, group in groups for cls in group}
        group = [cls for cls in protocol.members(base) if cls not in known]
        groups.append((base.__name__, base.__doc__ or "", group))
    known = {cls for _, _, group in groups for cls in group}
    groups.append(
        ("Parts", "What messages are made of.", [cls for cls in left if cls not in known])
    )
    for title, text, group in groups:
        rows = ["| number | message | fields | meaning |", "|---|---|---|---|"]
        for cls in group:
            inner = "; ".join(f"`{name}` {words(kind)}" for name, kind in layout(cls))
            answer = f" Answer: `{cls.ANSWER.__name__}`." if cls.ANSWER else ""
            rows.append(
                f"| {cls.NUMBER or ''} | `{cls.__name__}` | {inner} | {cls.__doc__}{answer} |"
            )
        out += [f"## {title}", text, "\n".join(rows)]
    return "\n\n".join(out) + "\n"


def generate() -> dict[Path, str]:
    """Return the text of each file that is made from the protocol."""
    from tools import make_protocol_c  # it uses what is above

    return {CODEC: python_text(), PAGE: page_text(), **make_protocol_c.generate()}


def main(arguments: list[str]) -> int:
    """Write the files; with `--check` only tell those that are not up to date."""
    old = 0
    for path, text in generate().items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        old += 1
        if "--check" in arguments:
            print(f"{path.name} is not up to date: run python -m tools.make_protocol")
        else:
            path.write_text(text, encoding="utf-8")
    return old if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
