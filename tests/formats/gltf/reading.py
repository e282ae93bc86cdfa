"""Reads glTF files by the text of the specification, checks every rule that we could break on the way."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from solidbody.base.transforms import Pose

_TYPES = {5123: np.dtype("<u2"), 5125: np.dtype("<u4"), 5126: np.dtype("<f4")}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


@dataclass
class GltfFile:
    """A document and its binary part."""

    document: dict[str, Any]
    binary: bytes

    def rows(self, name: str) -> list[dict[str, Any]]:
        return self.document.get(name, [])

    def named(self, name: str) -> int:
        (found,) = [k for k, row in enumerate(self.rows("nodes")) if k and row.get("name") == name]
        return found

    def array(self, number: int) -> np.ndarray:
        accessor = self.rows("accessors")[number]
        view = self.rows("bufferViews")[accessor["bufferView"]]
        kind, width = _TYPES[accessor["componentType"]], _WIDTHS[accessor["type"]]
        size = kind.itemsize * width * accessor["count"]
        assert size == view["byteLength"]
        data = self.binary[view["byteOffset"] : view["byteOffset"] + size]
        return np.frombuffer(data, kind).reshape(accessor["count"], width)

    def image(self, number: int) -> bytes:
        view = self.rows("bufferViews")[self.rows("images")[number]["bufferView"]]
        return self.binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]

    def parents(self) -> dict[int, int]:
        return {
            child: k
            for k, row in enumerate(self.rows("nodes"))
            for child in row.get("children", [])
        }

    def place(self, node: int, frame: int | None = None) -> Pose:
        """Return where a node is, at the start or in a frame of the animation."""
        row = dict(self.rows("nodes")[node])
        if frame is not None:
            (animation,) = self.rows("animations")
            for channel in animation["channels"]:
                if channel["target"]["node"] == node:
                    values = self.array(animation["samplers"][channel["sampler"]]["output"])
                    row[channel["target"]["path"]] = values[frame].tolist()
        x, y, z, w = row.get("rotation", (0.0, 0.0, 0.0, 1.0))
        own = Pose(tuple(row.get("translation", (0.0, 0.0, 0.0))), (w, x, y, z))
        above = self.parents().get(node)
        return own if above is None else self.place(above, frame) * own


def read_gltf(path: Path) -> GltfFile:
    """Return a file that keeps the rules."""
    data = path.read_bytes()
    if path.suffix == ".glb":
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        document = json.loads(data[20 : 20 + size])
        binary = b""
        if 20 + size < len(data):
            rest, kind = struct.unpack_from("<I4s", data, 20 + size)
            assert kind == b"BIN\0" and rest % 4 == 0
            binary = data[28 + size : 28 + size + rest]
    else:
        document = json.loads(data)
        binary = (path.parent / document["buffers"][0]["uri"]).read_bytes()
    file = GltfFile(document, binary)
    _check(file)
    return file


def _check(file: GltfFile) -> None:
    document = file.document
    assert document["asset"]["version"] == "2.0"
    if file.binary:
        assert document["buffers"][0]["byteLength"] == len(file.binary)
    for name, rows in document.items():
        assert not isinstance(rows, list) or rows, f"{name} is empty"
    for view in file.rows("bufferViews"):
        assert view["byteOffset"] % 4 == 0
        assert view["byteLength"] > 0
        assert view["byteOffset"] + view["byteLength"] <= len(file.binary)
    for number, accessor in enumerate(file.rows("accessors")):
        values = file.array(number)
        assert np.isfinite(values).all()
        if "min" in accessor:
            assert accessor["min"] == values.min(axis=0).tolist()
            assert accessor["max"] == values.max(axis=0).tolist()
    for mesh in file.rows("meshes"):
        for primitive in mesh["primitives"]:
            _check_primitive(file, primitive)
    children = [child for row in file.rows("nodes") for child in row.get("children", [])]
    assert len(children) == len(set(children)), "a node has two parents"
    assert {*children, *document["scenes"][0]["nodes"]} == set(range(len(file.rows("nodes"))))
    for row in file.rows("nodes"):
        assert abs(np.linalg.norm(row.get("rotation", (0, 0, 0, 1))) - 1.0) < 1e-6
    for material in file.rows("materials"):
        surface = material["pbrMetallicRoughness"]
        shares = [*surface["baseColorFactor"], *material.get("emissiveFactor", [])]
        assert all(0.0 <= share <= 1.0 for share in shares)
    for texture in file.rows("textures"):
        assert texture["source"] < len(file.rows("images"))
        assert texture["sampler"] < len(file.rows("samplers"))
    for animation in file.rows("animations"):
        for sampler in animation["samplers"]:
            times = file.array(sampler["input"])[:, 0]
            assert times[0] >= 0.0 and (np.diff(times) > 0.0).all()
            assert len(file.array(sampler["output"])) == len(times)
    used = set(document.get("extensionsUsed", []))
    assert set(document.get("extensions", {})) <= used


def _check_primitive(file: GltfFile, primitive: dict[str, Any]) -> None:
    attributes = primitive["attributes"]
    count = len(file.array(attributes["POSITION"]))
    for name, number in attributes.items():
        assert len(file.array(number)) == count, name
    if "NORMAL" in attributes:
        lengths = np.linalg.norm(file.array(attributes["NORMAL"]), axis=1)
        assert np.abs(lengths - 1.0).max() < 1e-5
    if "indices" in primitive:
        assert file.array(primitive["indices"]).max() < count
    assert primitive["material"] < len(file.rows("materials"))
