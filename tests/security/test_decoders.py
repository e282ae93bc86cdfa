"""Pictures, sounds, meshes and kept files that are damaged or lie about their size.

Every decoder ends in an error of ours with a text: never in another exception, and without taking the room
that the file only claims to need.
"""

from __future__ import annotations

import base64
import json
import random
import struct
import tracemalloc
import wave
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import SolidbodyError
from solidbody.base.file_access import EVERY_FILE
from solidbody.base.pictures import PictureError, load_picture
from solidbody.compiler import convex_decomposition
from solidbody.control.adapters.radar_and_speaker import wave_duration
from solidbody.devices.actuators.canvas import load_pixels
from solidbody.formats.images import ImageError, check_image
from solidbody.formats.mesh_trees import read_mesh_tree
from solidbody.formats.meshes import MAX_NUMBERS, MeshError, read_mesh
from solidbody.model.appearance import Texture
from solidbody.render.texture_images import load_image
from solidbody.sound import clips
from solidbody.sound.clips import MAX_SECONDS, ClipLibrary, read_wav
from solidbody.viewer.textures import TextureTable

ROOM = 40_000_000
"""[bytes] More than any of these small files may take while it is refused."""


def room_taken(act: Callable[[], object]) -> int:
    """Return the most memory that Python and numpy hold while something is done [bytes]."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def fault_of(act: Callable[[], object], kind: type[Exception]) -> str | None:
    """Return what an error of the one kind that is expected says; None = there was none."""
    try:
        act()
    except kind as error:
        return str(error)
    return None


# ---------------------------------------------------------------------- pictures


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(100)))
        + chunk(b"IEND", b"")
    )


def _gif(width: int, height: int) -> bytes:
    screen = struct.pack("<HH", width, height)
    return b"GIF89a" + screen + b"\0\0\0," + bytes(4) + screen + b"\0\x02\x02\x44\x01\0;"


def _tga(width: int, height: int) -> bytes:
    return struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, width, height, 24, 0) + bytes(50)


def _jpeg(width: int, height: int) -> bytes:
    head = struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes.fromhex("011100021100031100")
    return b"\xff\xd8\xff\xc0" + head + b"\xff\xd9"


def _bmp(width: int, height: int) -> bytes:
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 10, 0, 0, 54) + info + bytes(10)


def _tiff(width: int, height: int) -> bytes:
    tags = [
        (256, width),
        (257, height),
        (258, 8),
        (259, 1),
        (262, 1),
        (273, 8),
        (277, 1),
        (279, 10),
    ]
    rows = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return (
        b"II*\0"
        + struct.pack("<I", 18)
        + bytes(10)
        + struct.pack("<H", len(tags))
        + rows
        + bytes(4)
    )


def _hdr(width: int, height: int) -> bytes:
    return f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n".encode() + bytes(50)


MAKERS = {"png": _png, "gif": _gif, "tga": _tga, "jpg": _jpeg, "bmp": _bmp, "tiff": _tiff}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("size", [(20_000, 20_000), (65_000, 65_000), (9_000, 9_000)])
def test_a_picture_that_claims_to_be_huge_is_refused(
    tmp_path: Path, kind: str, size: tuple[int, int]
) -> None:
    """By all who decode pictures: cameras and the page, `check`, and displays."""
    path = tmp_path / f"a.{kind}"
    path.write_bytes(MAKERS[kind](*size))

    def attack() -> None:
        with pytest.raises(PictureError, match="pixels"):
            load_image(path)
        with pytest.raises(ImageError, match="pixels"):
            check_image(path)
        with pytest.raises(ValueError, match=r"pixels|none of"):
            load_pixels(path)
        table = TextureTable(str(tmp_path / "w.wbt"), EVERY_FILE)
        assert table.index(Texture(path.name), str(tmp_path / "w.wbt")) is None

    assert room_taken(attack) < ROOM


def test_a_sky_of_light_that_claims_to_be_huge_is_refused(tmp_path: Path) -> None:
    """Radiance pictures have a reader of their own."""
    path = tmp_path / "a.hdr"
    path.write_bytes(_hdr(20_000, 20_000))
    with pytest.raises(SolidbodyError, match="20000 x 20000 pixels"):
        check_image(path)


@pytest.mark.parametrize("kind", MAKERS)
def test_damaged_pictures_give_a_text_or_a_picture(tmp_path: Path, kind: str) -> None:
    """A sound picture, cut anywhere or with bytes changed."""
    good, path = tmp_path / f"good.{kind}", tmp_path / f"bad.{kind}"
    noise = np.random.default_rng(0).integers(0, 255, (12, 9, 3), dtype=np.uint8)
    Image.fromarray(noise).save(good)
    failures = 0
    for data in damaged(good.read_bytes(), 80):
        path.write_bytes(data)
        failures += bool(fault_of(lambda: load_picture(path, mode="RGBA"), PictureError))
    assert failures > 5


@pytest.mark.parametrize("what", ["folder", "nothing", "empty"])
def test_what_is_no_picture_file_is_told(tmp_path: Path, what: str) -> None:
    """A folder, no file, a file of nothing."""
    path = tmp_path / "a.png"
    if what == "folder":
        path.mkdir()
    elif what == "empty":
        path.touch()
    with pytest.raises(PictureError):
        load_picture(path)
    with pytest.raises(PictureError):
        load_image(path)
    with pytest.raises(ImageError):
        check_image(path)


def test_a_picture_that_changes_on_disk_is_read_again(tmp_path: Path) -> None:
    """What was decoded is kept for the file as it was."""
    path = tmp_path / "a.png"
    path.write_bytes(_png(20_000, 20_000))
    with pytest.raises(PictureError):
        load_image(path)
    Image.new("RGB", (2, 2), (9, 9, 9)).save(path)
    assert load_image(path)[0, 0].tolist() == [9, 9, 9, 255]


def damaged(good: bytes, count: int) -> list[bytes]:
    """Return copies of a file that are cut, or have some bytes changed, always the same ones."""
    dice = random.Random(1)
    copies = [good[: len(good) * k // 20] for k in range(20)]
    for _ in range(count):
        copy = bytearray(good)
        for _ in range(dice.randint(1, 6)):
            copy[dice.randrange(len(copy))] = dice.choice(
                (0, 1, 127, 128, 255, dice.randrange(256))
            )
        copies.append(bytes(copy))
    return copies


# ---------------------------------------------------------------------- sounds


def _wav(
    data: bytes,
    *,
    rate: int = 8000,
    channels: int = 1,
    bits: int = 16,
    form: int = 1,
    size: int = 0,
) -> bytes:
    align = max(channels * bits // 8, 1) & 0xFFFF
    head = struct.pack("<HHIIHH", form, channels, rate, (rate * align) & 0xFFFFFFFF, align, bits)
    body = (
        b"WAVEfmt " + struct.pack("<I", 16) + head + b"data" + struct.pack("<I", size or len(data))
    )
    return b"RIFF" + struct.pack("<I", len(body) + len(data)) + body + data


ODD_SOUNDS = {
    "200 kB at 1 Hz": (_wav(bytes(200_000), rate=1), f"at most {MAX_SECONDS:g} s are played"),
    "no rate": (_wav(bytes(100), rate=0), "0 Hz cannot be played"),
    "no channels": (_wav(bytes(100), channels=0), "not a WAV file"),
    "no bits": (_wav(bytes(100), bits=0), "not a WAV file"),
    "64 bits": (_wav(bytes(100), bits=64), "cannot be played"),
    "floating point": (_wav(bytes(100), form=3, bits=32), "not a WAV file"),
    "mp3": (b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\x64" * 100, "not a WAV file"),
    "empty": (b"", "not a WAV file"),
    "head only": (_wav(b"")[:20], "not a WAV file"),
    "no data": (_wav(b"")[:36], "not a WAV file"),
}


@pytest.mark.parametrize("name", ODD_SOUNDS)
def test_odd_sounds_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    """And without the 65.7 GiB that 100,000 samples at 1 Hz would be."""
    data, said = ODD_SOUNDS[name]
    path = tmp_path / "a.wav"
    path.write_bytes(data)

    def attack() -> None:
        with pytest.raises(ValueError, match=said):
            read_wav(path)

    assert room_taken(attack) < 2 * len(data) + ROOM
    log = DiagnosticLog()
    assert ClipLibrary((str(tmp_path),), log, EVERY_FILE).get("a.wav") is None
    (message,) = log
    assert message.code == "sound" and message.text.startswith('cannot play "a.wav": ')


def test_a_sound_of_too_many_samples_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However short it is."""
    monkeypatch.setattr(clips, "MAX_SAMPLES", 1000)
    path = tmp_path / "a.wav"
    path.write_bytes(_wav(bytes(1001), bits=8, rate=4_000_000))
    with pytest.raises(ValueError, match="it has 1001 samples; at most 1000 are read"):
        read_wav(path)


def test_sounds_that_are_odd_and_sound_are_played(tmp_path: Path) -> None:
    """More said than there is, many channels, a high rate; a mean of channels as before."""
    path = tmp_path / "a.wav"
    path.write_bytes(_wav(bytes(1000), size=0xFFFFFFFF - 100))
    assert len(read_wav(path)) == round(500 * 44_100 / 8000)
    samples = np.arange(6000, dtype="<i2").reshape(-1, 300)
    path.write_bytes(_wav(samples.tobytes(), channels=300, rate=44_100))
    assert read_wav(path) == pytest.approx(samples.mean(axis=1) / 32768.0, abs=1e-6)
    path.write_bytes(_wav(bytes(8000), rate=0x7FFFFFFF))
    assert len(read_wav(path)) == 1


def test_damaged_sounds_give_a_text_or_samples(tmp_path: Path) -> None:
    """Also where only their length is asked for."""
    good, path = tmp_path / "good.wav", tmp_path / "a.wav"
    with wave.open(str(good), "wb") as file:
        file.setparams((2, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(400))
    for data in damaged(good.read_bytes()[:60], 300):
        path.write_bytes(data)
        duration = wave_duration(path)
        assert duration is None or duration >= 0.0
        assert fault_of(lambda: read_wav(path), ValueError) != ""


# ---------------------------------------------------------------------- meshes

TRIANGLE_OBJ = b"o K\xf6rper\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
TRIANGLE_STL = (
    b"solid K\xf6rper\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    b"endloop\nendfacet\nendsolid K\xf6rper\n"
)
TRIANGLE_PLY = (
    b"ply\nformat ascii 1.0\ncomment K\xf6rper\nelement vertex 3\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
)
TRIANGLE_DAE = b"""<?xml version="1.0" encoding="iso-8859-1"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g" name="K\xf6rper"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor source="#pa" count="3" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def _gltf(count: int = 3, *, has_data: bool = True) -> bytes:
    data = struct.pack("<9f3I", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2)
    tables = [
        {"componentType": 5126, "count": count, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
        {"componentType": 5125, "count": count, "type": "SCALAR"},
    ]
    if has_data:
        for number, table in enumerate(tables):
            table["bufferView"] = number
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    views = [(0, 36), (36, 12)]
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "buffers": [{"uri": uri, "byteLength": len(data)}],
            "bufferViews": [{"buffer": 0, "byteOffset": a, "byteLength": n} for a, n in views],
            "accessors": tables,
        }
    ).encode()


BINARY_PLY = (
    TRIANGLE_PLY.partition(b"0 0 0")[0].replace(b"ascii", b"binary_little_endian")
    + struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    + struct.pack("<B3i", 3, 0, 1, 2)
)

MESHES = {
    "obj": TRIANGLE_OBJ,
    "stl": TRIANGLE_STL,
    "ply": TRIANGLE_PLY,
    "dae": TRIANGLE_DAE,
    "gltf": _gltf(),
}


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("ply", TRIANGLE_PLY),
        ("ply", BINARY_PLY),
        ("dae", TRIANGLE_DAE),
        ("dae", TRIANGLE_DAE.replace(b"iso-8859-1", b"utf-8")),
        ("dae", TRIANGLE_DAE.replace(b' encoding="iso-8859-1"', b"")),
        ("gltf", _gltf().replace(b'"mesh": 0', b'"mesh": 0, "name": "K\xf6rper"')),
    ],
)
def test_other_meshes_with_such_letters_are_read(tmp_path: Path, kind: str, data: bytes) -> None:
    """Whatever a file says about itself; numbers stay as they are."""
    path = tmp_path / f"a.{kind}"
    path.write_bytes(data)
    assert b"\xf6" in data
    tree = read_mesh_tree(path, lambda url: url)
    assert len([True for _ in tree.placed_parts()]) == 1


@pytest.mark.parametrize("kind", ["obj", "stl", "dae"])
def test_a_mesh_with_a_letter_of_latin_1_is_read(tmp_path: Path, kind: str) -> None:
    """Old files have them in names and remarks; its triangle is there."""
    path = tmp_path / f"a.{kind}"
    path.write_bytes(MESHES[kind])
    (part,) = read_mesh(path)
    assert part.geometry.triangles == ((0, 1, 2),)
    if kind in ("obj", "stl"):
        assert part.name == "Körper"


def test_materials_with_a_letter_of_latin_1_are_found(tmp_path: Path) -> None:
    """The name of the material is the same in both files."""
    (tmp_path / "a.mtl").write_bytes(b"newmtl r\xf6t\nKd 1 0 0\n")
    mesh = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl r\xf6t\nf 1 2 3\n"
    (tmp_path / "a.obj").write_bytes(mesh)
    (part,) = read_mesh(tmp_path / "a.obj")
    assert part.color == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", MESHES)
def test_damaged_meshes_give_a_text_or_a_mesh(tmp_path: Path, kind: str) -> None:
    """Cut anywhere, or with bytes changed; the text speaks of the file, not of modules of ours."""
    path = tmp_path / f"a.{kind}"
    path.write_bytes(MESHES[kind])
    assert read_mesh_tree(path, lambda url: url) is not None
    for data in damaged(MESHES[kind], 60):
        path.write_bytes(data)
        said = fault_of(lambda: read_mesh_tree(path, lambda url: url), MeshError) or ""
        if kind in ("obj", "stl", "dae"):
            said += fault_of(lambda: read_mesh(path), MeshError) or ""
        assert "charset_normalizer" not in said


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.stl", bytes(80) + struct.pack("<I", 0xFFFFFFFF) + bytes(50), "4294967295 triangles"),
        ("b.stl", b"solid \xf6".ljust(80, b"\0") + struct.pack("<I", 7) + bytes(50), "7 triangles"),
        ("a.gltf", _gltf(10**12), f"at most {MAX_NUMBERS} are read"),
        ("b.gltf", _gltf(10**9, has_data=False), f"at most {MAX_NUMBERS} are read"),
        ("c.gltf", b"[" * 100_000, "it is broken"),
        ("d.gltf", b"[1]", "it is broken"),
        (
            "a.glb",
            b"glTF" + struct.pack("<III", 2, 2**32 - 1, 2**32 - 9) + b"JSON{",
            "it is broken",
        ),
        ("a.ply", TRIANGLE_PLY.replace(b"vertex 3", b"vertex 4000000000"), "it holds no triangles"),
        ("a.dae", TRIANGLE_DAE.replace(b"</mesh>", b""), "it is broken"),
    ],
)
def test_meshes_that_claim_too_much_are_refused(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    """Without making room for it first."""
    path = tmp_path / name
    path.write_bytes(data)

    def attack() -> None:
        with pytest.raises(MeshError, match=said):
            read_mesh_tree(path, lambda url: url)

    assert room_taken(attack) < ROOM


# ---------------------------------------------------------------------- kept files

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], dtype=float)
FACES = np.array([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 4)], dtype=np.int64)


@pytest.fixture
def cutting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An empty cache, and a count of how often a mesh was cut."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path))
    count = [0]

    def cut(points: convex_decomposition.Points, *_: object) -> list[convex_decomposition.Points]:
        count[0] += 1
        return [points[:4], points[1:]]

    monkeypatch.setattr(convex_decomposition, "_cut", cut)
    monkeypatch.setattr(convex_decomposition, "fitted_to_hull", lambda found, _: found)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1")
    return count


def test_damaged_copies_of_convex_parts_are_made_anew(cutting: list[int]) -> None:
    """Cut, changed, empty, or no file at all; whatever comes back are the parts, or they are cut again."""
    first = convex_decomposition.convex_parts(CORNERS, FACES)
    place = convex_decomposition._place_of(convex_decomposition.content_key(CORNERS, FACES))
    good = place.read_bytes()
    again = 0
    for data in damaged(good, 150):
        place.write_bytes(data)
        before = cutting[0]
        found = convex_decomposition.convex_parts(CORNERS, FACES)
        again += cutting[0] > before
        assert [part.tolist() for part in found] == [part.tolist() for part in first]
    assert again > 50
    place.write_bytes(b"")
    convex_decomposition.convex_parts(CORNERS, FACES)
    before = cutting[0]
    convex_decomposition.convex_parts(CORNERS, FACES)
    assert cutting[0] == before  # what was made anew is kept


def _packed(**arrays: np.ndarray) -> Callable[[Path], None]:
    return lambda path: np.savez_compressed(path, allow_pickle=True, **arrays)


@pytest.mark.parametrize(
    "write",
    [
        _packed(points=CORNERS, counts=np.array([6, -1])),
        _packed(points=CORNERS, counts=np.array([2.5, 2.5])),
        _packed(points=CORNERS, counts=np.array(5)),
        _packed(points=CORNERS * np.nan, counts=np.array([5])),
        _packed(points=CORNERS.astype(str), counts=np.array([5])),
        _packed(points=np.zeros((3_000_000, 3)), counts=np.array([3_000_000])),
        _packed(points=np.array([{}, {}], dtype=object), counts=np.array([2])),
        lambda path: path.mkdir(),
        lambda path: path.symlink_to(path),
    ],
    ids=["negative", "halves", "scalar", "nan", "text", "bomb", "pickle", "folder", "circle"],
)
def test_kept_parts_that_cannot_be_are_not_believed(
    cutting: list[int], write: Callable[[Path], None]
) -> None:
    """Sound as files, wrong as parts; a place that cannot be written to is no error."""
    place = convex_decomposition._place_of(convex_decomposition.content_key(CORNERS, FACES))
    place.parent.mkdir(parents=True)
    write(place)
    assert len(convex_decomposition.convex_parts(CORNERS, FACES)) == 2
    assert cutting[0] == 1


@pytest.mark.parametrize("note", [b"", b"\xff\xfe\xfa", None])
def test_a_damaged_note_of_a_failure_is_forgotten(cutting: list[int], note: bytes | None) -> None:
    """Empty, no text, or a folder in its place."""
    key = convex_decomposition.content_key(CORNERS, FACES)
    place = convex_decomposition._place_of(key).with_suffix(".failed")
    place.parent.mkdir(parents=True)
    if note is None:
        place.mkdir()
    else:
        place.write_bytes(note)
    assert len(convex_decomposition.convex_parts(CORNERS, FACES)) == 2
