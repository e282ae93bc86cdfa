"""The binary part of a glTF file, and its document: arrays become accessors, pictures buffer views."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SaveError
from solidbody.base.written_files import WrittenFiles

Row = dict[str, Any]
"""An object of the document."""

MOST_BYTES: Final = 2**32 - 2**20
"""A GLB file says its length in 32 bits."""

_FLOAT, _UNSIGNED_SHORT, _UNSIGNED_INT = 5126, 5123, 5125
_VERTICES, _INDICES = 34962, 34963
_SHAPES: Final = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
_GLB: Final = 0x46546C67
_JSON, _BIN = 0x4E4F534A, 0x004E4942


@dataclass(slots=True)
class GltfDocument:
    """A glTF file that is being made.

    Attributes:
        lists: What the document lists, by the name of the list; rows refer to each other by number.
        extensions: Names of all that is used.
    """

    lists: dict[str, list[Row]] = field(default_factory=dict[str, list[Row]])
    extensions: set[str] = field(default_factory=set[str])
    _parts: list[bytes] = field(default_factory=list[bytes])
    _length: int = 0

    def add(self, name: str, row: Row) -> int:
        """Add a row to a list and return its number."""
        rows = self.lists.setdefault(name, [])
        rows.append(row)
        return len(rows) - 1

    def floats(self, values: NDArray[np.floating[Any]], *, of_vertices: bool = True) -> int:
        """Return the accessor of an array, shape (n,) or (n, 2 to 4), written with its bounds."""
        array = np.ascontiguousarray(values, dtype="<f4")
        rows = array.reshape(len(array), -1)
        view = self.view(array.tobytes(), _VERTICES if of_vertices else None)
        return self.add(
            "accessors",
            {
                "bufferView": view,
                "componentType": _FLOAT,
                "count": len(rows),
                "type": _SHAPES[rows.shape[1]],
                "min": [float(value) for value in rows.min(axis=0)],
                "max": [float(value) for value in rows.max(axis=0)],
            },
        )

    def indices(self, values: NDArray[np.integer[Any]]) -> int:
        """Return the accessor of indices of vertices."""
        is_small = len(values) == 0 or int(values.max()) < 0xFFFF
        array = np.ascontiguousarray(values, dtype="<u2" if is_small else "<u4")
        return self.add(
            "accessors",
            {
                "bufferView": self.view(array.tobytes(), _INDICES),
                "componentType": _UNSIGNED_SHORT if is_small else _UNSIGNED_INT,
                "count": len(array),
                "type": "SCALAR",
            },
        )

    def view(self, data: bytes, target: int | None = None) -> int:
        """Return the buffer view of some bytes.

        Raises:
            SaveError: The file would be too large.
        """
        row: Row = {"buffer": 0, "byteOffset": self._length, "byteLength": len(data)}
        if target is not None:
            row["target"] = target
        self._parts += [data, bytes(-len(data) % 4)]
        self._length += len(data) + -len(data) % 4
        if self._length > MOST_BYTES:
            raise SaveError("the file would have more than 4 GB, which glTF cannot say")
        return self.add("bufferViews", row)

    def glb(self) -> bytes:
        """Return all in one file."""
        binary = b"".join(self._parts)
        text = self._text(None)
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), _JSON) + text
        if binary:
            chunks += struct.pack("<II", len(binary), _BIN) + binary
        return struct.pack("<III", _GLB, 2, 12 + len(chunks)) + chunks

    def gltf(self, stem: str) -> WrittenFiles:
        """Return the document and, beside it, its binary part."""
        name = f"{stem}.bin"
        beside = {name: b"".join(self._parts)} if self._length else {}
        return WrittenFiles(self._text(name), beside)

    def _text(self, uri: str | None) -> bytes:
        document: Row = {"asset": {"version": "2.0", "generator": "solidbody"}}
        if self.extensions:
            document["extensionsUsed"] = sorted(self.extensions)
        if self._length:
            place: Row = {} if uri is None else {"uri": uri}
            document["buffers"] = [{**place, "byteLength": self._length}]
        lights = self.lists.pop("lights", None)
        document.update(self.lists)
        if lights is not None:
            document["extensions"] = {"KHR_lights_punctual": {"lights": lights}}
            self.lists["lights"] = lights
        document["scene"] = 0
        return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("utf-8")
