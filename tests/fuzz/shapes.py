"""Files that hold shapes: VRML, OBJ, STL, PLY, COLLADA, glTF."""

from __future__ import annotations

import base64
import io
import itertools
import json
import random
import struct
from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.geometry.placing import placed
from solidbody.formats.geometry.trees import TreeNode
from solidbody.formats.mesh_trees import read_mesh_tree
from solidbody.formats.meshes import joined, read_mesh
from solidbody.formats.vrml97.scene import read_vrml97
from tests.formats.meshes import MTL, OBJ, PLY, STL_BYTES, STL_TEXT, dae
from tests.formats.vrml97.files import HEADER, TextFiles
from tests.formats.vrml97.test_fuzz import EVERYTHING
from tests.fuzz.damage import damaged_bytes, damaged_text, encoded
from tests.fuzz.kind import ACCEPTED, REFUSED, FaultError, Files, Kind, no_nan
from tests.property.mutations import mutate

# --------------------------------------------------------------------------------- seeds

DAE = dae(
    '<node id="a"><translate>1 0 0</translate><rotate>0 0 1 90</rotate>USE'
    "<node><scale>1 1 -1</scale>USE</node></node>"
    '<node id="b"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_node url="#a"/></node>'
)
OBJ_WORDS = [
    "v",
    "vt",
    "vn",
    "f",
    "usemtl",
    "mtllib",
    "o",
    "g",
    "s",
    "1/2/3",
    "1//2",
    "-1",
    "newmtl",
    "Kd",
    "map_Kd",
]
PLY_WORDS = [
    "property",
    "element",
    "list",
    "uchar",
    "int",
    "float",
    "double",
    "vertex",
    "face",
    "end_header",
    "format",
]
STL_WORDS = [
    "facet",
    "normal",
    "outer",
    "loop",
    "vertex",
    "endloop",
    "endfacet",
    "solid",
    "endsolid",
]
DAE_WORDS = [
    *(
        "G",
        "#G",
        "#G-a",
        "#MAT",
        "#S",
        "#E",
        "#a",
        "Y_UP",
        "nan nan nan 1",
        "X_UP",
        "VERTEX",
        "NORMAL",
        "TEXCOORD",
    ),
    *(
        "triangles",
        "polygons",
        "node",
        "source",
        "float_array",
        "instance_node",
        "<!ENTITY x 'y'>",
        "&x;",
    ),
]
GLTF_WORDS = [
    *(
        "accessors",
        "bufferViews",
        "buffers",
        "count",
        "byteOffset",
        "byteLength",
        "componentType",
        "POSITION",
    ),
    *(
        "children",
        "mesh",
        "nodes",
        "matrix",
        "null",
        "true",
        "[]",
        "{}",
        "5126",
        "5125",
        "SCALAR",
        "VEC3",
        "uri",
    ),
]


def _ply_bytes(order: str) -> bytes:
    name = "little" if order == "<" else "big"
    head = PLY[: PLY.index("end_header")].replace("ascii", f"binary_{name}_endian") + "end_header\n"
    points = struct.pack(order + "9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    return head.encode() + points + struct.pack(order + "B3i", 3, 0, 1, 2)


def _gltf() -> tuple[dict[str, object], bytes]:
    numbers = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<3I", 0, 1, 2)
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": 36},
        {"buffer": 0, "byteOffset": 36, "byteLength": 12},
    ]
    accessors = [
        {
            "bufferView": 0,
            "componentType": 5126,
            "count": 3,
            "type": "VEC3",
            "min": [0, 0, 0],
            "max": [1, 1, 0],
        },
        {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
    ]
    primitive = {"attributes": {"POSITION": 0}, "indices": 1, "material": 0, "mode": 4}
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "n", "children": [1]}, {"translation": [1, 0, 0], "mesh": 0}],
        "meshes": [{"name": "m", "primitives": [primitive]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
        "bufferViews": views,
        "accessors": accessors,
        "buffers": [{"byteLength": 48}],
    }, numbers


def _gltf_text() -> str:
    data, numbers = _gltf()
    uri = "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()
    return json.dumps({**data, "buffers": [{"byteLength": 48, "uri": uri}]})


def _glb_bytes(text: str | None = None) -> bytes:
    data, numbers = _gltf()
    part = (text or json.dumps(data)).encode("utf-8", "replace")
    part += b" " * (-len(part) % 4)
    out = io.BytesIO()
    out.write(struct.pack("<4sII", b"glTF", 2, 20 + len(part) + 8 + len(numbers)))
    out.write(struct.pack("<II", len(part), 0x4E4F534A) + part)
    out.write(struct.pack("<II", len(numbers), 0x004E4942) + numbers)
    return out.getvalue()


PLY_FILES = (_ply_bytes("<"), _ply_bytes(">"))

# --------------------------------------------------------------------------------- making


def _wrl(chance: random.Random) -> Files:
    words = [
        "Shape",
        "geometry",
        "USE B",
        "USE J",
        "DEF B",
        'Inline { url "a.wrl" }',
        "IS center",
        "Extrusion",
    ]
    text = HEADER + EVERYTHING
    text = (
        mutate(text, chance.randrange(2**31))
        if chance.random() < 0.5
        else damaged_text(text, chance, words)
    )
    return {"a.wrl": encoded(text, chance)}


def _obj(chance: random.Random) -> Files:
    hits_obj = chance.random() < 0.8
    rich = OBJ.replace("f 1 2 3", "vt 0 0\nvt 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 3/1/1\nf -3 -2 -1")
    material = MTL + "map_Kd a.png\nNs 10\nKa 1 1 1\n"
    text = damaged_text(rich, chance, OBJ_WORDS) if hits_obj else rich
    other = material if hits_obj else damaged_text(material, chance, OBJ_WORDS)
    return {"a.obj": encoded(text, chance), "colors.mtl": encoded(other, chance)}


def _stl(chance: random.Random) -> Files:
    if chance.random() < 0.5:
        return {"a.stl": encoded(damaged_text(STL_TEXT, chance, STL_WORDS), chance)}
    return {"a.stl": damaged_bytes(STL_BYTES, chance, [STL_TEXT.encode()])}


def _ply(chance: random.Random) -> Files:
    if chance.random() < 0.5:
        return {"a.ply": encoded(damaged_text(PLY, chance, PLY_WORDS), chance)}
    whole = chance.choice(PLY_FILES)
    if chance.random() < 0.4:  # the head is text
        end = whole.index(b"end_header")
        head = damaged_text(whole[:end].decode(), chance, PLY_WORDS)
        return {"a.ply": head.encode("utf-8", "replace") + whole[end:]}
    return {"a.ply": damaged_bytes(whole, chance, PLY_FILES)}


def _dae(chance: random.Random) -> Files:
    return {"a.dae": encoded(damaged_text(DAE, chance, DAE_WORDS), chance)}


def _gltf_file(chance: random.Random) -> Files:
    match chance.randrange(3):
        case 0:
            return {"a.gltf": encoded(damaged_text(_gltf_text(), chance, GLTF_WORDS), chance)}
        case 1:
            text = damaged_text(json.dumps(_gltf()[0]), chance, GLTF_WORDS, gentle=0.9)
            return {"a.glb": _glb_bytes(text)}
        case _:
            return {"a.glb": damaged_bytes(_glb_bytes(), chance)}


# --------------------------------------------------------------------------------- reading


def _check_tree(tree: TreeNode) -> None:
    """All parts can be placed, and are where numbers say."""
    for part, place, _ in itertools.islice(tree.placed_parts(), 2000):
        no_nan(placed(part.geometry, place), "part", no_infinity=True)
        no_nan(part.appearance, "appearance", no_infinity=True)


def _read_wrl(folder: Path) -> str:
    log = DiagnosticLog()
    tree = read_vrml97(folder / "a.wrl", TextFiles({}, log), log)
    if tree is None:
        if not log.has_errors:
            raise FaultError("there is no tree, and no error says why")
        return REFUSED
    _check_tree(tree)
    return REFUSED if log.has_errors else ACCEPTED


def _read_mesh(folder: Path) -> str:
    """Read a mesh as worlds do and as bodies do."""
    (path,) = (path for path in folder.iterdir() if path.stem == "a")
    tree = read_mesh_tree(path, str)
    _check_tree(tree)
    if path.suffix in (".obj", ".stl", ".dae"):
        for is_z_up in (False, True):
            parts = read_mesh(path, is_z_up=is_z_up)
            no_nan(parts, "parts", no_infinity=True)
            no_nan(joined(parts), "mesh", no_infinity=True)
    return ACCEPTED


KINDS = (
    Kind("wrl", _wrl, _read_wrl),
    Kind("obj", _obj, _read_mesh),
    Kind("stl", _stl, _read_mesh),
    Kind("ply", _ply, _read_mesh),
    Kind("dae", _dae, _read_mesh),
    Kind("gltf", _gltf_file, _read_mesh),
)
