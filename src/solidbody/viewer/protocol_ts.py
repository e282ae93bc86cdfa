"""Writes the TypeScript side of the wire protocol: `python -m solidbody.viewer.protocol_ts [FILE]`."""

from __future__ import annotations

import sys
import types
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from solidbody.viewer import (
    protocol,
    protocol_files,
    protocol_live,
    protocol_photo,
    protocol_scene,
    protocol_work,
)

DEFAULT_OUTPUT = Path(__file__).parents[3] / "web" / "src" / "protocol.ts"
"""Where the page's sources keep it, in a checkout."""

CONSTANTS = (
    "PROTOCOL_VERSION",
    "FRAME_MAGIC",
    "HEADER_BYTES",
    "POSE_FLOATS",
    "SCENE_PATH",
    "OUTLINE_PATH",
    "STREAM_PATH",
    "SOUNDS_PATH",
    "TEXT_PATH",
    "THING_PATH",
    "DROP_PATH",
    "PHOTO_PATH",
    "VERSION_HEADER",
    "PAINT_MAGIC",
    "INK_MAGIC",
    "PAINT_HEADER_BYTES",
    "PICTURE_MAGIC",
    "PICTURE_HEADER_BYTES",
    "LONG_TEXT_LIMIT",
)

ALIASES = {
    "Vector3": "[number, number, number]",
    "Quaternion": "[number, number, number, number]",
    "Float32Base64": "string",
    "Uint32Base64": "string",
}

UNIONS = ("WireGeometry", "WireLight", "LiveEvent", "WorkCommand", "WorkEvent", "Command", "Event")

READERS = {  # struct code -> (bytes, method of DataView)
    "I": (4, "getUint32"),
    "f": (4, "getFloat32"),
    "d": (8, "getFloat64"),
}


def type_text(hint: Any) -> str:
    """Return the TypeScript spelling of a Python annotation used in the protocol."""
    origin = get_origin(hint)
    if origin is Annotated:
        return str(get_args(hint)[1])
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in get_args(hint))
    if origin in (Union, types.UnionType):
        union = next((n for n in UNIONS if getattr(protocol_scene, n, None) == hint), None)
        return union or " | ".join(type_text(part) for part in get_args(hint))
    if origin is list:
        inner = type_text(get_args(hint)[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if isinstance(hint, type) and is_dataclass(hint):
        return hint.__name__
    simple = {int: "number", float: "number", bool: "boolean", str: "string", type(None): "null"}
    return simple[hint]


def interface_text(cls: type) -> str:
    """Return one dataclass as a TypeScript interface."""
    hints = get_type_hints(cls, include_extras=True)
    lines = [f"/** {(cls.__doc__ or '').splitlines()[0]} */", f"export interface {cls.__name__} {{"]
    # the discriminator comes last in Python because it has a default; readers want it first
    ordered = sorted(fields(cls), key=lambda item: item.default is MISSING)
    lines += [f"  {item.name}: {type_text(hints[item.name])};" for item in ordered]
    return "\n".join([*lines, "}"])


def header_text() -> str:
    """Return the frame header as an interface and the function that reads it."""
    names = [item.name for item in fields(protocol.FrameHeader)]
    offset, reads = 0, list[str]()
    for item in fields(protocol.FrameHeader):
        size, method = READERS[item.metadata["struct"]]
        reads.append(f"    {item.name}: view.{method}({offset}, true),")
        offset += size
    if offset != protocol.HEADER_BYTES:
        raise ValueError("the frame header has padding that the page would not see")
    return "\n".join(
        [
            "/** The fixed start of a frame; see the Python side for what each number means. */",
            "export interface FrameHeader {",
            *(f"  {name}: number;" for name in names),
            "}",
            "",
            "/** Read the header of a frame that is at least HEADER_BYTES long. */",
            "export function readFrameHeader(view: DataView): FrameHeader {",
            "  return {",
            *reads,
            "  };",
            "}",
        ]
    )


def generate() -> str:
    """Return the whole TypeScript file."""
    parts = ["// GENERATED FILE, DO NOT EDIT: written by `python -m solidbody.viewer.protocol_ts`."]
    parts.append(
        "\n".join(f"export const {name} = {_constant_text(_constant(name))};" for name in CONSTANTS)
    )
    parts.append("\n".join(f"export type {name} = {text};" for name, text in ALIASES.items()))
    states = ", ".join(f"{state.name}: {state.value}" for state in protocol.PlayState)
    parts.append(
        f"/** What the player is doing. */\nexport const PlayState = {{ {states} }} as const;"
    )
    known = set[str]()  # a union that later modules import is written once
    modules = (
        protocol_scene,
        protocol_live,
        protocol_files,
        protocol_photo,
        protocol_work,
        protocol,
    )
    for module in modules:
        for value in vars(module).values():
            if not isinstance(value, type) or value.__module__ != module.__name__:
                continue
            if issubclass(value, Enum) or value is protocol.FrameHeader:
                continue
            parts.append(interface_text(value))
        for name in UNIONS:
            if name in vars(module) and name not in known:
                known.add(name)
                hint = getattr(module, name)
                members = [cls.__name__ for cls in get_args(hint) or (hint,)]
                parts.append(f"export type {name} =\n  | " + "\n  | ".join(members) + ";")
    parts.append(header_text())
    return "\n\n".join(parts) + "\n"


def _constant(name: str) -> int | str:
    modules = (protocol, protocol_work, protocol_live, protocol_files, protocol_photo)
    return next(vars(module)[name] for module in modules if name in vars(module))


def _constant_text(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def main(arguments: list[str]) -> None:
    """Write the file named by the first argument, or the checkout's own."""
    output = Path(arguments[0]) if arguments else DEFAULT_OUTPUT
    output.write_text(generate(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
