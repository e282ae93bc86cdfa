"""The C side of the controller protocol; `python -m tools.make_protocol` writes it with the rest.

What programs say is a function each (`wire_messages.h`); what they are told is a struct each, whose
fields `wire_messages.c` describes to the one reader in `wire.c`.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Final

from solidbody.control import protocol
from solidbody.control.protocol import bodies, frames
from solidbody.control.protocol import fields as f
from tools.make_protocol import CONSTANTS, ROOT, TABLES, Kind, constant, layout, structures

HOME: Final = ROOT / "src" / "solidbody" / "control" / "c"
HEADER: Final = HOME / "wire_messages.h"
LAYOUTS: Final = HOME / "wire_messages.c"
MARK: Final = "/* GENERATED FILE, DO NOT EDIT: written by `python -m tools.make_protocol`. */\n"
FROM_PROGRAM: Final = (frames.Hello, *protocol.members(frames.Said))
WORDS: Final = {"PHASE": bodies.PHASES, "HEADER": bodies.HEADER, "SECTION": bodies.SECTIONS}
BLOCK: Final = ("HEADER_BYTES", "MOST_CONTACTS", "CONTACT_WIDTH", "DEVICE_WIDTH")
"""What hosts of bodies know of the block that they share with the simulator."""

WHOLE: Final = {
    "B": "uint8_t", "H": "uint16_t", "I": "uint32_t", "i": "int32_t", "q": "int64_t", "?": "bool",
}  # fmt: skip


def _arguments(name: str, kind: Kind) -> tuple[str, str, str]:
    """Return parameters of a field that is said, what refuses values, and what writes it."""
    match kind.what:
        case f.Real(refuses):
            check = f'is_sendable({name}, {int(refuses == "infinite")}, "%s.{name}")'
            return f"double {name}", check if refuses else "", f"put_double(to, {name});"
        case f.Reals(count):
            return f"const double *{name}", "", f"put_doubles(to, {name}, {count});"
        case f.Choice():
            return f"uint8_t {name}", "", f"put_uint8_t(to, {name});"
        case f.Words(most, is_path):
            write = "put_bytes" if is_path else "put_text"
            length = f", strlen({name})" if is_path else ""
            return f"const char *{name}", "", f"{write}(to, {name}{length}, {most}u);"
        case f.Raw(most):
            sized = f"const void *{name}, size_t {name}_size"
            return sized, "", f"put_bytes(to, {name}, {name}_size, {most}u);"
        case f.Scalar():
            return f"const Value *{name}", "", f"put_value(to, {name});"
        case "list":
            assert kind.item is not None
            of = WHOLE[kind.item.code]
            sized = f"const {of} *{name}, uint32_t {name}_count"
            return sized, "", f"put_list(to, {name}, {name}_count, sizeof({of}));"
        case "maybe":
            assert kind.item is not None
            if isinstance(kind.item.what, f.Words):
                return f"const char *{name}", "", f"put_maybe_path(to, {name}, {kind.item.most}u);"
            of = WHOLE[kind.item.code]
            return f"const {of} *{name}", "", f"put_maybe_{of}(to, {name});"
        case _:
            of = WHOLE[kind.code]
            return f"{of} {name}", "", f"put_{of}(to, {name});"


def _said(cls: type[f.Message]) -> str:
    """Return the function that says a message."""
    parts = [_arguments(name, kind) for name, kind in layout(cls)]
    head = ", ".join(["Buffer *to", *(parameters for parameters, _, _ in parts)])
    checks = " || ".join(f"!{check % cls.__name__}" for _, check, _ in parts if check)
    writes = " ".join([f"begin_message(to, {cls.NUMBER});", *(write for _, _, write in parts)])
    body = f"if ({checks}) return; {writes}" if checks else writes
    return f"static inline void say_{cls.__name__}({head}) {{ {body} }}\n"


def _stored(kind: Kind) -> tuple[str, str]:
    """Return (type, code and item) of a field that is told."""
    match kind.what:
        case f.Real():
            return "double", "'d'"
        case f.Reals(count):
            return f"double[{count}]", f"'D', {count}"
        case f.Choice():
            return "uint8_t", "'B'"
        case f.Words() | f.Raw():
            return "Slice", "'s'"
        case f.Scalar():
            return "Value", "'v'"
        case "list":
            assert kind.item is not None
            return "List", f"'L', {_item(kind.item)}"
        case "maybe":
            assert kind.item is not None
            if kind.item.code:
                return "Maybe", "'o'"
            return "List", "'@'"
        case type() if issubclass(kind.what, f.Message):
            return "List", "'@'"
        case _:
            return WHOLE[kind.code], f"'{kind.code.replace('?', 't')}'"


def _item(kind: Kind) -> str:
    """Return how an item of a list is read: its size, a code, or the layout of a part."""
    sizes = {"B": 1, "H": 2, "I": 4, "i": 4, "q": 8, "d": 8}
    if kind.code in sizes:
        return str(sizes[kind.code])
    if isinstance(kind.what, f.Words | f.Raw):
        return "'s'"
    return "'@'" if kind.what.IS_FAMILY else f"'*', &layout_{kind.what.__name__}"


def _told() -> list[type[f.Message]]:
    said = {*FROM_PROGRAM, frames.Turn}
    return [cls for cls in structures() if cls not in said]


def header_text() -> str:
    """Return the header."""
    out = [
        MARK,
        "#ifndef SB_WIRE_MESSAGES_H\n#define SB_WIRE_MESSAGES_H\n\n",
        '#include "wire.h"\n\n',
    ]
    out += [
        f"#define {name} {json.dumps(value)}{'u' * isinstance(value, int)}\n"
        for name, value in zip(CONSTANTS, map(constant, CONSTANTS), strict=True)
    ]
    out += [f"#define {name} {getattr(bodies, name)}\n" for name in BLOCK]
    for prefix, words in WORDS.items():
        listed = ", ".join(f"{prefix}_{word}" for word in words)
        out.append(
            "\n" + textwrap.fill(f"enum {{ {listed} }};", 110, subsequent_indent="  ") + "\n"
        )
    numbers = [f"M_{cls.__name__} = {cls.NUMBER}" for cls in _told() if cls.NUMBER]
    numbers.append(f"M_Turn = {frames.Turn.NUMBER}")
    out.append(
        "\n" + textwrap.fill(f"enum {{ {', '.join(numbers)} }};", 110, subsequent_indent="  ")
    )
    out.append("\n\n/* What programs are told. */\n\n")
    for cls in _told():
        rows: list[str] = []
        for name, kind in layout(cls):
            of, _ = _stored(kind)
            base, _, size = of.partition("[")
            rows.append(f"{base} {name}{'[' + size if size else ''}; ")
        if rows:
            out.append(f"typedef struct {{ {''.join(rows)}}} {cls.__name__};\n")
        out.append(f"extern const Layout layout_{cls.__name__};\n")
    facts = protocol.members(frames.DeviceFacts)
    members = "".join(f"{c.__name__} {c.__name__[0].lower()}{c.__name__[1:-5]}; " for c in facts)
    out.append(f"typedef union {{ {members}}} AnyFacts; /* all begin as PlainFacts do */\n\n")
    out.append("/* What programs say. */\n\n")
    out += map(_said, FROM_PROGRAM)
    return "".join([*out, "#endif\n"])


def layouts_text() -> str:
    """Return the descriptions of what programs are told."""
    out = [MARK, '#include <stddef.h>\n\n#include "wire_messages.h"\n']
    for cls in _told():
        name, members = cls.__name__, layout(cls)
        if members:
            rows: list[str] = []
            for field, kind in members:
                code = _stored(kind)[1].split(", ")
                code += ["0", "NULL"][len(code) - 1 :]
                rows.append(f"{{{', '.join(code)}, offsetof({name}, {field})}}")
            text = f"static const FieldLayout fields_{name}[] = {{{', '.join(rows)}}};"
            out.append("\n" + textwrap.fill(text, 110, subsequent_indent="  ") + "\n")
        size = f"sizeof({name})" if members else "0"
        of = f"fields_{name}" if members else "NULL"
        out.append(
            f"const Layout layout_{name} = {{{cls.NUMBER}, {len(members)}, {size}, {of}}};\n"
        )
    out.append("\nconst Layout *const all_layouts[] = {\n")
    names = ", ".join(f"&layout_{cls.__name__}" for cls in _told() if cls.NUMBER)
    out.append(textwrap.indent(textwrap.fill(names, 108), "  "))
    out.append("};\nconst int layout_count = sizeof all_layouts / sizeof *all_layouts;\n")
    return "".join(out)


def generate() -> dict[Path, str]:
    """Return the text of each file."""
    assert all(
        cls in TABLES["FromSimulator"] or cls.NUMBER > 9 or not cls.NUMBER for cls in _told()
    )
    return {HEADER: header_text(), LAYOUTS: layouts_text()}
