"""Text of USD layers: prims with attributes, relationships and children, as `.usda` files hold them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_LETTERS: Final = re.compile(r"[^A-Za-z0-9_]")


@dataclass(slots=True)
class Prim:
    """A prim of a layer.

    Attributes:
        kind: Its type; empty = none.
        name: Identifier; unique among its siblings.
        schemas: API schemas that are applied.
        title: What it is called in the source; empty = as its name.
        references: Path of a prim in the layer that it is a copy of.
        lines: Attributes and relationships, as text.
        children: Prims below it.
        is_class: Whether it is there for others to refer to only.
    """

    kind: str
    name: str
    schemas: tuple[str, ...] = ()
    title: str = ""
    references: str = ""
    lines: list[str] = field(default_factory=list[str])
    children: list[Prim] = field(default_factory=list["Prim"])
    is_class: bool = False
    _names: set[str] = field(default_factory=set[str])

    def child(self, kind: str, wanted: str, *schemas: str, title: str = "") -> Prim:
        """Add a prim below this one; its name is made of the wanted one."""
        name = self.take(wanted)
        shown = title or (wanted if wanted != name else "")
        made = Prim(kind, name, schemas, shown)
        self.children.append(made)
        return made

    def take(self, wanted: str) -> str:
        """Return a name for a child, an identifier that no other one has."""
        stem = _LETTERS.sub("_", wanted) or "prim"
        stem = f"_{stem}" if stem[0].isdigit() else stem
        name, number = stem, 1
        while name in self._names:
            number += 1
            name = f"{stem}_{number}"
        self._names.add(name)
        return name

    def set(self, kind: str, name: str, value: Any, *, metadata: str = "") -> None:
        """Set an attribute; `value` is a number, a text, a truth value, a vector or an array."""
        said = f" ({metadata})" if metadata else ""
        self.lines.append(f"{kind} {name} = {value_text(kind, value)}{said}")

    def connect(self, kind: str, name: str, path: str) -> None:
        """Connect an attribute to another one."""
        self.lines.append(f"{kind} {name}.connect = <{path}>")

    def output(self, kind: str, name: str) -> None:
        """Declare an output of a shader."""
        self.lines.append(f"{kind} {name}")

    def relate(self, name: str, *paths: str) -> None:
        """Set a relationship."""
        shown = ", ".join(f"<{path}>" for path in paths)
        self.lines.append(f"rel {name} = {shown if len(paths) == 1 else f'[{shown}]'}")

    def text(self, depth: int = 0) -> Iterable[str]:
        """Yield the lines of the prim."""
        pad = "    " * depth
        word = "class" if self.is_class else "def"
        kind = f" {self.kind}" if self.kind else ""
        yield f"{pad}{word}{kind} {quoted(self.name)}"
        metadata: list[str] = []
        if self.schemas:
            shown = ", ".join(quoted(schema) for schema in self.schemas)
            metadata.append(f"prepend apiSchemas = [{shown}]")
        if self.title:
            metadata.append(f"displayName = {quoted(self.title)}")
        if self.references:
            metadata.append(f"prepend references = <{self.references}>")
        if metadata:
            yield f"{pad}("
            for line in metadata:
                yield f"{pad}    {line}"
            yield f"{pad})"
        yield f"{pad}{{"
        for line in self.lines:
            yield f"{pad}    {line}"
        for prim in self.children:
            yield from prim.text(depth + 1)
        yield f"{pad}}}"


def layer_text(metadata: dict[str, str], prims: Sequence[Prim]) -> str:
    """Return the text of a layer; `metadata` are values as text."""
    lines = ["#usda 1.0", "(", *(f"    {k} = {v}" for k, v in metadata.items()), ")"]
    for prim in prims:
        lines += ["", *prim.text()]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Return a text in quotes."""
    return json.dumps(text, ensure_ascii=False)


def number_text(value: float) -> str:
    """Return a number; infinite ones have a word."""
    if math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(float(value))


def value_text(kind: str, value: Any) -> str:
    """Return the text of a value of some type."""
    if isinstance(value, np.ndarray):
        return _array_text(value)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, str):
        return f"@{value}@" if kind.endswith("asset") else quoted(value)
    if kind.endswith("[]"):
        return f"[{', '.join(value_text(kind[:-2], item) for item in value)}]"
    return f"({', '.join(value_text('', item) for item in value)})"


def _array_text(values: NDArray[Any]) -> str:
    if values.ndim == 1:
        return f"[{', '.join(map(_short, values.tolist()))}]"
    rows = (", ".join(map(_short, row)) for row in values.tolist())
    return "[" + ", ".join(f"({row})" for row in rows) + "]"


def _short(value: float) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
