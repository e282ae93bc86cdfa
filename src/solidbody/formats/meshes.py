"""Reads mesh files (STL, OBJ, COLLADA) into triangles; trimesh parses them and is imported on demand."""

from __future__ import annotations

import io
import json
import logging
import math
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SolidbodyError
from solidbody.base.file_access import EVERY_FILE, FileAccess, FileError
from solidbody.base.transforms import Vec3
from solidbody.formats.collada_counts import claims_too_much
from solidbody.formats.geometry.affine import MAX_COORDINATE
from solidbody.formats.text_files import LINK_AS_TEXT, decoded_text, link_text
from solidbody.model.geometry import GeometryMesh

MAX_BYTES: Final = 64_000_000
"""Larger files are refused: their triangles would need gigabytes as model values."""
MAX_TRIANGLES: Final = 1_000_000
FORMATS: Final = ("stl", "obj", "dae")
IMAGES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".hdr")
BESIDE: Final = (".mtl", ".bin")
"""Files that OBJ and glTF files name: materials, and numbers."""
MAX_NUMBERS: Final = 40_000_000
"""Of all tables of a glTF file: MAX_TRIANGLES with points, normals and texture coordinates of their own."""
_COMPONENTS: Final = {
    "SCALAR": 1,
    "VEC2": 2,
    "VEC3": 3,
    "VEC4": 4,
    "MAT2": 4,
    "MAT3": 9,
    "MAT4": 16,
}
_ASCII: Final = re.compile(rb"^format\s+ascii\b", re.MULTILINE)
_OTHER_ENCODING: Final = re.compile(rb"<\?xml[^>]*encoding=[\"'](?!utf-?8)", re.IGNORECASE)
TOO_MANY_CORNERS: Final = "it is broken: its polygons claim more corners than the file holds"
_ADDRESS: Final = "address"

Floats = NDArray[np.float64]

_SILENT: Final = logging.NullHandler()


_TURNS: Final[dict[str, Floats]] = {
    "X_UP": np.array([[0, -1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=np.float64),
    "Y_UP": np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64),
    "Z_UP": np.eye(4),
}
"""Turns from the axes of COLLADA files to z up; X_UP has y pointing to -x, which y up calls right."""


class MeshError(SolidbodyError):
    """A file holds no usable mesh."""


@dataclass(frozen=True, slots=True)
class MeshPart:
    """One object of a mesh file, placed as the file says.

    Attributes:
        name: The file's name for it.
        geometry: Its triangles.
        color: Diffuse colour of its material, linear RGB; None = it has none.
        opacity: 1 opaque .. 0 invisible.
        texture: Address of its image as the file writes it, relative to the file; empty = none.
        roughness: 0 mirror .. 1 matt; None = the file does not say.
        metalness: 0 dielectric .. 1 metal.
        glow: Light that it gives off; None = none.
    """

    name: str
    geometry: GeometryMesh
    color: Vec3 | None = None
    opacity: float = 1.0
    texture: str = ""
    roughness: float | None = None
    metalness: float = 0.0
    glow: Vec3 | None = None


def read_mesh(
    path: Path, *, is_z_up: bool = False, access: FileAccess = EVERY_FILE
) -> tuple[MeshPart, ...]:
    """Return the objects of a mesh file, in the order of the file.

    Args:
        path: The file.
        is_z_up: Whether what a COLLADA file calls up shall be +z; otherwise its axes stay as they are.
        access: Which files it may name.

    Raises:
        MeshError: The file cannot be read, is too large, broken, or has no triangles.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise MeshError(f'cannot read ".{kind}" files; known: {", ".join(FORMATS)}')
    data = read_bytes(path)
    with broken_as_error():
        parts = tuple(_parts(data, kind, MaterialFolder(path.parent, access), is_z_up))
    if not parts:
        raise MeshError("it holds no triangles")
    if sum(len(part.geometry.triangles) for part in parts) > MAX_TRIANGLES:
        raise MeshError(f"it has more than {MAX_TRIANGLES} triangles")
    return parts


def read_bytes(path: Path) -> bytes:
    """Return what a mesh file holds, its texts in UTF-8, unless it is too large.

    Raises:
        MeshError: It is, cannot be read, or is broken.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise MeshError(f"the file has {size} bytes; at most {MAX_BYTES} are read")
        data = path.read_bytes()
    except OSError as error:
        raise MeshError(f"cannot be read: {error.strerror}") from error
    target = link_text(data, path.name)
    if target:
        raise MeshError(LINK_AS_TEXT.format(target))
    return _in_utf8(data, path.suffix.lower().removeprefix("."))


@contextmanager
def broken_as_error() -> Generator[None]:
    """Turn whatever the readers below trimesh raise about a broken file into a MeshError."""
    try:
        yield
    except MeshError:
        raise
    except (
        Exception
    ) as error:  # they may raise anything at all, at once or when a part is looked at
        raise MeshError(f"it is broken: {type(error).__name__}: {error}") from error


class MaterialFolder:
    """Lets a reader open the material or number files beside a mesh, and nothing else.

    Images are not opened before somebody wants to see them: the reader gets a picture of one pixel
    that carries the address, from which `_texture` takes it again.
    """

    def __init__(self, folder: Path, access: FileAccess) -> None:
        self._folder = folder
        self._access = access

    def get(self, name: str) -> bytes:
        """Return what a file beside the mesh holds, as trimesh asks for it."""
        if Path(name.strip()).suffix.lower() in IMAGES:
            return _stand_in(name.strip())
        path = self._folder / Path(name.strip().replace("\\", "/")).name
        try:
            if path.suffix.lower() not in BESIDE:
                raise FileError("it is neither a material file nor one of numbers")
            return read_bytes(self._access.check(path))
        except (FileError, MeshError) as error:
            raise FileNotFoundError(f"{name}: {error}") from error

    __getitem__ = get


def _stand_in(address: str) -> bytes:
    from PIL import Image, PngImagePlugin

    note, file = PngImagePlugin.PngInfo(), io.BytesIO()
    note.add_itxt(_ADDRESS, address)
    Image.new("L", (1, 1)).save(file, "PNG", pnginfo=note)
    return file.getvalue()


def open_scene(data: bytes, kind: str, beside: MaterialFolder) -> Any:
    """Return the trimesh scene of a mesh file.

    Raises:
        MeshError: The file is broken.
    """
    trimesh: Any = import_module("trimesh")  # it has no static types
    # what it has to say about broken files is said by the error below
    logging.getLogger("trimesh").addHandler(_SILENT)
    with broken_as_error():
        if kind in ("gltf", "glb"):
            _check_gltf(data)
        if kind == "dae" and claims_too_much(data):
            raise MeshError(TOO_MANY_CORNERS)
        return trimesh.load_scene(
            io.BytesIO(data),
            file_type=kind,
            process=False,
            resolver=beside,
            **({"split_objects": True} if kind == "obj" else {}),
        )


def as_utf8(data: bytes) -> bytes:
    """Return a text in UTF-8: old files have Latin-1 or Japanese letters in names and remarks."""
    text, fault = decoded_text(data)
    return data if fault is None else text.encode("utf-8", errors="replace")


def _in_utf8(data: bytes, kind: str) -> bytes:
    """Return a mesh file with its texts in UTF-8; numbers stay as they are.

    Raises:
        MeshError: It is broken.
    """
    match kind:
        case "stl":
            return data if _is_binary_stl(data) else as_utf8(data)
        case "ply":
            head, mark, numbers = data.partition(b"end_header")
            return as_utf8(head) + mark + (as_utf8(numbers) if _ASCII.search(head) else numbers)
        case "dae":  # it may say what it is written in
            return data if _OTHER_ENCODING.search(data[:200]) else as_utf8(data)
        case "glb" | "bin":
            return data
        case _:
            return as_utf8(data)


def _is_binary_stl(data: bytes) -> bool:
    """Whether an STL file holds numbers; such files may begin as texts do."""
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count:
        return True
    if b"\0" in data:
        raise MeshError(
            f"it is broken: it says that it has {count} triangles, which take "
            f"{84 + 50 * count} bytes; it has {len(data)}"
        )
    return False


def _check_gltf(data: bytes) -> None:
    """Refuse a glTF file whose tables have more numbers than there is room for: it need not hold them."""
    if data[:4] == b"glTF":
        data = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    head: Any = json.loads(data)
    tables: Any = head.get("accessors", [])
    count = sum(_COMPONENTS.get(str(table["type"]), 16) * int(table["count"]) for table in tables)
    if count > MAX_NUMBERS:
        raise MeshError(f"its tables have {count} numbers; at most {MAX_NUMBERS} are read")


def part_of(name: str, mesh: Any) -> MeshPart | None:
    """Return one object of a scene in its own coordinates; None if it has no triangles."""
    trimesh: Any = import_module("trimesh")
    if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
        return None
    return _part(name, mesh, np.eye(4), 1.0)


def _parts(data: bytes, kind: str, beside: MaterialFolder, is_z_up: bool) -> Iterator[MeshPart]:
    trimesh: Any = import_module("trimesh")
    scene = open_scene(data, kind, beside)
    unit, turn = _unit_and_turn(data) if kind == "dae" else (1.0, _TURNS["Z_UP"])
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        mesh: Any = scene.geometry[name]
        if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
            continue
        placed: Floats = np.asarray(matrix, dtype=np.float64)
        yield _part(str(name), mesh, turn @ placed if is_z_up else placed, unit)


def _unit_and_turn(data: bytes) -> tuple[float, Floats]:
    """Return the length of a COLLADA file's unit [m], and what turns its up axis to +z."""
    from xml.etree import ElementTree

    unit, up = 1.0, "Y_UP"  # what the standard says about files that say nothing
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(data)):
            match element.tag.rpartition("}")[2]:
                case "unit":
                    length = float(element.get("meter", "1"))
                    unit = length if 0.0 < length < MAX_COORDINATE else 1.0
                case "up_axis":
                    up = (element.text or "").strip()
                case "asset":
                    break
                case _:
                    pass
    except (ElementTree.ParseError, ValueError):
        pass
    return unit, _TURNS.get(up, _TURNS["Y_UP"])


def _part(name: str, mesh: Any, matrix: Floats, unit: float) -> MeshPart:
    points: Floats = np.asarray(mesh.vertices, dtype=np.float64)
    faces = np.asarray(mesh.faces, dtype=np.int64)
    if points.ndim != 2 or points.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
        raise MeshError("it is broken: points or triangles do not have three numbers each")
    if not np.all(np.abs(points) < MAX_COORDINATE) or not np.all(np.isfinite(matrix)):
        raise MeshError("a coordinate is not a usable number")
    if faces.min() < 0 or faces.max() >= len(points):
        raise MeshError("a triangle uses a point that does not exist")
    points = unit * (points @ matrix[:3, :3].T + matrix[:3, 3])
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        faces = faces[:, ::-1]
    visual: Any = mesh.visual
    uv = getattr(visual, "uv", None)
    corners = faces.reshape(-1)
    coordinates = _pairs(np.asarray(uv, dtype=np.float64)[corners]) if _fits(uv, points) else ()
    color, opacity = _color(visual)
    geometry = GeometryMesh(
        _triples(points),
        tuple((a, b, c) for a, b, c in faces.tolist()),
        _normals(mesh, matrix, corners),
        coordinates,
    )
    return MeshPart(name, geometry, color, opacity, _texture(visual))


def _fits(uv: Any, points: Floats) -> bool:
    return uv is not None and np.shape(uv) == (len(points), 2) and bool(np.all(np.isfinite(uv)))


def _normals(mesh: Any, matrix: Floats, corners: NDArray[np.int64]) -> tuple[Vec3, ...]:
    """Return the normals that the file gives, one per corner; none if it gives none."""
    cached: Any = mesh._cache.cache if hasattr(mesh, "_cache") else {}
    given = cached.get("vertex_normals")
    if given is None or np.shape(given) != np.shape(mesh.vertices):
        return ()
    turn = matrix[:3, :3]
    if abs(float(np.linalg.det(turn))) < 1e-30:
        return ()
    normals = np.asarray(given, dtype=np.float64) @ np.linalg.inv(turn)
    lengths = np.linalg.norm(normals, axis=1)
    if not np.all(lengths > 0.0) or not np.all(np.isfinite(lengths)):
        return ()
    return _triples((normals / lengths[:, None])[corners])


def _color(visual: Any) -> tuple[Vec3 | None, float]:
    material = getattr(visual, "material", None)
    value = getattr(material, "baseColorFactor", None)
    if value is None:
        value = getattr(material, "diffuse", None)
    if value is None or np.shape(value) not in ((3,), (4,)):
        return None, 1.0
    array = np.asarray(value)
    rgba = [float(x) / (255.0 if array.dtype.kind in "iu" else 1.0) for x in array]
    rgba = [share_of(x) for x in rgba]
    opacity = rgba[3] if len(rgba) == 4 else 1.0
    extra: Any = getattr(material, "kwargs", None) or {}
    for word in np.ravel(extra.get("d", ()))[:1]:  # "dissolve" of OBJ materials
        with suppress(ValueError):
            opacity = share_of(float(word))
    return (rgba[0], rgba[1], rgba[2]), opacity


def share_of(value: float) -> float:
    """Return a number between 0 and 1; 1 for what is no number."""
    return 1.0 if math.isnan(value) else min(max(value, 0.0), 1.0)


def _texture(visual: Any) -> str:
    """Return the address of the image on a part, or an empty string."""
    material = getattr(visual, "material", None)
    for name in ("baseColorTexture", "image"):
        image: Any = getattr(material, name, None)
        if image is not None:
            return str(getattr(image, "info", {}).get(_ADDRESS, ""))
    return ""


def _triples(rows: Floats) -> tuple[Vec3, ...]:
    return tuple((x, y, z) for x, y, z in rows.tolist())


def _pairs(rows: Floats) -> tuple[tuple[float, float], ...]:
    return tuple((u, v) for u, v in rows.tolist())


def joined(parts: tuple[MeshPart, ...]) -> GeometryMesh:
    """Return all parts as one mesh; normals and texture coordinates only if every part has them."""
    if len(parts) == 1:
        return parts[0].geometry
    vertices: list[Vec3] = []
    triangles: list[tuple[int, int, int]] = []
    for part in parts:
        base = len(vertices)
        vertices.extend(part.geometry.vertices)
        triangles.extend((a + base, b + base, c + base) for a, b, c in part.geometry.triangles)
    meshes = [part.geometry for part in parts]
    has_normals = all(mesh.normals for mesh in meshes)
    has_textures = all(mesh.texture_coordinates for mesh in meshes)
    return GeometryMesh(
        tuple(vertices),
        tuple(triangles),
        tuple(item for mesh in meshes for item in mesh.normals) if has_normals else (),
        tuple(item for mesh in meshes for item in mesh.texture_coordinates) if has_textures else (),
    )


def turned_over(mesh: GeometryMesh) -> GeometryMesh:
    """Return the mesh with every triangle seen from its other side."""

    def corners(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(items[i + k] for i in range(0, len(items), 3) for k in (0, 2, 1))

    return GeometryMesh(
        mesh.vertices,
        tuple((a, c, b) for a, b, c in mesh.triangles),
        tuple((-x, -y, -z) for x, y, z in corners(mesh.normals)),
        corners(mesh.texture_coordinates),
        mesh.two_sided,
    )
